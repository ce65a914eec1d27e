"""What came of a comparison: every change, its summary, and the files to take away."""

import asyncio
import struct
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any, Literal

from pydantic import TypeAdapter

from sanbo.agents.comparison import given
from sanbo.agents.comparison.differences.changes import attention_first, changes_of
from sanbo.agents.comparison.material import Compared, Material
from sanbo.agents.comparison.model import (
    Change,
    ComparedDocument,
    ComparedPair,
    ComparisonResult,
    Decision,
    Outcome,
    Pair,
    Side,
)
from sanbo.agents.comparison.outputs.html import side_by_side
from sanbo.agents.comparison.outputs.report import report_md, summarise, tables_md
from sanbo.agents.comparison.outputs.wording import OutputFormat, download_name, media_type
from sanbo.agents.comparison.preparation import as_named
from sanbo.agents.comparison.present import tables
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import Problem
from sanbo.reports.content import Report
from sanbo.reports.content import written as as_file
from sanbo.runs.workflow import RunContext
from sanbo.sandbox.calls import pieces_apart
from sanbo.sandbox.memory import Memory

UNRELATED = 0.1
"""Documents that have less of their text in common are said to be unrelated."""
MOST_RESULTS = 4
Offered = Literal["html", "docx", "xlsx"]
ON_DEMAND: dict[Offered, int] = {"html": 2, "docx": 1, "xlsx": 1}
"""Made when asked for, of how many sources: the result, and both documents as they were read."""
_SIZE = struct.Struct(">Q")
_CHANGES_A_PIECE = 200
_CHANGES = TypeAdapter(tuple[Change, ...])


