"""A plan's form: asked once, answered days later, its values by field."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import JsonValue

from sanbo.blocks.contract.schemas import fits
from sanbo.blocks.spec import FILE, SECRET
from sanbo.blocks.ui.form import labelled, question_of
from sanbo.blocks.ui.questions import InteractiveInput
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Code, InvalidInput
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.workbench import Workbench
from tests.unit.blocks.one_block import CATALOG, answer, begin, by_rules, on_bench, outputs, upload

BLOCK = "ui.interactive_input"
FIELDS: list[JsonValue] = [
    {"id": "evidence_zip", "type": "file", "label": "証跡ZIP", "accept": ".zip"},
    {"id": "kind", "type": "select", "label": "区分", "options": ["新規", "更新"]},
    {"id": "count", "type": "number", "label": "件数", "required": False},
    {"id": "proceed", "type": "boolean", "label": "実行してよい", "description": None},
]


def test_a_form_waits_and_gives_what_was_entered_by_field(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await begin(bench, BLOCK, {"mode": "mixed", "requirements": FIELDS})
        assert run.status is Status.WAITING
        [asked] = run.open_interactions
        assert asked.path == ("node", "answer")
        assert asked.message
        assert asked.state_key == "plan:test::node:node::v1"
        file = await upload(bench, tmp_path, "証跡.zip", b"PK\5\6" + bytes(18))
        said: JsonObject = {
            "evidence_zip": file.model_dump(mode="json"),
            "kind": "更新",
            "proceed": True,
            "comment": "9月分です",
        }
        run = await answer(bench, run, said)
        made = outputs(run)
        assert made["collected_data"] == {
            "evidence_zip": file.model_dump(mode="json"),
            "kind": "更新",
            "proceed": True,
        }
        assert made["approved"] is None
        assert made["response"] == "9月分です"
        metadata = made["metadata"]
        assert (metadata["mode"], metadata["by"], metadata["comment"]) == (
            "mixed",
            LOCAL.owner,
            "9月分です",
        )
        assert metadata["answered_at"].startswith("20")

    on_bench(by_rules(tmp_path / "w"), work)


def test_who_answered_is_told_also_where_it_was_not_the_runs_owner(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await begin(bench, BLOCK, {"mode": "confirm", "message": "よいですか"})
        operator = Caller("operator", sees_all=True)
        await bench.answer(operator, run.run_id, {"approved": False, "comment": "未確認"})
        made = outputs(await bench.wait(LOCAL, run.run_id))
        assert made["approved"] is False
        assert made["response"] == "未確認"
        assert made["collected_data"] == {}
        assert made["metadata"]["by"] == "operator"

    on_bench(by_rules(tmp_path / "w"), work)


def test_a_question_in_words_gives_the_words(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await begin(bench, BLOCK, {"mode": "inquire", "message": "納期はいつですか"})
        made = outputs(await answer(bench, run, {"response": "来週の金曜です"}))
        assert made["response"] == "来週の金曜です"
        assert made["approved"] is None

    on_bench(by_rules(tmp_path / "w"), work)


def test_a_question_with_fields_of_its_own_needs_no_words_beside_them(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        field: JsonValue = {"id": "due", "type": "text", "label": "納期"}
        run = await begin(bench, BLOCK, {"mode": "inquire", "requirements": [field]})
        with pytest.raises(InvalidInput) as refused:
            await answer(bench, run, {"response": "後で"})
        [wrong] = cast("Any", refused.value.problem.details["fields"])
        assert wrong["field"] == "due"
        made = outputs(await answer(bench, run, {"due": "来週の金曜"}))
        assert made["collected_data"] == {"due": "来週の金曜"}
        assert made["response"] is None

    on_bench(by_rules(tmp_path / "w"), work)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mode": "collect"}, "入力する項目がありません"),
        ({"requirements": [{"id": "a", "type": "text", "label": "A"}] * 2}, "二度"),
        (
            {
                "mode": "mixed",
                "requirements": [{"id": "approved", "type": "boolean", "label": "A"}],
            },
            "予約",
        ),
        ({"requirements": [{"id": "a", "type": "select", "label": "A"}]}, "選択肢"),
        (
            {
                "requirements": [
                    {"id": "a", "type": "text", "label": "A", "validation": {"pattern": "("}}
                ]
            },
            "正規表現",
        ),
        (
            {
                "requirements": [
                    {"id": "a", "type": "text", "label": "A", "validation": {"longest": 3}}
                ]
            },
            "validation",
        ),
        ({"requirements": [{"id": "a b", "type": "text", "label": "A"}]}, "「a b」"),
    ],
)
def test_a_form_that_can_not_be_asked_is_a_problem(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        question_of(
            given.get("mode", "collect"),
            None,
            given.get("requirements", []),
            {},
            node="form",
            language="ja",
        )
    assert said in refused.value.problem.message
    assert refused.value.problem.hint


def test_a_run_ends_with_the_problem_of_its_form(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await begin(bench, BLOCK, {"mode": "collect"})

    run = on_bench(by_rules(tmp_path / "w"), work)
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert run.problem.code is Code.INPUT_VALIDATION_FAILED


def test_the_outline_tells_the_validator_the_fields_of_a_form() -> None:
    closer = InteractiveInput.outline({"mode": "confirm", "requirements": FIELDS})
    fields: Any = closer["collected_data"]["properties"]
    assert fields["evidence_zip"][FILE] is True
    assert fields["kind"]["enum"] == ["新規", "更新"]
    assert fields["count"]["type"] == ["number", "null"]
    assert fields["proceed"]["type"] == "boolean"
    assert closer["approved"]["type"] == "boolean"
    [example] = closer["collected_data"]["examples"]
    assert example["evidence_zip"]["name"].endswith(".zip")
    secret: JsonObject = {"id": "key", "type": "text", "label": "鍵", "secret": True}
    hidden: Any = InteractiveInput.outline({"requirements": [secret]})
    assert hidden["collected_data"]["properties"]["key"][SECRET] is True


@pytest.mark.parametrize(
    "odd", [None, 1, "x", [1], [{"type": "file"}], [{"id": "a"}], [{"id": "a", "type": "select"}]]
)
def test_the_outline_takes_odd_values(odd: JsonValue) -> None:
    InteractiveInput.outline({"requirements": odd, "mode": odd})


def test_what_the_outline_says_fits_what_the_block_declares() -> None:
    spec = CATALOG.resolve(BLOCK)
    closer = InteractiveInput.outline({"mode": "inquire", "requirements": FIELDS})
    for port, schema in closer.items():
        assert fits(schema, spec.outputs[port].schema_) is None


def test_texts_in_two_languages_are_asked_in_the_language_of_the_run() -> None:
    field: JsonObject = {
        "id": "kind",
        "type": "select",
        "label": {"ja": "区分", "en": "Kind"},
        "description": {"ja": "新規か更新か"},
        "options": [{"value": 1, "label": {"ja": "新規", "en": "New"}}, "更新"],
    }
    asked = question_of(
        "collect", {"ja": "選んでください", "en": "Choose"}, [field], {}, node="n", language="en"
    )
    assert asked.message == "Choose"
    [kind] = asked.requirements
    assert (kind.label, kind.description) == ("Kind", "新規か更新か")
    assert [option.label for option in kind.options] == ["New", "更新"]
    outline = InteractiveInput.outline({"requirements": [field]})["collected_data"]
    assert outline["properties"]["kind"]["title"] == "区分"


def test_what_stands_beside_a_question_has_headings_in_both_languages() -> None:
    labels: dict[str, Mapping[Language, str]] = {
        "over": {"ja": "超過", "en": "Over"},
        "more": {"en": "Over"},
    }
    assert labelled({"over": 1, "other": 2}, labels, "ja") == {"超過": 1, "other": 2}
    assert labelled({"over": 1, "more": 2}, labels, "en") == {"Over": 1, "more": 2}
