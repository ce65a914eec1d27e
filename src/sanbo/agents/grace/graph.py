"""plan → (confirm_plan) → schedule → steps → review → schedule | ask | replan | finish."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from sanbo.agents.grace.nodes import Nodes
from sanbo.agents.grace.state import GraceState, Known, StepTask, step_task
from sanbo.agents.grace.steps.schedule import ready

MOST_NODES = 2_000
"""More than the longest plans and the most replans that can be set need."""
_AFTER = {
    "plan": ["confirm_plan", "schedule"],
    "heard": ["confirm_plan", "ask", "schedule", "replan", "finish"],
    "review": ["schedule", "ask", "replan", "finish"],
    "replan": ["confirm_plan", "schedule"],
}


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(GraceState)
    graph.add_node("plan", nodes.plan)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("confirm_plan", nodes.ask)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("schedule", nodes.schedule)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("step", nodes.step, input_schema=StepTask)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("review", nodes.review)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("ask", nodes.ask)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("heard", nodes.heard)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("replan", nodes.replan)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("finish", nodes.finish)  # pyright: ignore[reportUnknownMemberType]
    graph.add_edge(START, "plan")
    for name, followers in _AFTER.items():
        graph.add_conditional_edges(name, _next, followers)
    graph.add_conditional_edges("schedule", _sent, ["step", "ask", "review"])
    graph.add_edge("step", "review")
    graph.add_edge("confirm_plan", "heard")
    graph.add_edge("ask", "heard")
    graph.add_edge("finish", END)
    return graph


def _next(state: GraceState) -> str:
    assert "next" in state
    return state["next"]


def _sent(state: GraceState) -> str | list[Send]:
    """Every step that is ready at once, each with only what it needs."""
    if state.get("next") != "send":
        return _next(state)
    known = Known(state)
    running = set(state.get("running", []))
    return [
        Send("step", step_task(step, state))
        for step in ready(known.plan, known.results)
        if step.step_id in running
    ]
