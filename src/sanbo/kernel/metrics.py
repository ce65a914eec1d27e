"""What a process counts while it works, for whoever watches over it, in Prometheus's text format.

Counting costs less than a microsecond, and nothing is kept but sums. Labels have few values, which
the code or the settings give: never what people sent.
"""

import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

_lock = threading.Lock()
_all: "list[Counter | Histogram]" = []

Labels = tuple[str, ...]


class Counter:
    def __init__(self, name: str, help_text: str, *labels: str) -> None:
        self.name, self.help_text, self.labels = name, help_text, labels
        self._sums: dict[Labels, float] = {}
        _all.append(self)

    def add(self, *values: str, by: float = 1) -> None:
        with _lock:
            self._sums[values] = self._sums.get(values, 0) + by

    def lines(self) -> Iterator[str]:
        yield from heading(self.name, self.help_text, "counter")
        with _lock:
            sums = dict(self._sums) if self.labels else {(): 0.0, **self._sums}
        for values, total in sorted(sums.items()):
            yield line(self.name, zip(self.labels, values, strict=True), total)


class Histogram:
    """Of durations in seconds."""

    def __init__(self, name: str, help_text: str, bounds: Sequence[float]) -> None:
        self.name, self.help_text = name, help_text
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0
        _all.append(self)

    def observe(self, seconds: float) -> None:
        place = bisect_left(self._bounds, seconds)
        with _lock:
            self._counts[place] += 1
            self._sum += seconds

    def lines(self) -> Iterator[str]:
        yield from heading(self.name, self.help_text, "histogram")
        with _lock:
            counts, total = list(self._counts), self._sum
        bounds = (*(f"{bound:g}" for bound in self._bounds), "+Inf")
        for bound, count in zip(bounds, accumulate(counts), strict=True):
            yield line(f"{self.name}_bucket", (("le", bound),), count)
        yield line(f"{self.name}_sum", (), total)
        yield line(f"{self.name}_count", (), sum(counts))


def gauge(
    name: str, help_text: str, samples: Iterable[tuple[dict[str, str], float]]
) -> Iterator[str]:
    """What is looked up when somebody asks."""
    yield from heading(name, help_text, "gauge")
    for labels, value in samples:
        yield line(name, labels.items(), value)


def counted() -> Iterator[str]:
    for each in _all:
        yield from each.lines()


def heading(name: str, help_text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def line(name: str, labels: Iterable[tuple[str, str]], value: float) -> str:
    written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{written}}} {value:.17g}" if written else f"{name} {value:.17g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
