"""All values of a text, whatever its language."""

from sanbo.agents.comparison.differences.spans import Span, apart, spans
from sanbo.agents.comparison.differences.values.english import english_values
from sanbo.agents.comparison.differences.values.japanese import japanese_values
from sanbo.agents.comparison.differences.values.model import Value


def values(text: str, without: tuple[Span, ...] = ()) -> list[Value]:
    """In the order of the text, disjoint; nothing that overlaps one of these spans."""
    found = apart(english_values(text), without)
    # `within 30 days` is one value, not also the number 30.
    found += apart(japanese_values(text), (*without, *spans(found)))
    found.sort(key=lambda value: value.start)
    return found
