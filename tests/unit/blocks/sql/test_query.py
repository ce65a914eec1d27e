"""`sql.query` on real databases: parameters only, nothing is changed, rows and time are bounded."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest
import yaml

from sanbo.kernel.problems import InvalidInput, SanboError
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from sanbo.storage.outside import ask
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import exports

TABLE = "CREATE TABLE bills (id INTEGER, customer TEXT, amount NUMERIC(12, 2), day DATE)"
ROWS = "INSERT INTO bills VALUES (1, '青葉商店', 110.10, '2024-05-31'), (2, '若葉''工業', 5, NULL)"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        path = tmp_path / "bills.db"
        with sqlite3.connect(path) as connection:
            connection.execute(TABLE)
            connection.execute(ROWS)
        return f"sqlite:///{path}"
    server: str = request.getfixturevalue("postgres")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bills")
        connection.execute(TABLE)
        connection.execute(ROWS)
    return server


def _ask(url: str, sql: str, seconds: float = 30, most: int = 10, **parameters: Any) -> Any:
    return ask(url, sql, parameters, most_rows=most, seconds=seconds)


def test_rows_come_as_json_and_values_go_in_as_parameters(url: str) -> None:
    found = _ask(url, "SELECT * FROM bills WHERE customer = :name", name="若葉'工業")
    assert found.rows == [{"id": 2, "customer": "若葉'工業", "amount": 5, "day": None}]
    (row,) = _ask(url, "SELECT amount, day FROM bills WHERE id IN :ids", ids=[1, 9]).rows
    assert row == {"amount": 110.1, "day": "2024-05-31"}
    evil = "x' OR '1'='1"
    assert _ask(url, "SELECT * FROM bills WHERE customer = :name", name=evil).rows == []


def test_no_more_rows_than_wanted(url: str) -> None:
    found = _ask(url, "SELECT id FROM bills ORDER BY id", most=1)
    assert (found.rows, found.is_cut) == ([{"id": 1}], True)


@pytest.mark.parametrize(
    ("sql", "text_id"),
    [
        ("DELETE FROM bills", "sql_not_a_question"),
        ("  -- x\nDROP TABLE bills", "sql_not_a_question"),
        ("", "sql_not_a_question"),
        ("SELECT nosuch FROM bills", "sql_refused"),
        ("SELECT 1; DELETE FROM bills", "sql_refused"),
        ("SELECT 1 AS a, 2 AS a", "sql_columns_alike"),
    ],
)
def test_what_is_no_question_is_refused_and_changes_nothing(
    url: str, sql: str, text_id: str
) -> None:
    with pytest.raises(SanboError) as problem:
        _ask(url, sql)
    assert problem.value.problem.text_id == text_id
    assert _ask(url, "SELECT count(*) AS n FROM bills").rows == [{"n": 2}]


def test_a_change_inside_a_question_is_refused_by_the_database(url: str) -> None:
    with pytest.raises(SanboError) as problem:
        _ask(url, "WITH gone AS (DELETE FROM bills RETURNING id) SELECT * FROM gone")
    assert problem.value.problem.text_id in ("sql_read_only", "sql_refused")
    assert _ask(url, "SELECT count(*) AS n FROM bills").rows == [{"n": 2}]


def test_a_question_without_end_is_ended(url: str) -> None:
    endless = (
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT sum(n) AS s FROM t"
    )
    with pytest.raises(SanboError) as problem:
        _ask(url, endless, seconds=0.3)
    assert problem.value.problem.text_id == "sql_slow"


def test_a_database_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    for address in (
        f"sqlite:///{tmp_path}/none.db",
        "postgresql://reader:verysecretword@127.0.0.1:1/x",
    ):
        with pytest.raises(SanboError) as problem:
            _ask(address, "SELECT 1")
        assert problem.value.problem.text_id == "sql_unreachable"
        assert "verysecretword" not in problem.value.problem.message
    assert not (tmp_path / "none.db").exists()


def _run(workspace: Path, url: str, given: dict[str, Any]) -> Run:
    designs = workspace / "designs"
    designs.mkdir(parents=True)
    node = {"id": "q", "block": "sql.query", "in": given, "out": {"rows": "rows"}}
    plan = {"id": "p", "version": "1.0.0", "vars": {"n": 1}, "graph": [node]}
    (designs / "p.yaml").write_text(yaml.safe_dump(plan, allow_unicode=True), "utf-8")
    environment = {
        "SANBO_LLM__PROVIDER": "rules",
        "SANBO_PLANS__CONNECTIONS": json.dumps({"会計": url}),
    }

    async def work() -> Run:
        async with open_workbench(load_settings(workspace, environment)) as bench:
            run = await bench.start(LOCAL, "plan", {"plan_id": "p"})
            return await bench.wait(LOCAL, run.run_id)

    return asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_a_plan_asks_by_the_name_of_the_settings(url: str, tmp_path: Path) -> None:
    sql = "SELECT id FROM bills WHERE id > :n OR id = :n ORDER BY id"
    given = {"connection": "会計", "sql": sql, "parameters": {"n": "${vars.n}"}, "max_rows": 1}
    run = _run(tmp_path / "w", url, given)
    assert run.status is Status.SUCCEEDED, run.problem
    assert exports(run) == {"rows": [{"id": 1}]}
    assert [each.code for each in run.warnings] == ["RESOURCE_LIMIT"]
    other = _run(tmp_path / "v", url, {**given, "connection": "会系"})
    assert other.problem is not None
    assert other.problem.text_id == "sql_connection_unknown"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"sql": "SELECT * FROM bills WHERE id = ${vars.n}"}, "参照"),
        ({"sql": "DELETE FROM bills"}, "delete"),
        ({"sql": "SELECT :m", "parameters": {"n": 1}}, ":m"),
        ({"sql": "SELECT 1", "parameters": {"n": 1}}, "「n」"),
    ],
)
def test_a_plan_with_other_sql_is_refused(
    given: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as refused:
        _run(tmp_path, "sqlite:///x", {"connection": "会計", **given})
    findings = cast("list[dict[str, str]]", refused.value.problem.details["findings"])
    told = [each["message"] for each in findings if each["code"] == "wrong_input"]
    assert len(told) == 1
    assert reason in told[0]
