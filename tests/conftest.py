"""Fixtures: the demo release, and the official one where it is at hand."""

import os

import pytest

from lib import release
from lib.files import ROOT

BESIDE = ROOT.parent / "shared" / "data" / "ecthr-npd"


@pytest.fixture(scope="session")
def demo() -> release.Release:
    return release.load("demo")


@pytest.fixture(scope="session")
def official() -> release.Release:
    folder = os.environ.get("NPD_DATA") or BESIDE
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NPD_DATA", str(folder))
            return release.load("official")
    except release.UserError as error:
        pytest.skip(f"the official release is not here: {error.summary}")
