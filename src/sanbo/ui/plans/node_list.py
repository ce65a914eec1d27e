"""The nodes of a run in the plan's order: how each went, what it gave, and again from there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.plans.drawing import NodeState, NodeStatus
from sanbo.plans.drawing.figure import Item
from sanbo.plans.progress import states_of_run, without_iterations
from sanbo.runs.model import Event, NodeComplete, NodeSkipped, NodeStart, Path, Run
from sanbo.ui import connection
from sanbo.ui.plans import place
from sanbo.ui.plans.exports_view import draw_value
from sanbo.ui.presentation import Colour, duration, turn_in

STORED = "x-stored"


@dataclass(frozen=True)
class Given:
    outputs: JsonValue
    is_stored: bool
    """Too large for the journal: the values themselves are in a file."""


Turns = Mapping[Path, Given | None]
"""By its whole path, loop items too, in the order of the journal; None where it gave nothing."""


def outputs_of(events: Iterable[Event]) -> Mapping[Path, Turns]:
    """By path of node ids, loop items left out."""
    found: defaultdict[Path, dict[Path, Given | None]] = defaultdict(dict)
    for event in events:
        match event.payload:
            case NodeStart() | NodeSkipped():
                found[without_iterations(event.path)].setdefault(event.path, None)
            case NodeComplete(outputs=outputs):
                is_stored = isinstance(outputs, dict) and STORED in outputs
                found[without_iterations(event.path)][event.path] = Given(outputs, is_stored)
            case _:
                pass
    return found


_LOOKS: dict[NodeStatus, tuple[str, Colour]] = {
    "pending": (":material/circle:", "gray"),
    "running": (":material/progress_activity:", "blue"),
    "waiting": (":material/front_hand:", "orange"),
    "succeeded": (":material/check_circle:", "green"),
    "failed": (":material/error:", "red"),
    "skipped": (":material/skip_next:", "gray"),
}
MOST_TURNS = 500
"""Of a loop that can be chosen from: the last ones."""


def draw_nodes(run: Run) -> None:
    """Each opens to what it gave; that is read only where one is open."""
    figure, states = states_of_run(run)
    outputs: Mapping[Path, Turns] | None = None
    for item in figure.everything():
        state = states[item.path]
        node = st.expander(
            node_line(item, state),
            key=f"plan-node:{run.run_id}:{'/'.join(item.path)}",
            on_change="rerun",
            type="compact",
        )
        if not node.open:
            continue
        if outputs is None:
            outputs = _read_outputs(run)
        with node:
            _draw_node(run, item, state, outputs.get(item.path, {}))


def node_line(item: Item, state: NodeState) -> str:
    icon, colour = _LOOKS[state.status]
    details = [tell(f"plan_drawing.status.{state.status}")]
    if state.progress:
        details.append(state.progress)
    if state.duration_ms is not None and state.status in ("succeeded", "failed"):
        details.append(duration(state.duration_ms / 1000))
    indent = "&emsp;" * (len(item.path) - 1)
    small = f":gray[:small[{literal(' ・ '.join(details))}]]"
    return f"{indent}:{colour}[{icon}] {literal(item.title)} &ensp; {small}"


def draw_again(run: Run, path: Path, label: str) -> None:
    st.button(
        literal(label),
        icon=":material/replay:",
        key=f"again:{label}:{run.run_id}:{'/'.join(path)}",
        help=tell("ui.run.replay_help"),
        on_click=_replay,
        args=(run.run_id, path),
    )


def _draw_node(run: Run, item: Item, state: NodeState, turns: Turns) -> None:
    st.caption(literal(" ・ ".join(part for part in ("/".join(item.path), item.about) if part)))
    path = _chosen(run, turns)
    step = next((each for each in run.steps if each.path == path), None)
    if step is not None and step.problem is not None:
        told = step.problem.in_language(run.language)
        st.markdown(f":red[:material/error: {paragraphs(told.message)}]")
    elif state.note:
        st.caption(paragraphs(state.note))
    if path is None:
        return
    _draw_outputs(turns[path], is_over=state.status == "succeeded")
    if run.status.is_final:
        text = "ui.plans.run.again" if path == item.path else "ui.plans.run.again_turn"
        draw_again(run, path, tell(text, turn=turn_in(path)))


def _chosen(run: Run, turns: Turns) -> Path | None:
    """Of a node in a loop the turn that a person looks at: at first what failed, or the last."""
    paths = list(turns)[-MOST_TURNS:]
    if len(paths) < 2:
        return paths[0] if paths else None
    failed = {step.path for step in run.steps if step.status == "failed"}
    first = next((path for path in paths if path in failed), paths[-1])
    return st.selectbox(
        tell("ui.plans.run.turn"),
        paths,
        index=paths.index(first),
        format_func=turn_in,
        key=f"turn:{run.run_id}:{'/'.join(first)}",
        width=200,
    )


def _draw_outputs(given: Given | None, *, is_over: bool) -> None:
    if given is None:
        if is_over:
            st.caption(literal(tell("ui.plans.run.no_outputs")))
    elif given.is_stored:
        st.caption(literal(tell("ui.plans.run.outputs_stored")))
    elif isinstance(given.outputs, dict):
        for name, value in given.outputs.items():
            draw_value(name, value)


def _read_outputs(run: Run) -> Mapping[Path, Turns]:
    bench = connection.bench()
    return outputs_of(bench.call(bench.workbench.events(connection.caller(), run.run_id)))


def _replay(run_id: str, path: Path) -> None:
    """A widget's callback: shows the new run."""
    connection.speak()
    bench = connection.bench()
    again = bench.call(bench.workbench.replay(connection.caller(), run_id, path))
    place.show_run(again.run_id)
