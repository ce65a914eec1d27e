"""What must not be written: events beyond what a journal may hold, and answers with a password in
them. In the memory of the process that took them, and for other servers where the settings have a
key for that.
"""

import asyncio
import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic_core import from_json, to_json

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.secrets import MASK, protect, redact_value
from sanbo.runs.model import Event, Interaction, InteractionAnswered, JsonObject, Payload, Question
from sanbo.storage.sealed import Sealed

EVENT = "event/"


class Held(NamedTuple):
    event: Event
    size: int


class HeldPayloads:
    """By run and number. Beyond its limit it forgets what was used longest ago."""

    def __init__(self, limit_bytes: int, sealed: Sealed | None = None) -> None:
        self._limit = limit_bytes
        self._sealed = sealed
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[Payload, int]] = OrderedDict()
        self._runs: Counter[str] = Counter()
        self._lock = threading.Lock()

    def put(self, run_id: str, held: Iterable[Held]) -> None:
        pieces: dict[str, bytes] = {}
        for event, size in held:
            assert event.seq is not None
            self._put((run_id, event.seq), event.payload, size)
            if self._sealed is not None:
                name = _name(event.seq, event.time.timestamp())
                pieces[name] = event.payload.model_dump_json().encode()
        if self._sealed is not None and pieces:
            self._sealed.put(run_id, pieces)

    def _put(self, key: tuple[str, int], payload: Payload, size: int) -> None:
        with self._lock:
            self._drop(key)
            self._held[key] = payload, size
            self._runs[key[0]] += 1
            self._size += size
            while self._size > self._limit and len(self._held) > 1:
                self._drop(next(iter(self._held)))

    def whole(self, run_id: str, times: Mapping[int, float]) -> dict[int, Payload | str]:
        """Of these events, each of its time, those of which more is known than is written; as
        JSON where another server has sealed it."""
        found: dict[int, Payload | str] = {}
        with self._lock:
            for seq in times if run_id in self._runs else ():
                if (held := self._held.get((run_id, seq))) is not None:
                    self._held.move_to_end((run_id, seq))
                    found[seq] = held[0]
        if self._sealed is not None and (there := self._sealed.names(run_id)):
            names = {_name(seq, time): seq for seq, time in times.items() if seq not in found}
            opened = self._sealed.get(run_id, there & names.keys())
            found |= {names[name]: data.decode() for name, data in opened.items()}
        return found

    def has(self, run_id: str) -> bool:
        """Something of this run."""
        if run_id in self._runs:
            return True
        return self._sealed is not None and bool(self._sealed.names(run_id))

    def forget(self, run_ids: Collection[str]) -> None:
        """All of these runs."""
        with self._lock:
            for key in [key for key in self._held if key[0] in run_ids]:
                self._drop(key)
        if self._sealed is not None:
            self._sealed.forget(run_ids)

    def remove(self, run_id: str, events: Iterable[Event]) -> None:
        names: list[str] = []
        for event in events:
            assert event.seq is not None
            with self._lock:
                self._drop((run_id, event.seq))
            names.append(_name(event.seq, event.time.timestamp()))
        if self._sealed is not None and names:
            self._sealed.remove(run_id, names)

    def _drop(self, key: tuple[str, int]) -> None:
        if (held := self._held.pop(key, None)) is not None:
            self._size -= held[1]
            self._runs[key[0]] -= 1
            if not self._runs[key[0]]:
                del self._runs[key[0]]


def _name(seq: int, time: float) -> str:
    """With its time: what a process that has lost the run tries to write is another event."""
    return f"{EVENT}{seq}/{time:.6f}"


ANSWER = "answer/"


@dataclass(frozen=True)
class Given:
    """What was answered to one question, which is asked again for what a restart has lost of it."""

    answer: JsonObject
    written: JsonObject
    """The same as the journal has it."""
    lost: frozenset[str]
    """Fields that were typed into a process that is gone, and are masked in the journal."""


