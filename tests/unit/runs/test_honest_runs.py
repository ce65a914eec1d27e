"""The watch over all runs of the suite sees what is kept quiet, and nothing else."""

from typing import Any

import pytest

from sanbo.runs.fold import RunFold
from sanbo.runs.model import NodeComplete, NodeError, NodeStart, Payload, RunComplete, Status
from tests.honest_runs import quiet_runs
from tests.unit.runs.test_fold import PROBLEM, journal

_WELL = RunComplete(status=Status.SUCCEEDED)


def _seen(*payloads: Payload) -> list[str]:
    started = NodeStart(key="a", title="", block="x.y@1.0.0", attempt=1)
    entries = [(("a",), each) for each in (started, *payloads)]
    fold = RunFold()
    for event in journal(*entries, ((), _WELL)):
        fold.apply(event)
    return quiet_runs()


@pytest.mark.parametrize(
    "outputs",
    [
        {"summary": {"unreadable": 2}},
        {"write_summary": {"missing_keys": ["A"]}},
        {"records": [{"missing": ["金額"]}]},
        {"evidence": {"problems": [{"name": "a.pdf"}]}},
    ],
)
def test_what_a_block_could_not_do_needs_a_warning(outputs: Any) -> None:
    assert len(_seen(NodeComplete(key="a", outputs=outputs))) == 1
    assert _seen(NodeComplete(key="a", outputs=outputs, warnings=(PROBLEM,))) == []


def test_what_went_well_or_is_told_is_not_seen() -> None:
    assert _seen(NodeComplete(key="a", outputs={"summary": {"unreadable": 0}})) == []
    assert _seen(NodeError(key="a", error=PROBLEM, continued=True)) == []
