"""environment.yml (conda), pyproject.toml (pip) and requirements.lock say the same."""

import re
import tomllib

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lib.files import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONDA_NAMES = {"snakemake-minimal": "snakemake"}  # conda's name for the same distribution


def declared() -> dict[str, str]:
    texts = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]
    return {canonicalize_name(r.name): str(r.specifier) for r in map(Requirement, texts)}


def in_conda() -> dict[str, str]:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    entries = [e for e in environment["dependencies"] if isinstance(e, str)]
    entries += next(e for e in environment["dependencies"] if isinstance(e, dict))["pip"]
    found = {}
    for entry in entries:
        name, bound = (
            re.fullmatch(r"([\w.-]+)(.*)", entry).groups() if entry[0] != "-" else ("", "")
        )
        found[canonicalize_name(CONDA_NAMES.get(name, name))] = bound
    return found


def test_conda_and_pip_ask_for_the_same():
    conda = in_conda()
    assert {name: conda.get(name) for name in declared()} == declared()
    assert set(conda) - set(declared()) == {"python", "pip", "quarto", ""}


def test_lock_meets_what_is_declared():
    lines = (ROOT / "requirements.lock").read_text("utf-8").split()
    locked = {canonicalize_name(k): v for k, v in (line.split("==") for line in lines)}
    for text in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), text
