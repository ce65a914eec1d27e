"""Prompts go to the chosen provider and nowhere else.

LangChain sends every prompt and reply to LangSmith as soon as `LANGSMITH_TRACING` stands in the
environment, which a person may have set for another project. Sanbo's data must not follow it.
"""

from contextlib import AbstractContextManager

import langsmith
from langsmith.run_helpers import tracing_context  # pyright: ignore[reportUnknownVariableType]


def forbid_tracing() -> None:
    """For the whole process, also for graphs that run without a model."""
    langsmith.configure(enabled=False)


def untraced() -> AbstractContextManager[None]:
    """For one request, whatever the surrounding code has switched on."""
    return tracing_context(enabled=False)
