"""How a plan shows itself at the command line, whichever command goes on with it."""

from sanbo.cli.plan_progress import PlanProgress
from sanbo.cli.plan_view import show_failure, show_nodes, show_result
from sanbo.cli.workflow_view import WorkflowView

VIEW = WorkflowView(
    progress=PlanProgress,
    show_result=show_result,
    show_steps=show_nodes,
    show_failure=show_failure,
)
