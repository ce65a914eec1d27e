"""Versions of plans at the command line, and `sanbo plan run ID@VERSION`."""

from pathlib import Path

import pytest

from sanbo.plans.workflow import Plans
from sanbo.service import catalog
from sanbo.service.catalog import Workflows
from tests.unit.cli.conftest import Sanbo

PLAN = """\
apiVersion: v1
id: totals
version: 1.0.0
vars: { rows: [{ 店: 東京, 金額: 100 }] }
graph:
  - id: keep
    block: transforms.filter
    in:
      items: ${vars.rows}
      conditions: [{ field: 金額, operator: gt, value: 10 }]
exports: [{ from: keep.filtered, as: rows }]
"""
NAME = "totals@1.0.0"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalog, "WORKFLOWS", Workflows.of((Plans(),)))
    file = tmp_path / "集計.yaml"
    file.write_text(PLAN, "utf-8")
    return file


def test_a_version_goes_from_a_draft_to_its_retirement(
    sanbo: Sanbo, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANBO_PLANS__REQUIRE_APPROVAL", "true")
    saved = sanbo("plan", "save", str(file), "--comment", "初版")
    assert (saved.code, "下書き" in saved.err) == (0, True)
    refused = sanbo("plan", "run", NAME)
    assert (refused.code, "承認されていない" in refused.err) == (1, True)
    refused = sanbo("--lang", "en", "plan", "run", str(file))
    assert (refused.code, "not approved" in refused.err) == (1, True)
    for decision, code in (("approve", 1), ("submit", 0), ("return", 1), ("approve", 0)):
        assert sanbo("plan", decision, NAME).code == code, decision
    file.write_text(PLAN.replace("value: 10", "value: 20"), "utf-8")
    refused = sanbo("plan", "save", str(file))
    assert (refused.code, "version を上げて" in refused.err) == (1, True)
    ran = sanbo("plan", "run", NAME, "--json")
    assert ran.json["result"]["exports"] == {"rows": [{"店": "東京", "金額": 100}]}
    assert ran.json["input"]["version"]["state"] == "approved"
    assert sanbo("plan", "run", str(file)).code == 1, "the file has another text"
    told = sanbo("plan", "diff", NAME, str(file), "-o", str(tmp_path / "変更.svg"))
    assert "conditions.0.value：10 → 20" in told.out
    assert (tmp_path / "変更.svg").read_text("utf-8").startswith("<svg")
    assert "主版が出ているブロックはありません" in sanbo("plan", "compatibility", NAME).err
    kept = tmp_path / "totals.json"
    assert sanbo("plan", "export", "totals", "-o", str(kept)).code == 0
    assert sanbo("plan", "retire", NAME, "--comment", "古い").code == 0
    assert "廃止されている" in sanbo("plan", "run", NAME).err
    told = sanbo("plan", "history", "totals").out
    assert [word in told for word in ("初版", "承認を依頼", "承認", "廃止", "古い")] == [True] * 5
    assert sanbo("plan", "import", str(kept)).code == 0
    assert sanbo("plan", "history", NAME, "--json").json[0]["state"] == "retired"


def test_under_four_eyes_the_author_does_not_approve(
    sanbo: Sanbo, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANBO_PLANS__FOUR_EYES", "true")
    sanbo("plan", "save", str(file))
    sanbo("plan", "submit", NAME)
    refused = sanbo("plan", "approve", NAME)
    assert (refused.code, "plans.four_eyes" in refused.err) == (1, True)
    listed = {each["plan_id"]: each for each in sanbo("plan", "list", "--json").json}
    assert (listed["totals"]["state"], listed["totals"]["file"]) == ("in_review", "")


def test_a_migration_is_shown_before_it_is_written(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "old.yaml"
    text = (
        "id: old\nversion: 1.0.0\ngraph:\n"
        "  - {id: a, block: ui.text_input.single, in: {message: 月}}  # 月\n"
        '  - {id: p, block: transforms.pick, in: {source: "${a.text}"}}\n'
    )
    file.write_text(text, "utf-8")
    shown = sanbo("plan", "migrate", str(file))
    assert (shown.code, file.read_text("utf-8")) == (0, text)
    assert '+  - {id: p, block: transforms.pick, in: {source: "${a.collected_data.text}"}}' in (
        shown.out
    )
    assert sanbo("plan", "migrate", str(file), "--write").code == 0
    assert "ui.interactive_input" in file.read_text("utf-8")
    assert sanbo("plan", "validate", str(file)).code == 0
    assert "ありません" in sanbo("plan", "migrate", str(file)).err
