"""A question about a table, as the next turn of the conversation."""

from typing import cast

from sanbo.kernel.problems import SanboError
from sanbo.runs.model import JsonObject
from sanbo.service.catalog import ANALYSIS
from sanbo.ui import connection
from sanbo.ui.analysis import place
from sanbo.ui.analysis.place import ChosenTable
from sanbo.ui.conversations import Refused, begin, forget_refused, refuse


def ask(question: str, table: ChosenTable) -> None:
    """A widget's callback: begins a run, or keeps what stands against it."""
    connection.speak()
    question = question.strip()
    if not question:
        return
    here = place.here()
    forget_refused()
    given = cast("JsonObject", {"question": question, **table.model_dump(mode="json")})
    try:
        here.settle(begin(ANALYSIS, here.key, given, here.conversation_id))
    except SanboError as error:
        refuse(Refused(here.key, question, error.problem))
