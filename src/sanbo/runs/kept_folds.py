"""Folds of long runs, kept beside their journals, so that a run of 100,000 events opens at once.

A kept fold saves reading, nothing else: it is made of what the journal holds, never of what a
process has in memory; it is not used where its last event is not the journal's, or where another
version of this code has made it; events after it are applied; it goes with its run.
"""

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Any, cast

import sqlalchemy as sa
from pydantic import BaseModel, ValidationError
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from sanbo.kernel.problems import StorageFailure
from sanbo.llm.engine import Usage
from sanbo.runs import fields, fold, model
from sanbo.runs.fold import MOST_OUTPUTS_SHOWN, RunFold, StepId, StepState
from sanbo.runs.journal import Journal, payload_of
from sanbo.runs.model import (
    Artifact,
    Interaction,
    InteractionAnswered,
    NodeError,
    Path,
    RunComplete,
    RunStart,
    Step,
    StepStatus,
)
from sanbo.storage.database import insert_into
from sanbo.storage.tables import events, folds

logger = logging.getLogger(__name__)

EVERY = 2000
"""Events after which a fold is kept anew: no more are read when a run is opened."""
EVENTS_A_STEP = 4
MOST_RUNS = 10_000
MOMENT = 1e-5
"""Seconds: times are kept to the microsecond."""


class _State(BaseModel):
    """All of a fold but its completion, which may be large and is read like the event it was."""

    start: RunStart | None
    completion: str | None
    steps: list[Step]
    outputs: list[tuple[StepId, Any]]
    masked: list[StepId]
    beside: list[tuple[StepId, str]]
    failed: list[tuple[Path, NodeError]]
    answered: list[str]
    interactions: dict[str, Interaction]
    askers: dict[str, StepId]
    answers: dict[str, InteractionAnswered]
    artifacts: list[tuple[tuple[Path, str, str], Artifact]]
    usage: Usage
    last_seq: int
    run_id: str
    created_at: datetime | None
    updated_at: datetime | None
    has_worked: bool
    rests: bool
    running: list[StepId]
    waiting: list[tuple[Path, int]]
    above_waiting: list[tuple[Path, int]]
    placed: list[tuple[StepId, StepStatus]]
    open: dict[str, Interaction]
    below: list[tuple[Path, list[StepId | str]]]
    went_on: list[StepId]


_BY_NAME = frozenset({"interactions", "askers", "answers", "open"})


def packed(fold: RunFold, *, for_viewing: bool) -> str | None:
    """None where a fold that is gone on from does not tell what one for viewing would be, or
    where it knows more than the journal."""
    is_derived = for_viewing and not fold.for_viewing
    if not fold.is_as_stored or (is_derived and fold.masked):
        return None  # of what is masked, a fold to go on from keeps what was inside
    inside = vars(fold)
    values: dict[str, Any] = {
        name: _listed(name, inside[_place(inside, name)]) for name in _State.model_fields
    }
    values["steps"] = [step.shown for step in fold.steps.values()]
    values["completion"] = fold.completion and fold.completion.model_dump_json()
    if is_derived:
        shown = [
            (step_id, value)
            for step_id, value in fold.outputs.items()
            if fold.is_shown(step_id, value)
        ]
        if len(shown) > MOST_OUTPUTS_SHOWN:
            return None  # which of them would be shown depends on their past
        values["outputs"] = shown
    there = fold.steps.keys() | fold.beside.keys()
    values["below"] = [
        (path, [name for name in names if not is_derived or isinstance(name, str) or name in there])
        for path, names in values["below"]
    ]
    return _State.model_construct(**values).model_dump_json()


def unpacked(text: str, *, for_viewing: bool) -> RunFold:
    state = _State.model_validate_json(text)
    made = RunFold(for_viewing=for_viewing)
    inside = vars(made)
    for name in _State.model_fields.keys() - {"steps", "completion", "below"}:
        place, value = _place(inside, name), getattr(state, name)
        empty = inside[place]
        if isinstance(empty, Counter):
            inside[place] = Counter(dict(value))
        elif isinstance(empty, dict | set):
            inside[place] = (dict if isinstance(empty, dict) else set)(value)
        else:
            inside[place] = value
    made.steps = {(step.path, step.key): _step(step) for step in state.steps}
    inside["_below"] = {path: dict.fromkeys(names) for path, names in state.below}
    made.completion = _completion(state.completion)
    return made


def _place(inside: dict[str, Any], name: str) -> str:
    return name if name in inside else f"_{name}"


def _listed(name: str, value: object) -> object:
    """As pairs what JSON has no names for."""
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return pairs if name in _BY_NAME else list(pairs.items())
    return list(cast("set[object]", value)) if isinstance(value, set) else value


def _step(step: Step) -> StepState:
    return StepState(**{name: getattr(step, name) for name in Step.model_fields})


def _completion(text: str | None) -> RunComplete | None:
    completion = payload_of(text) if text else None
    assert completion is None or isinstance(completion, RunComplete)
    return completion


