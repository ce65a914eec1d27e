"""Secrets flow between nodes and are written nowhere; what was masked is never used as a value."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput, NotFound, RunBusy, SanboError
from sanbo.plans.workflow import Plans
from sanbo.runs.model import FileRef, JsonObject, NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.workflows.planning import (
    answer,
    events,
    everything_written,
    exports,
    on_bench,
    outputs,
    plan,
    run,
    settings_of,
    worked,
)

KEY = "wasabi-9f31c2-desk"
WITH_KEY = {"SANBO_PLANS__ENV": json.dumps(["DESK_KEY"])}

FROM_ENVIRONMENT = plan(
    """
  - {id: login, block: test.login, in: {password: "${env.DESK_KEY}"}}
  - {id: open, block: test.work, in: {value: "${env.DESK_KEY} と ${login.token}"}}
  - {id: size, block: test.work, in: {value: "${login.length}"}}
  - id: each
    type: loop
    foreach: {input: ["${login.token}"], itemVar: x}
    body:
      plan:
        graph: [{id: w, block: test.work, in: {value: "${x}"}}]
        exports: [{from: w.value, as: v}]
    out: {collect: v}
  - id: bad
    block: test.login
    in: {password: "${login.token}", fail: true}
    policy: {on_error: continue}
  - {id: file, block: test.report, in: {title: "${env.DESK_KEY}"}}
""",
    top="exports: [{from: size.value, as: size}, {from: login.token, as: token}]",
)


def test_a_secret_of_the_environment_is_used_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)

    async def work(bench: Workbench) -> Run:
        ended = await run(bench, FROM_ENVIRONMENT)
        assert KEY not in "".join(e.model_dump_json() for e in await events(bench, ended))
        return ended

    ended = on_bench(settings_of(tmp_path, **WITH_KEY), work)
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert exports(ended) == {"size": len(KEY), "token": "****"}
    assert outputs(ended, "login") == {
        "token": "****",
        "length": len(KEY),
        "person": {"name": "****", "number": "0123"},
    }
    assert KEY not in ended.model_dump_json()
    assert "token-of" not in ended.model_dump_json()
    assert KEY not in everything_written(tmp_path)
    assert "山田花子" not in everything_written(tmp_path)
    assert KEY not in caplog.text


def test_a_variable_that_is_not_allowed_is_refused_and_one_not_set_is_null(tmp_path: Path) -> None:
    text = plan('  - {id: a, block: test.login, in: {password: "${env.DESK_KEY}"}}')

    async def work(bench: Workbench) -> None:
        with pytest.raises(SanboError):
            await run(bench, text)

    on_bench(settings_of(tmp_path / "one"), work)

    async def not_set(bench: Workbench) -> None:
        failed = await run(bench, text)
        assert failed.problem is not None
        assert failed.problem.text_id == "block_input_invalid"

    on_bench(settings_of(tmp_path / "two", **WITH_KEY), not_set)


WITH_FORM = plan(
    """
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      message: 接続先
      requirements:
        - {id: user, type: text, label: 利用者}
        - {id: code, type: text, label: 暗証番号, secret: true}
    out: {collected_data: entered}
  - id: login
    block: test.login
    in: {password: "${form.entered.code}", trace: "${vars.trace}"}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: 続けますか}}
  - id: again
    block: test.login
    in: {password: "${login.token}", trace: "${vars.trace}"}
    after: [ask]
