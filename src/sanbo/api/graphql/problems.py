"""Errors as GraphQL reports them: `extensions` holds the problem, and nothing of ours leaks."""

import logging
import secrets
from collections.abc import Iterator
from typing import cast

from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.types.execution import StreamExecutionResult
from typing_extensions import override

from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput, SanboError, Unexpected

logger = logging.getLogger(__name__)


def as_problem(error: GraphQLError) -> GraphQLError:
    """The error with its problem in the caller's language."""
    cause = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    match cause:
        case None:
            told = InvalidInput("graphql_invalid", reason=error.message[:500])
        case SanboError():
            told = cause
        case _:
            told = _unexpected(cause)
    problem = told.problem.in_language(current_language())
    return GraphQLError(
        problem.message,
        nodes=error.nodes,
        source=error.source,
        positions=error.positions,
        path=error.path,
        extensions=problem.model_dump(
            mode="json", include={"code", "message", "hint", "details", "recoverable"}
        ),
    )


def _unexpected(error: Exception) -> Unexpected:
    """A defect of ours: the caller gets a reference, the log everything else."""
    reference = secrets.token_hex(6)
    logger.error("GraphQL failed (reference %s)", reference, exc_info=error)
    return Unexpected("api_unexpected", reference=reference)


class Problems(SchemaExtension):
    _streams = False

    @override
    def on_operation(self) -> Iterator[None]:
        yield
        if not self._streams:
            _tell(self.execution_context.result)

    @override
    def on_stream_result(self, result: StreamExecutionResult) -> Iterator[None]:
        self._streams = True
        _tell(result)
        yield


def _tell(result: object) -> None:
    errors = cast("list[GraphQLError] | None", getattr(result, "errors", None))
    if errors:
        result.errors = [as_problem(error) for error in errors]  # pyright: ignore[reportAttributeAccessIssue]
