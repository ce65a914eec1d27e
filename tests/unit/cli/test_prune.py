"""`sanbo runs prune`: what is older than it is to be kept is shown, and deleted if that is said."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sanbo.plans.workflow import Plans
from sanbo.service import catalog
from tests.unit.cli.conftest import Sanbo
from tests.workflows.planning import put_blocks

PLAN = """\
apiVersion: v1
id: report
version: 1.0.0
graph:
  - { id: made, block: test.report, in: { title: NAME } }
exports: [{ from: made.file, as: file }]
"""


@pytest.fixture(autouse=True)
def _plans(monkeypatch: pytest.MonkeyPatch, workspace: Path) -> None:
    monkeypatch.setattr(catalog, "WORKFLOWS", (Plans(),))
    put_blocks(workspace)


def _run(sanbo: Sanbo, folder: Path, name: str) -> str:
    file = folder / f"{name}.yaml"
    file.write_text(PLAN.replace("NAME", name), "utf-8")
    done = sanbo("plan", "run", str(file), "--json")
    assert done.code == 0, done.err
    return done.json["run_id"]


def _age(workspace: Path, run_id: str, days: int) -> None:
    with closing(sqlite3.connect(workspace / "sanbo.db")) as opened, opened:
        moment = f"updated_at - {days} * 86400"
        opened.execute(f"UPDATE runs SET updated_at = {moment} WHERE run_id = ?", (run_id,))


def _blobs(workspace: Path) -> int:
    return sum(file.is_file() for file in (workspace / "blobs").rglob("*"))


def test_what_is_too_old_is_shown_and_deleted_when_that_is_said(
    sanbo: Sanbo, workspace: Path, tmp_path: Path
) -> None:
    unset = sanbo("runs", "prune")
    assert unset.code == 1
    assert "runs.keep_days" in unset.err
    old, older, young = (_run(sanbo, tmp_path, name) for name in ("a", "b", "c"))
    _age(workspace, old, 40)
    _age(workspace, older, 400)
    assert _blobs(workspace) == 3
    looked = sanbo("runs", "prune", "--days", "365", "--file-days", "30")
    assert looked.code == 0, looked.err
    assert "--yes" in looked.err
    assert _blobs(workspace) == 3
    (workspace / "sanbo.yaml").write_text("runs: {keep_days: 365, keep_files_days: 30}", "utf-8")
    seen = sanbo("runs", "prune", "--json").json
    assert seen["deleted"] is False
    done = sanbo("runs", "prune", "--yes", "--json").json
    assert done["deleted"] is True
    for told in (seen, done):
        assert [run["run_id"] for run in told["runs"]] == [older]
        assert [run["run_id"] for run in told["without_files"]] == [old]
    assert _blobs(workspace) == 1
    assert {run["run_id"] for run in sanbo("runs", "list", "--json").json} == {old, young}
    assert sanbo("runs", "show", old).code == 0
    gone = sanbo("runs", "artifact", old, "report.md", "-o", str(tmp_path / "x.md"))
    assert gone.code == 1
    assert len(list((workspace / "runs").rglob("*.jsonl"))) == 2
    nothing = sanbo("runs", "prune", "--yes", "--json").json
    assert (nothing["runs"], nothing["without_files"]) == ([], [])