""",
    top="vars: {trace: ''}\nexports: [{from: again.length, as: length}]",
)
SECRET: dict[str, Any] = {"user": "yamada", "code": "73-11"}
"""Shorter than what is masked by its value alone."""


def test_a_password_typed_into_a_form_stays_in_memory(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    variables = {"trace": str(trace)}

    async def work(bench: Workbench) -> None:
        waiting = await run(bench, WITH_FORM, vars=variables)
        with pytest.raises(InvalidInput) as refused:
            await answer(bench, waiting, {"user": 1, "code": "73-11"}, "form")
        assert "73-11" not in refused.value.problem.model_dump_json()
        waiting = await answer(bench, waiting, SECRET, "form")
        assert waiting.status is Status.WAITING, waiting.problem
        ended = await answer(bench, waiting, {"approved": True}, "ask")
        assert exports(ended) == {"length": len("token-of-73-11")}
        assert outputs(ended, "form")["collected_data"] == {"user": "yamada", "code": "****"}

    on_bench(settings_of(tmp_path), work)
    assert worked(trace) == ["login", "again"]
    assert "73-11" not in everything_written(tmp_path)


def test_after_a_restart_a_password_is_asked_again_and_only_if_it_is_needed(
    tmp_path: Path,
) -> None:
    settings = settings_of(tmp_path)
    trace = tmp_path / "trace"

    async def first(bench: Workbench) -> Run:
        waiting = await run(bench, WITH_FORM, vars={"trace": str(trace)})
        return await answer(bench, waiting, SECRET, "form")

    waiting = on_bench(settings, first)
    assert worked(trace) == ["login"]

    async def second(bench: Workbench) -> None:
        now = await bench.get(LOCAL, waiting.run_id)
        now = await answer(bench, now, {"approved": True}, "ask")
        # `again` needs what `login` gave, which needs what was typed; all of it is gone.
        assert now.status is Status.WAITING
        assert [each.path for each in now.open_interactions] == [("form", "answer")]
        ended = await answer(bench, now, {"code": "73-11"}, "form")
        assert exports(ended) == {"length": len("token-of-73-11")}

    on_bench(settings, second)
    assert worked(trace) == ["login", "login", "again"]
    assert "73-11" not in everything_written(tmp_path)


def test_a_password_is_not_taken_where_another_process_advances_the_run(tmp_path: Path) -> None:
    text = plan(
        """
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      message: 接続先
      requirements: [{id: code, type: text, label: 暗証番号, secret: true}]
  - {id: slow, block: test.work, in: {value: 1, seconds: 4.0}}
"""
    )
    settings = settings_of(tmp_path)

    async def work(bench: Workbench) -> None:
        begun = await bench.start(LOCAL, "plan", {"source": {"plan": {"text": text}}})
        async for event in bench.follow(LOCAL, begun.run_id):
            if event.payload.event == "interaction_open":
                break
        async with open_workbench(settings, (Plans(),), takes_up_orphans=False) as other:
            with pytest.raises(RunBusy):
                await other.answer(LOCAL, begun.run_id, {"code": "73-11"})
        ended = await bench.answer(LOCAL, begun.run_id, {"code": "73-11"})
        ended = await bench.wait(LOCAL, begun.run_id)
        assert ended.status is Status.SUCCEEDED

    on_bench(settings, work)


def test_a_secret_in_the_name_of_a_file_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)
    text = plan("""
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      message: 資料
      requirements: [{id: paper, type: file, label: 資料}]
    out: {collected_data: entered}
  - {id: name, block: test.work, in: {value: "${form.entered.paper.name}"}}
""")

    async def work(bench: Workbench) -> Run:
        waiting = await run(bench, text)
        paper = tmp_path / "paper.txt"
        paper.write_text("資料", "utf-8")
        file = await bench.upload(LOCAL, paper, f"{KEY}.txt", "text/plain")
        assert file.name == "****.txt"
        ended = await answer(bench, waiting, {"paper": file.model_dump(mode="json")}, "form")
        assert KEY not in "".join(e.model_dump_json() for e in await events(bench, ended))
        return ended

    ended = on_bench(settings_of(tmp_path, **WITH_KEY), work)
    assert outputs(ended, "name") == {"value": "****.txt"}
    assert KEY not in ended.model_dump_json()
    assert KEY not in everything_written(tmp_path)


def test_a_plan_that_holds_a_protected_value_itself_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)
    settings = settings_of(tmp_path, **WITH_KEY)

    async def start(bench: Workbench) -> None:
        text = plan("  - {id: w, block: test.work, in: {value: NAME}}", top="vars: {n: 1}")
        written: JsonObject = {"source": {"plan": {"text": text.replace("NAME", KEY)}}}
        given: JsonObject = {"source": {"plan": {"text": text}}, "vars": {"n": f"x {KEY}"}}
        for refused in (written, given):
            with pytest.raises(InvalidInput) as refusal:
                await bench.start(LOCAL, "plan", refused)
            assert refusal.value.problem.text_id == "plan_secret_written"
            assert KEY not in refusal.value.problem.model_dump_json()

    on_bench(settings, start)


MY_NUMBER, CARD = "123456789018", "4111111111111111"
# Spelled so that the plan itself, which the journal keeps, does not hold the numbers.
PEOPLE = r'{"staff": [{"no": "12345678\u0039018"}], "paid by": "411111111111111\u0031"}'
WITH_NUMBERS = plan(
    f"""
  - {{id: people, block: test.work, in: {{spelled: '{PEOPLE}', trace: "${{vars.trace}}"}}}}
  - id: each
    type: loop
    foreach: {{input: "${{people.value.staff}}", itemVar: x}}
    body:
      plan:
        graph:
          - {{id: w, block: test.work, in: {{value: "${{x.no}}", trace: "${{vars.trace}}"}}}}
        exports: [{{from: w.value, as: v}}]
    out: {{collect: v}}
  - id: bad
    block: test.work
    in: {{value: "${{each.v}}", fail: true}}
    policy: {{on_error: continue}}
  - {{id: ask, block: ui.interactive_input, in: {{mode: confirm, message: 続けますか}}}}
  - id: last
    block: test.work
    in: {{value: 1, trace: "${{vars.trace}}"}}
    when: {{expr: "size(${{each.v.0}}) == 12"}}
    after: [ask]
