"""Each kind of part, drawn with what Streamlit has; nothing here knows a workflow."""

from collections.abc import Callable
from typing import Any

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import document, literal, paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Artifact
from sanbo.runs.parts import (
    ChangeItem,
    Changes,
    Column,
    Facts,
    Figure,
    Files,
    Graph,
    Part,
    Progress,
    Score,
    Sources,
    Table,
    Text,
    Tone,
    Trouble,
    on_one_line,
)
from sanbo.ui import page_context
from sanbo.ui.page_context import draw_problem, look_of, size

Replay = Callable[[tuple[str, ...]], None]
LONGEST = 300
_COLOURS: dict[Tone, str] = {"good": "green", "caution": "orange", "bad": "red", "plain": "gray"}


def draw_part(
    run_id: str, part: Part, replay: Replay | None = None, *, has_title: bool = True
) -> None:
    with st.container(key=f"part-{part.id.replace('/', '-')}-{part.kind}"):
        if has_title and part.title:
            st.subheader(literal(part.title), anchor=False)
        _draw(run_id, part, replay)


def _draw(run_id: str, part: Part, replay: Replay | None) -> None:
    match part:
        case Text():
            _draw_text(run_id, part)
        case Table():
            _draw_table(run_id, part)
        case Figure():
            st.image(_bytes(run_id, part.picture), caption=part.description or None)
        case Sources():
            _draw_sources(part)
        case Score():
            _draw_score(part)
        case Changes():
            _draw_changes(part)
        case Graph():
            _draw_graph(part)
        case Files():
            for artifact in part.items:
                _draw_file(run_id, artifact, part.id)
        case Facts():
            _draw_facts(part)
        case Trouble():
            _draw_trouble(part, replay)
        case Progress():
            draw_progress(part, is_open=True)


def draw_progress(part: Progress, *, is_open: bool) -> None:
    with st.expander(literal(part.title or tell("ui.run.steps")), expanded=is_open):
        for step in part.steps:
            look = look_of(step.status)
            count = f" {step.done}/{step.of}" if step.of else f" ×{step.done}" if step.done else ""
            indent = "&emsp;" * step.depth
            line = f"{indent}:{look.colour}[{look.icon}] {literal(step.title)}{count}"
            told = "、".join(step.detail.splitlines())
            st.markdown(f"{line} :gray[:small[{literal(told)}]]" if told else line)


def _draw_text(run_id: str, part: Text) -> None:
    if part.is_plain:
        st.text(part.markdown)
    else:
        st.markdown(document(part.markdown))
    if part.document is not None:
        _draw_file(run_id, part.document, part.id)


def _draw_table(run_id: str, part: Table) -> None:
    columns = {
        f"{column.name}（{column.unit}）" if column.unit else column.name: [
            row[at] if at < len(row) else None for row in part.rows
        ]
        for at, column in enumerate(part.columns)
    }
    formats = {name: _format(column) for name, column in zip(columns, part.columns, strict=False)}
    shown: dict[str, Any] = {name: each for name, each in formats.items() if each is not None}
    st.dataframe(columns, hide_index=True, column_config=shown)
    if part.total_rows > len(part.rows):
        st.caption(tell("ui.table.cut", shown=len(part.rows), total=part.total_rows))
    if part.note:
        st.caption(literal(part.note))
    if part.file is not None:
        _draw_file(run_id, part.file, part.id)


def _format(column: Column) -> Any:
    if column.kind == "number":
        return st.column_config.NumberColumn(format="localized")
    if column.kind == "share":
        return st.column_config.NumberColumn(format="percent")
    return None


def _draw_sources(part: Sources) -> None:
    for item in part.items:
        place = item.place or item.document
        mark = f" :green[:small[{literal(tell('ui.part.verified'))}]]" if item.is_verified else ""
        st.markdown(f"**[{literal(item.mark)}]** {literal(place)}{mark}")
        if item.quote:
            st.caption(paragraphs(item.quote))


