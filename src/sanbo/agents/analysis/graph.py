"""The graph: START → reason → act | out_of_scope | report | END, act → reason, report → END."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from sanbo.agents.analysis.nodes import Nodes
from sanbo.agents.analysis.state import AnalysisState


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    # pyrefly: ignore[bad-specialization]
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(AnalysisState)
    graph.add_node("reason", nodes.reason)
    graph.add_node("act", nodes.act)
    graph.add_node("out_of_scope", nodes.out_of_scope)
    graph.add_node("report", nodes.report)
    graph.add_edge(START, "reason")
    graph.add_conditional_edges("reason", _route, ["act", "out_of_scope", "report", END])
    graph.add_edge("act", "reason")
    graph.add_edge("out_of_scope", "reason")
    graph.add_edge("report", END)
    return graph


def _route(state: AnalysisState) -> str:
    match state.get("next_action"):
        case "act":
            return "act"
        case "out_of_scope":
            return "out_of_scope"
        case "finalize":
            return "report"
        case _:
            return END
