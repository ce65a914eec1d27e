import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.yaml_tree import MOST_DEPTH, YamlRefused, read_tree
from tests.examples import examples


def test_scalars_are_read_as_an_office_means_them() -> None:
    text = "a: no\nb: 0012\nc: 2024-05-01\nd: 1_000\ne: 12\nf: 1.5\ng: true\nh:\ni: '12'\nj: on\n"
    assert read_tree(text).value == {
        "a": "no",
        "b": "0012",
        "c": "2024-05-01",
        "d": "1_000",
        "e": 12,
        "f": 1.5,
        "g": True,
        "h": None,
        "i": "12",
        "j": "on",
    }


def test_a_reference_needs_no_quotes_even_in_braces() -> None:
    text = "when: {expr: ${confirm.approved}}\nin: {a: ${x.rows[0].金額}, b: [${y.z}, ${w}]}\n"
    assert read_tree(text).value == {
        "when": {"expr": "${confirm.approved}"},
        "in": {"a": "${x.rows[0].金額}", "b": ["${y.z}", "${w}"]},
    }


def test_positions_are_those_of_the_file() -> None:
    tree = read_tree("id: x\ngraph:\n  - id: a\n    in: {p: 1,\n         q: ${r.s}}\n")
    assert tree.marks.at("graph", 0, "in", "q") == (5, 10)
    assert tree.marks.value_at("graph", 0, "in", "q") == (5, 13)
    assert tree.marks.at("graph", 0) == (3, 5)
    assert tree.marks.at("graph", 0, "nothing", "deeper") == (3, 5)


def test_aliases_and_merges_are_data() -> None:
    text = "a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\n"
    assert read_tree(text).value == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 2},
        "c": {"x": 1, "y": 3},
    }


def test_a_key_that_stands_twice_is_told() -> None:
    tree = read_tree("a: 1\nb: {c: 1, c: 2}\n")
    assert tree.repeated == (("b", "c"),)


_LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (_LAUGHS, "yaml_expands"),
        ("a: &a [*a]", "yaml_expands"),
        ("a: !!python/object/apply:os.system ['id']", "yaml_tag_refused"),
        ("a: !include other.yaml", "yaml_tag_refused"),
        ("[" * 100_000, "yaml_too_deep"),
        ("{a: " * 100_000, "yaml_too_deep"),
        ("a: 1\n---\nb: 2\n", "yaml_several"),
        ("", "yaml_empty"),
        ("# only a comment\n", "yaml_empty"),
        ("? [a, b]\n: 1\n", "yaml_key"),
        ("a: 'not closed", "yaml_unreadable"),
        ("a: *nowhere", "yaml_unreadable"),
        ("a: \ue000", "yaml_unreadable"),
        ("x" * 2_000_001, "yaml_too_large"),
    ],
)
def test_what_is_more_than_data_is_refused(text: str, code: str) -> None:
    with pytest.raises(YamlRefused) as refused:
        read_tree(text)
    assert refused.value.code == code


def test_as_deep_as_is_allowed_is_read() -> None:
    assert read_tree("[" * MOST_DEPTH + "]" * MOST_DEPTH).value is not None


@settings(max_examples=examples(200))
@given(st.text(alphabet="ab: -[]{}&*!|>'\"#\n\t${}.,?<0~", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(YamlRefused):
        json.dumps(read_tree(text).value)


def test_a_key_that_overrides_a_merged_one_is_no_repetition() -> None:
    tree = read_tree("a: &a {x: 1}\nb: {<<: *a, x: 2}\nc: {x: 3, <<: *a}\n")
    assert tree.repeated == ()
    assert tree.value == {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 3}}


@pytest.mark.parametrize("text", ["1e999", "9" * 400, ".nan", "-.inf", "0x10", "1_000"])
def test_what_json_has_no_number_for_stays_text(text: str) -> None:
    assert read_tree(f"a: {text}").value == {"a": text}


def test_merging_takes_as_long_as_reading() -> None:
    """With a copy of what was merged for every key, this would take minutes."""
    keys = "".join(f" k{number}:\n" for number in range(60_000))
    many = f"a: &a\n{keys}b:\n <<: *a\n{keys}"
    assert read_tree(many).repeated == ()