class Results:
    """Makes results; the last ones stay in memory until the run has ended with them."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, ComparisonResult] = OrderedDict()
        self._lock = threading.Lock()

    async def make(
        self,
        context: RunContext[Any],
        material: str,
        compared: bytes,
        decisions: Mapping[int, Sequence[Decision]],
    ) -> str:
        """Keeps the result and offers its files; the SHA-256 of the result.

        `compared`: what is in the artifact `material`.
        """
        made = await _apart(result_in, decisions, context.language, inputs=[compared])
        with made:
            written, report, result = await asyncio.to_thread(_result, made.view())
        context.say(f"{result.summary.text_md}\n", "format_output")
        await _keep(context, "markdown", report)
        sha256 = await _keep(context, "json", written)
        await _offer(context, {sha256: written, material: compared})
        with self._lock:
            self._made[sha256] = result
            while len(self._made) > MOST_RESULTS:
                self._made.popitem(last=False)
        return sha256

    def read(self, context: RunContext[Any], sha256: str) -> ComparisonResult:
        """The result; of a run that another process brought to its end, from its artifact."""
        with self._lock:
            made = self._made.pop(sha256, None)
        if made is not None:
            return made
        return ComparisonResult.model_validate_json(context.place.files.read(sha256))


def warm_up() -> None:
    """python-docx and openpyxl take half a second to load: not when a command merely starts."""
    for output in ("word", "excel"):
        import_module(f"sanbo.reports.{output}")


async def _keep(context: RunContext[Any], output: OutputFormat, data: bytes) -> str:
    name = download_name(output, context.language)
    kept = await context.keep(name, media_type(output), data, at=("format_output",))
    return kept.artifact_id


async def _offer(context: RunContext[Any], sources: Mapping[str, bytes]) -> None:
    """Inside a plan they are made at once: its later steps read them."""
    language, folds = context.language, bool(context.input.fold_renumbered)
    for output, count in ON_DEMAND.items():
        made_of = tuple(sources)[:count]
        if context.path:
            given = [sources[each] for each in made_of]
            data = await written_apart(output, given, language, folds=folds)
            await _keep(context, output, data)
        else:
            name = download_name(output, language)
            await context.offer(name, media_type(output), made_of, at=("format_output",))


async def written_apart(
    output: Offered, sources: Sequence[bytes], language: Language, *, folds: bool
) -> bytes:
    """A file of a result in JSON and, where it shows both documents whole, of its material."""
    with await _apart(file_in, output, language, folds, inputs=sources) as made:
        return await asyncio.to_thread(lambda: bytes(made.view()))


async def _apart(
    work: Callable[..., Iterator[bytes]], *args: object, inputs: Sequence[bytes]
) -> Memory:
    with ExitStack() as held:
        memory = [held.enter_context(await asyncio.to_thread(Memory.of, [data])) for data in inputs]
        return await pieces_apart(work, *args, inputs=memory, limits=given.WORKING)


def result_in(
    decisions: Mapping[int, Sequence[Decision]], language: Language, compared: memoryview
) -> Iterator[bytes]:
    """In pieces, each with its size in front: in JSON and in Markdown as they are taken away, all
    but the changes, then these."""
    material = Material(Compared.model_validate_json(bytes(compared)))
    result = result_of(material, decisions, language)
    yield from _sized(result.model_dump_json().encode())
    yield from _sized(report_md(result, language=language).encode())
    yield from _sized(result.model_copy(update={"changes": ()}).model_dump_json().encode())
    for begin in range(0, len(result.changes), _CHANGES_A_PIECE):
        yield from _sized(_CHANGES.dump_json(result.changes[begin : begin + _CHANGES_A_PIECE]))


def _result(data: memoryview) -> tuple[bytes, bytes, ComparisonResult]:
    """Piece by piece: a server has others to answer meanwhile."""
    written, report, head, *pieces = _pieces(data)
    changes = tuple(change for piece in pieces for change in _CHANGES.validate_json(piece))
    result = ComparisonResult.model_validate_json(head).model_copy(update={"changes": changes})
    return written, report, result


def _sized(data: bytes) -> Iterator[bytes]:
    yield _SIZE.pack(len(data))
    yield data


def _pieces(data: memoryview) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        (size,) = _SIZE.unpack_from(data, at)
        at += _SIZE.size
        yield bytes(data[at : at + size])
        at += size


def file_in(
    output: Offered,
    language: Language,
    folds: bool,
    written: memoryview,
    compared: memoryview | None = None,
) -> Iterator[bytes]:
    result = ComparisonResult.model_validate_json(bytes(written))
    if output == "html":
        assert compared is not None
        pairs = Compared.model_validate_json(bytes(compared)).pairs
        yield side_by_side(result, pairs, language, fold_renumbered=folds).encode()
        return
    yield as_file(table_of_changes(result, language, fold_renumbered=folds), output)


def table_of_changes(
    result: ComparisonResult, language: Language, *, fold_renumbered: bool = False
) -> Report:
    return Report(
        title=tell("comparison_outputs.table.title", language),
        workflow=tell("comparison_outputs.file.result", language),
        parts=tuple(tables(result, language, fold_renumbered=fold_renumbered)),
        language=language,
    )


def result_of(
    material: Material, decisions: Mapping[int, Sequence[Decision]], language: Language
) -> ComparisonResult:
    changes: list[Change] = []
    pairs: list[ComparedPair] = []
    for number, pair in enumerate(material.pairs):
        own = changes_of(
            pair,
            decisions.get(number, ()),
            number=number,
            language=language,
            first_order=len(changes),
        )
        changes += as_named(own, pair)
        warnings = material.left_out if number == 0 else ()
        pairs.append(compared_pair(pair, own, warnings))
    changes = attention_first(changes)
    summary = summarise(
        changes,
        pairs,
        language=language,
        doubtful_sent=sum(len(each) for each in decisions.values()),
        chunks=sum(len(pair.old.chunks) for pair in material.pairs if pair.old),
    )
    return ComparisonResult(
        changes=tuple(changes),
        summary=summary,
        table_md=tables_md(changes, pairs, language=language),
        pairs=tuple(pairs),
    )


def compared_pair(
    pair: Pair, changes: Sequence[Change], left_out: Sequence[Problem] = ()
) -> ComparedPair:
    warnings = dict.fromkeys(problem.model_dump_json() for problem in (*left_out, *_warnings(pair)))
    return ComparedPair(
        old=_document(pair.old),
        new=_document(pair.new),
        similarity=pair.alignment.similarity,
        outcome=_outcome(pair, changes),
        warnings=tuple(Problem.model_validate_json(each) for each in warnings),
    )


def _warnings(pair: Pair) -> Iterator[Problem]:
    for side in (pair.old, pair.new):
        yield from side.warnings if side else ()


def _outcome(pair: Pair, changes: Sequence[Change]) -> Outcome:
    if pair.old is None:
        return "only_new"
    if pair.new is None:
        return "only_old"
    if all(change.kind == "unchanged" for change in changes):
        return "identical"
    return "unrelated" if pair.alignment.similarity < UNRELATED else "related"


def _document(side: Side | None) -> ComparedDocument | None:
    if side is None:
        return None
    return ComparedDocument(
        name=side.name,
        format=side.format,
        chunks=len(side.chunks),
        characters=len(side.text),
        pages=side.pages,
    )
