"""Two small workflows that prove the engine: one plain, one a LangGraph graph."""

from tests.workflows.approval import Approval
from tests.workflows.expenses import Expenses

WORKFLOWS = (Expenses(), Approval())
