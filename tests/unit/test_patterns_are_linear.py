"""No regular expression of the product takes longer than its text is long."""

import re
from collections.abc import Callable

import pytest

from sanbo.blocks.ai.values import as_amount
from sanbo.documents.extract import format_of
from sanbo.documents.model import Source
from sanbo.language.figures import find
from tests.patterns.automaton import automaton_of, has_loops
from tests.patterns.measurement import Growth, cpu_seconds, growth
from tests.patterns.pumps import recipes
from tests.patterns.sites import collected

_CRLF_LINES = r"(?:[^\n]*\r?\n)*x"


def test_every_regular_expression_of_the_product_is_linear() -> None:
    collection = collected()
    print(f"{len(collection.found)} patterns in {len(collection.modules)} modules")
    assert not collection.uncovered, "declare these in tests/patterns/declared.py:\n" + "\n".join(
        collection.uncovered
    )
    slow: list[str] = []
    for key, found in collection.found.items():
        compiled = re.compile(key.pattern, key.flags)
        uses = found.uses or {"finditer"}
        for use in sorted(uses - {"search"} if "finditer" in uses else uses):
            if worst := _superlinear(compiled, use):
                times = ", ".join(f"{one:.4f} s" for one in worst.seconds) or "over the budget"
                places = ", ".join(sorted(found.places))
                slow.append(f"{places}\n  {key.pattern!r} ({use})\n  {worst.recipe}: {times}")
    assert not slow, f"{len(slow)} superlinear patterns:\n" + "\n".join(slow)


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"(a+)+$", "match"),
        (r"(a*)*b", "match"),
        (r"(\w+\s?)+:", "match"),
        (r"(?:千億|千|億)+x", "match"),
        (_CRLF_LINES, "match"),
        (r"\s*\s*x", "match"),
        (r"^\s*(.*?)\s*$", "match"),
        (r"(?:(?!x.*y).)*z", "match"),
        (r"\s+$", "search"),
        (r"[^x]*x", "search"),
        (r"(?<!\d)\d[\d,]*円", "search"),
        (r"\d++円", "search"),
        (r"<!--.*?-->", "search"),
        (r"a(?=.*b)", "search"),
        (r"a(?:.*b)?", "finditer"),
        (r"(.)\1*x", "search"),
        (r"\d+円", "match at"),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, use: str) -> None:
    assert _superlinear(re.compile(pattern), use)


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"(?<!\d)\d+円", "search"),
        (r"\b\w+@\w+", "search"),
        (r"(?<!\d)\d++円", "search"),
        (r"\d{1,20}円", "search"),
        (r'"[^"]*"', "finditer"),
        (r"<!--[^-]*-->", "match"),
        (r"\d+円", "match"),
        (r"(?>a+)b", "match"),
        (r"(?:[^\r\n]*\r?\n)*x", "match"),
        (r"a(?:.*b)?", "search"),
        (r"(?m)^#+ ", "search"),
        (r"(?:千億|千(?!億)|億)+x", "match"),
    ],
)
def test_a_linear_pattern_is_left_alone(pattern: str, use: str) -> None:
    assert not _superlinear(re.compile(pattern), use)


def _superlinear(pattern: re.Pattern[str] | re.Pattern[bytes], use: str) -> Growth | None:
    if not has_loops(pattern):
        return None
    automaton = automaton_of(pattern, searching=use not in {"match", "fullmatch"})
    for recipe in recipes(automaton):
        measured = growth(pattern, use, recipe)
        if measured is not None and not measured.is_linear:
            return measured
    return None


@pytest.mark.parametrize("lines", [26, 2000])
def test_a_list_of_addresses_with_windows_line_ends_is_told_from_a_mail(lines: int) -> None:
    def told(times: int) -> None:
        data = b"https://example.com/a\r\n" * lines * times
        assert format_of(Source(name="list.txt", data=data)) == "text"

    _assert_linear(told)


def test_a_number_with_many_sizes_is_read_in_linear_time() -> None:
    _assert_linear(lambda times: list(find(f"売上が1{'千億' * 20 * times}の行")))


def test_an_amount_behind_many_blanks_is_read_in_linear_time() -> None:
    _assert_linear(lambda times: as_amount(f"金{' ' * 10_000 * times}x"))


def _assert_linear(work: Callable[[int], object]) -> None:
    """Four times as much takes four times as long, with room for what else the machine does."""

    def least(times: int, budget: float) -> float:
        tries = (cpu_seconds(lambda: work(times), budget=budget) for _ in range(3))
        return min(seconds for seconds in tries if seconds is not None)

    assert least(4, budget=8.0) < 12 * max(least(1, budget=2.0), 0.002)
