"""An answer in the chat: words, charts, tables, how it came about, and what to take along."""

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from sanbo.agents.analysis.export import REPORT, SPECS
from sanbo.agents.analysis.outcome import CellKind, JsonCell
from sanbo.agents.analysis.results import AnalysisResult, AnswerFigure, AnswerTable
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.analysis import cell_shower
from sanbo.ui.addresses import link_to_run
from sanbo.ui.artifacts import MadeFiles
from sanbo.ui.presentation import duration, engine_of, usage_of

WHOLE_ROWS = 12
"""Up to so many are shown without scrolling."""
_LARGEST = 2**63 - 1

Rows = Sequence[Sequence[JsonCell]]


def draw_grid(
    names: Sequence[str], rows: Rows, *, kinds: Sequence[CellKind] = (), alt: str = ""
) -> None:
    """With `kinds` cells are shown as those of a result, else as they are."""
    shown: Any = shown_frame(names, rows, kinds) if kinds and rows else frame_of(names, rows)
    height = "content" if len(rows) <= WHOLE_ROWS else "auto"
    st.dataframe(shown, hide_index=True, height=height, alt=alt or None)  # pyright: ignore[reportUnknownMemberType]


def shown_frame(names: Sequence[str], rows: Rows, kinds: Sequence[CellKind]) -> Styler:
    """Sorted by its values, read by its texts."""
    frame = frame_of(names, rows)
    showers = {
        heading: _shower(kind, [row[position] for row in rows])
        for position, (heading, kind) in enumerate(zip(frame.columns, kinds, strict=True))
    }
    return frame.style.format(cast("Any", showers))


def frame_of(names: Sequence[str], rows: Rows) -> pd.DataFrame:
    headings = distinct_names(names)
    return pd.DataFrame(
        {
            heading: _series([row[position] for row in rows])
            for position, heading in enumerate(headings)
        }
    )


def distinct_names(names: Sequence[str]) -> list[str]:
    """A frame takes no name twice."""
    distinct: list[str] = []
    for name in names:
        heading, number = name, 1
        while heading in distinct:
            number += 1
            heading = f"{name} ({number})"
        distinct.append(heading)
    return distinct


def _series(cells: Sequence[JsonCell]) -> "pd.Series[Any]":
    """Numbers stay numbers, so that the grid sorts them; a mixture is text."""
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, int) and not isinstance(cell, bool) for cell in present):
        if all(abs(int(cell)) <= _LARGEST for cell in present):
            return pd.Series(list(cells), dtype="Int64")
    elif present and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in present
    ):
        return pd.Series(list(cells), dtype="float64")
    return pd.Series([None if cell is None else _text(cell) for cell in cells], dtype="object")


def _text(cell: JsonCell) -> str:
    return cell_shower("boolean", [cell])(cell) if isinstance(cell, bool) else str(cell)


def _shower(kind: CellKind, cells: Sequence[JsonCell]) -> Callable[[Any], str]:
    show = cell_shower(kind, cells)

    def shown(cell: Any) -> str:
        # The grid hands out NumPy's numbers.
        return show(cell.item() if hasattr(cell, "item") else cell)

    return shown


PICTURE_WIDTH = 760
MOST_SUGGESTIONS = 6


def draw_answer(run: Run, result: AnalysisResult, ask: Callable[[str], None] | None) -> None:
    """`ask`: what a click on a suggested question does; None where there are no buttons."""
    files = MadeFiles(run)
    buttons = result.suggestions if ask is not None else ()
    st.markdown(document(without_list(result.answer_md, buttons)))
    is_report = result.kind == "report"
    if ask is not None and buttons and not is_report:  # the text leads to them
        draw_suggestions("", buttons, run.run_id, ask)
    _draw_results(result, files)
    if not files.is_whole:
        st.caption(f":material/memory: {literal(tell('ui.analysis.answer.files_gone'))}")
    if is_report and result.assumptions:
        lines = "\n".join(f"- {literal(text)}" for text in result.assumptions)
        st.markdown(f"**{literal(tell('ui.analysis.answer.assumptions'))}**\n\n{lines}")
    _draw_how(run, result)
    _draw_foot(run, files)
    if ask is not None and buttons and is_report:
        draw_suggestions(tell("ui.analysis.ask.next"), buttons, run.run_id, ask)


