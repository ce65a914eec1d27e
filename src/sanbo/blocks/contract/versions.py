"""Ranges of versions, as plans write them after `@`: `1`, `^1.2`, `~1.2.3`, `>=1,<2`, `1.4.0`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from semver import Version

from sanbo.kernel.problems import InvalidInput

_COMPARISONS: dict[str, Callable[[Version, Version], bool]] = {
    ">=": lambda version, bound: version >= bound,
    "<=": lambda version, bound: version <= bound,
    ">": lambda version, bound: version > bound,
    "<": lambda version, bound: version < bound,
    "=": lambda version, bound: version == bound,
}
_PART = re.compile(
    r"""
    (?P<operator> \^ | ~ | >= | <= | > | < | ==? )? \s*
    v?(?P<major>\d{1,9}) (?: \.(?P<minor>\d{1,9}|[x*]) (?: \.(?P<patch>\d{1,9}|[x*])
    (?P<suffix> -[0-9A-Za-z.-]+ )? (?: \+[0-9A-Za-z.-]+ )? )? )?
    """,
    re.VERBOSE,
)
_ANY = frozenset({"", "*", "x", "latest"})


@dataclass(frozen=True)
class Bound:
    comparison: str
    version: Version

    def holds(self, version: Version) -> bool:
        return _COMPARISONS[self.comparison](version, self.version)


@dataclass(frozen=True)
class Range:
    """Versions that fit every bound; without any, all versions do."""

    text: str
    bounds: tuple[Bound, ...] = ()

    def __contains__(self, version: Version) -> bool:
        return all(bound.holds(version) for bound in self.bounds)

    @property
    def wants_prerelease(self) -> bool:
        return any(
            bound.version.prerelease and bound.comparison in ("=", ">=", ">")
            for bound in self.bounds
        )


def parse_range(text: str) -> Range:
    """`InvalidInput` "block_range_invalid" for what is not a range."""
    written = text.strip()
    if written in _ANY:
        return Range(written)
    bounds: list[Bound] = []
    for piece in re.split(r",\s*+|(?<!\s)\s++(?=[<>=^~])", written):
        part = _PART.fullmatch(piece.strip())
        if part is None:
            raise InvalidInput("block_range_invalid", range=text)
        bounds += _bounds(part)
    return Range(written, tuple(bounds))


def _bounds(part: re.Match[str]) -> list[Bound]:
    operator = part["operator"] or ""
    numbers = [int(each) for each in _numbers(part)]
    major, minor, patch = [*numbers, 0, 0][:3]
    lowest = Version(major, minor, patch, (part["suffix"] or "")[1:] or None)
    match operator:
        case "^":
            return [Bound(">=", lowest), Bound("<", _next_incompatible(numbers))]
        case "~":
            return [Bound(">=", lowest), Bound("<", _after(numbers[:2]))]
        case ">" | "<=" if len(numbers) < 3:  # `>1` means 2 and newer, `<=1` all of 1
            return [Bound(">=" if operator == ">" else "<", _after(numbers))]
        case ">" | "<" | ">=" | "<=":
            return [Bound(operator, lowest)]
        case _ if len(numbers) == 3:
            return [Bound("=", lowest)]
        case _:
            return [Bound(">=", lowest), Bound("<", _after(numbers))]


def _numbers(part: re.Match[str]) -> list[str]:
    """`1.x` is `1`."""
    found = [part["major"], part["minor"], part["patch"]]
    kept: list[str] = []
    for number in found:
        if number is None or number in "x*":
            break
        kept.append(number)
    return kept


def _after(numbers: list[int]) -> Version:
    """The first version that no longer begins with these numbers."""
    *head, last = numbers
    major, minor, patch = [*head, last + 1, 0, 0][:3]
    return Version(major, minor, patch)


def _next_incompatible(numbers: list[int]) -> Version:
    """`^`: up to the next change of the first number that is not 0."""
    for position, number in enumerate(numbers):
        if number:
            return _after(numbers[: position + 1])
    return _after(numbers)
