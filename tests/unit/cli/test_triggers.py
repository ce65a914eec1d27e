"""`sanbo triggers`: added, listed, paused and removed at the command line."""

from pathlib import Path

import pytest

from sanbo.plans.workflow import Plans
from sanbo.service import catalog
from tests.unit.cli.conftest import Sanbo

PLAN = """
id: {id}
version: 1.0.0
vars: {{day: null}}
graph: [{{id: note, block: ui.placeholder, in: {{message: x}}}}]
"""


@pytest.fixture(autouse=True)
def _plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "WORKFLOWS", (Plans(),))


def _designs(workspace: Path, *names: str) -> None:
    (workspace / "designs").mkdir(parents=True)
    for name in names:
        (workspace / "designs" / f"{name}.yaml").write_text(PLAN.format(id=name), "utf-8")


def test_a_trigger_has_its_life_at_the_command_line(sanbo: Sanbo, workspace: Path) -> None:
    _designs(workspace, "closing", "report")
    added = sanbo(
        "triggers",
        "add",
        "closing",
        "--cron",
        "0 9 25 * *",
        "--move-to",
        "previous",
        "--into",
        "day",
    )
    assert (added.code, added.out.startswith("trg_")) == (0, True)
    assert "0 9 25 * * Asia/Tokyo（休日は前営業日）" in added.err
    trigger = added.out.strip()
    hook = sanbo("triggers", "add", "closing", "--webhook", "--json").json
    assert hook["address"] == f"/api/v1/hooks/{hook['trigger_id']}"
    assert hook["token"].startswith("sanbo_")
    sanbo("triggers", "add", "report", "--after", "closing", "--on", "ended")
    listed = sanbo("triggers", "list")
    assert hook["token"] not in listed.out
    assert "「closing」の終了後" in " ".join(listed.out.split())
    assert sanbo("triggers", "pause", trigger).code == 0
    (paused, *_) = sanbo("triggers", "list", "--json").json
    assert (paused["paused"], paused["next_at"]) == (True, None)
    assert sanbo("triggers", "resume", trigger).code == 0
    assert sanbo("triggers", "history", trigger, "--json").json == []
    assert sanbo("triggers", "remove", trigger).code == 0
    assert len(sanbo("triggers", "list", "--json").json) == 2
    assert sanbo("triggers", "history", trigger).code == 1


def test_what_makes_no_sense_is_refused_with_what_to_do(sanbo: Sanbo, workspace: Path) -> None:
    _designs(workspace, "closing")
    assert sanbo("triggers", "add", "closing").code == 2
    assert sanbo("triggers", "add", "closing", "--cron", "* * * * *", "--webhook").code == 2
    wrong = sanbo("triggers", "add", "closing", "--cron", "at nine")
    assert (wrong.code, "0 9 * * 1-5" in wrong.err) == (1, True)
    assert "triggers.folders" in sanbo("triggers", "add", "closing", "--folder", "/etc").err
    assert sanbo("triggers", "add", "closing", "--after", "closing").code == 1
    near = sanbo("triggers", "add", "closing", "--cron", "0 9 * * *", "--zone", "Asia/Tokio")
    assert "Asia/Tokyo" in near.err


def test_a_schedule_on_a_retired_plan_is_refused(sanbo: Sanbo, workspace: Path) -> None:
    _designs(workspace, "closing")
    assert sanbo("plan", "save", "closing").code == 0
    for step in ("submit", "approve", "retire"):
        assert sanbo("plan", step, "closing@1.0.0").code == 0
    for name in ("closing", "closing@1.0.0"):
        refused = sanbo("triggers", "add", name, "--cron", "0 9 * * *", "--json")
        assert (refused.code, refused.json["problem"]["text_id"]) == (1, "plan_retired")
