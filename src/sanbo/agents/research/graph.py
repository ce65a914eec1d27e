"""retrieve → decide → (retrieve | answer); a model that has read may search again."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from sanbo.agents.research.nodes import Nodes
from sanbo.agents.research.state import ResearchState


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ResearchState)
    graph.add_node("retrieve", nodes.retrieve)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("decide", nodes.decide)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("answer", nodes.answer)  # pyright: ignore[reportUnknownMemberType]
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "decide")
    graph.add_conditional_edges("decide", _next, ["retrieve", "answer"])
    graph.add_conditional_edges("answer", _after_answer, ["retrieve", END])
    return graph


def _next(state: ResearchState) -> str:
    return "retrieve" if state.get("stop_reason") is None else "answer"


def _after_answer(state: ResearchState) -> str:
    return "retrieve" if state.get("stop_reason") is None else END