@cache
def version() -> str:
    """Of the code that folds: what any other has made is not used."""
    told = sha256()
    for path in (__file__, fold.__file__, model.__file__, fields.__file__):
        told.update(FilePath(path).read_bytes())
    return told.hexdigest()[:16]


class KeptFolds:
    """Not for the loop's thread, but for `is_due` and `packing`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._kept: OrderedDict[tuple[str, bool], int] = OrderedDict()
        """Up to which event, of runs that were looked at here."""

    def begin(self, run_id: str, *, for_viewing: bool, last: int | None = None) -> RunFold:
        """A fold to go on from: the one that is kept, or an empty one.

        `last`: one that has come no further. Where this process knows more of a run than its
        journal may hold, there is none.
        """
        kept = None
        if not self._journal.holds_more(run_id):
            kept = self._read(run_id, for_viewing=for_viewing, last=last)
        return kept or RunFold(for_viewing=for_viewing)

    def whole(self, run_id: str, *, for_viewing: bool, last: int | None = None) -> RunFold:
        """Of all events, or of those up to `last`."""
        begun = self.begin(run_id, for_viewing=for_viewing, last=last)
        begun.is_as_stored = not self._journal.holds_more(run_id)
        for event in self._journal.scan(run_id, last, after=begun.last_seq):
            begun.apply(event)
        return begun

    def is_due(self, fold: RunFold, *, for_viewing: bool = True) -> bool:
        """A fold of many steps takes its time to be written down, and is so less often."""
        new = fold.last_seq - self._kept.get((fold.run_id, for_viewing), 0)
        return new >= max(EVERY, EVENTS_A_STEP * len(fold.steps))

    def packing(self, fold: RunFold, *, for_viewing: bool = True) -> Callable[[], None]:
        """Written down now; what it gives stores it."""
        self._remember(fold.run_id, fold.last_seq, for_viewing=for_viewing)
        state = packed(fold, for_viewing=for_viewing)
        return partial(self._write, fold.run_id, fold.last_seq, fold.updated_at, state, for_viewing)

    def rest(self, fold: RunFold) -> None:
        """Of a run that rests: whoever looks at a long one, or goes on with it, reads little."""
        if fold.status.is_final and fold.last_seq >= EVERY:
            self.packing(fold)()
        elif not fold.status.is_final:
            for for_viewing in (True, False):
                if self.is_due(fold, for_viewing=for_viewing):
                    self.packing(fold, for_viewing=for_viewing)()

    def keep(self, run_id: str) -> None:
        """One for viewing as of now: of the journal, whatever this process knows besides."""
        try:
            fold = self._read(run_id, for_viewing=True) or RunFold(for_viewing=True)
            for event in self._journal.scan(run_id, after=fold.last_seq, as_stored=True):
                fold.apply(event)
        except (StorageFailure, SQLAlchemyError):
            logger.warning("no fold of run %s is kept", run_id, exc_info=True)
            return
        if fold.start is not None:  # not deleted since
            self.packing(fold)()

    def _read(self, run_id: str, *, for_viewing: bool, last: int | None = None) -> RunFold | None:
        query = (
            sa.select(folds.c.state, folds.c.seq)
            .join(events, (events.c.run_id == folds.c.run_id) & (events.c.seq == folds.c.seq))
            .where(
                folds.c.run_id == run_id,
                folds.c.for_viewing == for_viewing,
                folds.c.version == version(),
                sa.func.abs(folds.c.time - events.c.time) < MOMENT,
            )
        )
        if last is not None:
            query = query.where(folds.c.seq <= last)
        with self._journal.database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        self._remember(run_id, row.seq, for_viewing=for_viewing)
        try:
            return unpacked(row.state, for_viewing=for_viewing)
        except ValidationError:
            logger.exception("the fold that was kept of run %s can't be read", run_id)
            return None

    def _write(
        self, run_id: str, seq: int, time: datetime, state: str | None, for_viewing: bool
    ) -> None:
        """Where it can't be, opening the run takes longer, and that is all."""
        if state is None:
            return
        new = insert_into(folds, is_sqlite=self._journal.database.is_sqlite).values(
            run_id=run_id,
            for_viewing=for_viewing,
            seq=seq,
            time=time.timestamp(),
            version=version(),
            state=state,
        )
        given = new.excluded
        replacing = new.on_conflict_do_update(
            index_elements=["run_id", "for_viewing"],
            set_={name: given[name] for name in ("seq", "time", "version", "state")},
            # Another process may have been quicker.
            where=(folds.c.seq <= given.seq) | (folds.c.version != given.version),
        )
        try:
            with self._journal.database.write() as connection:
                connection.execute(replacing)
        except IntegrityError:
            pass  # the run was deleted meanwhile
        except (StorageFailure, SQLAlchemyError):
            logger.warning("no fold of run %s is kept", run_id, exc_info=True)

    def _remember(self, run_id: str, seq: int, *, for_viewing: bool) -> None:
        self._kept[run_id, for_viewing] = seq
        self._kept.move_to_end((run_id, for_viewing))
        while len(self._kept) > MOST_RUNS:
            self._kept.popitem(last=False)
