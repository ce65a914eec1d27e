"""Watches every run of the suite: none ends well with a failed or unfilled part and no warning.

Whatever folds a run's events is looked at, in this process and in the journeys' servers, which
print what they find.
What a block counts as not read, not judged or not filled stands in its summary, its records or its
evidence; beside such outputs there must be a warning.
"""

import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast
from weakref import WeakKeyDictionary

import pytest

from sanbo.runs.fold import RunFold
from sanbo.runs.model import Event, NodeComplete, NodeError, NodeStart, Path, RunComplete, Status

COUNTED = frozenset(
    {"unreadable", "incomparable", "undecided", "unmatched", "missing_keys", "is_cut", "unfilled"}
)
"""In a block's summary: more than nothing of these is told to people."""

SAID = "quiet run:"
_quiet: list[str] = []
_doubtful: "WeakKeyDictionary[RunFold, dict[Path, str]]" = WeakKeyDictionary()


def quiet_runs() -> list[str]:
    """Runs that ended well and kept something to themselves, since they were last asked for."""
    found = list(_quiet)
    _quiet.clear()
    return found


def trouble_in(outputs: object) -> Iterator[str]:
    """What the outputs of a block say that did not go well."""
    if not isinstance(outputs, dict):
        return
    ports = cast("dict[str, Any]", outputs)
    for name in ("summary", "write_summary"):
        told = ports.get(name)
        if isinstance(told, dict):
            summary = cast("dict[str, Any]", told)
            yield from (f"{name}.{key}" for key in sorted(COUNTED & summary.keys()) if summary[key])
    for number, record in enumerate(cast("list[Any]", ports.get("records") or [])):
        if isinstance(record, Mapping) and cast("dict[str, Any]", record).get("missing"):
            yield f"records.{number}.missing"
    evidence = ports.get("evidence")
    if isinstance(evidence, dict) and cast("dict[str, Any]", evidence).get("problems"):
        yield "evidence.problems"


def _look(fold: RunFold, event: Event) -> None:
    doubtful = _doubtful.setdefault(fold, {})
    match event.payload:
        case NodeStart():
            doubtful.pop(event.path, None)
        case NodeError(continued=True) as failed:
            doubtful[event.path] = f"failed: {failed.error.text_id}"
        case NodeComplete() as ended:
            doubtful.pop(event.path, None)
            step = fold.steps.get((event.path, ended.key))
            is_block = step is not None and bool(step.block)
            if is_block and not ended.warnings and (found := list(trouble_in(ended.outputs))):
                doubtful[event.path] = f"kept to itself: {', '.join(found)}"
        case RunComplete(status=Status.SUCCEEDED):
            told = {warning.node for warning in fold.warnings()}
            for path, reason in doubtful.items():
                node = "/".join(path)
                # An iteration's own are told by its loop.
                around = {"/".join(path[:depth]) for depth in range(1, len(path) + 1)}
                if reason.startswith("kept") or not told & around:
                    _quiet.append(f"{fold.run.run_id} {node}: {reason}")
                    print(SAID, _quiet[-1], file=sys.stderr, flush=True)
        case _:
            pass


@contextmanager
def watched() -> Generator[None]:
    apply = RunFold.apply

    def applied(fold: RunFold, event: Event) -> None:
        apply(fold, event)
        _look(fold, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunFold, "apply", applied)
        yield
