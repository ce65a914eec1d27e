"""Runs through a pooler that gives every transaction another connection of the server."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from sanbo.kernel.problems import SanboError
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from tests.conformance.cases import case_named
from tests.conformance.processes import WORKFLOWS, run_to_end
from tests.pooler import pooled

NewEnvironment = Callable[[], dict[str, str]]

pytestmark = pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)


def _through(environment: dict[str, str], port: int) -> dict[str, str]:
    address = sa.make_url(environment["SANBO_DATABASE_URL"])
    pooler = address.set(host="127.0.0.1", port=port, query={})
    return {**environment, "SANBO_DATABASE_URL": pooler.render_as_string(hide_password=False)}


def _socket(environment: dict[str, str]) -> Path:
    folder = sa.make_url(environment["SANBO_DATABASE_URL"]).query["host"]
    return next(Path(str(folder)).glob(".s.PGSQL.*[0-9]"))


@pytest.mark.parametrize("name", ["expenses", "approval"])
def test_runs_ask_and_end_and_others_are_told(
    name: str, tmp_path: Path, new_environment: NewEnvironment
) -> None:
    direct = new_environment()
    case = case_named(name)

    async def work(environment: dict[str, str]) -> None:
        async with open_workbench(load_settings(tmp_path / "w", environment), WORKFLOWS) as bench:
            for _ in range(3):  # so often that statements would be prepared
                run = await bench.start(LOCAL, case.name, case.given)
                run = await run_to_end(bench, case, run)
                assert run.status is Status.SUCCEEDED
                assert case.came_out(run)
            assert len(await bench.list(LOCAL)) == 3

    with pooled(_socket(direct)) as port:
        environment = _through(direct, port)
        environment["SANBO_DATABASE_DIRECT_URL"] = direct["SANBO_DATABASE_URL"]
        asyncio.run(asyncio.wait_for(work(environment), 60))


def test_without_saying_so_prepared_statements_are_missed(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    """The pooler is as harsh as it says."""
    direct = new_environment()
    with pooled(_socket(direct)) as port:
        database = open_database(load_settings(tmp_path / "w", _through(direct, port)))
        with pytest.raises((SanboError, SQLAlchemyError)):
            _ = [database.can_store() for _ in range(20)]
        database.close()
