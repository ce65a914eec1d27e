"""Kept folds: with what came after them they are the fold of all events, and never more than it."""

from collections.abc import Callable, Generator
from pathlib import Path as FilePath
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from sanbo.llm.engine import Call
from sanbo.runs import kept_folds
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal, Lease, line_of, recorded
from sanbo.runs.kept_folds import EVERY, KeptFolds, packed, unpacked
from sanbo.runs.leases import Leases
from sanbo.runs.model import (
    Artifact,
    ArtifactMade,
    Event,
    InteractionDue,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Payload,
    Status,
)
from sanbo.settings import Settings
from sanbo.storage.database import Database, open_database
from sanbo.storage.tables import events as event_rows
from sanbo.storage.tables import folds
from tests.unit.runs.test_fold import (
    PROBLEM,
    START,
    answers,
    asks,
    completes,
    ends,
    journal,
    starts,
)

Entry = tuple[Path, Payload]
CALL = Call(
    provider="p",
    model="m",
    purpose="x",
    outcome="ok",
    input_tokens=3,
    output_tokens=5,
    cost_usd=0.1,
    duration_ms=7,
)


def _start(path: Path, *, block: str = "") -> Entry:
    return path, NodeStart(key="/".join(path), block=block)


@st.composite
def _steps(draw: st.DrawFn, above: Path = (), depth: int = 0) -> list[Entry]:
    """As plans and graphs write them: loops in loops, of which some are left in the middle."""
    entries: list[Entry] = []
    for number in range(draw(st.integers(0, 4 if depth else 6))):
        path = (*above, f"s{number}")
        key = "/".join(path)
        fates = ["done", "failed", "continued", "retried", "skipped", "artifact", "open"]
        fate = draw(st.sampled_from([*fates, *(["loop"] * 3 if depth < 2 else [])]))
        if fate == "skipped":
            entries.append((path, NodeSkipped(key=key, reason="r")))
            continue
        entries.append(_start(path, block=draw(st.sampled_from(["", "b@1"]))))
        if fate == "loop":
            for turn in range(draw(st.integers(0, 3))):
                inside = (*path, f"#{turn}")
                entries.append((inside, LoopIteration(iteration=turn, of=3)))
                entries += draw(_steps(inside, depth + 1))
                if draw(st.booleans()):
                    entries.append(draw(_ended(inside)))
        if fate == "artifact":
            made = Artifact(artifact_id="a" * 64, name="n", media_type="t", size=1, path=path)
            entries.append((path, ArtifactMade(artifact=made)))
        if fate == "retried":
            entries.append((path, NodeError(key=key, error=PROBLEM, retry_in_ms=5)))
        if fate in ("failed", "continued"):
            entries.append((path, NodeError(key=key, error=PROBLEM, continued=fate == "continued")))
        elif fate != "open":
            entries.append(draw(_ended(path)))
    return entries


@st.composite
def _ended(draw: st.DrawFn, path: Path) -> Entry:
    ended = NodeComplete(
        key="/".join(path),
        outputs=draw(st.sampled_from([None, {"x": [1, "あ", None]}, "text"])),
        masked=draw(st.sampled_from([False, False, False, True])),
        beside=draw(st.sampled_from(["", "", "f" * 64])),
        warnings=draw(st.sampled_from([(), (PROBLEM,)])),
        calls=draw(st.sampled_from([(), (CALL,)])),
    )
    return path, ended


@st.composite
def _journals(draw: st.DrawFn) -> list[Event]:
    entries = draw(_steps())
    for name in draw(st.sampled_from([(), ("q",), ("q", "r")])):
        entries += [starts(name), asks(name)]
        if draw(st.booleans()):
            due = InteractionDue(interaction_id=name, due_at=journal()[0].time, overdue=True)
            entries.append(((name,), due))
        if draw(st.booleans()):
            entries += [answers(name), ends(name)]
    if draw(st.booleans()):
        entries.append(completes(draw(st.sampled_from([Status.FAILED, Status.CANCELLED]))))
        if draw(st.booleans()):
            entries += [((), START), *draw(_steps())]
    return journal(*entries)


def _all_of(fold: RunFold) -> dict[str, Any]:
    inside = {name: value for name, value in vars(fold).items() if name != "steps"}
    return inside | {"steps": [step.shown for step in fold.steps.values()]}


def test_nothing_of_a_fold_is_forgotten_when_it_is_packed() -> None:
    names = {name.lstrip("_") for name in vars(RunFold())}
    state = kept_folds._State
    assert names - {"for_viewing", "is_as_stored"} == set(state.model_fields)


@given(_journals(), st.integers(0, 80), st.booleans())
def test_a_fold_that_was_kept_and_what_came_after_it_is_the_fold_of_all(
    events: list[Event], cut: int, for_viewing: bool
) -> None:
    cut = max(1, min(cut, len(events)))
    text = packed(RunFold.of(events[:cut], for_viewing=for_viewing), for_viewing=for_viewing)
    assert text is not None
    kept = unpacked(text, for_viewing=for_viewing)
    for event in events[cut:]:
        kept.apply(event)
    whole = RunFold.of(events, for_viewing=for_viewing)
    assert _all_of(kept) == _all_of(whole)
    assert kept.run == whole.run


