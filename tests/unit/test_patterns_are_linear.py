"""Patterns whose time grows faster than their text are found."""

import re

import pytest

from tests.patterns.automaton import automaton_of
from tests.patterns.measurement import Growth, growth
from tests.patterns.pumps import recipes

_CRLF_LINES = r"(?:[^\n]*\r?\n)*x"


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
    automaton = automaton_of(pattern, searching=use not in {"match", "fullmatch"})
    for recipe in recipes(automaton):
        measured = growth(pattern, use, recipe)
        if measured is not None and not measured.is_linear:
            return measured
    return None
