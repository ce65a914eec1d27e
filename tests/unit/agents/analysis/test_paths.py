"""Every path of the graph, driven by a model that follows a script."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from sanbo.agents.analysis import nodes as graph_nodes
from sanbo.agents.analysis.deciding import RulesThinker
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.state import MOST_ACTS
from sanbo.runs.model import Run
from sanbo.service.workbench import Workbench
from tests.scripted_model import Hang, Json, Reply, ScriptedModel, Text
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
    "op": "groupby_agg",
    "group_cols": ["店舗"],
    "metrics": [{"column": "売上", "agg": "sum"}],
    "sort": {"by": {"made": "売上_sum"}, "ascending": False},
}
QUESTION = "店舗別の売上合計を多い順に"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


def say(action: str, **more: Any) -> Reply:
    return Json({"decision": {"action": action, **more}})


def specs(*told: dict[str, Any]) -> Reply:
    return say("specs", specs=list(told))


def nodes(run: Run) -> list[str]:
    return [step.path[-1] for step in run.steps]


def asked(model: ScriptedModel, folder: Path, question: str, *replies: Reply, **more: Any) -> Run:
    settings = with_model(folder, model)
    analysis = settings.analysis.model_copy(update=more)

    async def work(bench: Workbench) -> Run:
        model.replies(*replies)
        return await ask(bench, question, await give(bench))

    return on_bench(settings.model_copy(update={"analysis": analysis}), work)


def test_one_call_executes_a_pipeline_and_code_concludes(
    model: ScriptedModel, tmp_path: Path
) -> None:
    best = {"op": "top_rows", "input": "r1", "by": [{"made": "売上_sum"}], "n": 1}
    run = asked(model, tmp_path, QUESTION, specs(GROUPED, best))
    assert result_of(run)["kind"] == "report"
    assert ops_of(run) == ["groupby_agg", "top_rows"]
    assert "オンライン" in result_of(run)["answer_md"]
    assert (run.usage.calls, len(model.requests)) == (1, 1)
    assert nodes(run) == ["reason", "act", "reason", "report"]


def test_the_draft_of_the_rules_is_taken_at_a_word(model: ScriptedModel, tmp_path: Path) -> None:
    run = asked(model, tmp_path, QUESTION, say("ok"))
    assert [row[0] for row in rows_of(run)] == ["オンライン", "大阪店", "新宿店"]
    assert run.usage.calls == 1


def test_a_question_ends_the_turn_and_its_answer_is_the_next_one(
    model: ScriptedModel, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> tuple[Run, Run]:
        model.replies(say("ask", question="どの数値を集計しますか？", choices=[]))
        first = await ask(bench, "店舗別に見せて", await give(bench))
        model.replies(specs(GROUPED))
        return first, await ask(bench, "売上の合計です", after=first)

    first, second = on_bench(with_model(tmp_path, model), work)
    assert result_of(first)["kind"] == "question"
    assert result_of(first)["answer_md"] == "どの数値を集計しますか？"
    assert result_of(second)["kind"] == "report"
    assert "店舗別に見せて" in model.requests[-1].prompt  # the conversation goes on
    assert "どの数値を集計しますか" in model.requests[-1].prompt


def test_an_unknown_column_is_fed_back_with_the_nearest_and_corrected(
    model: ScriptedModel, tmp_path: Path
) -> None:
    wrong = GROUPED | {"group_cols": ["店補"]}
    run = asked(model, tmp_path, QUESTION, specs(wrong), specs(GROUPED))
    assert ops_of(run) == ["groupby_agg"]
    assert "店補" in model.requests[1].prompt
    assert run.usage.calls == 2


def test_a_spec_that_stays_unreadable_becomes_a_question_with_readings(
    model: ScriptedModel, tmp_path: Path
) -> None:
    wrong = specs(GROUPED | {"group_cols": ["存在しない列"]})
    run = asked(model, tmp_path, QUESTION, wrong, wrong)
    assert result_of(run)["kind"] == "question"
    assert "存在しない列" in result_of(run)["answer_md"]
    assert result_of(run)["readings"]
    assert run.usage.calls == 2


def test_an_error_of_an_act_leads_to_a_second_and_last_call(
    model: ScriptedModel, tmp_path: Path
) -> None:
    on_nothing = {"op": "derive", "input": "r1", "name": "倍", "expression": {
        "fn": "add", "left": {"fn": "column", "name": {"made": "売上_mean"}},
        "right": {"fn": "constant", "value": 1}}}  # fmt: skip
    run = asked(model, tmp_path, QUESTION, specs(GROUPED, on_nothing), specs(GROUPED))
    assert ops_of(run)[0] == "groupby_agg"
    assert "売上_mean" in model.requests[1].prompt
    assert (result_of(run)["kind"], run.usage.calls) == ("report", 2)
    never = asked(model, tmp_path, QUESTION, *[specs(GROUPED, on_nothing)] * 2)
    assert (result_of(never)["kind"], never.usage.calls) == ("question", 2)


def test_a_model_that_falls_silent_leaves_the_choice_to_the_person(
    model: ScriptedModel, tmp_path: Path
) -> None:
    settings = with_model(tmp_path, model)
    llm = settings.llm.model_copy(update={"idle_seconds": 0.3, "max_attempts": 1})

    async def work(bench: Workbench) -> tuple[Run, Run]:
        model.replies(Hang())
        first = await ask(bench, QUESTION, await give(bench))
        return first, await ask(bench, "1", after=first)

    first, second = on_bench(settings.model_copy(update={"llm": llm}), work)
    assert result_of(first)["kind"] == "question"
    assert len(result_of(first)["readings"]) >= 2
    assert [row[0] for row in rows_of(second)] == ["オンライン", "大阪店", "新宿店"]
    assert len(model.requests) == 1


def test_what_is_out_of_scope_is_declined_and_the_turn_ends(
    model: ScriptedModel, tmp_path: Path
) -> None:
    run = asked(model, tmp_path, "来月の売上を予測して", say("refuse", scope="prediction"))
    assert result_of(run)["kind"] == "out_of_scope"
    assert "予測" in result_of(run)["answer_md"]
    assert nodes(run) == ["reason", "out_of_scope", "reason"]
    assert run.usage.calls == 1


def test_figures_that_no_table_holds_are_refused_and_in_the_end_replaced(
    model: ScriptedModel, tmp_path: Path
) -> None:
    words = [
        Text(f"オンラインの売上は{figure}円です。") for figure in ("987,654,321", "123,456,789")
    ]
    run = asked(model, tmp_path, QUESTION, specs(GROUPED), *words, model_wording=True)
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


def test_no_byte_of_a_request_holds_a_row(model: ScriptedModel, tmp_path: Path) -> None:
    secret = "日付,氏名,年収\n" + "\n".join(
        f"2025-04-{day:02d},社員{day:03d}号,{4_000_000 + day * 12_345}" for day in range(1, 29)
    )

    async def work(bench: Workbench) -> Run:
        model.replies(say("ask", question="何を知りたいですか？", choices=[]))
        return await ask(bench, "年収を教えて", await give(bench, secret.encode()))

    on_bench(with_model(tmp_path, model), work)
    [request] = model.requests
    sent = json.dumps(request.body, ensure_ascii=False)
    assert "氏名" in sent
    for day in range(2, 28):
        assert f"社員{day:03d}号" not in sent
        assert str(4_000_000 + day * 12_345) not in sent


class Stubborn(RulesThinker):
    """It decides the same again, however often that has failed."""

    @override
    async def decide(self, view: View) -> Decision:
        nothing = {"col": "売上", "op": ">", "value": 10**12}
        spec = read_spec({"op": "groupby_agg", "group_cols": ["店舗"], "filters": [nothing]})
        return Decision(next_action="act", specs=(spec,))


def test_a_thinker_that_never_ends_is_ended_after_eight_acts(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stubborn(_: object) -> Stubborn:
        return Stubborn()

    monkeypatch.setattr(graph_nodes, "_thinker", stubborn)
    run = asked(model, tmp_path, QUESTION)
    assert nodes(run).count("act") == MOST_ACTS == 8
    assert result_of(run)["kind"] == "question"
    assert "8" in result_of(run)["answer_md"]


def test_an_identical_spec_is_not_executed_twice(model: ScriptedModel, tmp_path: Path) -> None:
    run = asked(model, tmp_path, QUESTION, specs(GROUPED, GROUPED))
    assert ops_of(run) == ["groupby_agg"]
