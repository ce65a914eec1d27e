"""A date as people write it for a condition, as the moments between which a value must lie."""

from dataclasses import dataclass

import numpy as np

from sanbo.agents.analysis.spec.written_spans import Days, Months, written_span


@dataclass(frozen=True)
class Span:
    """From `start` up to, not including, `end`; both of microseconds without a zone."""

    start: np.datetime64
    end: np.datetime64


def read_span(text: str, fiscal_start: int = 4) -> Span | None:
    match written_span(text, fiscal_start):
        case None:
            return None
        case Months(first, count):
            edges = (np.datetime64(number, "M") for number in (first, first + count))
            return Span(*(edge.astype("datetime64[us]") for edge in edges))
        case Days(first, count):
            start = np.datetime64(first, "us")
            return Span(start, start + np.timedelta64(count, "D"))
        case moment:
            start = np.datetime64(moment.replace(tzinfo=None), "us")
            return Span(start, start + np.timedelta64(1, "us"))