def _draw_score(part: Score) -> None:
    colour = _COLOURS[part.tone]
    st.markdown(f":{colour}[**{part.value:.0%}** {literal(part.level)}] {literal(part.sentence)}")
    st.progress(part.value)
    for line in part.explanation:
        st.markdown(f"- {literal(line)}")
    told = [reason for reason in part.reasons if reason.sentence]
    if told:
        with st.expander(tell("ui.part.reasons")):
            for reason in told:
                st.markdown(f"- {literal(reason.sentence)}")


def _draw_changes(part: Changes) -> None:
    st.caption(literal(f"{part.old_name} → {part.new_name}"))
    for item in part.items:
        with st.container(border=True):
            flags = " ".join(f":orange-badge[{literal(flag)}]" for flag in item.flags)
            st.markdown(f":{_COLOURS[item.tone]}-badge[{literal(item.label)}] {flags}")
            _draw_sides(item)
            if item.explanation:
                st.caption(paragraphs(item.explanation))


def _draw_sides(item: ChangeItem) -> None:
    for column, side, head, left_out in zip(
        st.columns(2),
        (item.old, item.new),
        (tell("ui.part.before"), tell("ui.part.after")),
        ("added", "deleted"),
        strict=True,
    ):
        with column:
            st.caption(literal(f"{head} {side.place if side else ''}"))
            if item.diff and side is not None:
                st.markdown(
                    "".join(_marked(op.op, op.text) for op in item.diff if op.op != left_out)
                )
            elif side is not None:
                st.markdown(paragraphs(side.text))


def _marked(op: str, text: str) -> str:
    told = literal(text).replace("\n", "  \n")
    if op == "same" or not text.strip():
        return told
    return f":red-background[{told}]" if op == "deleted" else f":green-background[{told}]"


def _draw_graph(part: Graph) -> None:
    """The nodes in their order: a picture of it is in the web application."""
    depths: dict[str, int] = {"": -1}
    for node in part.nodes:
        depths[node.id] = depths.get(node.parent, -1) + 1
        look = look_of(node.status)
        indent = "&emsp;" * depths[node.id]
        st.markdown(f"{indent}:{look.colour}[{look.icon} {look.word}] {literal(node.title)}")


def _draw_facts(part: Facts) -> None:
    for fact in part.items:
        value = _told(fact.value)
        note = f" :gray[:small[{literal(fact.note)}]]" if fact.note else ""
        colour = _COLOURS[fact.tone]
        shown = literal(value) if fact.tone == "plain" else f":{colour}[{literal(value)}]"
        st.markdown(f":gray[{literal(fact.label)}] &ensp; {shown}{note}")


def _told(value: JsonValue) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return value if isinstance(value, str) else on_one_line(value, LONGEST)


def _draw_trouble(part: Trouble, replay: Replay | None) -> None:
    if part.is_warning:
        told = part.problem.in_language(current_language())
        st.warning(paragraphs(f"{told.message} {told.hint}".strip()))
    else:
        draw_problem(part.problem)
    for retry in part.retries if replay is not None else ():
        label = tell("ui.run.again_from", title=retry.title)
        if st.button(literal(label), key=f"again:{'/'.join(retry.path)}") and replay is not None:
            replay(retry.path)


def _draw_file(run_id: str, artifact: Artifact, part_id: str) -> None:
    """Its bytes are read when they are asked for: some are made only then."""
    told = "" if artifact.made_of else f" ({size(artifact.size)})"
    st.download_button(
        literal(f"{artifact.title or artifact.name}{told}"),
        lambda: _bytes(run_id, artifact),
        file_name=artifact.name,
        mime=artifact.media_type,
        icon=":material/download:",
        key=f"file:{part_id}:{artifact.artifact_id}:{artifact.name}",
        on_click="ignore",
    )


def _bytes(run_id: str, artifact: Artifact) -> bytes:
    bench = page_context.bench()
    work = bench.workbench.artifact_bytes(page_context.caller(), run_id, artifact.artifact_id)
    return bench.call(work)
