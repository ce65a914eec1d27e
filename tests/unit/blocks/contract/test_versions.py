"""Version ranges as plans write them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semver import Version

from sanbo.blocks.contract.catalog import parse_range
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("1", ["1.0.0", "1.9.3"], ["0.9.0", "2.0.0"]),
        ("1.2", ["1.2.0", "1.2.9"], ["1.3.0", "1.1.0"]),
        ("1.x", ["1.0.0", "1.5.0"], ["2.0.0"]),
        ("1.2.3", ["1.2.3"], ["1.2.4"]),
        ("=1.2.3", ["1.2.3"], ["1.2.4"]),
        ("^1.2", ["1.2.0", "1.9.0"], ["1.1.9", "2.0.0"]),
        ("^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]),
        ("^0.0.3", ["0.0.3"], ["0.0.4"]),
        ("~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]),
        ("~1", ["1.0.0", "1.9.0"], ["2.0.0"]),
        (">=1,<2", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.9"]),
        (">=1.0 <1.5", ["1.0.0", "1.4.9"], ["1.5.0"]),
        (">1", ["2.0.0"], ["1.9.9"]),
        ("<=1", ["1.9.9"], ["2.0.0"]),
        ("*", ["0.0.1", "9.0.0"], []),
        ("", ["0.0.1", "9.0.0"], []),
    ],
)
def test_a_range_holds_what_it_should(text: str, inside: list[str], outside: list[str]) -> None:
    found = parse_range(text)
    assert all(Version.parse(version) in found for version in inside)
    assert not any(Version.parse(version) in found for version in outside)


@pytest.mark.parametrize("text", ["abc", "1.2.3.4", ">=", "1..2", "^", "1;2", "＞1"])
def test_what_is_no_range_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_range(text)
    assert text in refused.value.problem.message
    assert ">=1,<2" in refused.value.problem.hint


numbers = st.integers(min_value=0, max_value=40)


@settings(max_examples=examples(50))
@given(numbers, numbers, numbers)
def test_a_caret_holds_its_own_version_and_never_the_next_major(a: int, b: int, c: int) -> None:
    found = parse_range(f"^{a}.{b}.{c}")
    assert Version(a, b, c) in found
    assert Version(a + 1, 0, 0) not in found


@settings(max_examples=examples(50))
@given(st.text(max_size=20))
def test_no_text_breaks_the_reader_of_ranges(text: str) -> None:
    try:
        parse_range(text)
    except InvalidInput:
        return
