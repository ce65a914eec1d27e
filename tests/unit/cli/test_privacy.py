"""Who may read what Sanbo writes: in a workspace its owner alone, elsewhere whoever usually may."""

import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from sanbo.agents.comparison.workflow import Comparison
from sanbo.kernel import private_files
from sanbo.plans.workflow import Plans
from sanbo.service import catalog
from tests.unit.agents.analysis.conversation import ANALYSIS, SALES
from tests.unit.cli.conftest import Sanbo

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")

PLAN = """\
apiVersion: v1
id: small
version: 1.0.0
graph:
  - id: large
    block: transforms.filter
    in:
      items: [{ 金額: 10 }, { 金額: 20 }]
      conditions: [{ field: 金額, operator: gte, value: 15 }]
exports: [{ from: large.filtered, as: rows }]
"""


@pytest.fixture(autouse=True)
def _a_person_with_a_usual_umask(
    monkeypatch: pytest.MonkeyPatch, _as_shipped: None
) -> Generator[None]:
    monkeypatch.setenv("SANBO_LLM__PROVIDER", "rules")
    monkeypatch.setattr(catalog, "WORKFLOWS", (ANALYSIS, Comparison(), Plans()))
    monkeypatch.setattr(private_files, "_umask_before", [])  # as in a process that has just begun
    before = os.umask(0o022)
    yield
    os.umask(before)


def _open_to_others(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(folder)} {stat.filemode(path.stat().st_mode)}"
        for path in (folder, *folder.rglob("*"))
        if path.stat().st_mode & 0o077
    ]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_all_that_stands_in_a_workspace_is_its_owners_and_what_goes_elsewhere_is_not(
    sanbo: Sanbo, workspace: Path, tmp_path: Path
) -> None:
    old, new, table = (tmp_path / name for name in ("旧.txt", "新.txt", "売上.csv"))
    old.write_text("第1条　利用料は月額1,000円とする。", "utf-8")
    new.write_text("第1条　利用料は月額1,200円とする。", "utf-8")
    table.write_bytes(SALES)
    assert sanbo("init").code == 0
    plan = workspace / "designs" / "small.yaml"
    plan.write_text(PLAN, "utf-8")
    plan.chmod(0o600)  # what a person writes there is as they want it
    compare = ("compare", str(old), str(new), "--format", "markdown", "-o")
    page, folder = tmp_path / "結果.md", tmp_path / "報告" / "五月"
    outcomes = [
        sanbo(*compare, str(page)),
        sanbo("analyze", str(table), "店舗別の売上合計", "--export", str(folder)),
        sanbo("plan", "run", "small"),
        sanbo("index", str(old), "--collection", "規程"),
        sanbo(
            "compare", str(old), str(new), "--format", "markdown", "-o", str(workspace / "控え.md")
        ),
    ]
    assert [outcome.code for outcome in outcomes] == [0] * len(outcomes), outcomes
    written = {path.relative_to(workspace).parts[0] for path in workspace.rglob("*")}
    assert written >= {"sanbo.db", "blobs", "collections", "runs", "logs", "控え.md"}
    assert _open_to_others(workspace) == []
    assert _mode(page) == 0o644
    assert {_mode(each) for each in (folder, folder.parent)} == {0o755}
    assert {_mode(each) for each in folder.iterdir()} == {0o644}


def test_a_workspace_that_an_earlier_version_left_open_is_closed_and_the_doctor_says_so(
    sanbo: Sanbo, workspace: Path
) -> None:
    assert sanbo("runs", "list").code == 0
    workspace.chmod(0o755)
    examined = sanbo("doctor")
    assert "自分だけが読めるように直しました" in examined.out
    assert _mode(workspace) == 0o700
    assert "ほかの利用者" not in sanbo("doctor").out
    workspace.chmod(0o750)
    assert sanbo("runs", "list").code == 0
    assert _mode(workspace) == 0o700


def test_a_folder_that_is_meant_for_all_is_left_as_it_is(sanbo: Sanbo, workspace: Path) -> None:
    workspace.mkdir()
    workspace.chmod(0o1777)  # as /tmp
    assert sanbo("runs", "list").code == 0
    assert _mode(workspace) == 0o1777
    assert "chmod 700" in sanbo("doctor").out
    assert _mode(workspace / "sanbo.db") == 0o600
