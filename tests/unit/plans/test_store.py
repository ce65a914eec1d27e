from pathlib import Path

import pytest

from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.plans.store import Designs, read_plan_file

PLAN = """apiVersion: v1
id: {name}
version: 1.0.0
graph:
  - id: call
    type: subflow
    call: {{plan_id: {called}}}
"""


def _write(folder: Path, plan_id: str, called: str) -> None:
    file = folder / f"{plan_id}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(PLAN.format(name=file.stem, called=called), "utf-8")


def test_a_plan_comes_with_all_that_it_calls(tmp_path: Path) -> None:
    designs = tmp_path / "designs"
    _write(designs, "月次", "common/確認")
    _write(designs, "common/確認", "common/last")
    _write(designs, "common/last", "not_there")
    stored = Designs([designs])
    source = stored.source(stored.read("月次"))
    assert set(source.called) == {"common/確認", "common/last"}
    assert source.called["common/last"].file == "designs/common/last.yaml"
    assert [design.plan_id for design in stored.list()] == ["common/last", "common/確認", "月次"]


def test_plans_that_call_each_other_are_read_once(tmp_path: Path) -> None:
    _write(tmp_path, "a", "b")
    _write(tmp_path, "b", "a")
    stored = Designs([tmp_path])
    assert set(stored.source(stored.read("a")).called) == {"a", "b"}


@pytest.mark.parametrize(
    "plan_id", ["../secret", "/etc/passwd", "a/../../b", "..", ".hidden", "a\\b", "", "a/", "c:x"]
)
def test_nothing_outside_the_folder_is_read(tmp_path: Path, plan_id: str) -> None:
    _write(tmp_path, "secret", "x")
    with pytest.raises(InvalidInput) as refused:
        Designs([tmp_path / "designs"]).read(plan_id)
    assert refused.value.problem.text_id == "plan_id_refused"


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path) -> None:
    _write(tmp_path, "secret", "x")
    designs = tmp_path / "designs"
    designs.mkdir()
    (designs / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(NotFound):
        Designs([designs]).read("link")
    assert Designs([designs]).list() == ()


def test_a_plan_that_is_not_there_names_the_nearest(tmp_path: Path) -> None:
    _write(tmp_path, "invoice_reconciliation", "x")
    with pytest.raises(NotFound) as missing:
        Designs([tmp_path]).read("invoice_reconcilation")
    assert "invoice_reconciliation" in missing.value.problem.hint


def test_a_file_of_a_japanese_editor_is_read(tmp_path: Path) -> None:
    file = tmp_path / "sjis.yaml"
    text = PLAN.format(name="請求書の照合", called="共通/確認")
    file.write_bytes(text.encode("cp932"))
    assert read_plan_file(file).text == text


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(InvalidInput) as refused:
        read_plan_file(file)
    assert refused.value.problem.text_id == "plan_file_refused"


@pytest.mark.parametrize("odd", ["\u202e", "\u2066", "\u200b", "\ufeff", "\x1b", "\x7f", "\udcff"])
def test_a_plan_whose_name_has_what_can_not_be_seen_is_refused(tmp_path: Path, odd: str) -> None:
    plan_id = f"month{odd}ly"
    (tmp_path / f"{plan_id}.yaml").write_text(PLAN.format(name="monthly", called="x"), "utf-8")
    stored = Designs([tmp_path])
    with pytest.raises(InvalidInput) as refused:
        stored.read(plan_id)
    assert refused.value.problem.text_id == "plan_id_unseen"
    assert f"U+{ord(odd):04X}" in refused.value.problem.message
    assert odd not in refused.value.problem.message
    assert stored.list() == ()
