"""A restart loses what was typed in secret: it is asked again, if anything still needs it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict
from sanbo.runs.model import (
    Event,
    InteractionAnswered,
    InteractionOpen,
    JsonObject,
    NodeStart,
    Run,
    RunComplete,
    Status,
)
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.examples import spread
from tests.workflows.planning import (
    answer,
    events,
    everything_written,
    exports,
    given,
    on_bench,
    outputs,
    plan,
    run,
    settings_of,
    stopped_after,
    to_the_end,
)

CODE = "73-11"
"""Shorter than what is masked by its value alone."""
APPROVED: JsonObject = {"approved": True}


def _form(name: str = "form", field: str = "code") -> str:
    return f"""
  - id: {name}
    block: ui.interactive_input
    in:
      mode: collect
      message: {{ja: 接続先, en: Server}}
      requirements:
        - {{id: user, type: text, label: 利用者}}
        - {{id: {field}, type: text, label: 暗証番号, secret: true}}
        - {{id: spare, type: text, label: 予備, secret: true, required: false}}
    out: {{collected_data: entered}}"""


ASK = """
  - id: ask
    block: ui.interactive_input
    in: {mode: confirm, message: "${form.entered.user}で可"}"""
LOGIN = """
  - id: login
    block: test.login
    in: {password: "${form.entered.code}"}"""
TYPED: JsonObject = {"user": "yamada", "code": CODE}
ASK_BEFORE_LOGIN = plan(
    f"{_form()}{ASK}{LOGIN}\n    after: [ask]",
    top="exports: [{from: login.length, as: length}, {from: form.entered.user, as: user}]",
)
RESULT = {"length": len(CODE), "user": "yamada"}
ANSWERS: Mapping[str, JsonObject] = {"form": TYPED, "ask": APPROVED}


def _asked(now: Run) -> list[str]:
    return sorted("/".join(each.path[:-1]) for each in now.open_interactions)


async def _at_ask(bench: Workbench, text: str = ASK_BEFORE_LOGIN) -> Run:
    return await answer(bench, await run(bench, text), TYPED, "form")


def test_at_a_later_form_a_stopped_run_asks_for_the_secret_that_is_still_needed(
    tmp_path: Path,
) -> None:
    settings = settings_of(tmp_path)
    waiting = on_bench(settings, _at_ask)
    assert _asked(waiting) == ["ask"]

    async def second(bench: Workbench) -> Run:
        now = await answer(bench, await bench.get(LOCAL, waiting.run_id), APPROVED, "ask")
        assert now.status is Status.WAITING, now.problem
        assert _asked(now) == ["form"]
        return now

    now = on_bench(settings, second)
    [question] = now.open_interactions
    assert question.message == tell("answer.again", "ja", message="接続先")
    assert [field.id for field in question.requirements] == ["code"]

    async def third(bench: Workbench) -> Run:
        ended = await answer(bench, now, {"code": CODE}, "form")
        assert CODE not in "".join(each.model_dump_json() for each in await events(bench, ended))
        return ended

    ended = on_bench(settings, third)
    assert exports(ended) == RESULT
    assert outputs(ended, "form")["collected_data"] == {"user": "yamada", "code": "****"}
    assert CODE not in everything_written(tmp_path)


def test_the_reason_is_told_in_the_language_of_the_run(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        begun = await bench.start(LOCAL, "plan", given(ASK_BEFORE_LOGIN), language="en")
        now = await answer(bench, await bench.wait(LOCAL, begun.run_id), TYPED, "form")
        history = await events(bench, now)
        now = await bench.wait(LOCAL, await stopped_after(bench, history, len(history)))
        [question] = [each for each in now.open_interactions if each.path[0] == "form"]
        assert question.message.startswith("Server\n")
        assert "after a restart" in question.message

    on_bench(settings_of(tmp_path), work)


LOGIN_BEFORE_ASK = plan(
    f"""{_form()}{LOGIN}{ASK}
    after: [login]
  - id: note
    block: test.work
    in: {{value: "${{form.entered.user}} ${{login.length}}"}}
    after: [form, login, ask]
""",
    top="exports: [{from: note.value, as: note}, {from: login.token, as: token}]",
)
IN_A_SUBFLOW = plan(
    """
  - {id: sub, type: subflow, call: {plan_id: part}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: "${sub.user}で可"}}
  - {id: again, block: test.login, in: {password: "${sub.token}"}, after: [ask]}
