"""A workspace with the office's documents, made once; runs in it do not meet each other."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sanbo.agents.grace import planner
from tests.scripted_model import ScriptedModel
from tests.unit.agents.grace.office import COLLECTION, DOCUMENTS, rules
from tests.unit.agents.research.researching import index


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection, and not one run."""
    folder = tmp_path_factory.mktemp("grace") / "untouched"
    index(rules(folder), DOCUMENTS, COLLECTION)
    return folder


@pytest.fixture(scope="session")
def workspace(untouched: Path) -> Path:
    """For all tests: its collection stays as it is."""
    return Path(shutil.copytree(untouched, untouched.with_name("workspace")))


@pytest.fixture
def own_workspace(untouched: Path, tmp_path: Path) -> Path:
    """For a test that adds collections, or that counts runs."""
    return Path(shutil.copytree(untouched, tmp_path / "workspace"))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """It is asked for a plan of every question, simple ones too."""
    monkeypatch.setattr(planner, "SIMPLE", 0.0)
    with ScriptedModel() as script:
        yield script


@pytest.fixture
def model_of_answers() -> Iterator[ScriptedModel]:
    """It is asked for a plan only where a question needs one."""
    with ScriptedModel() as script:
        yield script
