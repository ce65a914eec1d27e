"""A run that thinks with a model: every call is counted, no key is written, limits hold."""

import asyncio
import logging
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, SecretStr
from typing_extensions import override

from sanbo.kernel.problems import Code
from sanbo.llm.model import HumanMessage
from sanbo.llm.settings import LlmSettings
from sanbo.runs.model import Run, Status
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import Settings
from tests.scripted_model import Hang, Json, MalformedJson, RateLimited, ScriptedModel, WrongKey

KEY = "sk-planted-0123456789abcdef-kagi"


class Nothing(BaseModel):
    pass


class Amount(BaseModel):
    yen: int


class Thinker(Workflow[Nothing, Amount]):
    name = "thinker"
    titles: ClassVar = {"ja": "考える", "en": "Think"}
    descriptions: ClassVar = {"ja": "考える", "en": "Think"}
    input_model = Nothing
    result_model = Amount

    @override
    async def advance(self, context: RunContext[Nothing]) -> Finished[Amount] | Waiting:
        async def think() -> Amount:
            model = await context.model()
            return await model.structured([HumanMessage("いくらですか")], Amount, purpose="amount")

        return Finished(await context.step("think", think, returns=Amount.model_validate))


def _run(folder: Path, llm: LlmSettings) -> Run:
    async def work() -> Run:
        settings = Settings(workspace=folder, llm=llm)
        async with open_workbench(settings, [Thinker()]) as bench:
            run = await bench.start(LOCAL, "thinker", {})
            return await bench.wait(LOCAL, run.run_id)

    return asyncio.run(work())


def test_usage_counts_every_call_of_a_run(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(
            RateLimited(retry_after=0),
            RateLimited(retry_after=0),
            MalformedJson(),
            Json({"yen": 5}),
        )
        run = _run(tmp_path, model.settings())
    assert run.status is Status.SUCCEEDED, run.problem
    assert run.result == {"yen": 5}
    assert run.usage.calls == 4
    assert run.usage.input_tokens > 0


def test_a_model_that_hangs_ends_as_a_timeout(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(Hang())
        run = _run(tmp_path, model.settings(timeout_seconds=1))
    assert run.problem is not None
    assert run.problem.code is Code.TIMEOUT_ERROR
    assert run.usage.calls == 1


@pytest.mark.parametrize("planted", [KEY, "ordinary-words-as-key-2026"])
def test_a_wrong_key_is_a_problem_and_the_key_is_written_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, planted: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with ScriptedModel() as model:
        model.replies(WrongKey())
        run = _run(tmp_path, model.settings(openai_api_key=SecretStr(planted)))
    assert run.problem is not None
    assert run.problem.code is Code.PERMISSION_DENIED
    assert "OPENAI_API_KEY" in run.problem.hint
    assert planted not in caplog.text
    assert planted not in run.model_dump_json()
    written = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    assert not any(planted.encode() in content for content in written)


def test_the_engine_is_written_in_the_run(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(Json({"yen": 1}))
        run = _run(tmp_path, model.settings())
    expected: dict[str, Any] = run.engine.model_dump()
    assert expected["provider"] == "openai"
    assert expected["model"]
