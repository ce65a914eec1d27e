"""The schema, put together."""

from functools import partial
from typing import Any

import strawberry
from graphql import GraphQLError
from strawberry.extensions import MaxTokensLimiter
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from typing_extensions import override

from sanbo.api.graphql.limits import MOST_TOKENS, Problems, WithinLimits
from sanbo.api.graphql.resolvers import Mutation, Query, Subscription
from sanbo.kernel.problems import InvalidInput


class _Schema(strawberry.Schema):
    @override
    async def execute(self, *given: Any, **named: Any) -> ExecutionResult:
        """For one answer; what has several is streamed."""
        named["allowed_operation_types"] = (OperationType.QUERY, OperationType.MUTATION)
        try:
            return await super().execute(*given, **named)
        except InvalidOperationTypeError:
            raise InvalidInput("graphql_subscription") from None

    @override
    def process_errors(self, errors: list[GraphQLError], *_args: Any, **_named: Any) -> None:
        """`Problems` logs what is ours to know; a caller's mistake is no line in our log."""


def create_schema() -> strawberry.Schema:
    return _Schema(
        Query,
        Mutation,
        Subscription,
        extensions=[Problems, WithinLimits, partial(MaxTokensLimiter, max_token_count=MOST_TOKENS)],
    )