""",
    top="exports: [{from: again.length, as: length}]",
)
PART = plan(
    f"""{_form()}{ASK}{LOGIN}\n    after: [ask]""",
    top="exports: [{from: login.token, as: token}, {from: form.entered.user, as: user}]",
    plan_id="part",
)
IN_A_LOOP = plan(
    """
  - id: each
    type: loop
    foreach: {input: [甲, 乙], itemVar: name}
    body:
      plan:
        graph:
          - id: form
            block: ui.interactive_input
            in:
              mode: mixed
              message: "${name}"
              requirements: [{id: code, type: text, label: 暗証番号, secret: true}]
            out: {collected_data: entered}
          - id: ask
            block: ui.interactive_input
            in: {mode: confirm, message: "${name}で可"}
            after: [form]
          - {id: login, block: test.login, in: {password: "${form.entered.code}"}, after: [ask]}
        exports: [{from: login.token, as: token}, {from: form.approved, as: approved}]
    out: {collect: [token, approved]}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: 全部で可}, after: [each]}
  - id: again
    type: loop
    foreach: {input: "${each.token}", itemVar: token}
    body:
      plan:
        graph: [{id: login, block: test.login, in: {password: "${token}"}}]
        exports: [{from: login.length, as: length}]
    out: {collect: length}
    when: {expr: "${ask.approved}"}
""",
    top="exports: [{from: again.length, as: lengths}, {from: each.approved, as: approved}]",
)
AS_LONG_AS = plan(
    """
  - id: until
    type: loop
    while: {condition: {expr: "${form.entered.code} != '0-0'"}, max_iterations: 3}
    body:
      plan:
        graph:
          - id: form
            block: ui.interactive_input
            in:
              mode: collect
              message: 暗証番号
              requirements: [{id: code, type: text, label: 暗証番号, secret: true}]
            out: {collected_data: entered}
          - {id: w, block: test.work, in: {value: 1}, after: [form]}
        exports: [{from: w.value, as: v}]
""",
    top="exports: [{from: until.iterations, as: times}]",
)
TWO_FORMS = plan(
    f"""{_form("one")}{_form("two", "pin")}
  - {{id: first, block: test.login, in: {{password: "${{one.entered.code}}"}}}}
  - id: ask
    block: ui.interactive_input
    in: {{mode: confirm, message: 可}}
    after: [first, two]
  - {{id: second, block: test.login, in: {{password: "${{two.entered.pin}}"}}, after: [ask]}}
