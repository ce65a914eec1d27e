"""`sanbo runs resume` and `replay` where the plan was corrected meanwhile."""

from pathlib import Path

import pytest

from sanbo.cli import asking
from sanbo.cli.commands import runs
from sanbo.plans.workflow import Plans
from sanbo.service import catalog
from tests.unit.cli.conftest import Sanbo

TEMPLATE = """\
apiVersion: v1
id: totals
version: 1.0.0
graph:
  - { id: first, block: transforms.flatten_items, in: { results_list: [[{ a: 1 }]] } }
  - { id: check, block: flow.assert, in: { condition: COND }, after: [first] }
exports: [{ from: first.items, as: items }]
"""
CORRECTED = TEMPLATE.replace("COND", "true").replace("1.0.0", "1.0.1")
BROKEN = TEMPLATE.replace("COND", "false")


@pytest.fixture(autouse=True)
def _plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "WORKFLOWS", (Plans(),))


@pytest.fixture
def design(workspace: Path) -> Path:
    file = workspace / "designs" / "totals.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(BROKEN, "utf-8")
    return file


def _failed(sanbo: Sanbo, plan: str) -> str:
    failed = sanbo("plan", "run", plan, "--json")
    assert failed.code == 1, failed.out
    return failed.json["run_id"]


def test_a_plan_that_has_changed_is_asked_about_and_scripts_say_which(
    sanbo: Sanbo, design: Path
) -> None:
    run_id = _failed(sanbo, "totals")
    assert sanbo("runs", "resume", run_id).code == 1  # nothing has changed: as always
    design.write_text(CORRECTED, "utf-8")
    unsure = sanbo("runs", "resume", run_id)
    assert unsure.code == 2
    assert "--yes" in unsure.err
    assert "--same-plan" in unsure.err
    assert sanbo("runs", "resume", run_id, "--same-plan").code == 1
    done = sanbo("runs", "resume", run_id, "--yes", "--json")
    assert done.code == 0, done.err
    assert "totals@1.0.0#" in done.err
    assert done.json["replay_of"] == {"run_id": run_id, "step": []}
    editions = {step["key"]: step["edition"] for step in done.json["steps"]}
    assert editions["first"].startswith("totals@1.0.0#")
    assert editions["check"] == done.json["edition"]
    shown = sanbo("runs", "show", done.json["run_id"]).out
    assert editions["first"] in shown
    assert done.json["edition"] in shown
    again = sanbo("runs", "replay", run_id, "--from", "check", "--yes", "--json")
    assert again.code == 0, again.err


@pytest.mark.parametrize(("typed", "code"), [("はい", 0), ("いいえ", 1)])
def test_a_person_is_asked(
    typed: str, code: int, sanbo: Sanbo, design: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = _failed(sanbo, "totals")
    design.write_text(CORRECTED, "utf-8")
    monkeypatch.setattr(runs, "can_ask", lambda: True)

    def read(_: object) -> str:
        return typed

    monkeypatch.setattr(asking, "_read", read)
    assert sanbo("runs", "resume", run_id).code == code


def test_a_corrected_file_is_given_and_refused_where_it_is_no_plan(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(BROKEN, "utf-8")
    run_id = _failed(sanbo, str(file))
    file.write_text("id: totals", "utf-8")
    assert sanbo("runs", "resume", run_id, "--plan", str(file)).code == 1
    file.write_text(CORRECTED, "utf-8")
    done = sanbo("runs", "resume", run_id, "--plan", str(file))
    assert done.code == 0, done.err


@pytest.mark.parametrize("is_file", [True, False])
def test_a_corrected_plan_may_show_a_new_picture(
    is_file: bool, sanbo: Sanbo, design: Path, tmp_path: Path
) -> None:
    file = tmp_path / "own.yaml" if is_file else design
    file.write_text(BROKEN, "utf-8")
    run_id = _failed(sanbo, str(file) if is_file else "totals")
    form = "{mode: confirm, message: 可, help: {text: 見方, picture: 図.png}}"
    asked = f"  - {{id: ask, block: ui.interactive_input, in: {form}}}\n"
    file.write_text(CORRECTED.replace("graph:\n", f"graph:\n{asked}"), "utf-8")
    given = ("--plan", str(file)) if is_file else ("--yes",)
    missing = sanbo("runs", "resume", run_id, *given)
    assert "図.png" in missing.err
    (file.parent / "図.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    waits = sanbo("runs", "resume", run_id, *given, "--json").json
    assert waits["status"] == "waiting", waits["problem"]
    assert waits["input"]["pictures"]["図.png"]["size"] == 8
