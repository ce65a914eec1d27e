"""Conditions in OData, in which a value stays a value, and queries in which a word stays a word."""

import re
from collections.abc import Iterable, Sequence

from sanbo.kernel.text import matching_form
from sanbo.retrieval.tokens import speakable

# One of these separates the values of a list: the first that stands in none of them.
_SEPARATORS = "|;,~^\u001e\u001f\ue000\ue001\ue002"
# What the query syntax reads as an operator; a dash only where it does not join two words.
_OPERATORS = re.compile(r"""[+|"()'*~\\&!{}\[\]^?<>=;]|(?<!\w)-|-(?!\w)""")
_WORD = re.compile(r"[^\W_]")
# A query may have some 1,000 terms.
_LONGEST_QUERY = 1_000


def equals(field: str, value: str) -> str:
    return f"{field} eq {_literal(value)}"


def one_of(field: str, values: Sequence[str]) -> str:
    """`search.in` takes thousands of values, `or` some hundred."""
    separator = next((char for char in _SEPARATORS if not any(char in v for v in values)), None)
    if len(values) == 1 or separator is None or "" in values:
        return " or ".join(equals(field, value) for value in values)
    return f"search.in({field}, {_literal(separator.join(values))}, {_literal(separator)})"


def any_is_one_of(collection: str, values: Sequence[str]) -> str:
    return f"{collection}/any(x: {one_of('x', values)})"


def all_hold(conditions: Iterable[str]) -> str | None:
    return " and ".join(f"({condition})" for condition in conditions) or None


def plain_words(query: str) -> str:
    """The query without operators, or "" where it has no word."""
    words = " ".join(_OPERATORS.sub(" ", speakable(query)[:_LONGEST_QUERY]).split())
    return words if _WORD.search(words) else ""


def folded_words(query: str) -> str:
    # Folded first: ＋ becomes an operator only then.
    return plain_words(matching_form(speakable(query)[:_LONGEST_QUERY]))


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
