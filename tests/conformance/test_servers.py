"""Two real servers (`sanbo up`) on one PostgreSQL and one place for files: whichever of them a
request reaches, it is answered as if there were one."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
import sqlalchemy as sa
from psycopg.sql import SQL, Identifier

from sanbo.service.access import Access
from sanbo.settings import load_settings
from sanbo.storage.database import Database, open_database
from sanbo.storage.tables import sealed, triggers
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import plan, put_blocks

KEY = "only the servers have this one :)"
CODE = "くさなぎの剣-4711"
FORM = """
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      message: 接続先
      requirements:
        - {id: user, type: text, label: 利用者}
        - {id: code, type: text, label: 暗証番号, secret: true}
    out: {collected_data: entered}
  - {id: login, block: test.login, in: {password: "${form.entered.code}"}}
"""
SLOW = "  - {id: slow, block: test.work, in: {value: 1, seconds: 4}}"
ASKING = plan(f"{SLOW}{FORM}", top="exports: [{from: login.length, as: length}]", plan_id="asking")
ENDLESS = plan("  - {id: slow, block: test.work, in: {value: 1, seconds: 600}}")
QUICK = plan(
    '  - {id: one, block: test.work, in: {value: "はい"}}',
    top="exports: [{from: one.value, as: value}]",
    plan_id="quick",
)
SALES = "店舗,売上\n玻璃堂,7310000\n琥珀屋,2417000\n玻璃堂,1911000\n"


class Servers(NamedTuple):
    here: httpx.Client
    there: httpx.Client
    database: Database
    files: Path


@pytest.fixture(scope="module")
def servers(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Servers]:
    folder = tmp_path_factory.mktemp("servers")
    name = f"servers_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    environment = {
        "SANBO_LLM__PROVIDER": "rules",
        "SANBO_DATABASE_URL": postgres.replace("/postgres?", f"/{name}?"),
        "SANBO_STORAGE__BLOBS": str(folder / "files"),
        "SANBO_STORAGE__SEALING_KEY": KEY,
    }
    (folder / "designs").mkdir()
    for each in ("a", "b"):
        put_blocks(folder / each)
        (folder / each / "designs").symlink_to(folder / "designs")
    database = open_database(load_settings(folder / "a", environment))
    token = Access(database).create_token("suzuki")
    with ExitStack() as stack:
        processes = [_started(folder / each, environment) for each in ("a", "b")]
        addresses = [stack.enter_context(_served(process)) for process in processes]
        headers = {"Authorization": f"Bearer {token}"}
        here, there = (
            stack.enter_context(httpx.Client(base_url=each, headers=headers, timeout=60))
            for each in addresses
        )
        yield Servers(here, there, database, folder / "files")
    database.close()


def _started(workspace: Path, environment: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "sanbo", "--workspace", str(workspace), "up", "--port", "0"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


@contextmanager
def _served(process: "subprocess.Popen[str]") -> Generator[str]:
    """Its address."""
    with process:
        try:
            lines = process.stdout or ()
            addresses = (re.search(r"http://[\d.]+:\d+", line) for line in lines)
            found = next(each for each in addresses if each)
            yield f"{found[0]}/api/v1"
        finally:
            process.terminate()


def _said(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


def _until(is_so: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE_SECONDS
    while not (found := is_so()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def _start(server: httpx.Client, workflow: str = "plan", **given: Any) -> str:
    return _said(server.post("/runs", json={"workflow": workflow, "input": given}))["run_id"]


def _ended(server: httpx.Client, run_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        run = _said(server.get(f"/runs/{run_id}"))
        return run if run["status"] in ("succeeded", "failed", "cancelled") else None

    return _until(look)


def _text(plan_text: str) -> dict[str, Any]:
    return {"plan": {"text": plan_text}}


def test_a_run_is_listed_followed_answered_and_cancelled_at_the_other_server(
    servers: Servers,
) -> None:
    here, there, database, _ = servers
    run_id = _start(here, source=_text(ASKING))
    assert run_id in [run["run_id"] for run in _said(there.get("/runs"))["runs"]]
    _until(lambda: _said(there.get(f"/runs/{run_id}/interactions"))["open"])
    # It works on here, in a branch, while what is secret is typed there.
    answer = {"user": "suzuki", "code": CODE}
    _said(there.post(f"/runs/{run_id}/answer", json=answer))
    with there.stream("GET", f"/runs/{run_id}/events") as stream:
        told = "".join(stream.iter_text())
    assert "event: run_complete" in told
    run = _ended(there, run_id)
    assert (run["status"], run["result"]["exports"]) == ("succeeded", {"length": len(CODE)})
    assert CODE not in told
    _until(lambda: not _sealed_of(run_id, database))  # what was typed goes with the run's end
    endless = _start(here, source=_text(ENDLESS))
    _until(lambda: _said(there.get(f"/runs/{endless}"))["steps"])
    _said(there.post(f"/runs/{endless}/cancel"))
    assert _ended(here, endless)["status"] == "cancelled"
    _said(there.delete(f"/runs/{endless}"))
    assert here.get(f"/runs/{endless}").status_code == 404


def _sealed_of(run_id: str, database: Database) -> list[str]:
    query = sa.select(sealed.c.name).where(sealed.c.run_id == run_id)
    with database.read() as connection:
        return list(connection.execute(query).scalars())


@pytest.mark.thorough
def test_a_file_that_was_uploaded_at_one_is_used_at_the_other(servers: Servers) -> None:
    here, there, *_ = servers
    old, new = (
        _said(here.post("/files", params={"name": name}, content=text.encode()))
        for name, text in (
            ("旧.txt", "宿泊費は9,000円です。"),
            ("新.txt", "宿泊費は12,000円です。"),
        )
    )
    run_id = _start(there, "comparison", old=[old], new=[new])
    run = _ended(here, run_id)
    assert run["status"] == "succeeded", run["problem"]
    [first, *_] = run["artifacts"]
    for server in servers[:2]:
        found = server.get(f"/runs/{run_id}/artifacts/{first['artifact_id']}")
        assert len(found.content) == first["size"]


@pytest.mark.thorough
def test_what_stays_in_memory_is_used_at_the_other_and_can_be_read_nowhere(
    servers: Servers,
) -> None:
    here, there, database, files = servers
    given = {"name": "売上.csv", "workflow": "analysis"}
    file = _said(here.post("/files", params=given, content=SALES.encode()))
    run_id = _start(there, "analysis", question="店舗別の売上合計を多い順に", file=file)
    run = _ended(there, run_id)
    assert run["status"] == "succeeded", run["problem"]
    assert _ended(here, run_id)["result"] == run["result"]
    assert "9,221,000" in run["result"]["answer_md"]
    wanted = {"question": "円グラフにして"}
    body = {"workflow": "analysis", "input": wanted, "conversation_id": run["conversation_id"]}
    again = _ended(there, _said(here.post("/runs", json=body))["run_id"])
    assert (again["status"], again["result"]["kind"]) == ("succeeded", "report"), again["problem"]
    assert not _places_with("玻璃堂", database, files)
    assert _places_with("売上合計", database, files)  # the question: the test can see


def _places_with(word: str, database: Database, files: Path) -> list[str]:
    """Tables and files of the servers that have it, in whatever form JSON writes it."""
    forms = [word.encode(), word.encode("unicode_escape"), word.encode().hex().encode()]
    found = [
        str(path)
        for path in files.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]
    with database.read() as connection:
        for table in sa.inspect(connection).get_table_names():
            rows = connection.exec_driver_sql(f'SELECT t::text FROM "{table}" t').scalars()
            text = "\n".join(rows).encode()
            found += [table] if any(form in text for form in forms) else []
    return found


def test_drafts_presets_and_tokens_of_one_count_at_the_other(servers: Servers) -> None:
    here, there, database, _ = servers
    run_id = _start(here, source=_text(ASKING))
    _until(lambda: _said(here.get(f"/runs/{run_id}/interactions"))["open"])
    _said(here.put(f"/drafts/{run_id}/form", json={"user": "すず"}))
    assert _said(there.get(f"/drafts/{run_id}/form"))["content"] == {"user": "すず"}
    _said(there.post(f"/runs/{run_id}/answer", json={"user": "suzuki", "code": CODE}))
    assert _ended(here, run_id)["status"] == "succeeded"
    _said(here.post("/plans", json={"text": ASKING}))
    _said(here.post("/plans/presets", json={"run_id": run_id, "name": "いつもの"}))
    [preset] = _said(there.get("/plans/asking/presets"))["presets"]
    assert preset["name"] == "いつもの"
    token = {"Authorization": f"Bearer {Access(database).create_token('tanaka')}"}
    assert _said(here.get("/runs", headers=token)) == _said(there.get("/runs", headers=token))
    assert _said(there.get("/runs", headers=token))["runs"] == []
    Access(database).revoke_token("tanaka")
    assert {each.get("/runs", headers=token).status_code for each in servers[:2]} == {401}


def test_a_plan_that_was_saved_at_one_runs_at_the_other(servers: Servers) -> None:
    here, there, *_ = servers
    _said(here.post("/plans/versions", json={"text": QUICK}))  # in the database
    _said(here.post("/plans", json={"text": QUICK}))  # a file of `designs/`, which they share
    for plan_id in ("quick@1.0.0", "quick"):
        run = _ended(here, _start(there, plan_id=plan_id))
        assert (run["status"], run["result"]["exports"]) == ("succeeded", {"value": "はい"})


@pytest.mark.thorough
def test_a_schedule_of_one_starts_its_plan_once(servers: Servers) -> None:
    here, there, database, _ = servers
    _said(here.post("/plans", json={"text": QUICK.replace("id: quick", "id: timed")}))
    cause = {"kind": "cron", "schedule": {"cron": "0 9 1 1 *"}}
    added = _said(here.post("/triggers", json={"plan_id": "timed", "cause": cause}))
    trigger_id = added["trigger_id"]
    with database.write() as connection:  # as if its time had come
        this = sa.update(triggers).where(triggers.c.trigger_id == trigger_id)
        connection.execute(this.values(next_at=time.time()))

    def firings() -> list[Any]:
        return _said(there.get(f"/triggers/{trigger_id}/history"))["firings"]

    _until(lambda: [each for each in firings() if each["run_id"]])
    time.sleep(6)  # both have looked again
    [firing] = firings()
    assert _ended(there, firing["run_id"])["status"] == "succeeded"
    assert _said(there.get(f"/triggers/{trigger_id}"))["next_at"] > "2027"
