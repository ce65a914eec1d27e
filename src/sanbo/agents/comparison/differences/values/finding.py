"""All values of a text, whatever its language."""

import re

from sanbo.agents.comparison.differences.spans import Span, apart, spans
from sanbo.agents.comparison.differences.values.english import english_values
from sanbo.agents.comparison.differences.values.japanese import japanese_values
from sanbo.agents.comparison.differences.values.model import Value


def values(text: str, without: tuple[Span, ...] = ()) -> list[Value]:
    """In the order of the text, disjoint; nothing that overlaps one of these spans."""
    english = apart(english_values(text), without)
    # `within 30 days` is one value, not also the number 30.
    found = apart(japanese_values(text), (*without, *spans(english)))
    if english:
        found = sorted((*english, *found), key=lambda value: value.start)
    return [_signed(text, value) for value in found] if _ANY_MINUS.search(text) else found


_ANY_MINUS = re.compile("[-−－△▲]")
_MINUS = re.compile("(?<![0-9A-Za-z０-９Ａ-Ｚａ-ｚ%％)）一-鿿])[-−－△▲](?=[0-9０-９¥￥$])")


def _signed(text: str, value: Value) -> Value:
    """△500,000 and -5% with their sign."""
    before = value.start - 1
    if value.kind != "amount" or before < 0 or _MINUS.match(text, before) is None:
        return value
    return Value(before, value.end, value.kind, lambda: f"-{value.meaning}")
