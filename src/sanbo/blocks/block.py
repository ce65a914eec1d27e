"""What a block is: a class with `run`; its contract, with its ports, is in its YAML file.

Two kinds. A `Block` computes: it sees its inputs and nothing else, and may run in a thread, in a
process that can be killed, or on another machine. An `EngineBlock` needs the run itself: a person,
a model, an agent; it runs on the engine's loop and never blocks it.

Inputs were validated against the contract, with its defaults filled in, before `run` sees them: as
`Given`, which has them by port, or as the block's own `Inputs` model where it wants one. Outputs
are JSON by port; `NewFile` anywhere in them becomes a file of the run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, SecretStr

from sanbo.blocks.spec import BlockSpec, Schema
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.kernel.problems import InvalidInput, Problem, SanboError
from sanbo.runs.model import FileRef, JsonObject, Question

if TYPE_CHECKING:
    from sanbo.documents.reading import Readers
    from sanbo.runs.workflow import RunContext, Waiting, Workflow


class Given:
    """A block's inputs: `given.amount` is the port `amount`; None where nothing was given.

    Types are the contract's: `type: bytes` is a `FileRef`, `type: text` is `{ja, en}`, all else is
    JSON. A name that is no port is an `AttributeError`. `in` tells whether a port has a value or a
    default, `dict(given)` has all ports. No methods: a port may have any name, and one that is a
    Python word is `given["as"]`.
    """

    __slots__ = ("_given", "_ports")

    def __init__(self, ports: Mapping[str, Any], given: Collection[str]) -> None:
        self._ports = ports
        self._given = given

    def __getattr__(self, name: str) -> Any:
        # Its own are asked for here only before they are set, as when it is copied.
        if name.startswith("_") or name not in self._ports:
            raise AttributeError(name)
        return self._ports[name]

    def __getitem__(self, port: str) -> Any:
        return self._ports[port]

    def __contains__(self, port: str) -> bool:
        return port in self._given

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self._ports.items())


class BlockInputs(BaseModel):
    """For a block that wants its inputs as a model of its own: fields are the input ports.

    A port named like a Python word gets an alias.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


In = TypeVar("In", bound=BlockInputs | Given)


@dataclass(frozen=True)
class NewFile:
    """A file that a block has made."""

    name: str
    data: bytes
    media_type: str = "application/octet-stream"


class BlockProblem(InvalidInput):
    """What a person can mend, in a block's own words: raised, or given to `context.warn`."""

    def __init__(self, message: str, hint: str = "") -> None:
        advice = hint or tell("block_problem_advice")
        super().__init__("block_problem", message=message, hint=advice)


class Files(Protocol):
    """The files that a block was given; where a block runs elsewhere they were sent with it."""

    def read(self, file: FileRef) -> bytes: ...


@dataclass(frozen=True)
class BlockContext:
    """What a computing block may know of its surroundings; it can be pickled."""

    language: Language
    files: Files
    node: str
    """The node's path in the run, for messages."""
    idempotency_key: str
    workspace_files: Path | None = None
    """The workspace's `files/`, the only folder that `path` inputs can name; None elsewhere."""
    warnings: list[Problem] = field(default_factory=list[Problem])
    """What a person should know of the outputs: they stand beside them in the run."""

    def warn(self, warning: SanboError) -> None:
        self.warnings.append(warning.problem)


class Outlined:
    """Some outputs have a shape that the plan itself tells: the fields of a form, a schema."""

    Inputs: ClassVar[Any] = None
    """Its own model of its inputs, a class of `BlockInputs`; without one they are `Given`."""

    @classmethod
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        """Closer schemas, with `examples`, of outputs, from the inputs that stand in the plan.

        References in `given` are left out. Where it raises for odd values, it tells nothing.
        """
        _ = given
        return {}

    @classmethod
    def as_written(cls, inputs: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """The inputs as they stand in the plan, before references in them get their values."""
        return inputs

    @classmethod
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        """Raises, as `run` would, for what stands in the plan and no data could make right.

        Whatever comes from another step is the text of its reference, `${…}`.
        """
        _ = given


class Block(Outlined, ABC, Generic[In]):
    @abstractmethod
    def run(self, given: In, context: BlockContext) -> Mapping[str, Any]: ...


class EngineBlock(Outlined, ABC, Generic[In]):
    @abstractmethod
    async def run(self, given: In, context: "EngineContext") -> "Mapping[str, Any] | Waiting":
        """`Waiting` when only a person can help; it is called again when there is an answer."""


def _unset(_: str) -> None:
    """Outside of a plan there are no variables."""


@dataclass(frozen=True)
class EngineContext:
    """The run as an engine block sees it, at its own node."""

    run: "RunContext[Any]"
    """At the node's path: `run.model()`, `run.step(…)`, `run.place`, `run.at(given=…)`."""
    agents: "Mapping[str, Workflow[Any, Any]]"
    """The workflows that are also blocks, by name."""
    state_key: str
    """`plan:{plan_id}::node:{node_id}::v{block_version}`, for what is typed into a form."""
    spec: BlockSpec
    """The block's contract."""
    warnings: list[Problem] = field(default_factory=list[Problem])
    """What a person should know of the outputs: they stand beside them in the run."""
    connections: Mapping[str, SecretStr] = field(default_factory=dict[str, SecretStr])
    """Addresses of databases that plans may ask, by the names that the settings give them."""
    variable: Callable[[str], str | None] = _unset
    """An environment variable that plans may read: None where it is not set."""

    @property
    def language(self) -> Language:
        return self.run.language

    @property
    def readers(self) -> "Readers":
        return self.run.place.readers

    def warn(self, warning: SanboError) -> None:
        self.warnings.append(warning.problem.in_language(self.language))

    async def ask(self, question: Question, turn: int = 1) -> JsonObject | None:
        """The person's answer, or None as long as there is none: then return `Waiting()`."""
        own = self.state_key if turn == 1 else f"{self.state_key}::turn:{turn}"
        keyed = question.model_copy(update={"state_key": question.state_key or own})
        return await self.run.ask(self.name_of(turn), keyed)

    def name_of(self, turn: int) -> str:
        """Of the step that asks."""
        return "answer" if turn == 1 else f"answer{turn}"

    async def read(self, file: FileRef) -> bytes:
        return await self.run.read(file)


class _NoFiles:
    def read(self, file: FileRef) -> bytes:
        raise FileNotFoundError(file.name)


def nowhere() -> BlockContext:
    """For a block that is tried outside of any run."""
    return BlockContext(current_language(), _NoFiles(), "", "")


class PureBlock(Block[In]):
    """One whose `run` only computes: its options are tried, without data, before a plan runs."""

    needed: ClassVar[tuple[str, ...]] = ("items",)
    """Inputs that hold the data."""
    is_tried_empty: ClassVar[bool] = True
    """Whether it can be tried without; else `check_options` tells."""


class Transform(PureBlock[In]):
    """One that is run for its outline where its data stand in the plan, and are few."""
