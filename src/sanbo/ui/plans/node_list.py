"""The nodes of a run in the plan's order: how each went, what it gave, and again from there."""

from collections.abc import Mapping

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.runs.model import Path, Run, Step
from sanbo.service.plan_pictures import Figure, Item, NodeState, NodeStatus
from sanbo.service.plan_runs import states_of_run
from sanbo.ui import connection
from sanbo.ui.plans import place
from sanbo.ui.plans.exports_view import draw_value
from sanbo.ui.plans.outputs import Given, outputs_of
from sanbo.ui.presentation import Colour, duration
from sanbo.ui.safe_markdown import paragraphs, plain

_LOOKS: dict[NodeStatus, tuple[str, Colour]] = {
    "pending": (":material/circle:", "gray"),
    "running": (":material/progress_activity:", "blue"),
    "waiting": (":material/front_hand:", "orange"),
    "succeeded": (":material/check_circle:", "green"),
    "failed": (":material/error:", "red"),
    "skipped": (":material/skip_next:", "gray"),
}
_BEGUN = frozenset[NodeStatus]({"succeeded", "failed", "skipped", "waiting", "running"})


def draw_nodes(run: Run) -> None:
    """Each opens to what it gave; that is read only where one is open."""
    figure, states = states_of_run(run)
    in_loops = set(_inside_loops(figure))
    outputs: Mapping[Path, Given] | None = None
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
            _draw_node(run, item, state, outputs.get(item.path))
            if run.status.is_final and state.status in _BEGUN and item.path not in in_loops:
                draw_again(run, item.path, item.title)


def node_line(item: Item, state: NodeState) -> str:
    icon, colour = _LOOKS[state.status]
    details = [tell(f"plan_drawing.status.{state.status}")]
    if state.progress:
        details.append(state.progress)
    if state.duration_ms is not None and state.status in ("succeeded", "failed"):
        details.append(duration(state.duration_ms / 1000))
    indent = "&emsp;" * (len(item.path) - 1)
    small = f":gray[:small[{plain(' ・ '.join(details))}]]"
    return f"{indent}:{colour}[{icon}] {plain(item.title)} &ensp; {small}"


def failed_node(run: Run) -> Step | None:
    """The innermost that failed outside loops; a loop is begun again as a whole."""
    failed = [
        step
        for step in run.steps
        if step.status == "failed"
        and step.path
        and not any(name.startswith("#") for name in step.path)
    ]
    return max(failed, key=lambda step: len(step.path), default=None)


def draw_again(run: Run, path: Path, title: str, *, named: bool = False) -> None:
    """`named`: the button says from which node, where that is not seen beside it."""
    label = tell("ui.plans.run.again_from", node=title) if named else tell("ui.plans.run.again")
    st.button(
        plain(label),
        icon=":material/replay:",
        key=f"again:{named}:{run.run_id}:{'/'.join(path)}",
        help=tell("ui.run.replay_help"),
        on_click=_replay,
        args=(run.run_id, path),
    )


def _draw_node(run: Run, item: Item, state: NodeState, given: Given | None) -> None:
    st.caption(plain(" ・ ".join(part for part in ("/".join(item.path), item.about) if part)))
    step = next((each for each in run.steps if each.path == item.path), None)
    if step is not None and step.problem is not None:
        told = step.problem.in_language(run.language)
        st.markdown(f":red[:material/error: {paragraphs(told.message)}]")
    elif state.note:
        st.caption(paragraphs(state.note))
    if given is None:
        if state.status == "succeeded":
            st.caption(plain(tell("ui.plans.run.no_outputs")))
        return
    if given.in_loop:
        st.caption(plain(tell("ui.plans.run.last_turn")))
    if given.is_stored:
        st.caption(plain(tell("ui.plans.run.outputs_stored")))
    elif isinstance(given.outputs, dict):
        for name, value in given.outputs.items():
            draw_value(name, value)


def _inside_loops(figure: Figure) -> list[Path]:
    found: list[Path] = []
    for item in figure.items:
        if item.inside is None:
            continue
        if item.kind == "loop":
            found += [each.path for each in item.inside.everything()]
        else:
            found += _inside_loops(item.inside)
    return found


def _read_outputs(run: Run) -> Mapping[Path, Given]:
    bench = connection.bench()
    return outputs_of(bench.call(bench.workbench.events(connection.caller(), run.run_id)))


def _replay(run_id: str, path: Path) -> None:
    """A widget's callback: shows the new run."""
    connection.speak()
    bench = connection.bench()
    again = bench.call(bench.workbench.replay(connection.caller(), run_id, path))
    place.show_run(again.run_id)
