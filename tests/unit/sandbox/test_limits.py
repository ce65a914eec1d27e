"""An action that takes more than its share is stopped, and says which share."""

import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import Code
from sanbo.sandbox.client import Sandbox
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory
from tests.unit.sandbox.conftest import MEBIBYTE, SHORT, descriptors, do, failure


@pytest.mark.parametrize("name", ["endless", "endless_sleep", "backtrack", "deaf"])
def test_what_takes_too_long_is_stopped_and_told_the_seconds(sandbox: Sandbox, name: str) -> None:
    problem = failure(sandbox, name, SHORT)
    assert (problem.text_id, problem.code) == ("sandbox_time", Code.TIMEOUT_ERROR)
    assert "1.5秒" in problem.message


@pytest.mark.parametrize("name", ["allocate", "allocate_bit_by_bit"])
def test_what_needs_too_much_memory_is_stopped(sandbox: Sandbox, name: str) -> None:
    problem = failure(sandbox, name, Limits(memory_bytes=256 * MEBIBYTE))
    assert (problem.text_id, problem.code) == ("sandbox_memory", Code.RESOURCE_LIMIT)
    assert "256 MB" in problem.message


def test_memory_that_is_mapped_past_python_is_limited_too(sandbox: Sandbox) -> None:
    assert failure(sandbox, "map_memory").text_id in {"sandbox_memory", "sandbox_defect"}


def test_memory_within_the_limit_is_given(sandbox: Sandbox) -> None:
    # What the process and its inputs take is not counted.
    table = Memory.of([b"x" * (100 * MEBIBYTE)])
    limits = Limits(memory_bytes=120 * MEBIBYTE)
    answer = do(sandbox, "allocate", [table], limits, size=100 * MEBIBYTE)
    assert answer.report == b"None"


@pytest.mark.parametrize("name", ["write_endlessly", "write_endlessly_beneath", "seek_far"])
def test_endless_output_is_stopped(sandbox: Sandbox, name: str) -> None:
    problem = failure(sandbox, name, Limits(output_bytes=4 * MEBIBYTE, report_bytes=MEBIBYTE))
    assert (problem.text_id, problem.code) == ("sandbox_output_large", Code.RESOURCE_LIMIT)
    assert "4 MB" in problem.message


@pytest.mark.parametrize("name", ["long_report", "forge_a_large_report"])
def test_a_report_that_is_too_long_is_not_taken(sandbox: Sandbox, name: str) -> None:
    problem = failure(sandbox, name, Limits(report_bytes=2 * MEBIBYTE))
    assert (problem.text_id, problem.code) == ("sandbox_report_large", Code.RESOURCE_LIMIT)


@pytest.mark.parametrize(
    "name", ["forge_a_problem", "forge_a_problem_without_parameters", "forge_nonsense"]
)
def test_a_forged_report_says_nothing_of_its_own(sandbox: Sandbox, name: str) -> None:
    problem = failure(sandbox, name)
    assert problem.text_id == "sandbox_ended"
    assert "mallory" not in problem.model_dump_json()


@pytest.mark.parametrize("code", [0, 1, 71, 255])
def test_a_process_that_ends_without_a_report_is_a_problem(sandbox: Sandbox, code: int) -> None:
    problem = failure(sandbox, "exit", code=code)
    assert (problem.text_id, problem.code) == ("sandbox_ended", Code.INTERNAL_ERROR)


def test_leaving_python_is_no_way_to_an_answer(sandbox: Sandbox) -> None:
    assert failure(sandbox, "leave", code=0).text_id == "sandbox_defect"


def test_a_crash_is_a_problem_of_that_action_alone(sandbox: Sandbox) -> None:
    problem = failure(sandbox, "segfault")
    assert problem.text_id == "sandbox_crashed"
    assert problem.details == {"signal": 11}


def test_an_exception_crosses_without_the_data_it_quotes(sandbox: Sandbox) -> None:
    problem = failure(sandbox, "fail", text="山田太郎の給与は512000円")
    assert (problem.text_id, problem.code) == ("sandbox_defect", Code.INTERNAL_ERROR)
    told = problem.model_dump_json()
    assert "山田" not in told
    assert "512000" not in told
    assert problem.details["kind"] == "ValueError"
    assert "hostile" in str(problem.details["where"])


def test_a_problem_crosses_as_it_is_in_the_language_of_the_caller(sandbox: Sandbox) -> None:
    japanese = failure(sandbox, "refuse", column="売上")
    with use_language("en"):
        english = failure(sandbox, "refuse", column="売上")
    assert japanese.code == english.code == Code.INPUT_VALIDATION_FAILED
    assert japanese.params == {"file": "売上"}
    assert english.message != japanese.message
    assert english == japanese.in_language("en")


def test_stopped_actions_leave_no_descriptor_open(sandbox: Sandbox) -> None:
    before = descriptors()
    failure(sandbox, "fail", text="x")
    failure(sandbox, "exit", code=3)
    for name in ("segfault", "write_endlessly", "forge_nonsense"):
        failure(sandbox, name)
    assert descriptors() == before