""",
    top="vars: {trace: ''}\nexports: [{from: last.value, as: done}]",
)


def test_numbers_of_persons_are_masked_by_value_and_nothing_is_done_again_for_it(
    tmp_path: Path,
) -> None:
    settings = settings_of(tmp_path)
    trace = tmp_path / "trace"

    async def first(bench: Workbench) -> Run:
        return await run(bench, WITH_NUMBERS, vars={"trace": str(trace)})

    waiting = on_bench(settings, first)
    assert waiting.status is Status.WAITING, waiting.problem

    async def second(bench: Workbench) -> Run:
        return await answer(bench, await bench.get(LOCAL, waiting.run_id), {"approved": True})

    ended = on_bench(settings, second)
    assert exports(ended) == {"done": 1}, "what was masked was used as a value"
    assert worked(trace) == ["people", "each/#0/w", "last"]
    assert outputs(ended, "people")["value"] == {"staff": [{"no": "****"}], "paid by": "****"}
    assert outputs(ended, "each")["v"] == ["****"]
    for number in (MY_NUMBER, CARD):
        assert number not in everything_written(tmp_path)
        assert number not in ended.model_dump_json()


def test_a_masked_number_can_not_be_guessed_from_the_name_of_its_file(tmp_path: Path) -> None:
    text = plan(r"""  - {id: a, block: test.work, in: {spelled: '"12345678\u0039018"'}}""")

    async def beside(bench: Workbench) -> set[str]:
        found = [each.payload for each in await events(bench, await run(bench, text))]
        return {each.beside for each in found if isinstance(each, NodeComplete) and each.beside}

    settings = settings_of(tmp_path)
    (first,), (second,) = on_bench(settings, beside), on_bench(settings, beside)
    assert first != second


def test_the_file_of_masked_numbers_follows_a_replay_and_goes_with_its_last_run(
    tmp_path: Path,
) -> None:
    text = plan(
        r"""
  - {id: a, block: test.work, in: {spelled: '"12345678\u0039018"'}}
  - {id: b, block: test.work, in: {value: 1}, when: {expr: "size(${a.value}) == 12"}}
  - {id: c, block: test.work, in: {value: "${b.value}"}}
"""
    )

    async def work(bench: Workbench) -> None:
        done = await run(bench, text)
        (beside,) = {
            each.payload.beside
            for each in await events(bench, done)
            if isinstance(each.payload, NodeComplete) and each.payload.beside
        }
        assert done.artifacts == ()
        with pytest.raises(NotFound):
            await bench.artifact(LOCAL, done.run_id, beside)
        file: JsonObject = {"file_id": beside, "name": "a.json", "size": 1}
        with pytest.raises(NotFound):
            await bench.headings(LOCAL, FileRef.model_validate(file))

        copy = await bench.replay(LOCAL, done.run_id, ("b",))
        await bench.wait(LOCAL, copy.run_id)
        await bench.delete(LOCAL, done.run_id)
        again = await bench.replay(LOCAL, copy.run_id, ("b",))
        ended = await bench.wait(LOCAL, again.run_id)
        assert outputs(ended, "b") == {"value": 1}, "what was masked was used as a value"
        await bench.delete(LOCAL, copy.run_id)
        assert _stored(tmp_path, beside)
        await bench.delete(LOCAL, again.run_id)
        assert not _stored(tmp_path, beside)

    on_bench(settings_of(tmp_path), work)


def _stored(folder: Path, sha256: str) -> bool:
    files = (path for path in folder.rglob("*") if path.is_file())
    return any(hashlib.sha256(path.read_bytes()).hexdigest() == sha256 for path in files)


def test_what_a_plan_exports_is_masked_only_where_a_word_says_what_it_is(tmp_path: Path) -> None:
    spelled = r'{"伝票": "12345678\u0039018", "マイナンバー": "12345678\u0039018"}'
    text = plan(
        f"  - {{id: a, block: test.work, in: {{spelled: '{spelled}'}}}}",
        top="exports: [{from: a.value, as: found}]",
    )
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert exports(ended) == {"found": {"伝票": MY_NUMBER, "マイナンバー": "****"}}
