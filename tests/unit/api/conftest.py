"""Two servers a test process: one for the person at this machine, one for bearers of tokens."""

from collections.abc import Generator
from typing import Any

import pytest

from tests.unit.api.researching import research_server
from tests.unit.api.serving import Server, serving, settled, start


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with serving(tmp_path_factory.mktemp("local") / "workspace", requires_token=False) as server:
        yield server


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with serving(tmp_path_factory.mktemp("guarded") / "workspace", requires_token=True) as server:
        yield server


@pytest.fixture(scope="session")
def researching(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """With a collection to research in, for bearers of tokens."""
    with research_server(tmp_path_factory.mktemp("researching"), requires_token=True) as server:
        yield server


@pytest.fixture
def waiting_run(local: Server) -> dict[str, Any]:
    """A run that waits for its approval."""
    with local.client() as client:
        return settled(client, start(client, "expenses", title="出張")["run_id"])
