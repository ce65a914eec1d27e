"""Sandboxes with hostile jobs, and what the tests ask of them."""

import gc
import json
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from sanbo.kernel.problems import Problem, SanboError
from sanbo.sandbox.client import Answer, Sandbox
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory

JOBS = "tests.unit.sandbox"
ROOT = Path(__file__).parents[3]
MEBIBYTE = 1 << 20
QUICK = Limits(seconds=60, memory_bytes=512 * MEBIBYTE, output_bytes=8 * MEBIBYTE)
SHORT = Limits(seconds=1.5)

Attempt = Callable[..., Problem]


@contextmanager
def a_sandbox(jobs: str = "hostile", limits: Limits = QUICK) -> Generator[Sandbox]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with Sandbox(f"{JOBS}.{jobs}", limits, at_once=8) as sandbox:
            _ = sandbox.level
            yield sandbox


def do(
    sandbox: Sandbox,
    name: str,
    inputs: Sequence[Memory] = (),
    limits: Limits | None = None,
    **order: object,
) -> Answer:
    return sandbox.run(json.dumps({"do": name, **order}).encode(), inputs, limits)


def failure(sandbox: Sandbox, name: str, limits: Limits | None = None, **order: object) -> Problem:
    """What it ends in; and the next action works."""
    with pytest.raises(SanboError) as caught:
        do(sandbox, name, (), limits, **order)
    answer = do(sandbox, "echo", text="次の質問")
    assert answer.report.decode() == "次の質問"
    assert answer.output is not None
    answer.output.close()
    return caught.value.problem


def descriptors() -> int:
    """Memory files and lines to other processes; not what other tests' servers still have open."""
    gc.collect()  # what earlier tests have left must not go away in between
    return sum(_is_ours(name) for name in os.listdir("/dev/fd"))


def _is_ours(name: str) -> bool:
    try:
        return "memfd:sanbo" in os.readlink(f"/dev/fd/{name}")
    except OSError:
        return False  # the list itself, gone by now


@pytest.fixture(scope="module")
def sandbox() -> Generator[Sandbox]:
    with a_sandbox() as found:
        yield found


@pytest.fixture
def guarded(sandbox: Sandbox) -> Sandbox:
    if not sandbox.level.is_full:
        pytest.skip(f"this kernel offers {sandbox.level.guard} alone")
    return sandbox
