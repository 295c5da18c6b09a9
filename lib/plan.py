"""Read ``report.yaml``: which profile, systems and notebooks a report is made from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lib import predictions, release
from lib.errors import Problem, UserError
from lib.files import ROOT, report_folder
from lib.page import Page
from lib.systems import training
from lib.systems.registry import BASELINE, REFITTED, REPORTED, SYSTEMS, known

CONFIG = ROOT / "report.yaml"
NOTEBOOKS = Path("notebooks")  # in the checkout
PAGE = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    notebook: str
    parameters: dict[str, Any] = Field(default_factory=dict)


class Config(BaseModel):
    """The contents of ``report.yaml``."""

    model_config = ConfigDict(extra="forbid")

    profile: Literal["auto", "demo", "official"] = "auto"
    systems: list[str] = Field(default_factory=lambda: list(REPORTED))
    notebooks: list[Entry] = Field(min_length=1)
    each_system: str = "system-card"


@dataclass(frozen=True)
class Plan:
    """What a run is to make.

    Attributes:
        own: our systems to train.
        users: the users' prediction files.
        pages: every notebook to run, in the site's order.
    """

    profile: str
    own: list[str]
    users: list[Path]
    pages: list[Page]

    @property
    def folder(self) -> Path:
        return report_folder(self.profile)

    def page(self, name: str) -> Page:
        return next(page for page in self.pages if page.name == name)


def read_config(path: Path = CONFIG) -> Config:
    """Read and check the configuration.

    Raises:
        UserError: with every problem of the file.
    """
    if not path.is_file():
        raise UserError(f"There is no {path}.")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        config = Config.model_validate(content if content is not None else {})
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not YAML: {error}") from None
    except ValidationError as error:
        problems = [
            Problem(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}") for e in error.errors()
        ]
        raise UserError(f"{path} has problems:", problems) from None
    names = [entry.notebook for entry in config.notebooks]
    problems = [
        Problem(f"systems: there is no system {name!r} (there are {', '.join(REPORTED)})")
        for name in config.systems
        if not known(name)
    ]
    if BASELINE not in config.systems:
        problems.append(Problem(f"systems: {BASELINE} must be there; pages compare with it"))
    problems += [
        Problem(f"notebooks: there is no notebook {name!r} in {NOTEBOOKS.name}/")
        for name in [*names, config.each_system]
        if not PAGE.fullmatch(name) or not (ROOT / NOTEBOOKS / f"{name}.ipynb").is_file()
    ]
    problems += [
        Problem(f"notebooks: {name} is listed twice")
        for name in sorted({n for n in names if names.count(n) > 1})
    ]
    if problems:
        raise UserError(f"{path} has problems:", problems)
    return config


def make(profile: str = "", config: Config | None = None) -> Plan:
    """Lay out a run.

    Args:
        profile: "demo" or "official"; "" takes what the configuration says.

    Raises:
        UserError: for a bad configuration, or a user's file that names one of our systems.
    """
    config = config or read_config()
    profile = profile or config.profile
    profile = release.default_profile() if profile == "auto" else profile
    users = predictions.user_files()
    taken = {name + end for name in SYSTEMS for end in ("", REFITTED)}
    for path in users:
        name = predictions.system_name(path)
        if name.lower() in taken:
            raise UserError(
                f"{path} names a system that is there already: {name}.",
                hint="Rename the file; its name is the system's identifier.",
            )
        taken.add(name.lower())
    common: dict[str, Any] = {"profile": profile}
    shown = [*config.systems, *(path.stem for path in users)]
    choice = {} if set(config.systems) == set(REPORTED) else {"systems": shown}
    pages = [
        Page(e.notebook, NOTEBOOKS / f"{e.notebook}.ipynb", {**common, **choice, **e.parameters})
        for e in config.notebooks
    ]
    pages += [
        Page(
            f"system-{name}",
            NOTEBOOKS / f"{config.each_system}.ipynb",
            {**common, **choice, "system": name},
            title,
        )
        for name, title in [
            *((name, training.find(name).name) for name in config.systems),
            *((path.stem, _title(path)) for path in users),
        ]
    ]
    return Plan(profile, config.systems, users, pages)


def _title(path: Path) -> str:
    card = predictions.read_card(path)
    return card.label if card else path.stem


def check_users(plan: Plan, data: release.Release) -> None:
    """Check every user's file before anything runs.

    Raises:
        UserError: with all problems of all files.
    """
    predictions.load_all(plan.users, data)


def cards(plan: Plan) -> list[Path]:
    """The cards that a run reads: ours, and those that users gave."""
    files = [path.with_suffix(".yaml") for path in system_files(plan)]
    own = len(plan.own)
    return files[:own] + [card for card in files[own:] if card.is_file()]


def system_files(plan: Plan) -> list[Path]:
    """The prediction files of a run: ours, then the users'."""
    return [training.folder(plan.profile) / f"{name}.csv" for name in plan.own] + plan.users