""",
    top="exports: [{from: first.length, as: one}, {from: second.length, as: two}]",
)
# pyrefly: ignore[bad-assignment]
IN_A_LOOP_ANSWERS: Mapping[str, JsonObject] = {
    **{f"each/#{n}/form": {"code": CODE + "甲" * n, "approved": True} for n in range(2)},
    **{f"each/#{n}/ask": APPROVED for n in range(2)},
    "ask": APPROVED,
}
MOST_STOPS = 15
TOKEN = len("token-of-") + len(CODE)
Case = tuple[str, Mapping[str, JsonObject], Mapping[str, object]]
CASES: dict[str, Case] = {
    "needed": (ASK_BEFORE_LOGIN, ANSWERS, RESULT),
    "not needed": (LOGIN_BEFORE_ASK, ANSWERS, {"note": "yamada 5", "token": "****"}),
    "subflow": (
        IN_A_SUBFLOW,
        {"sub/form": TYPED, "sub/ask": APPROVED, "ask": APPROVED},
        {"length": TOKEN},
    ),
    "loop": (IN_A_LOOP, IN_A_LOOP_ANSWERS, {"lengths": [TOKEN, TOKEN + 1], "approved": [True] * 2}),
    "while": (
        AS_LONG_AS,
        {"until/#0/form": {"code": CODE}, "until/#1/form": {"code": "0-0"}},
        {"times": 2},
    ),
    "two forms": (
        TWO_FORMS,
        {"one": TYPED, "two": {"user": "佐藤", "pin": "4-2"}, "ask": APPROVED},
        {"one": 5, "two": 3},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_wherever_it_is_stopped_a_run_with_secrets_ends_the_same(
    case: Case, tmp_path: Path
) -> None:
    text, answers, result = case

    async def work(bench: Workbench) -> None:
        begun = await bench.start(LOCAL, "plan", given(text, called={"part": PART}))
        undisturbed = await to_the_end(bench, begun.run_id, answers)
        assert exports(undisturbed) == result
        history = await events(bench, undisturbed)
        stops = range(1, len(history), max(1, len(history) // MOST_STOPS))
        for seq in spread(stops, 5):
            run_id = await stopped_after(bench, history, seq)
            ended = await to_the_end(bench, run_id, answers)
            assert ended.status is Status.SUCCEEDED, f"stopped after {seq}: {ended.problem}"
            assert exports(ended) == result, f"stopped after {seq}"
            working = [each for each in ended.steps if each.status in ("running", "waiting")]
            assert not working, f"stopped after {seq}"

    on_bench(settings_of(tmp_path), work, 120)
    assert CODE not in everything_written(tmp_path)


@pytest.mark.parametrize(
    ("case", "last", "again"),
    [
        ("not needed", ("ask",), []),
        ("two forms", ("ask",), ["two"]),
        ("subflow", ("ask",), ["sub/form"]),
        ("loop", ("ask",), ["each/#0/form", "each/#1/form"]),
        ("loop", ("each", "#1", "ask"), ["each/#0/form", "each/#1/form"]),
    ],
)
def test_only_forms_whose_secrets_are_needed_are_asked_again(
    case: str, last: tuple[str, ...], again: list[str], tmp_path: Path
) -> None:
    text, answers, result = CASES[case]

    async def work(bench: Workbench) -> None:
        begun = await bench.start(LOCAL, "plan", given(text, called={"part": PART}))
        history = await events(bench, await to_the_end(bench, begun.run_id, answers))
        seq = next(
            each.seq or 0
            for each in history
            if isinstance(each.payload, InteractionOpen) and each.path[:-1] == last
        )
        run_id = await stopped_after(bench, history, seq)
        ended = await to_the_end(bench, run_id, answers)
        assert exports(ended) == result
        asked = [
            "/".join(each.path[:-1])
            for each in (await events(bench, ended))[seq:]
            if isinstance(each.payload, InteractionOpen) and each.path[-2] != "ask"
        ]
        assert sorted(asked) == again

    on_bench(settings_of(tmp_path), work)


def test_secrets_of_a_loop_that_nothing_reads_are_not_asked_again(tmp_path: Path) -> None:
    text = plan(
        """
  - id: each
    type: loop
    foreach: {input: [甲, 乙], itemVar: name}
    body:
      plan:
        graph:
          - id: form
            block: ui.interactive_input
            in:
              mode: collect
              message: "${name}"
              requirements: [{id: code, type: text, label: 暗証番号, secret: true}]
            out: {collected_data: entered}
          - {id: login, block: test.login, in: {password: "${form.entered.code}"}}