@given(_journals())
def test_what_a_writer_keeps_for_viewing_is_what_viewers_would_have_read(
    events: list[Event],
) -> None:
    text = packed(RunFold.of(events), for_viewing=True)
    if text is None:
        assert RunFold.of(events).masked
    else:
        seen = RunFold.of(events, for_viewing=True)
        assert _all_of(unpacked(text, for_viewing=True)) == _all_of(seen)


def _of_loop(seq: int) -> Payload:
    turn = seq // 2
    return NodeComplete(key=f"a/#{turn}") if seq % 2 else LoopIteration(iteration=turn)


class Long:
    """A run of so many events in a real journal."""

    def __init__(self, settings: Settings, count: int) -> None:
        self.database: Database = open_database(settings)
        self.leases = Leases(self.database, FilePath(settings.workspace) / "processes", 60)
        self.journal = Journal(self.database)
        self.lease: Lease = self.leases.for_new_run("run_1")
        self.journal.create(self.lease, self.leases.until, journal(), Status.QUEUED)
        self.go_on(count - 1)  # ends in the middle of a turn

    def go_on(self, count: int) -> None:
        last = self.journal.heads(["run_1"])["run_1"].last_seq
        lines = [
            line_of(recorded("run_1", seq, ("a", f"#{seq // 2}"), _of_loop(seq)))
            for seq in range(last + 1, last + count + 1)
        ]
        self.journal.append(self.lease, lines, Status.RUNNING)

    @property
    def kept(self) -> list[tuple[int, bool]]:
        with self.database.read() as connection:
            rows = connection.execute(sa.select(folds.c.seq, folds.c.for_viewing)).all()
        return [(row.seq, row.for_viewing) for row in rows]

    def change(self, statement: Any) -> None:
        with self.database.write() as connection:
            connection.execute(statement)


@pytest.fixture
def long(settings: Settings) -> Generator[Long]:
    made = Long(settings, EVERY)
    yield made
    made.leases.close()
    made.database.close()


def test_a_run_that_goes_on_is_read_from_where_it_was_kept(long: Long) -> None:
    kept = KeptFolds(long.journal)
    kept.keep("run_1")
    long.go_on(10)
    begun = KeptFolds(long.journal).begin("run_1", for_viewing=True)
    assert begun.last_seq == EVERY
    assert kept.whole("run_1", for_viewing=True).last_seq == EVERY + 10
    assert kept.whole("run_1", for_viewing=True, last=7).last_seq == 7
    assert long.kept == [(EVERY, True)]
    assert not kept.is_due(begun)
    kept.rest(RunFold.of(long.journal.scan("run_1")))
    assert sorted(long.kept) == [(EVERY, True), (EVERY + 10, False)]


@pytest.mark.parametrize(
    "change",
    [
        lambda: sa.update(folds).values(version="another"),
        lambda: sa.update(folds).values(seq=EVERY + 1),
        lambda: sa.update(folds).values(state="{}"),
        lambda: sa.update(event_rows).where(event_rows.c.seq == EVERY).values(time=1.0),
    ],
    ids=["of another version", "ahead of the journal", "damaged", "of another journal"],
)
def test_one_that_is_not_of_this_journal_and_this_code_is_made_anew(
    long: Long, change: Callable[[], Any]
) -> None:
    kept = KeptFolds(long.journal)
    kept.keep("run_1")
    long.change(change())
    assert KeptFolds(long.journal).begin("run_1", for_viewing=True).last_seq == 0
    assert kept.whole("run_1", for_viewing=True).last_seq == EVERY


def test_it_goes_with_its_run(long: Long) -> None:
    kept = KeptFolds(long.journal)
    kept.keep("run_1")
    fold = kept.whole("run_1", for_viewing=True)
    long.journal.delete(["run_1"])
    assert long.kept == []
    kept.packing(fold)()  # by who has not noticed yet
    kept.keep("run_1")
    assert long.kept == []


def test_what_may_not_be_written_is_not_kept_and_not_lost(long: Long) -> None:
    secret = recorded("run_1", EVERY + 1, ("g",), NodeStart(key="g"))
    told = NodeComplete(key="g", outputs={"account": "1234567"})

    def without(payload: Payload) -> Payload:
        if isinstance(payload, NodeComplete):
            return payload.model_copy(update={"outputs": {"account": "****"}})
        return payload

    lines = [line_of(secret), line_of(recorded("run_1", EVERY + 2, ("g",), told), without)]
    long.journal.append(long.lease, lines, Status.RUNNING)
    kept = KeptFolds(long.journal)
    fold = kept.whole("run_1", for_viewing=True)
    kept.packing(fold)()
    assert long.kept == []
    kept.keep("run_1")
    assert long.kept == [(EVERY + 2, True)]
    with long.database.read() as connection:
        assert "1234567" not in connection.execute(sa.select(folds.c.state)).scalar_one()
    assert kept.whole("run_1", for_viewing=True).outputs == {(("g",), "g"): told.outputs}
    elsewhere = KeptFolds(Journal(long.database))
    masked = {(("g",), "g"): {"account": "****"}}
    assert elsewhere.whole("run_1", for_viewing=True).outputs == masked
