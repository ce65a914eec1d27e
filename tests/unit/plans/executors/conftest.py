from collections.abc import Iterator
from pathlib import Path

import pytest

from sanbo.plans.executors.executors import Executors
from sanbo.plans.settings import PlanSettings
from tests.unit.plans.executors.blocks import write_blocks


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_blocks(tmp_path_factory.mktemp("executors") / "workspace")


@pytest.fixture(scope="session")
def executors() -> Iterator[Executors]:
    made = Executors(PlanSettings(max_workers=3))
    yield made
    made.close()
