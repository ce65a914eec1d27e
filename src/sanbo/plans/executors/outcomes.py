"""What it means for a node when the process that computed it did not answer."""

import traceback

from sanbo.kernel.problems import SanboError, TimedOut, Unexpected
from sanbo.plans.executors.call import BlockCall, Performed
from sanbo.plans.executors.worker import Overdue, WorkerDied


def failed(call: BlockCall, error: Exception, timeout_ms: int | None = None) -> Performed:
    """In the current language."""
    match error:
        case SanboError():
            return Performed(problem=error.problem)
        case Overdue():
            slow = TimedOut("block_slow", node=call.node, limit=_shown(timeout_ms or 0))
            return Performed(problem=slow.problem)
        case WorkerDied():
            ended = Unexpected("block_process_ended", node=call.node, how=error.how)
            return Performed(problem=ended.problem)
        case _:
            kind = type(error).__name__
            defect = Unexpected("block_defect", block=call.block, node=call.node, kind=kind)
            told = "".join(traceback.format_exception(error))
            return Performed(problem=defect.problem, defect=told)


def _shown(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.10g}"
