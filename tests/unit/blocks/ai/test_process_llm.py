"""Documents into records on a real workbench: by rules, and by a model that is scripted."""

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sanbo.blocks.ai.process_llm import ProcessLlm
from sanbo.blocks.contract.schemas import fits
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.scripted_model import Json, Reply, Request, ScriptedModel
from tests.scripted_model import Status as Refusal
from tests.unit.blocks.one_block import CATALOG, begin, by_rules, on_bench, outputs, upload

BLOCK = "ai.process_llm"
INVOICE = "請求書番号：A-17\n請求金額：110,000円（税込）\n支払期限：令和8年10月31日\n"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def with_model(workspace: Path, script: ScriptedModel) -> Settings:
    update = {"llm": script.settings(max_attempts=1)}
    return load_settings(workspace, {}).model_copy(update=update)


def evidence(**texts: str) -> JsonObject:
    files: list[Any] = [
        {"path": f"{name}.txt", "name": f"{name}.txt", "ext": ".txt", "text_excerpt": text}
        for name, text in texts.items()
    ]
    return {"files": files}


def run_block(settings: Settings, given: JsonObject) -> dict[str, Any]:
    async def work(bench: Workbench) -> dict[str, Any]:
        return outputs(await begin(bench, BLOCK, given))

    return on_bench(settings, work)


# ---- by rules ------------------------------------------------------------------------------


def test_each_file_gives_a_record_and_says_what_is_missing(tmp_path: Path) -> None:
    given: JsonObject = {
        "evidence_data": evidence(甲=INVOICE, 乙="ご請求額 ¥5,500-\n"),
        "output_schema": {"請求金額": "number", "支払期限": "date", "一致": "bool"},
    }
    made = run_block(by_rules(tmp_path / "w"), given)
    first, second = made["records"]
    assert (first["file"], first["請求金額"], first["支払期限"]) == ("甲.txt", 110000, "2026-10-31")
    assert first["missing"] == ["一致"]
    assert first["sources"]["請求金額"]["text"] == "110,000円"
    assert first["sources"]["請求金額"]["position"]["start"] == INVOICE.index("110,000")
    assert (second["請求金額"], second["支払期限"]) == (5500, None)
    assert second["missing"] == ["支払期限", "一致"]
    assert made["results"] == {"請求金額": None, "支払期限": "2026-10-31", "一致": None}
    summary = made["summary"]
    assert summary["method"] == "rules"
    assert summary["total_files"] == 2
    assert summary["missing"] == {"甲.txt": ["一致"], "乙.txt": ["支払期限", "一致"]}
    assert summary["calls"] == 0


def test_the_fields_of_a_single_record_stand_in_results_too(tmp_path: Path) -> None:
    given: JsonObject = {
        "evidence_data": evidence(甲=INVOICE),
        "output_schema": {"請求金額": "number"},
    }
    assert run_block(by_rules(tmp_path / "w"), given)["results"]["請求金額"] == 110000


def test_results_and_summary_of_the_plan_are_honoured(tmp_path: Path) -> None:
    schema: JsonObject = {
        "results": {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"file": "string", "請求金額": "number"},
                    },
                }
            },
        },
        "summary": {"type": "object", "properties": {"total_files": "integer"}},
    }
    given: JsonObject = {"evidence_data": evidence(甲=INVOICE), "output_schema": schema}
    made = run_block(by_rules(tmp_path / "w"), given)
    [item] = made["records"]
    assert (item["file"], item["請求金額"]) == ("甲.txt", 110000)
    assert made["summary"]["total_files"] == 1


def test_files_of_a_folder_make_one_record_and_disagreements_are_told(tmp_path: Path) -> None:
    files: list[Any] = [
        {"path": "A社/請求書.txt", "name": "請求書.txt", "text_excerpt": "請求金額：100円"},
        {"path": "A社/控え.txt", "name": "控え.txt", "text_excerpt": "請求金額：120円"},
        {"path": "B社/請求書.txt", "name": "請求書.txt", "text_excerpt": "請求金額：300円"},
    ]
    given: JsonObject = {
        "evidence_data": {"files": files},
        "output_schema": {"請求金額": "number"},
        "group_key": "top_dir",
    }
    made = run_block(by_rules(tmp_path / "w"), given)
    first, second = made["records"]
    assert (first["group"], first["files"]) == ("A社", ["A社/請求書.txt", "A社/控え.txt"])
    assert first["conflicts"] == [{"field": "請求金額", "values": [100, 120], "kept": 100}]
    assert second["請求金額"] == 300
    assert made["summary"]["conflicts"][0]["file"] == "A社"
    named = run_block(by_rules(tmp_path / "w2"), {**given, "group_key": "5月/佐藤"})
    assert [each["group"] for each in named["records"]] == ["5月/佐藤"]


