"""Databases are migrated here as they are at a user's."""

from collections.abc import Generator

import pytest

from tests import kept_tables


@pytest.fixture(autouse=True)
def _as_shipped() -> Generator[None]:
    with kept_tables.as_shipped():
        yield
