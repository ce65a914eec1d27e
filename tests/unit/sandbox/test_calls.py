"""Functions that a stranger's text can make slow are called where nobody waits for them."""

import asyncio
import os
from collections.abc import Iterator

import psutil
import pytest

from sanbo.kernel.problems import Code, SanboError
from sanbo.sandbox import calls
from sanbo.sandbox.calls import Calls, apart, pieces_apart
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory
from tests.unit.sandbox import called_functions as functions
from tests.unit.sandbox.conftest import ROOT


@pytest.fixture(scope="module")
def guarded() -> Iterator[Calls]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        made = Calls(Limits(seconds=60, memory_bytes=512 << 20))
        made.call(functions.added, [])
        yield made
        made.close()


@pytest.fixture
def serving(guarded: Calls) -> Iterator[Calls]:
    calls.provide(guarded, guarded)
    yield guarded
    calls.withdraw()


def _problem(work: object) -> SanboError:
    with pytest.raises(SanboError) as caught:
        # pyrefly: ignore[not-callable]
        work()
    return caught.value


def test_what_a_function_gives_comes_back_as_it_is(guarded: Calls) -> None:
    assert guarded.call(functions.added, [1, 2, 3]) == functions.added([1, 2, 3])


def test_its_module_is_loaded_once_and_each_call_has_a_process_of_its_own(guarded: Calls) -> None:
    first, loaded = guarded.call(functions.processes)
    second, again = guarded.call(functions.processes)
    assert loaded == again == guarded.sandbox.pid
    assert len({first, second, loaded, os.getpid()}) == 4


def test_a_problem_is_raised_here(guarded: Calls) -> None:
    error = _problem(lambda: guarded.call(functions.refused, "一覧"))
    assert error.problem.code is Code.INPUT_VALIDATION_FAILED
    assert "一覧" in error.problem.message


def test_time_and_memory_are_limited(guarded: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    error = _problem(lambda: guarded.call(functions.greedy))
    assert error.problem.code is Code.RESOURCE_LIMIT
    monkeypatch.setattr(guarded.sandbox, "_limits", Limits(seconds=0.5))
    error = _problem(lambda: guarded.call(functions.endless))
    assert error.problem.code is Code.TIMEOUT_ERROR


def test_large_things_pass_through_without_being_taken_in(serving: Calls) -> None:
    async def asked() -> Memory:
        with Memory.of(["第1条".encode()]) as data:
            return await pieces_apart(functions.repeated, 3, inputs=[data])

    with asyncio.run(asked()) as made:
        assert bytes(made.view()).decode() == "第1条" * 3
    assert serving.sandbox.pid


def test_a_server_calls_them_elsewhere_and_a_command_in_a_thread(guarded: Calls) -> None:
    async def own() -> int:
        return (await apart(functions.processes))[0]

    functions.warm_up()
    assert asyncio.run(own()) == os.getpid()
    calls.provide(guarded, guarded)
    try:
        assert asyncio.run(own()) != os.getpid()
    finally:
        calls.withdraw()


def test_what_takes_its_time_keeps_no_question_waiting(guarded: Calls) -> None:
    labours = Calls(at_once=1)

    async def asked() -> functions.Sum:
        working = [asyncio.create_task(pieces_apart(functions.never_done)) for _ in range(3)]
        while not psutil.Process(labours.sandbox.pid).children():
            await asyncio.sleep(0.01)
        answer = await apart(functions.added, [1, 2])
        assert not any(each.done() for each in working)
        for each in working:
            each.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        calls.provide(guarded, labours)
        try:
            assert asyncio.run(asked()).total == 3
        finally:
            calls.withdraw()
            labours.close()


def test_one_that_is_cancelled_ends(serving: Calls) -> None:
    zygote = psutil.Process(serving.sandbox.pid)

    async def cancelled() -> None:
        working = asyncio.create_task(apart(functions.endless))
        while not zygote.children():
            await asyncio.sleep(0.01)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        while zygote.children():
            await asyncio.sleep(0.01)

    asyncio.run(cancelled())


def test_the_loop_turns_while_a_function_hogs_its_process(serving: Calls) -> None:
    """A pattern that backtracks holds the GIL of the process it runs in: not of this one."""

    async def turns() -> int:
        working = asyncio.create_task(apart(functions.endless))
        count = 0
        for _ in range(20):
            await asyncio.sleep(0.01)
            count += 1
        working.cancel()
        return count

    assert asyncio.run(turns()) == 20
