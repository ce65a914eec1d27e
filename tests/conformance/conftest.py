"""What is left to `make test-all`: most of what agents do on PostgreSQL as they do on SQLite."""

from typing import Any, cast

import pytest

from tests.conformance.cases import Case

ON_BOTH = "test_a_run_asks_takes_the_answers_and_succeeds"
ASKING_ON_POSTGRESQL = ("approval", "plan")
"""How a run is journaled, leased and answered meets PostgreSQL through these."""
PROCESSES = ("test_kill", "test_two_processes")
IN_PROCESSES = {("sqlite", "plan"), ("postgresql", "approval")}
"""Each process takes seconds: one workflow of either kind, each on a database of its own."""


BY_MACHINES = "test_a_process_that_has_lost_its_lease_writes_nothing_more[postgresql]"
"""Two machines do so on PostgreSQL: `test_machines.py`."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:  # of all folders
        given = cast("dict[str, Any]", getattr(getattr(item, "callspec", None), "params", {}))
        database, case = given.get("new_environment"), given.get("case")
        if item.name == BY_MACHINES or (
            isinstance(case, Case) and _is_shown_elsewhere(item, database, case.name)
        ):
            item.add_marker(pytest.mark.thorough)


def _is_shown_elsewhere(item: pytest.Item, database: str | None, name: str) -> bool:
    if item.path.stem in PROCESSES:
        return (database, name) not in IN_PROCESSES
    again = database == "postgresql" and name not in ASKING_ON_POSTGRESQL
    return again and not item.name.startswith(ON_BOTH)
