"""initialize → look_over … → select_next_chunk → call_model ⇄ execute_tools … → format_output."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from sanbo.agents.comparison.nodes import Nodes
from sanbo.agents.comparison.state import ComparisonState


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ComparisonState)
    graph.add_node("initialize", nodes.initialize)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("look_over", nodes.look_over)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("select_next_chunk", nodes.select_next_chunk)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("call_model", nodes.call_model)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("execute_tools", nodes.execute_tools)  # pyright: ignore[reportUnknownMemberType]
    graph.add_node("format_output", nodes.format_output)  # pyright: ignore[reportUnknownMemberType]
    graph.add_edge(START, "initialize")
    graph.add_edge("initialize", "look_over")
    graph.add_conditional_edges("look_over", _sheets_left, ["look_over", "select_next_chunk"])
    graph.add_conditional_edges("select_next_chunk", _more, ["call_model", "format_output"])
    graph.add_conditional_edges("call_model", _wants, ["execute_tools", "select_next_chunk"])
    graph.add_edge("execute_tools", "call_model")
    graph.add_edge("format_output", END)
    return graph


def _sheets_left(state: ComparisonState) -> str:
    return "look_over" if state.get("sheets_left") else "select_next_chunk"


def _more(state: ComparisonState) -> str:
    return "format_output" if state.get("current_chunk_a") is None else "call_model"


def _wants(state: ComparisonState) -> str:
    return "select_next_chunk" if state.get("turn") is None else "execute_tools"
