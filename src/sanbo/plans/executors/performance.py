"""Performs a block's call: the same in a thread, in a process and on another machine."""

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sanbo.blocks.block import Block, BlockContext
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.inputs import typed_inputs
from sanbo.blocks.contract.schemas import check_inputs
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import LimitExceeded, SanboError, Unexpected
from sanbo.plans.executors.call import BlockCall, Performed

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
    if not isinstance(outputs, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
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
