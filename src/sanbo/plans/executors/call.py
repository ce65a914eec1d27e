"""One call of a computing block and what comes of it: performed the same in a thread, in a process
and on another machine, to which its files are sent.
"""

import re
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from pydantic import JsonValue

from sanbo.blocks.block import Block, BlockContext, Files
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.schemas import check_inputs, typed_inputs
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.messages import Language, use_language
from sanbo.kernel.problems import LimitExceeded, NotFound, Problem, SanboError, Unexpected
from sanbo.runs.files import RunFiles
from sanbo.runs.model import FileRef
from sanbo.storage.blobs import read_verified


@dataclass(frozen=True, slots=True)
class BlockCall:
    block: str
    """The block's id and exact version: `file.read_csv@1.0.0`."""
    inputs: Mapping[str, JsonValue]
    """By port, as the plan gives them: they are checked where the block runs."""
    node: str
    """The node's path in the run, for messages."""
    idempotency_key: str
    language: Language
    files: Files
    workspace: Path | None = None
    """Where the workspace's own blocks (`block_specs/`) and files (`files/`) are."""
    is_elsewhere: bool = False
    """On another machine the workspace's files are not at hand."""


@dataclass(frozen=True, slots=True)
class Performed:
    """Either outputs, not yet checked and with `NewFile` in them, or a problem."""

    outputs: Mapping[str, Any] | None = None
    warnings: tuple[Problem, ...] = ()
    """What a person should know of the outputs."""
    problem: Problem | None = None
    defect: str = ""
    """The traceback of what nobody foresaw: for the log of the process that asked."""


_FILE_ID = re.compile(r"[0-9a-f]{64}")


@runtime_checkable
class Locating(Protocol):
    """Files that know where their bytes are, so that they need not be copied."""

    def locate(self, file: FileRef) -> Path | bytes: ...


@dataclass(frozen=True)
class SentFiles:
    by_id: Mapping[str, Path | bytes]

    def read(self, file: FileRef) -> bytes:
        content = self.by_id.get(file.file_id)
        if content is None:
            raise NotFound("file_not_found", name=file.name)
        return content if isinstance(content, bytes) else read_verified(content, file.file_id)


def for_a_process(call: BlockCall) -> BlockCall:
    """The call for another process of this machine, which reads the files for itself."""
    files = call.files
    found: dict[str, Path | bytes] = {}
    for file in files_in(call.inputs):
        if file.file_id not in found:
            place = files.locate(file) if isinstance(files, Locating) else files.read(file)
            found[file.file_id] = place
    return replace(call, files=SentFiles(found))


def for_another_machine(call: BlockCall) -> BlockCall:
    """The call with the bytes of its files; `path` inputs name nothing there."""
    named = {file.file_id: file for file in files_in(call.inputs)}
    files = SentFiles({file_id: call.files.read(file) for file_id, file in named.items()})
    return replace(call, files=files, is_elsewhere=True)


def files_in(value: object) -> Iterator[FileRef]:
    """Every file in the inputs, however deep."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            pairs = cast("Mapping[str, JsonValue]", here)
            if (file := _file(pairs)) is not None:
                yield file
            else:
                waiting.extend(pairs.values())
        elif isinstance(here, list | tuple):
            waiting.extend(cast("list[object]", here))


def _file(pairs: Mapping[str, JsonValue]) -> FileRef | None:
    file_id, name = pairs.get("file_id"), pairs.get("name")
    if not (isinstance(file_id, str) and isinstance(name, str) and _FILE_ID.fullmatch(file_id)):
        return None
    size, media_type = pairs.get("size"), pairs.get("media_type")
    return FileRef(
        file_id=file_id,
        name=name,
        size=max(0, size) if isinstance(size, int) else 0,
        media_type=media_type if isinstance(media_type, str) else "application/octet-stream",
    )


class RunBytes:
    """For threads that compute: each file is looked up once."""

    def __init__(self, files: RunFiles, run_id: str) -> None:
        self._files = files
        self._run_id = run_id
        self._known: set[str] = set()

    def read(self, file: FileRef) -> bytes:
        self._check(file)
        return self._files.read(file.file_id)

    def locate(self, file: FileRef) -> Path | bytes:
        self._check(file)
        return self._files.locate(file.file_id)

    def _check(self, file: FileRef) -> None:
        if file.file_id not in self._known:
            if not self._files.belongs(self._run_id, file.file_id):
                raise NotFound("file_not_found", name=file.name)
            self._known.add(file.file_id)


_listener: Callable[[], None] | None = None


def listen(listener: Callable[[], None]) -> None:
    """For a process that performs one call at a time."""
    global _listener  # noqa: PLW0603 - one process, one listener
    _listener = listener


def announce() -> None:
    if _listener is not None:
        _listener()


# So often a process looks whether a person has edited the workspace's blocks.
LOOK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True)
class _Ready:
    spec: BlockSpec
    block: type[Block[Any]]


@dataclass
class _Known:
    catalog: Catalog
    looked: float
    ready: dict[str, _Ready] = field(default_factory=dict[str, _Ready])


_known: dict[Path | None, _Known] = {}


def perform(call: BlockCall) -> Performed:
    """Never raises: what went wrong is the problem that it gives back."""
    with use_language(call.language):
        try:
            return _performed(call)
        except SanboError as error:
            return Performed(problem=error.problem)
        except MemoryError:
            return Performed(problem=LimitExceeded("block_memory", node=call.node).problem)
        except BaseException as error:  # noqa: BLE001 - also sys.exit: a block can't end the engine
            return _defect(call, error)


def _performed(call: BlockCall) -> Performed:
    ready = _ready(call)
    checked = check_inputs(ready.spec, call.inputs)
    inputs = typed_inputs(ready.block, ready.spec, checked)
    context = BlockContext(
        language=call.language,
        files=call.files,
        node=call.node,
        idempotency_key=call.idempotency_key,
        workspace_files=None if call.is_elsewhere else _files_of(call.workspace),
    )
    announce()
    outputs = ready.block().run(inputs, context)
    if not isinstance(outputs, Mapping):
        raise TypeError(f"{call.block} gave a {type(outputs).__name__}, not outputs by port")
    return Performed(outputs=outputs, warnings=tuple(context.warnings))


@cache
def _files_of(workspace: Path | None) -> Path | None:
    return None if workspace is None else workspace / "files"


def _ready(call: BlockCall) -> _Ready:
    known = _catalog(call.workspace)
    ready = known.ready.get(call.block)
    if ready is None:
        spec = known.catalog.resolve(call.block)
        block = known.catalog.block(spec)
        if not issubclass(block, Block):
            raise TypeError(f"{call.block} needs the engine and can't be sent away from it")
        ready = known.ready[call.block] = _Ready(spec, block)
    return ready


def _catalog(workspace: Path | None) -> _Known:
    known = _known.get(workspace)
    now = time.monotonic()
    if known is not None and now - known.looked < LOOK_AGAIN_SECONDS:
        return known
    catalog = Catalog.load(workspace)
    if known is None or known.catalog is not catalog:
        known = _known[workspace] = _Known(catalog, now)
    known.looked = now
    return known


def _defect(call: BlockCall, error: BaseException) -> Performed:
    kind = type(error).__name__
    reason = " ".join(str(error).split())[:300] or "–"
    problem = Unexpected(
        "block_defect", block=call.block, node=call.node, kind=kind, reason=reason
    ).problem
    told = "".join(traceback.format_exception(error))
    return Performed(problem=problem, defect=told)
