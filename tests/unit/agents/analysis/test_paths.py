"""Every path of the graph, driven by a model that follows a script."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sanbo.runs.model import Run
from sanbo.service.workbench import Workbench
from tests.scripted_model import Json, Reply, ScriptedModel, Text
from tests.unit.agents.analysis.conversation import (
    ask,
    give,
    on_bench,
    ops_of,
    result_of,
    rows_of,
    with_model,
)

GROUPED: dict[str, Any] = {
    "input": "dataset",
    "group_cols": ["店舗"],
    "metrics": [{"column": "売上", "aggregate": "sum"}],
    "sort": {"by": "売上_sum", "ascending": False},
    "top_k": None,
    "ddof": None,
    "filters": [],
    "any_of": [],
}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


def choose(next_action: str, operation: str = "none", **more: Any) -> Reply:
    empty: dict[str, Any] = {"questions": [], "assumptions": [], "scope": None, "suggestions": []}
    said = {"rationale": "理由", "next_action": next_action, "operation": operation}
    return Json(empty | said | more)


def test_a_spec_is_executed_and_told_with_the_figures_of_its_table(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        model.replies(
            choose("act", "groupby_agg"),
            Json(GROUPED),
            choose("finalize"),
            Text("売上の合計が最も多いのはオンラインです。"),
        )
        return await ask(bench, "店舗別の売上合計", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert result_of(run)["kind"] == "report"
    assert [row[0] for row in rows_of(run)] == ["オンライン", "大阪店", "新宿店"]
    assert "オンライン" in result_of(run)["answer_md"]
    assert run.usage.calls == 4


def test_a_question_ends_the_turn_and_its_answer_is_the_next_one(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> tuple[Run, Run]:
        model.replies(choose("ask", questions=["どの数値を集計しますか？"]))
        first = await ask(bench, "店舗別に見せて", await give(bench))
        model.replies(
            choose("act", "groupby_agg"), Json(GROUPED), choose("finalize"), Text("以上です。")
        )
        return first, await ask(bench, "売上の合計です", after=first)

    first, second = on_bench(with_model(tmp_path, model), work)
    assert result_of(first)["kind"] == "question"
    assert result_of(first)["answer_md"] == "どの数値を集計しますか？"
    assert result_of(second)["kind"] == "report"
    told = next(request for request in model.requests if "売上の合計です" in request.prompt).prompt
    assert "店舗別に見せて" in told  # the conversation goes on
    assert "どの数値を集計しますか" in told


def test_an_unknown_column_is_fed_back_with_the_nearest_and_corrected(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        model.replies(
            choose("act", "groupby_agg"),
            Json(GROUPED | {"group_cols": ["店補"]}),
            choose("act", "groupby_agg"),
            Json(GROUPED),
            choose("finalize"),
            Text("以上です。"),
        )
        return await ask(bench, "店舗別の売上合計", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert ops_of(run) == ["groupby_agg"]
    corrected = model.requests[2].prompt
    assert "店補" in corrected
    assert "店舗" in corrected


def test_a_spec_that_stays_unreadable_becomes_a_question(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        wrong = Json(GROUPED | {"group_cols": ["存在しない列"]})
        model.replies(*[reply for _ in range(3) for reply in (choose("act", "groupby_agg"), wrong)])
        return await ask(bench, "店舗別の売上合計", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert result_of(run)["kind"] == "question"
    assert "存在しない列" in result_of(run)["answer_md"]


def test_an_error_of_an_act_leads_to_a_relaxed_try(model: ScriptedModel, tmp_path: Path) -> None:
    too_strict = [{"col": "売上", "op": ">", "values": [10**12]}]

    async def work(bench: Workbench) -> Run:
        model.replies(
            choose("act", "groupby_agg"),
            Json(GROUPED | {"filters": too_strict}),
            choose("act", "groupby_agg"),
            Json(GROUPED),
            choose("finalize"),
            Text("条件に合う行がなかったため、全体を集計しました。"),
        )
        return await ask(bench, "1兆円を超える売上を店舗別に", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert ops_of(run) == ["groupby_agg"]
    assert len(rows_of(run)) == 3


def test_what_is_out_of_scope_is_declined_and_the_turn_ends(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        model.replies(
            choose("out_of_scope", scope="prediction", suggestions=["月別の売上推移を折れ線で"])
        )
        return await ask(bench, "来月の売上を予測して", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert result_of(run)["kind"] == "out_of_scope"
    assert "予測" in result_of(run)["answer_md"]
    assert "月別の売上推移を折れ線で" in result_of(run)["answer_md"]
    assert [step.path[-1] for step in run.steps] == ["reason", "out_of_scope", "reason"]
    assert run.usage.calls == 1


def test_a_model_that_never_ends_is_ended_after_eight_acts_and_the_report_says_so(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        replies: list[Reply] = []
        for number in range(1, 9):
            replies += [choose("act", "groupby_agg"), Json(GROUPED | {"top_k": number})]
        model.replies(*replies, Text("以上です。"))
        return await ask(bench, "店舗別の売上合計", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert [step.path[-1] for step in run.steps].count("act") == 8
    assert result_of(run)["kind"] == "report"
    assert "8" in result_of(run)["report_md"].split("## 注意")[1]


def test_an_identical_spec_is_not_executed_twice(model: ScriptedModel, tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        model.replies(
            choose("act", "groupby_agg"),
            Json(GROUPED),
            choose("act", "groupby_agg"),
            Json(GROUPED),
            Text("以上です。"),
        )
        return await ask(bench, "店舗別の売上合計", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert ops_of(run) == ["groupby_agg"]
    assert [step.path[-1] for step in run.steps].count("act") == 1


def test_figures_that_no_table_holds_are_refused_and_in_the_end_replaced(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        model.replies(
            choose("act", "groupby_agg"),
            Json(GROUPED),
            choose("finalize"),
            Text("オンラインの売上は987,654,321円です。"),
            Text("オンラインの売上は123,456,789円です。"),
        )
        return await ask(bench, "店舗別の売上合計", await give(bench))

    run = on_bench(with_model(tmp_path, model), work)
    assert "987,654,321" in model.requests[-1].prompt  # it was told what was refused
    assert "987,654,321" not in result_of(run)["report_md"]
    assert f"{rows_of(run)[0][1]:,}" in result_of(run)["answer_md"]  # written by code instead
    assert "123,456,789" in result_of(run)["report_md"].split("## 注意")[1]


def test_without_a_table_a_file_is_asked_for(model: ScriptedModel, tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await ask(bench, "店舗別の売上合計")

    run = on_bench(with_model(tmp_path, model), work)
    assert result_of(run)["kind"] == "question"
    assert model.requests == []


def test_the_models_prompt_holds_no_rows(model: ScriptedModel, tmp_path: Path) -> None:
    secret = "日付,氏名,年収\n" + "\n".join(
        f"2025-04-{day:02d},社員{day:03d}号,{4_000_000 + day * 12_345}" for day in range(1, 29)
    )

    async def work(bench: Workbench) -> Run:
        model.replies(choose("ask", questions=["何を知りたいですか？"]))
        return await ask(bench, "年収を教えて", await give(bench, secret.encode()))

    on_bench(with_model(tmp_path, model), work)
    [request] = model.requests
    assert "氏名" in request.prompt
    assert "4,123,450" not in request.prompt
    assert str(4_000_000 + 10 * 12_345) not in request.prompt
