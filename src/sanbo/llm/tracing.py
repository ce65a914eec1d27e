"""Prompts go to the chosen provider and nowhere else.

LangChain sends every prompt and reply to LangSmith as soon as `LANGSMITH_TRACING` stands in the
environment, which a person may have set for another project. Sanbo's data must not follow it.
"""

from contextlib import AbstractContextManager

# LangSmith takes half a second to load, and is in the process by the time that it matters.


def forbid_tracing() -> None:
    """For the whole process, also for graphs that run without a model."""
    import langsmith  # noqa: PLC0415

    langsmith.configure(enabled=False)


def untraced() -> AbstractContextManager[None]:
    """For one request, whatever the surrounding code has switched on."""
    from langsmith.run_helpers import (  # noqa: PLC0415
        tracing_context,  # pyright: ignore[reportUnknownVariableType]
    )

    return tracing_context(enabled=False)
