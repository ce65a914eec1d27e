"""What is left to `make test-all`: most of what agents do on PostgreSQL as they do on SQLite."""

from typing import Any, cast

import pytest

from tests.conformance.cases import ASKING

ON_BOTH = "test_a_run_asks_takes_the_answers_and_succeeds"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # How a run is journaled, leased and answered meets PostgreSQL through the workflows that ask.
    for item in items:
        given = cast("dict[str, Any]", getattr(getattr(item, "callspec", None), "params", {}))
        again = given.get("new_environment") == "postgresql" and "case" in given
        if again and given["case"] not in ASKING and not item.name.startswith(ON_BOTH):
            item.add_marker(pytest.mark.thorough)
