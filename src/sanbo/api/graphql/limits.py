"""How much one request may ask for, checked before anything is done; and errors as problems."""

import logging
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    OperationDefinitionNode,
    SelectionSetNode,
)
from strawberry.extensions import SchemaExtension
from strawberry.types.execution import StreamExecutionResult
from typing_extensions import override

from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import InvalidInput, SanboError, Unexpected

MOST_CHARACTERS = 1 << 17
MOST_TOKENS = 2_000
MOST_NESTING = 40
"""Brackets in brackets: a reader that goes down with each one has an end."""
MOST_DEPTH = 8
MOST_ALIASES = 5
"""Without an alias a field stands once in a request; so this bounds how often the same is done."""
MOST_REPEATS = 60
"""Fields that stand again beside themselves, and fragments: validation compares every two of them,
and a few kilobytes of `{runs{id} runs{id} …}` would keep it busy for seconds."""

_OPENING, _CLOSING = frozenset("{[("), frozenset("}])")


def is_nested_too_deep(query: str) -> bool:
    """Brackets inside texts count too: no request has that many of either."""
    depth = 0
    for character in query:
        if character in _OPENING:
            depth += 1
            if depth > MOST_NESTING:
                return True
        elif character in _CLOSING:
            depth -= 1
    return False


@dataclass
class _Size:
    depth: int = 0
    aliases: int = 0


@dataclass
class _Measure:
    fragments: Mapping[str, FragmentDefinitionNode]
    known: dict[str, _Size] = field(default_factory=dict[str, _Size])

    def of(self, selections: SelectionSetNode | None) -> _Size:
        size = _Size()
        for node in selections.selections if selections else ():
            inner = self._inside(node)
            size.depth = max(size.depth, inner.depth)
            size.aliases += inner.aliases
        return size

    def _inside(self, node: object) -> _Size:
        match node:
            case FieldNode():
                # Introspection is deep by nature; what it can reach is the schema alone.
                is_own = not node.name.value.startswith("__")
                inner = self.of(node.selection_set) if is_own else _Size()
                aliases = inner.aliases + (node.alias is not None)
                return _Size(depth=inner.depth + 1, aliases=aliases)
            case FragmentSpreadNode():
                return self._fragment(node.name.value)
            case _:
                return self.of(getattr(node, "selection_set", None))

    def _fragment(self, name: str) -> _Size:
        if name not in self.known:
            self.known[name] = _Size()  # one that spreads itself is refused elsewhere
            if name in self.fragments:
                self.known[name] = self.of(self.fragments[name].selection_set)
        return self.known[name]


def _repeats(selections: SelectionSetNode | None) -> int:
    repeats = 0
    names: set[str] = set()
    for node in selections.selections if selections else ():
        if isinstance(node, FieldNode):
            name = (node.alias or node.name).value
            repeats += name in names
            names.add(name)
        else:
            repeats += 1
        repeats += _repeats(getattr(node, "selection_set", None))
    return repeats


def _too_much(document: DocumentNode) -> Iterator[str]:
    """What a request has too much of, in words."""
    fragments = {
        each.name.value: each
        for each in document.definitions
        if isinstance(each, FragmentDefinitionNode)
    }
    measure = _Measure(fragments)
    operations = [
        each for each in document.definitions if isinstance(each, OperationDefinitionNode)
    ]
    sizes = [measure.of(operation.selection_set) for operation in operations]
    if any(size.depth > MOST_DEPTH for size in sizes):
        yield tell("graphql.too_deep", most=MOST_DEPTH)
    if any(size.aliases > MOST_ALIASES for size in sizes):
        yield tell("graphql.too_many_aliases", most=MOST_ALIASES)
    if sum(_repeats(each.selection_set) for each in (*operations, *fragments.values())) > (
        MOST_REPEATS
    ):
        yield tell("graphql.too_many_repeats", most=MOST_REPEATS)


class WithinLimits(SchemaExtension):
    @override
    def on_validate(self) -> Iterator[None]:
        """Before the rules of GraphQL: what is too much for us is too much for them as well."""
        context = self.execution_context
        if context.graphql_document is not None:
            errors = [GraphQLError(told) for told in _too_much(context.graphql_document)]
            context.pre_execution_errors = errors or None
        yield


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
        # pyrefly: ignore[missing-attribute]
        result.errors = [as_problem(error) for error in errors]
