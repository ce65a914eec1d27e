"""What was masked in the journal, as it really is: in memory, for as long as the run lasts."""

from collections import OrderedDict
from dataclasses import dataclass, field

from sanbo.plans.running.iterations_ended import Iteration
from sanbo.plans.running.outputs import Outputs

MOST_RUNS = 256


@dataclass
class Unwritten:
    """Of one run, by step: so that a node is not run again in the process that has run it."""

    outputs: dict[str, Outputs] = field(default_factory=dict[str, Outputs])
    iterations: dict[str, Iteration] = field(default_factory=dict[str, Iteration])


class UnwrittenOfRuns:
    def __init__(self) -> None:
        self._runs: OrderedDict[str, Unwritten] = OrderedDict()

    def of(self, run_id: str) -> Unwritten:
        found = self._runs.setdefault(run_id, Unwritten())
        self._runs.move_to_end(run_id)
        while len(self._runs) > MOST_RUNS:
            self._runs.popitem(last=False)
        return found

    def forget(self, run_id: str) -> None:
        self._runs.pop(run_id, None)
