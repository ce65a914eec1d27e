"""Small workflows that prove the engine and the front ends: plain, a graph, and all forms."""

from tests.workflows.approval import Approval
from tests.workflows.expenses import Expenses
from tests.workflows.intake import Intake

WORKFLOWS = (Expenses(), Approval(), Intake())