def draw_suggestions(
    title: str, questions: Sequence[str], key: str, ask: Callable[[str], None]
) -> None:
    """One click asks."""
    with st.container(key=f"analysis-suggestions-{key}", gap="small"):
        if title:
            st.caption(literal(title))
        with st.container(horizontal=True, gap="small"):
            for position, question in enumerate(questions[:MOST_SUGGESTIONS]):
                st.button(
                    literal(question),
                    key=f"suggestion:{key}:{position}",
                    on_click=ask,
                    args=(question,),
                )


def without_list(text: str, questions: Sequence[str]) -> str:
    """Without the lines that name questions which are drawn as buttons."""
    listed = {f"- {question}" for question in questions}
    return "\n".join(line for line in text.splitlines() if line.strip() not in listed)


# ---- tables and charts ----


def _draw_results(result: AnalysisResult, files: MadeFiles) -> None:
    """Charts first: they were asked for. What was only a step to another table stands folded."""
    behind = [table for table in result.tables if not table.name]
    for figure in result.figures:
        numbers = [table for table in behind if table.result_id == figure.result_id]
        _draw_figure(figure, numbers[:1], files)
    on_the_way = steps_between(result)
    for table in result.tables:
        if not table.name:
            continue
        if table.result_id in on_the_way:
            title = tell("ui.analysis.answer.between", title=table.title)
            with st.expander(literal(title), icon=":material/table_rows:"):
                _draw_rows(table)
                files.draw_download(table.name, tell("ui.analysis.answer.csv"))
        else:
            _draw_table(table, files)


def steps_between(result: AnalysisResult) -> set[str]:
    """Results that another table was computed from; a chart's table is wanted beside it."""
    return {str(spec.get("input")) for spec in result.specs if spec.get("type") == "analysis"}


def _draw_table(table: AnswerTable, files: MadeFiles) -> None:
    with st.container(gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{literal(table.title)}**", width="stretch")
            files.draw_download(table.name, tell("ui.analysis.answer.csv"))
        _draw_rows(table)


def _draw_rows(table: AnswerTable) -> None:
    draw_grid(headings(table), table.rows, kinds=table.kinds, alt=table.title)
    shown, total = len(table.rows), table.row_count
    if shown < total:
        told = tell("ui.analysis.answer.rows_cut", shown=f"{shown:,}", total=f"{total:,}")
    else:
        told = tell("ui.analysis.answer.rows", total=f"{total:,}")
    st.caption(literal(told))


def headings(table: AnswerTable) -> list[str]:
    """The unit once, over its numbers."""
    return [
        label
        if not unit or unit in label
        else tell("analysis_report.with_unit", label=label, unit=unit)
        for label, unit in zip(table.labels, table.units, strict=True)
    ]


def _draw_figure(figure: AnswerFigure, behind: Sequence[AnswerTable], files: MadeFiles) -> None:
    picture = files.read(figure.name)
    with st.container(width=PICTURE_WIDTH, gap="small"):
        if picture is None:
            st.markdown(f"**{literal(figure.title)}**")
        else:  # it has its title in it
            st.image(picture, width="stretch", alt=figure.alt)
            with st.container(horizontal=True, horizontal_alignment="right"):
                files.draw_download(figure.name, tell("ui.analysis.answer.png"))
        for table in behind:
            with st.expander(tell("ui.analysis.answer.numbers"), icon=":material/table_rows:"):
                _draw_rows(table)


# ---- how it came about ----


def _draw_how(run: Run, result: AnalysisResult) -> None:
    if not result.specs:
        return
    with st.expander(tell("ui.analysis.answer.how"), icon=":material/data_object:"):
        specs, report = st.tabs(
            [tell("ui.analysis.answer.specs"), tell("ui.analysis.answer.report")]
        )
        with specs:
            for spec in result.specs:
                text = json.dumps(spec, ensure_ascii=False, indent=2)
                st.code(text, language="json", wrap_lines=True)
        with report, st.container(key=f"analysis-report-{run.run_id}"):
            st.markdown(document(result.report_md))


def _draw_foot(run: Run, files: MadeFiles) -> None:
    engine = engine_of(run.engine)
    took = (run.updated_at - run.created_at).total_seconds()
    facts = [f":material/memory: {literal(engine)}", f":material/timer: {literal(duration(took))}"]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        files.draw_download(
            REPORT, tell("ui.analysis.answer.download_report"), icon=":material/article:"
        )
        files.draw_download(
            SPECS, tell("ui.analysis.answer.download_specs"), icon=":material/data_object:"
        )
        link_to_run(run.run_id, tell("ui.analysis.answer.trail"), ":material/receipt_long:")
        st.caption(" &ensp; ".join(facts), width="content")
