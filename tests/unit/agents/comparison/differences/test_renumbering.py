from collections.abc import Sequence

import pytest

from sanbo.agents.comparison.differences.changes import changes_of
from sanbo.agents.comparison.differences.renumbering import only_renumbered
from sanbo.agents.comparison.differences.tokens import read
from sanbo.agents.comparison.model import Change, Link

from .documents import link, pair

Paragraphs = Sequence[tuple[str, str]]


def compared(old: Paragraphs, new: Paragraphs, links: Sequence[Link]) -> dict[str, Change]:
    changes = changes_of(pair(old, new, links), [], number=0, language="ja")
    return {id: change for change in changes for id in (*change.old, *change.new)}


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("第八条　届け出る。", "第九条　届け出る。", True),
        ("２　前項の規定は、", "３　前項の規定は、", True),
        ("第三条の二　第五条第一項により、", "第四条　第六条第二項により、", True),
        ("②　届け出る。", "２　届け出る。", True),
        ("Section 3. See Section 5.2.", "Section 4. See Section 6.2.", True),
        ("第八条　届け出る。", "第九条　通知する。", False),
        ("第八条　30日以内", "第八条　60日以内", False),
        ("昭和二十二年法律第四十九号", "昭和二十二年法律第五十号", False),
        ("第八条の規定", "第八条第一項の規定", False),
        ("第三者に渡す", "第四者に渡す", False),
        ("前条の規定", "次条の規定", False),
    ],
)
def test_only_numbers_of_places_count_as_renumbering(old: str, new: str, same: bool) -> None:
    assert only_renumbered(read(old), read(new)) is same


OLD: Paragraphs = [
    ("第一条", "第一条　目的を定める。"),
    ("第二条", "第二条　会費は、前条の目的に充てる。"),
    ("第三条", "第三条　第二条の会費を納めない者は、除名する。"),
    ("第三条第二項", "２　前項の除名は、民法第九十条による。"),
]
LINKS = [link("A1", "B1"), link("A2", "B3"), link("A3", "B4"), link("A4", "B5")]


def renewed(third: str, fourth: str = "２　前項の除名は、民法第九十条による。") -> Paragraphs:
    """With a new second article, so that what was the second is the third."""
    return [
        ("第一条", "第一条　目的を定める。"),
        ("第二条", "第二条　名称を定める。"),
        ("第三条", "第三条　会費は、第一条の目的に充てる。"),
        ("第四条", third),
        ("第四条第二項", fourth),
    ]


def test_a_reference_that_followed_its_article_is_renumbering() -> None:
    new = renewed("第四条　第三条の会費を納めない者は、除名する。")
    change = compared(OLD, new, LINKS)["A3"]
    assert (change.kind, change.flags) == ("renumbered", ())
    assert "第三条から第四条に番号が変わりました。" in change.explanation


def test_a_reference_to_another_article_is_flagged_and_still_renumbering() -> None:
    change = compared(OLD, renewed("第四条　第一条の会費を納めない者は、除名する。"), LINKS)["A3"]
    assert (change.kind, change.flags) == ("renumbered", ("reference",))
    assert (change.flag_details[0].old, change.flag_details[0].new) == ("第二条", "第一条")


def test_a_reference_that_was_left_behind_is_flagged() -> None:
    change = compared(OLD, renewed("第四条　第二条の会費を納めない者は、除名する。"), LINKS)["A3"]
    assert (change.kind, change.flags) == ("renumbered", ("reference",))
    assert "元のままです" in change.explanation


def test_a_reference_left_behind_is_flagged_where_the_text_itself_is_unchanged() -> None:
    old: Paragraphs = [*OLD, ("", "第二条の会費は、返さない。")]
    new: Paragraphs = [*renewed("第四条　除名する。"), ("", "第二条の会費は、返さない。")]
    change = compared(old, new, [*LINKS, link("A5", "B6")])["A5"]
    assert (change.kind, change.flags) == ("unchanged", ("reference",))
    assert change.explanation


def test_a_reference_into_another_law_must_stay() -> None:
    third = "第四条　第三条の会費を納めない者は、除名する。"
    kept = compared(OLD, renewed(third), LINKS)["A4"]
    assert (kept.kind, kept.flags) == ("unchanged", ())
    other = renewed(third, "２　前項の除名は、民法第九十一条による。")
    lost = compared(OLD, other, LINKS)["A4"]
    assert (lost.kind, lost.flags) == ("renumbered", ("reference",))


def test_in_a_changed_text_references_that_followed_need_no_attention() -> None:
    followed = compared(OLD, renewed("第四条　第三条の会費を納めない人は、除名する。"), LINKS)["A3"]
    assert (followed.kind, followed.flags) == ("changed", ())
    strayed = compared(OLD, renewed("第四条　第一条の会費を納めない人は、除名する。"), LINKS)["A3"]
    assert (strayed.kind, strayed.flags) == ("changed", ("reference",))


def test_a_relative_reference_that_became_a_number_is_followed() -> None:
    change = compared(OLD, renewed("第四条　除名する。"), LINKS)["A2"]
    assert (change.kind, change.flags) == ("changed", ())


def test_english_references_are_followed_too() -> None:
    old: Paragraphs = [("1", "1. Fees are due."), ("2", "2. Section 1 survives.")]
    new: Paragraphs = [
        ("1", "1. Terms are defined."),
        ("2", "2. Fees are due."),
        ("3", "3. Section 2 survives."),
    ]
    links = [link("A1", "B2"), link("A2", "B3")]
    assert compared(old, new, links)["A2"].flags == ()
    stale = [*new[:2], ("3", "3. Section 1 survives.")]
    assert compared(old, stale, links)["A2"].flags == ("reference",)
