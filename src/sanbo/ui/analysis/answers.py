"""An answer in the chat: words, charts, tables, how it came about, and what to take along."""

from collections.abc import Callable, Sequence

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.analysis import REPORT, SPECS, AnalysisResult, AnswerFigure, AnswerTable
from sanbo.ui.addresses import link_to_run
from sanbo.ui.analysis.grid import draw_grid
from sanbo.ui.analysis.made_files import MadeFiles
from sanbo.ui.presentation import duration, engine_of, usage_of
from sanbo.ui.safe_markdown import document, plain

PICTURE_WIDTH = 760
MOST_SUGGESTIONS = 6


def draw_answer(run: Run, result: AnalysisResult, *, suggested: Sequence[str] = ()) -> None:
    """`suggested`: what stands below as buttons, and so not also in the text."""
    files = MadeFiles(run)
    st.markdown(document(without_list(result.answer_md, suggested)))
    _draw_results(result, files)
    if not files.is_whole:
        st.caption(f":material/memory: {plain(tell('ui.analysis.answer.files_gone'))}")
    if result.kind == "report" and result.assumptions:
        lines = "\n".join(f"- {plain(text)}" for text in result.assumptions)
        st.markdown(f"**{plain(tell('ui.analysis.answer.assumptions'))}**\n\n{lines}")
    _draw_how(run, result)
    _draw_foot(run, files)


def draw_suggestions(
    title: str, questions: Sequence[str], key: str, ask: Callable[[str], None]
) -> None:
    """One click asks."""
    with st.container(key=f"analysis-suggestions-{key}", gap="small"):
        st.caption(plain(title))
        with st.container(horizontal=True, gap="small"):
            for position, question in enumerate(questions[:MOST_SUGGESTIONS]):
                st.button(
                    plain(question),
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
    """In the order of their execution; what was only a step to another stands folded."""
    ids = dict.fromkeys([part.result_id for part in (*result.tables, *result.figures)])
    on_the_way = steps_between(result)
    for result_id in ids:
        tables = [table for table in result.tables if table.result_id == result_id]
        figures = [figure for figure in result.figures if figure.result_id == result_id]
        behind = [table for table in tables if not table.name]
        for position, figure in enumerate(figures):
            _draw_figure(figure, behind[position : position + 1], files)
        for table in tables:
            if not table.name:
                continue
            if result_id in on_the_way:
                title = tell("ui.analysis.answer.between", title=table.title)
                with st.expander(plain(title), icon=":material/table_rows:"):
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
            st.markdown(f"**{plain(table.title)}**", width="stretch")
            files.draw_download(table.name, tell("ui.analysis.answer.csv"))
        _draw_rows(table)


def _draw_rows(table: AnswerTable) -> None:
    draw_grid(headings(table), table.rows, kinds=table.kinds, alt=table.title)
    shown, total = len(table.rows), table.row_count
    if shown < total:
        told = tell("ui.analysis.answer.rows_cut", shown=f"{shown:,}", total=f"{total:,}")
    else:
        told = tell("ui.analysis.answer.rows", total=f"{total:,}")
    st.caption(plain(told))


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
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{plain(figure.title)}**", width="stretch")
            files.draw_download(figure.name, tell("ui.analysis.answer.png"))
        if picture is not None:
            st.image(picture, width="stretch", alt=figure.alt)
        for table in behind:
            with st.expander(tell("ui.analysis.answer.numbers"), icon=":material/table_rows:"):
                _draw_rows(table)


# ---- how it came about ----


def _draw_how(run: Run, result: AnalysisResult) -> None:
    if result.specs:
        with st.expander(tell("ui.analysis.answer.specs"), icon=":material/data_object:"):
            for spec in result.specs:
                st.json(spec, expanded=2)
    if result.report_md:
        with (
            st.expander(tell("ui.analysis.answer.report"), icon=":material/article:"),
            st.container(key=f"analysis-report-{run.run_id}"),
        ):
            st.markdown(document(result.report_md))


def _draw_foot(run: Run, files: MadeFiles) -> None:
    engine = engine_of(run.engine.provider, run.engine.model, run.engine.base_url_host)
    took = (run.updated_at - run.created_at).total_seconds()
    facts = [f":material/memory: {plain(engine)}", f":material/timer: {plain(duration(took))}"]
    if usage := usage_of(run):
        facts.append(f":material/toll: {plain(usage)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        files.draw_download(
            REPORT, tell("ui.analysis.answer.download_report"), icon=":material/article:"
        )
        files.draw_download(
            SPECS, tell("ui.analysis.answer.download_specs"), icon=":material/data_object:"
        )
        link_to_run(run.run_id, tell("ui.analysis.answer.trail"), ":material/receipt_long:")
        st.caption(" &ensp; ".join(facts), width="content")