def test_real_files_are_read_to_their_end_and_what_can_not_be_read_is_told(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> dict[str, Any]:
        long = await upload(bench, tmp_path, "長い.txt", "説明です。\n" * 5000 + INVOICE)
        broken = await upload(bench, tmp_path, "壊れた.pdf", b"%PDF-1.4 broken")
        picture = await upload(bench, tmp_path, "写真.png", PNG)
        files = [long, broken, picture]
        given: JsonObject = {
            "evidence_data": [each.model_dump(mode="json") for each in files],
            "output_schema": {"請求金額": "number"},
        }
        return outputs(await begin(bench, BLOCK, given, files))

    made = on_bench(by_rules(tmp_path / "w"), work)
    assert [each["請求金額"] for each in made["records"]] == [110000, None, None]
    assert made["summary"]["total_parts"] > 3
    [failed] = made["summary"]["failed"]
    assert failed["file"] == "壊れた.pdf"
    assert failed["message"]
    assert made["summary"]["images_skipped"] == ["写真.png"]


def test_a_text_known_only_by_its_begin_is_told(tmp_path: Path) -> None:
    file: Any = {"path": "a.txt", "name": "a.txt", "text_excerpt": INVOICE, "truncated": True}
    given: JsonObject = {
        "evidence_data": {"files": [file]},
        "output_schema": {"請求金額": "number"},
    }
    assert run_block(by_rules(tmp_path / "w"), given)["summary"]["truncated"] == ["a.txt"]


def test_rows_are_read_as_a_table(tmp_path: Path) -> None:
    rows: list[Any] = [{"日付": "2026/9/1", "摘要": "ｱｵｿﾞﾗｼﾖｳｼﾞ", "入金額": "110,000"}]
    given: JsonObject = {
        "evidence_data": rows,
        "output_schema": {"items": [{"日付": "date", "摘要": "string", "入金額": "number"}]},
    }
    [item] = run_block(by_rules(tmp_path / "w"), given)["records"]
    assert (item["日付"], item["入金額"]) == ("2026-09-01", 110000)


def test_no_files_give_no_records(tmp_path: Path) -> None:
    given: JsonObject = {"evidence_data": {"files": []}, "output_schema": {"請求金額": "number"}}
    made = run_block(by_rules(tmp_path / "w"), given)
    assert (made["results"], made["records"]) == ({"請求金額": None}, [])


def test_what_can_not_be_understood_is_a_problem(tmp_path: Path) -> None:
    wrong: list[JsonObject] = [
        {"evidence_data": {"何か": 1}, "output_schema": {"a": "number"}},
        {"evidence_data": "文章", "output_schema": {"a": "数値"}},
        {"evidence_data": "文章", "output_schema": {"a": 3}},
    ]

    async def work(bench: Workbench) -> None:
        for given in wrong:
            run = await begin(bench, BLOCK, given)
            assert run.status is Status.FAILED
            assert run.problem is not None
            assert run.problem.hint

    on_bench(by_rules(tmp_path / "w"), work)


# ---- by a model ----------------------------------------------------------------------------


def test_a_model_fills_the_record_and_its_quotes_are_placed(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        script.replies(
            Json(
                {
                    "records": [
                        {"請求金額": 110000.0, "支払期限": "令和8年10月31日", "備考": None}
                    ],
                    "quotes": [
                        {"record": 0, "field": "請求金額", "quote": "請求金額：110,000円"},
                        {"record": 0, "field": "支払期限", "quote": "どこにもない文"},
                    ],
                }
            )
        )
        given: JsonObject = {
            "evidence_data": evidence(甲=INVOICE),
            "prompt": "請求書から読み取ってください",
            "output_schema": {"請求金額": "number", "支払期限": "date", "備考": "string"},
        }
        made = run_block(with_model(tmp_path / "w", script), given)
        [item] = made["records"]
        assert (item["請求金額"], item["支払期限"]) == (110000, "2026-10-31")
        assert item["missing"] == ["備考"]
        start = INVOICE.index("請求金額")
        assert item["sources"]["請求金額"]["position"]["start"] == start
        assert item["sources"]["支払期限"]["text"] == "支払期限：令和8年10月31日"
        assert made["summary"]["method"] == "model"
        assert made["summary"]["calls"] == 1
        asked = json.dumps(script.requests[0].body, ensure_ascii=False)
        assert "請求書から読み取ってください" in asked
        assert "110,000円" in asked


def test_a_long_document_is_read_in_parts_and_disagreeing_parts_are_settled(tmp_path: Path) -> None:
    text = "\n\n".join(f"第{number}段落です。" + "説明。" * 60 for number in range(12))
    read: list[str] = []

    def reply(request: Request) -> Reply:
        said = json.dumps(request.body, ensure_ascii=False)
        read.append(said)
        if "gave these records" in said:
            return Json({"records": [{"要約": "全体の要約", "段落": [0]}], "quotes": []})
        number = len(read)
        return Json({"records": [{"要約": f"要約{number}", "段落": [number]}], "quotes": []})

    with ScriptedModel() as script:
        script.otherwise(reply)
        schema: JsonObject = {"要約": "string", "段落": ["integer"]}
        given: JsonObject = {
            "evidence_data": evidence(甲=text),
            "output_schema": schema,
            "per_file_chars": 1000,
        }
        made = run_block(with_model(tmp_path / "w", script), given)
        [item] = made["records"]
        parts = made["summary"]["total_parts"]
        assert parts >= 3
        assert item["要約"] == "全体の要約"
        assert item["段落"] == list(range(1, parts + 1))
        assert item["conflicts"][0]["kept"] == "全体の要約"
        assert made["summary"]["calls"] == parts + 1 == len(script.requests)
        for number in range(12):  # nothing is cut off
            assert any(f"第{number}段落です。" in each for each in read)


def said_by_a_model(tmp_path: Path, text: str, schema: JsonObject, *replies: Any) -> dict[str, Any]:
    with ScriptedModel() as script:
        script.replies(*(Json(each) for each in replies))
        given: JsonObject = {"evidence_data": evidence(甲=text), "output_schema": schema}
        made = run_block(with_model(tmp_path / "w", script), given)
        assert len(script.requests) == len(replies)
        return made


def test_what_a_model_puts_where_a_date_was_asked_for_is_told_and_not_passed_on(
    tmp_path: Path,
) -> None:
    reply = {"records": [{"支払期限": "来月末まで", "納品": {"日": "未定"}}], "quotes": []}
    schema: JsonObject = {"支払期限": "date", "納品": {"日": "date"}}
    made = said_by_a_model(tmp_path, "支払期限：来月末まで", schema, reply)
    [item] = made["records"]
    assert (item["支払期限"], item["納品"]) == (None, {"日": None})
    assert item["missing"] == ["支払期限"]
    assert item["conflicts"] == [{"field": "支払期限", "values": ["来月末まで"], "kept": None}]
    assert made["summary"]["conflicts"][0]["file"] == "甲.txt"


def test_digits_and_eras_that_slipped_are_put_right_by_the_quote_and_told(tmp_path: Path) -> None:
    text = (
        "注文日：令和8年5月12日\n合計　￥１８，４００－（税込）\n"
        "売上高（千円）　1,200\n値引　△500円\n"
    )
    reply = {
        "records": [{"注文日": "2018-05-12", "合計": 184000, "売上高": 1200000, "値引": -500}],
        "quotes": [
            {"field": "注文日", "quote": "注文日：令和8年5月12日"},
            {"field": "合計", "quote": "合計 ￥１８，４００－（税込）"},
            {"field": "売上高", "quote": "1,200"},
            {"field": "値引", "quote": "値引 △500円"},
        ],
    }
    schema: JsonObject = {"注文日": "date", **dict.fromkeys(("合計", "売上高", "値引"), "number")}
    [item] = said_by_a_model(tmp_path, text, schema, reply)["records"]
    assert (item["注文日"], item["合計"]) == ("2026-05-12", 18400)
    assert (item["売上高"], item["値引"]) == (1200000, -500)  # a unit and a sign are no slips
    assert item["conflicts"] == [
        {"field": "注文日", "values": ["2018-05-12", "2026-05-12"], "kept": "2026-05-12"},
        {"field": "合計", "values": [184000, 18400], "kept": 18400},
    ]


def test_a_wrong_quote_does_not_spoil_a_value_that_the_text_says(tmp_path: Path) -> None:
    text = "請求日：2026年5月1日\n支払期限：2026年6月30日\n小計 1,000円\n合計 1,100円"
    reply = {
        "records": [{"支払期限": "2026-06-30", "合計": 1100}],
        "quotes": [
            {"field": "支払期限", "quote": "請求日：2026年5月1日"},
            {"field": "合計", "quote": "小計 1,000円"},
        ],
    }
    schema: JsonObject = {"支払期限": "date", "合計": "number"}
    [item] = said_by_a_model(tmp_path, text, schema, reply)["records"]
    assert (item["支払期限"], item["合計"], item["conflicts"]) == ("2026-06-30", 1100, [])
    assert item["sources"]["支払期限"]["text"] == "支払期限：2026年6月30日"
    assert item["sources"]["合計"] == {
        "text": "合計 1,100円",
        "position": {"start": text.index("合計"), "end": len(text)},
    }


def test_a_quote_that_stands_nowhere_has_no_position(tmp_path: Path) -> None:
    reply = {
        "records": [{"要旨": "値上げの通知"}],
        "quotes": [{"field": "要旨", "quote": "どこにもない文"}],
    }
    made = said_by_a_model(tmp_path, "来月から価格を改めます。", {"要旨": "string"}, reply)
    assert made["records"][0]["sources"]["要旨"]["position"] is None


def test_numbers_as_documents_write_them_and_null_in_words_need_no_second_request(
    tmp_path: Path,
) -> None:
    reply = {"records": [{"合計": "¥18,400-", "数量": "5箱", "担当": "null", "納期": ""}]}
    schema: JsonObject = {"合計": "number", "数量": "integer", "担当": "string", "納期": "date"}
    [item] = said_by_a_model(tmp_path, "合計 ¥18,400- 5箱", schema, reply)["records"]
    assert (item["合計"], item["数量"], item["担当"]) == (18400, 5, None)
    assert item["missing"] == ["担当", "納期"]


def test_fields_spread_over_several_records_make_the_one_that_was_asked_for(tmp_path: Path) -> None:
    reply = {"records": [{"番号": "A-17"}, {"合計": 100}], "quotes": []}
    schema: JsonObject = {"番号": "string", "合計": "number"}
    [item] = said_by_a_model(tmp_path, "A-17 100円", schema, reply)["records"]
    assert (item["番号"], item["合計"], item["missing"]) == ("A-17", 100, [])


def test_a_number_that_is_none_is_asked_for_again(tmp_path: Path) -> None:
    replies = [{"records": [{"合計": each}], "quotes": []} for each in ("約二万", 20000)]
    made = said_by_a_model(tmp_path, "合計 約二万円", {"合計": "number"}, *replies)
    assert made["results"]["合計"] == 20000


def test_images_are_shown_unless_the_plan_says_otherwise(tmp_path: Path) -> None:
    async def work(bench: Workbench, **allowed: bool | str) -> dict[str, Any]:
        picture = await upload(bench, tmp_path, "領収書.png", PNG)
        given: JsonObject = {
            "evidence_data": [picture.model_dump(mode="json")],
            "output_schema": {"金額": "number"},
            **allowed,
        }
        return outputs(await begin(bench, BLOCK, given, [picture]))

    with ScriptedModel() as script:
        script.otherwise(Json({"records": [{"金額": 1200}], "quotes": []}))
        settings = with_model(tmp_path / "w", script)
        made = on_bench(settings, work)
        assert made["results"]["金額"] == 1200
        assert made["summary"]["images"] == 1
        assert base64.b64encode(PNG).decode() in json.dumps(script.requests[0].body)
        for skipped in (False, "auto"):  # a server that only speaks the protocol may be blind
            made = on_bench(settings, lambda bench, each=skipped: work(bench, allow_images=each))
            assert made["summary"]["images_skipped"] == ["領収書.png"]
        assert len(script.requests) == 1
        script.otherwise(Refusal(400, "this model does not take images"))
        made = on_bench(settings, work)
        assert (made["summary"]["images"], made["results"]["金額"]) == (0, None)
        assert made["summary"]["images_skipped"] == ["領収書.png"]


def test_pages_of_a_scan_are_shown_up_to_the_limit(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> dict[str, Any]:
        scan = BytesIO()
        pages = [Image.new("RGB", (200, 280), shade) for shade in ("white", "silver", "gray")]
        pages[0].save(scan, "PDF", save_all=True, append_images=pages[1:])
        file = await upload(bench, tmp_path, "領収書.pdf", scan.getvalue())
        given: JsonObject = {
            "evidence_data": [file.model_dump(mode="json")],
            "output_schema": {"金額": "number"},
            "allow_images": True,
            "max_images": 2,
        }
        return outputs(await begin(bench, BLOCK, given, [file]))

    with ScriptedModel() as script:
        script.otherwise(Json({"records": [{"金額": 1200}], "quotes": []}))
        made = on_bench(with_model(tmp_path / "w", script), work)
    assert made["results"]["金額"] == 1200
    summary = made["summary"]
    assert (summary["images"], summary["images_skipped"], summary["failed"]) == (
        2,
        ["領収書.pdf"],
        [],
    )
    assert len(script.requests) == 2
    shown = [json.dumps(each.body, ensure_ascii=False) for each in script.requests]
    assert ["領収書.pdf p.1" in shown[0], "領収書.pdf p.2" in shown[1]] == [True, True]
    assert all("iVBORw0KGgo" in each for each in shown)  # a PNG's begin, in Base64


def test_a_run_that_is_taken_up_again_does_not_pay_twice(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        good = Json({"records": [{"請求金額": 1}], "quotes": []})
        script.replies(good, Json({"records": "broken"}), Json({"records": "broken"}))
        given: JsonObject = {
            "evidence_data": evidence(甲="請求金額：1円", 乙="請求金額：2円"),
            "output_schema": {"請求金額": "number"},
        }

        async def work(bench: Workbench) -> Run:
            run = await begin(bench, BLOCK, given)
            assert run.status is Status.FAILED
            assert len(script.requests) == 3
            script.otherwise(Json({"records": [{"請求金額": 2}], "quotes": []}))
            await bench.resume(LOCAL, run.run_id)
            return await bench.wait(LOCAL, run.run_id)

        made = outputs(on_bench(with_model(tmp_path / "w", script), work))
        assert sorted(each["請求金額"] for each in made["records"]) == [1, 2]
        assert len(script.requests) == 4


# ---- before it runs ------------------------------------------------------------------------


def test_the_outline_tells_the_shape_of_the_results() -> None:
    spec = CATALOG.resolve(BLOCK)
    schema: JsonObject = {"請求金額": "number", "明細": [{"品名": "string"}]}
    closer = ProcessLlm.outline({"output_schema": schema, "group_key": "top_dir"})["results"]
    assert fits(closer, spec.outputs["results"].schema_) is None
    item: Any = closer["properties"]
    assert item["請求金額"]["type"] == ["number", "null"]
    assert item["明細"]["items"]["properties"]["品名"]["type"] == ["string", "null"]
    assert closer["examples"][0]["請求金額"] == 110000


@pytest.mark.parametrize("odd", [None, 1, "x", [], {"a": 1}, {"a": {"type": 5}}, {"results": []}])
def test_the_outline_takes_odd_values(odd: Any) -> None:
    ProcessLlm.outline({"output_schema": odd, "group_key": odd})


def test_after_a_failure_no_further_file_is_begun(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        script.otherwise(Json({"records": "broken"}))
        texts = {f"f{number:02}": f"請求金額：{number}円" for number in range(30)}
        given: JsonObject = {
            "evidence_data": evidence(**texts),
            "output_schema": {"請求金額": "number"},
        }

        async def work(bench: Workbench) -> Run:
            return await begin(bench, BLOCK, given)

        run = on_bench(with_model(tmp_path / "w", script), work)
        assert run.status is Status.FAILED
        assert len(script.requests) <= 2 * 2  # each asked for once more, two at a time
        assert not [step for step in run.steps if step.status == "running"]
