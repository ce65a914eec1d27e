"""Parts of a run as the blocks of a report: one way of telling each kind of part; and the report
as a file, with all rows of its tables."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from pydantic import JsonValue

from sanbo.documents.file_formats import media_type_of
from sanbo.kernel.messages import Language, tell
from sanbo.reports.blocks import (
    Block,
    Grid,
    Heading,
    Item,
    Line,
    Paragraph,
    Picture,
    Words,
    blocks_of,
    line,
    under,
)
from sanbo.reports.letters import Span, joined, printable, tight
from sanbo.reports.names import ReportFormat, safe_stem
from sanbo.runs.model import Run
from sanbo.runs.parts import (
    CellKind,
    ChangeItem,
    Changes,
    Column,
    Fact,
    Facts,
    Figure,
    Files,
    Graph,
    Part,
    Parts,
    Progress,
    Score,
    Segment,
    Sources,
    Table,
    Text,
    Trouble,
    shown_cell,
)


def with_all_rows(table: Table, data: bytes) -> Table:
    """`data`: the table's CSV as a run writes it, numbers plain and texts guarded by `'`."""
    lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    next(lines, None)
    kinds: list[CellKind] = [column.kind for column in table.columns]
    rows = tuple(
        tuple(_cell(text, kind) for text, kind in zip(line, kinds, strict=False)) for line in lines
    )
    return table.model_copy(update={"rows": rows})


def _cell(text: str, kind: CellKind) -> JsonValue:
    if not text:
        return None
    if kind == "boolean":
        return {"TRUE": True, "FALSE": False}.get(text, text)
    if kind in ("number", "share"):
        try:
            return int(text) if text.lstrip("-").isdigit() else float(text)
        except ValueError:
            return text
    return text[1:] if text.startswith("'") and len(text) > 1 else text


CHANGE_COLUMNS = ("new", "old", "remarks")
MOST_ROWS = 100
"""Of a table that is read on paper; a workbook has them all."""


@dataclass(frozen=True)
class Report:
    title: str
    """What the run was about."""
    workflow: str
    """Its kind, in words."""
    parts: Parts
    language: Language
    byline: tuple[str, ...] = ()
    """What made it and when; and where to look it up."""
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """By the ids of their artifacts."""


def byline_of(run: Run, workflow: str, language: Language) -> tuple[str, str]:
    engine = f"{run.engine.provider} {run.engine.model}"
    if run.engine.provider == "rules":
        engine = tell("reports.rules", language)
    time = f"{run.updated_at.astimezone():%Y-%m-%d %H:%M}"
    return (
        tell("reports.made", language, workflow=workflow, time=time),
        tell("reports.made_by", language, run_id=run.run_id, engine=engine),
    )


def handed_on(parts: Parts) -> Parts:
    """Those that a report tells: not how far a run is, nor its files, nor what is told twice."""
    return tuple(
        part
        for part in parts
        if not part.interaction_id and not isinstance(part, Progress | Graph | Files)
        if not (part.is_aside and isinstance(part, Sources))
        if not (part.is_aside and isinstance(part, Text) and part.document)
    )


def blocks_in(report: Report) -> Iterator[Block]:
    """All of a report, in order: what one may look up comes last."""
    parts = handed_on(report.parts)
    warned = False
    figures = tables = 0
    for part in sorted(parts, key=lambda part: part.is_aside):
        if isinstance(part, Trouble):
            if not warned or not part.is_warning:
                name = "warnings" if part.is_warning else "problem"
                yield Heading(2, tell(f"reports.{name}", report.language))
            warned = warned or part.is_warning
        elif isinstance(part, Figure):
            figures += 1
            yield Heading(2, _numbered("figure", figures, part.title, report.language))
        elif isinstance(part, Table):
            tables += 1
            yield Heading(2, _numbered("table", tables, part.title, report.language))
        elif part.title:
            yield Heading(2, printable(part.title))
        told = list(told_part(part, report.language))
        if told and told[0] == Heading(2, report.title):
            told.pop(0)
        yield from told


def _numbered(name: str, number: int, title: str, language: Language) -> str:
    return tell(f"reports.{name}", language, number=number, title=printable(title))


def told_part(part: Part, language: Language) -> Iterator[Block]:
    """Without its title."""
    yield from _TOLD[type(part)](part, language)


def _text(part: Text, _language: Language) -> Iterator[Block]:
    if part.is_plain:
        for each in printable(part.markdown).split("\n"):
            yield Paragraph(line(each))
        return
    yield from under(blocks_of(part.markdown), 3 if part.title else 2)


def _table(part: Table, language: Language) -> Iterator[Block]:
    shown = part.rows[:MOST_ROWS]
    left_out = part.total_rows - len(shown)
    more = tell("reports.more_rows", language, count=f"{left_out:,}") if left_out else ""
    yield Grid(
        header=tuple(header_of(column, language) for column in part.columns),
        rows=tuple(
            tuple(
                line(printable(shown_cell(cell, column, language)))
                for cell, column in zip(row, part.columns, strict=False)
            )
            for row in shown
        ),
        right=tuple(column.kind in ("number", "share") for column in part.columns),
        note=_said(more, part.note),
    )


def header_of(column: Column, language: Language) -> str:
    """売上（円）: the unit stands once, over the numbers."""
    name = printable(column.name)
    return tell("reports.with_unit", language, name=name, unit=column.unit) if column.unit else name


def _figure(part: Figure, _language: Language) -> Iterator[Block]:
    yield Picture(part.picture, printable(part.title), printable(part.description))


def _facts(part: Facts, language: Language) -> Iterator[Block]:
    plain = [fact for fact in part.items if fact.tone == "plain"]
    for fact in part.items:
        if fact.tone != "plain":
            yield Paragraph(line(fact_words(fact, language)), is_warning=fact.tone != "good")
    if plain:
        yield Grid(
            header=(),
            rows=tuple(
                ((Words(printable(fact.label), bold=True),), line(fact_words(fact, language)))
                for fact in plain
            ),
            widths=(1, 3),
        )


def fact_words(fact: Fact, language: Language) -> str:
    return printable(_said(shown_cell(fact.value, None, language), fact.note))


def _said(*texts: str) -> str:
    return " ".join(text for text in texts if text)


def score_words(part: Score, language: Language) -> str:
    return tell("reports.score", language, share=f"{part.value:.0%}", level=part.level)


def _score(part: Score, language: Language) -> Iterator[Block]:
    yield Paragraph((Words(score_words(part, language), bold=True),))
    if part.sentence:
        yield Paragraph(line(printable(part.sentence)), is_warning=part.tone in ("caution", "bad"))
    for each in part.explanation:
        yield Item(line(printable(each)))


def _sources(part: Sources, language: Language) -> Iterator[Block]:
    for source in part.items:
        mark = tell("reports.source", language, mark=source.mark)
        place = printable(source.place or source.document)
        note = tell("reports.checked", language, note=source.note) if source.note else ""
        yield Paragraph((Words(mark, bold=True), Words(place), Words(note, grey=True)))
        if source.quote:
            quote = tell("reports.quote", language, quote=printable(source.quote))
            yield Paragraph(line(quote), is_quote=True)


def _trouble(part: Trouble, language: Language) -> Iterator[Block]:
    problem = part.problem
    said = _said(problem.message, problem.hint)
    if part.title:
        said = tell("reports.warned", language, title=part.title, message=said)
    yield Paragraph(line(printable(said)), is_warning=True)


# ---- two documents -------------------------------------------------------------------------


def _changes(part: Changes, language: Language) -> Iterator[Block]:
    yield from (Paragraph(line(each)) for each in names_of(part, language))
    left_out = part.total_items - len(part.items)
    yield Grid(
        header=tuple(
            tell(f"reports.column.{name}", language) for name in ("new", "old", "remarks")
        ),
        rows=tuple(_change(item, language) for item in part.items),
        widths=(20, 20, 11),
        note=_said(
            tell("reports.underlined", language),
            tell("reports.more_changes", language, count=f"{left_out:,}") if left_out else "",
        ),
    )


def names_of(part: Changes, language: Language) -> Iterator[str]:
    if part.new_name:
        yield tell("reports.new_name", language, name=printable(part.new_name))
    if part.old_name:
        yield tell("reports.old_name", language, name=printable(part.old_name))


def _change(item: ChangeItem, language: Language) -> tuple[Line, Line, Line]:
    remarks = [Words(printable(item.label), bold=item.tone != "plain", grey=not item.diff)]
    remarks += [Words(f"\n{each}") for each in remarks_of(item, language)]
    return (
        _side(item.new.place if item.new else "", new_spans(item, language), "added"),
        _side(item.old.place if item.old else "", old_spans(item, language), "deleted"),
        tuple(remarks),
    )


def _side(place: str, spans: Sequence[Span], mark: Any) -> Line:
    words = [Words(span.text, mark=mark if span.marked else "") for span in spans]
    text = "".join(span.text for span in spans)
    if place and text.strip() and place not in text[: len(place) + 40]:
        return (Words(f"{place}\n", grey=True), *words)
    return tuple(words)


def remarks_of(item: ChangeItem, language: Language) -> Iterator[str]:
    """What to look at, which document it is in, and why."""
    if item.flags:
        flags = tell("reports.between", language).join(item.flags)
        is_serious = item.tone == "caution"
        yield tell("reports.attention", language, flags=flags) if is_serious else flags
    if item.document:
        yield printable(item.document)
    if item.explanation:
        yield printable(item.explanation)
    if item.confidence is not None:
        yield tell("reports.sure", language, share=f"{item.confidence:.0%}")


def new_spans(item: ChangeItem, language: Language) -> list[Span]:
    if item.new is None:
        return [Span(tell("reports.deleted_here", language), False)] if item.old else []
    return _spans(item.diff, "added") or joined([(item.new.text, item.old is None)])


def old_spans(item: ChangeItem, language: Language) -> list[Span]:
    if item.old is None:
        return [Span(tell("reports.new_here", language), False)] if item.new else []
    return _spans(item.diff, "deleted") or joined([(item.old.text, item.new is None)])


def _spans(diff: Sequence[Segment], own: str) -> list[Span]:
    return tight(joined([(each.text, each.op == own) for each in diff if each.op in ("same", own)]))


_TOLD: dict[type[Any], Callable[[Any, Language], Iterator[Block]]] = {
    Text: _text,
    Table: _table,
    Figure: _figure,
    Facts: _facts,
    Score: _score,
    Sources: _sources,
    Trouble: _trouble,
    Changes: _changes,
}


_MODULES: dict[ReportFormat, str] = {
    "md": "markdown",
    "docx": "word",
    "xlsx": "excel",
    "html": "page",
}


def written(report: Report, form: ReportFormat) -> bytes:
    """The libraries for Office files take half a second to load: not before they are wanted."""
    module = import_module(f"sanbo.reports.{_MODULES[form]}")
    return cast("Callable[[Report], bytes]", module.written)(report)


def name_of(report: Report, form: ReportFormat) -> str:
    """表の分析_月別の売上推移.docx"""
    subject = report.title or tell("reports.untitled", report.language)
    return f"{safe_stem(f'{report.workflow}_{subject}')}.{form}"


def type_of(form: ReportFormat) -> str:
    return media_type_of(f"report.{form}")
