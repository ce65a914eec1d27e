"""Every path of the graph, driven by a model that follows a script."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sanbo.agents.analysis import nodes
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.rules_thinking import RulesThinker
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.state import MOST_ACTS
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

QUESTION = "店舗別の売上合計"
GROUPED: dict[str, Any] = {
    "op": "groupby_agg",
    "group_cols": ["店舗"],
    "metrics": [{"column": "売上", "agg": "sum"}],
    "sort": {"by": {"made": "売上_sum"}, "ascending": False},
}
TOO_STRICT = GROUPED | {"filters": [{"col": "売上", "op": ">", "value": 10**12}]}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


def said(action: str, **more: Any) -> Reply:
    return Json({"decision": {"action": action, **more}})


def specs(*each: dict[str, Any]) -> Reply:
    return said("specs", specs=list(each))


def answered(model: ScriptedModel, workspace: Path, question: str, *replies: Reply) -> Run:
    async def work(bench: Workbench) -> Run:
        model.replies(*replies)
        return await ask(bench, question, await give(bench))

    return on_bench(with_model(workspace, model), work)


def steps_of(run: Run) -> list[str]:
    return [step.path[-1] for step in run.steps]


def test_a_spec_is_executed_and_told_with_the_figures_of_its_table(
    model: ScriptedModel, tmp_path: Path
) -> None:
    run = answered(model, tmp_path, QUESTION, specs(GROUPED))
    assert result_of(run)["kind"] == "report"
    assert [row[0] for row in rows_of(run)] == ["オンライン", "大阪店", "新宿店"]
    assert f"{rows_of(run)[0][1]:,}" in result_of(run)["answer_md"]
    assert steps_of(run) == ["reason", "act", "reason", "report"]
    assert run.usage.calls == 1


def test_a_question_ends_the_turn_and_its_answer_is_the_next_one(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> tuple[Run, Run]:
        model.replies(said("ask", question="どの数値を集計しますか？"))
        first = await ask(bench, "店舗別に見せて", await give(bench))
        model.replies(specs(GROUPED))
        return first, await ask(bench, "売上の合計です", after=first)

    first, second = on_bench(with_model(tmp_path, model), work)
    assert result_of(first)["kind"] == "question"
    assert result_of(first)["answer_md"] == "どの数値を集計しますか？"
    assert result_of(second)["kind"] == "report"
    told = model.requests[-1].prompt
    assert "店舗別に見せて" in told  # the conversation goes on
    assert "どの数値を集計しますか" in told


def test_an_unknown_column_is_fed_back_with_the_nearest_and_corrected(
    model: ScriptedModel, tmp_path: Path
) -> None:
    wrong = GROUPED | {"group_cols": ["店補"]}
    run = answered(model, tmp_path, QUESTION, specs(wrong), specs(GROUPED))
    assert ops_of(run) == ["groupby_agg"]
    assert "店補" in model.requests[1].prompt
    assert run.usage.calls == 2


def test_a_spec_that_stays_unreadable_becomes_a_question(
    model: ScriptedModel, tmp_path: Path
) -> None:
    wrong = specs(GROUPED | {"group_cols": ["存在しない列"]})
    run = answered(model, tmp_path, QUESTION, wrong, wrong)
    assert result_of(run)["kind"] == "question"
    assert "存在しない列" in result_of(run)["answer_md"]


def test_an_error_of_an_act_leads_to_a_relaxed_try(model: ScriptedModel, tmp_path: Path) -> None:
    question = "1兆円を超える売上を店舗別に"
    run = answered(model, tmp_path, question, specs(TOO_STRICT), specs(GROUPED))
    assert steps_of(run).count("act") == 2
    assert ops_of(run) == ["groupby_agg"]
    assert len(rows_of(run)) == 3


def test_what_is_out_of_scope_is_declined_and_the_turn_ends(
    model: ScriptedModel, tmp_path: Path
) -> None:
    run = answered(model, tmp_path, "来月の売上を予測して", said("refuse", scope="prediction"))
    assert result_of(run)["kind"] == "out_of_scope"
    assert "予測" in result_of(run)["answer_md"]
    assert steps_of(run) == ["reason", "out_of_scope", "reason"]
    assert run.usage.calls == 1


class Stubborn(RulesThinker):
    """It decides the same again, however often that has failed."""

    async def decide(self, view: View) -> Decision:
        spec = {
            **GROUPED,
            "metrics": {"売上": ["sum"]},
            "sort": None,
            "filters": TOO_STRICT["filters"],
        }
        return Decision(next_action="act", specs=(read_spec(spec),))


def test_a_thinker_that_never_ends_is_ended_after_eight_acts(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stubborn(_: object) -> Stubborn:
        return Stubborn()

    monkeypatch.setattr(nodes, "_thinker", stubborn)
    run = answered(model, tmp_path, QUESTION)
    assert steps_of(run).count("act") == MOST_ACTS == 8
    assert result_of(run)["kind"] == "question"
    assert "8" in result_of(run)["answer_md"]


def test_an_identical_spec_is_not_executed_twice(model: ScriptedModel, tmp_path: Path) -> None:
    run = answered(model, tmp_path, QUESTION, specs(GROUPED, GROUPED))
    assert ops_of(run) == ["groupby_agg"]


def test_figures_that_no_table_holds_are_refused_and_in_the_end_replaced(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> Run:
        model.replies(
            specs(GROUPED),
            Text("オンラインの売上は987,654,321円です。"),
            Text("オンラインの売上は123,456,789円です。"),
        )
        return await ask(bench, QUESTION, await give(bench))

    settings = with_model(tmp_path, model)
    worded = settings.analysis.model_copy(update={"model_wording": True})
    run = on_bench(settings.model_copy(update={"analysis": worded}), work)
    assert "987,654,321" in model.requests[-1].prompt  # it was told what was refused
    assert "987,654,321" not in result_of(run)["report_md"]
    assert f"{rows_of(run)[0][1]:,}" in result_of(run)["answer_md"]  # written by code instead
    assert "123,456,789" in result_of(run)["report_md"].split("## 注意")[1]


def test_without_a_table_a_file_is_asked_for(model: ScriptedModel, tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await ask(bench, QUESTION)

    run = on_bench(with_model(tmp_path, model), work)
    assert result_of(run)["kind"] == "question"
    assert model.requests == []
