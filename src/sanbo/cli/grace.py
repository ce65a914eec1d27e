"""How GRACE shows itself at the command line, whichever command goes on with it."""

from sanbo.cli.grace_progress import GraceProgress
from sanbo.cli.grace_question import field_to_ask, show_matter, show_ways_to_answer
from sanbo.cli.grace_view import show_answer
from sanbo.cli.workflow_view import WorkflowView

VIEW = WorkflowView(
    progress=GraceProgress,
    show_result=show_answer,
    show_matter=show_matter,
    show_ways_to_answer=show_ways_to_answer,
    field_to_ask=field_to_ask,
)