""",
        top="exports: [{from: each.iterations, as: times}, {from: each.results, as: shown}]",
    )
    settings = settings_of(tmp_path)

    async def first(bench: Workbench) -> Run:
        return await answer(bench, await run(bench, text), {"code": CODE})

    waiting = on_bench(settings, first)
    assert _asked(waiting) == ["each/#1/form"]
    ended = on_bench(settings, lambda bench: answer(bench, waiting, {"code": CODE}))
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert CODE not in everything_written(tmp_path)


def test_an_answer_that_comes_before_the_secret_is_kept(tmp_path: Path) -> None:
    """What was open at the stop stays open beside the form that is asked again."""

    async def work(bench: Workbench) -> None:
        text = ASK_BEFORE_LOGIN.replace("${form.entered.user}で可", "${form.entered.code}で可")
        history = await events(bench, await _at_ask(bench, text))
        now = await bench.wait(LOCAL, await stopped_after(bench, history, len(history)))
        assert _asked(now) == ["ask", "form"]
        now = await answer(bench, now, APPROVED, "ask")
        assert now.status is Status.WAITING, now.problem
        assert _asked(now) == ["form"]
        assert exports(await answer(bench, now, {"code": CODE}, "form")) == RESULT

    on_bench(settings_of(tmp_path), work)


def test_a_node_that_was_at_work_with_the_secret_waits_for_it(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        history = await events(bench, await answer(bench, await _at_ask(bench), APPROVED, "ask"))
        seq = next(
            each.seq or 0
            for each in history
            if isinstance(each.payload, NodeStart) and each.path == ("login",)
        )
        now = await bench.wait(LOCAL, await stopped_after(bench, history, seq))
        assert now.status is Status.WAITING, now.problem
        assert _asked(now) == ["form"]
        assert exports(await answer(bench, now, {"code": CODE}, "form")) == RESULT

    on_bench(settings_of(tmp_path), work)


def test_a_run_that_had_failed_of_it_is_resumed(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        history = await events(bench, await _at_ask(bench))
        run_id = await stopped_after(bench, history, len(history))
        now = await bench.wait(LOCAL, run_id)
        now = await answer(bench, now, APPROVED, "ask")
        assert _asked(now) == ["form"]
        # As it was left: the form asked again, and the run ended because `ask` was at work.
        history = await events(bench, now)
        failed = [each for each in history if each.payload.event != "run_waiting"]
        last = failed[-1].model_copy(update={"payload": RunComplete(status=Status.FAILED)})
        numbered = [
            each.model_copy(update={"seq": seq}) for seq, each in enumerate([*failed, last], 1)
        ]
        run_id = await stopped_after(bench, numbered, len(numbered))
        assert (await bench.wait(LOCAL, run_id)).status is Status.FAILED
        await bench.resume(LOCAL, run_id)
        now = await bench.wait(LOCAL, run_id)
        assert now.status is Status.WAITING, now.problem
        assert _asked(now) == ["form"]
        assert exports(await answer(bench, now, {"code": CODE}, "form")) == RESULT

    on_bench(settings_of(tmp_path), work)


@pytest.mark.parametrize("step", ["login", "ask"])
def test_a_replay_asks_for_the_secret_and_for_nothing_else_of_the_form(
    step: str, tmp_path: Path
) -> None:
    async def work(bench: Workbench) -> None:
        ended = await answer(bench, await _at_ask(bench), APPROVED, "ask")
        copy = await bench.replay(LOCAL, ended.run_id, (step,))
        now = await bench.wait(LOCAL, copy.run_id)
        [question] = [each for each in now.open_interactions if each.path[0] == "form"]
        assert [field.id for field in question.requirements] == ["code"]
        assert exports(await to_the_end(bench, now.run_id, ANSWERS)) == RESULT

    on_bench(settings_of(tmp_path), work)


def test_a_secret_that_was_typed_into_a_field_without_one_is_not_lost(tmp_path: Path) -> None:
    secret = "chabashira-73"
    text = plan(
        f"""{_form()}
  - id: other
    block: ui.interactive_input
    in:
      mode: collect
      requirements: [{{id: name, type: text, label: 名前}}, {{id: place, type: text, label: 所}}]
    after: [form]
  - id: w
    block: test.work
    in: {{value: 1}}
    when: {{expr: "${{other.collected_data.name}}.endsWith('-73')"}}
""",
        top="exports: [{from: w.value, as: n}]",
    )
    settings = settings_of(tmp_path)
    said: JsonObject = {"name": f"ああ{secret}", "place": "東京"}

    async def first(bench: Workbench) -> tuple[list[Event], Run]:
        now = await answer(bench, await run(bench, text), {"user": "u", "code": secret}, "form")
        asked = [each.interaction_id for each in now.open_interactions]
        ended = await answer(bench, now, said, "other")
        assert exports(ended) == {"n": 1}
        with pytest.raises(Conflict):
            await bench.answer(LOCAL, now.run_id, {**said, "name": "遅い"}, asked[0])
        return await events(bench, ended), ended

    history, _ = on_bench(settings, first)
    seq = max(each.seq or 0 for each in history if isinstance(each.payload, InteractionAnswered))

    async def second(bench: Workbench) -> None:
        now = await bench.wait(LOCAL, await stopped_after(bench, history, seq))
        [question] = now.open_interactions
        assert [field.id for field in question.requirements] == ["name"]
        assert exports(await answer(bench, now, {"name": said["name"]})) == {"n": 1}

    on_bench(settings, second)
    assert secret not in everything_written(tmp_path)


def test_of_two_answers_at_once_the_secret_of_the_one_that_counts_is_used(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        now = await run(
            bench, plan(f"{_form()}{LOGIN}", top="exports: [{from: login.length, as: n}]")
        )
        [asked] = now.open_interactions
        codes = ["1-1", "22-22", "333-333", "4444-4444"]
        answered = await asyncio.gather(
            *(
                bench.answer(LOCAL, now.run_id, {"user": "u", "code": code}, asked.interaction_id)
                for code in codes
            ),
            return_exceptions=True,
        )
        [taken] = [n for n, each in enumerate(answered) if isinstance(each, Run)]
        ended = await bench.wait(LOCAL, now.run_id)
        assert exports(ended) == {"n": len(codes[taken])}

    on_bench(settings_of(tmp_path), work)
