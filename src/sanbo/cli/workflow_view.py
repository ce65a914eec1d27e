"""What a workflow brings to the command line beside its own command.

Whatever goes on with a run, `runs answer` as well as the command that began it, shows it alike.
A workflow without a view, or without a part of it, is shown by what every run has.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from sanbo.cli.progress import Progress
    from sanbo.runs.model import Interaction, JsonObject, Requirement, Run

_MODULES = {"grace": "sanbo.cli.grace", "plan": "sanbo.cli.plan"}


@dataclass(frozen=True)
class WorkflowView:
    progress: type[Progress]
    show_result: Callable[[Run], None]
    """The result on standard output, what to do with it on standard error."""
    show_matter: Callable[[Console, Interaction], None] | None = None
    """What a person should know before answering."""
    show_ways_to_answer: Callable[[Console, Run, Interaction], None] | None = None
    """The commands that answer, where there is nobody to ask."""
    field_to_ask: Callable[[Requirement, JsonObject], Requirement | None] | None = None
    """A field as it is asked after what was answered already; None where it is not needed."""
    show_steps: Callable[[Console, Run], None] | None = None
    """How far it has come, step by step."""
    show_failure: Callable[[Run], None] | None = None
    """How to go on with a run that has failed."""


def view_of(workflow: str) -> WorkflowView | None:
    """Imported when it is needed: it loads the service, and help need not wait for that."""
    module = _MODULES.get(workflow)
    return None if module is None else importlib.import_module(module).VIEW
