"""Blocks for tests of plans: they note outside Sanbo that they worked, and fail when told to."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, BlockInputs, EngineBlock, EngineContext, NewFile
from sanbo.kernel.problems import InvalidInput, ProviderFailed
from sanbo.runs.workflow import Waiting


class WorkInputs(BlockInputs):
    value: JsonValue = None
    trace: str = ""
    seconds: float = 0
    fail: bool = False
    fails_first: int = 0
    raises: str = ""
    spelled: str = ""


class Work(Block[WorkInputs]):
    """Hands its value on, after a while, unless it fails."""

    Inputs = WorkInputs

    @override
    def run(self, given: WorkInputs, context: BlockContext) -> Mapping[str, Any]:
        before = _note(given.trace, context.node, "begin")
        time.sleep(given.seconds)
        if given.raises:
            raise ValueError(given.raises)
        if before < given.fails_first:
            raise ProviderFailed("cluster_lost", address=context.node)
        if given.fail:
            raise InvalidInput("input_invalid", workflow="test", reasons=f"{context.node}.")
        _note(given.trace, context.node, "end")
        return {"value": json.loads(given.spelled) if given.spelled else given.value}


def _note(trace: str, step: str, what: str) -> int:
    """How often this step had begun before."""
    if not trace:
        return 0
    path = Path(trace)
    told = path.read_text("utf-8").splitlines() if path.exists() else []
    lines = [json.loads(line) for line in told]
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"step": step, "what": what, "at": time.monotonic()}) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return sum(line["step"] == step and line["what"] == "begin" for line in lines)


class AddInputs(BlockInputs):
    a: float
    b: float = 1


class Add(Block[AddInputs]):
    Inputs = AddInputs

    @override
    def run(self, given: AddInputs, context: BlockContext) -> Mapping[str, Any]:
        return {"sum": given.a + given.b}


class RowsInputs(BlockInputs):
    count: int
    text: str = "あ"


class Rows(Block[RowsInputs]):
    Inputs = RowsInputs

    @override
    def run(self, given: RowsInputs, context: BlockContext) -> Mapping[str, Any]:
        return {"rows": [{"no": number, "text": given.text} for number in range(given.count)]}


class LengthInputs(BlockInputs):
    rows: list[JsonValue]


class Length(Block[LengthInputs]):
    Inputs = LengthInputs

    @override
    def run(self, given: LengthInputs, context: BlockContext) -> Mapping[str, Any]:
        return {"length": len(given.rows)}


class LoginInputs(BlockInputs):
    password: str
    trace: str = ""
    fail: bool = False


class Login(Block[LoginInputs]):
    """Makes a secret out of a secret, and tells it where it may not be told."""

    Inputs = LoginInputs

    @override
    def run(self, given: LoginInputs, context: BlockContext) -> Mapping[str, Any]:
        _note(given.trace, context.node, "begin")
        if given.fail:
            raise InvalidInput("input_invalid", workflow="test", reasons=f"{given.password}!")
        return {
            "token": f"token-of-{given.password}",
            "length": len(given.password),
            "person": {"name": "山田花子", "number": "0123"},
        }


class ReportInputs(BlockInputs):
    title: str
    lines: Sequence[JsonValue] = ()
    undecoded: bool = False


class Report(EngineBlock[ReportInputs]):
    """Says what it writes, and makes a file of it."""

    Inputs = ReportInputs

    @override
    async def run(self, given: ReportInputs, context: EngineContext) -> Mapping[str, Any] | Waiting:
        text = "\n".join([f"# {given.title}", *map(str, given.lines)])
        context.run.say(text)
        name = os.fsdecode("報告.md".encode("cp932")) if given.undecoded else "report.md"
        return {
            "file": NewFile(name, text.encode(), "text/markdown"),
            "characters": len(text),
        }