class SecretAnswers:
    def __init__(self, sealed: Sealed | None = None) -> None:
        self._sealed = sealed
        self._kept: dict[str, dict[str, JsonObject]] = {}

    def keep(
        self,
        run_id: str,
        interaction: Interaction,
        answer: JsonObject,
        by: str,
        kept: Callable[[JsonObject], JsonObject] = dict,
    ) -> InteractionAnswered:
        """The answer as it may be written; the passwords in it are masked from now on.

        `kept` says what else of it may be.
        """
        secret = {name for name in secret_fields(interaction) if answer.get(name) is not None}
        for name in secret:
            protect(str(answer[name]))
        # Also where a field that is none was given a secret: one of another form, for example.
        written: JsonObject = {
            name: MASK if name in secret else redact_value(value)
            for name, value in kept(answer).items()
        }
        masked = tuple(name for name, value in answer.items() if written[name] != value)
        if masked:
            self._kept.setdefault(run_id, {})[interaction.interaction_id] = answer
        return InteractionAnswered(
            interaction_id=interaction.interaction_id,
            answer=written,
            masked=masked,
            by=by,
            # Its own: one that is refused must not be opened in the place of the one that was not.
            sealed=secrets.token_hex(8) if masked and self.are_shared else "",
        )

    def has(self, run_id: str) -> bool:
        """Whether this process alone knows what was answered."""
        return not self.are_shared and run_id in self._kept

    @property
    def are_shared(self) -> bool:
        """Whether any server can go on with them, and not only the one that took them."""
        return self._sealed is not None

    def seal(self, run_id: str, given: InteractionAnswered) -> None:
        """Blocking. Before it is recorded: who sees that it was given looks for it."""
        if self._sealed is not None and given.sealed:
            answer = to_json(self.kept(run_id, given.interaction_id))
            self._sealed.put(run_id, {f"{ANSWER}{given.sealed}": answer})

    async def fetch(self, run_id: str, answers: Iterable[InteractionAnswered]) -> None:
        """Those of these that another process took."""
        for each in answers:
            if each.sealed and self.kept(run_id, each.interaction_id) is None:
                await asyncio.to_thread(self._fetch, run_id, each)

    def _fetch(self, run_id: str, given: InteractionAnswered) -> None:
        name = f"{ANSWER}{given.sealed}"
        found = {} if self._sealed is None else self._sealed.get(run_id, [name])
        if name in found:
            answer: JsonObject = from_json(found[name])
            for each in given.masked:
                if given.answer.get(each) == MASK:
                    protect(str(answer[each]))
            self._kept.setdefault(run_id, {})[given.interaction_id] = answer

    def kept(self, run_id: str, interaction_id: str) -> JsonObject | None:
        return self._kept.get(run_id, {}).get(interaction_id)

    def restore(self, run_id: str, interaction_id: str, before: JsonObject | None) -> None:
        """What was kept before an answer that was refused."""
        of_run = self._kept.get(run_id, {})
        of_run.pop(interaction_id, None)
        if before is not None:
            of_run[interaction_id] = before

    def given(
        self, run_id: str, question: Question, answers: Iterable[InteractionAnswered]
    ) -> Given:
        """As they are written, the first one first."""
        answer: JsonObject = {}
        written: JsonObject = {}
        lost: set[str] = set()
        for recorded in answers:
            kept = self.kept(run_id, recorded.interaction_id)
            lost -= recorded.answer.keys()
            if kept is None:
                lost |= _masked(question, recorded)
            answer |= kept or recorded.answer
            written |= recorded.answer
        return Given(answer, written, frozenset(lost))

    def leave(self, run_id: str) -> None:
        """To whoever goes on with the run, where any process can look them up."""
        if self.are_shared:
            self._kept.pop(run_id, None)

    def knows(self, run_id: str) -> bool:
        """Whether something secret was answered."""
        return run_id in self._kept

    def forget(self, run_ids: Sequence[str]) -> None:
        """Blocking."""
        for run_id in run_ids:
            self._kept.pop(run_id, None)
        if self._sealed is not None:
            self._sealed.forget(run_ids, ANSWER)


def _masked(question: Question, recorded: InteractionAnswered) -> set[str]:
    """Fields that can be asked for again; older journals do not say which were masked."""
    fields = {field.id for field in question.requirements}
    older = {name for name in secret_fields(question) if recorded.answer.get(name) == MASK}
    return fields.intersection(recorded.masked) or older


def secret_fields(question: Question) -> tuple[str, ...]:
    return tuple(field.id for field in question.requirements if field.secret)


def asked_again(question: Question, lost: frozenset[str], language: Language) -> Question:
    """Only for what is lost: what else was answered stands."""
    return question.model_copy(
        update={
            "mode": "collect",
            "message": tell("answer.again", language, message=question.message),
            "requirements": tuple(
                field.model_copy(update={"required": True})
                for field in question.requirements
                if field.id in lost
            ),
        }
    )
