"""A workspace with the collection, made once and copied for each test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripted_model import ScriptedModel
from tests.unit.agents.research.researching import index, rules


@pytest.fixture(scope="session")
def _indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("research")
    index(rules(folder / "workspace"))
    return folder / "workspace"


@pytest.fixture
def workspace(_indexed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(_indexed, tmp_path / "workspace"))


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script
