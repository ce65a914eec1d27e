"""Boxes never lie over each other, and wires keep to the space between them."""

from itertools import pairwise

import hypothesis.strategies as st
from hypothesis import given, settings

from sanbo.plans.drawing.figure import Figure, Item, Link, figure_of
from sanbo.plans.drawing.layout import Direction, Sheet, lay_out, width, wrapped
from sanbo.plans.drawing.svg import words_in
from tests.examples import examples
from tests.unit.plans.drawing.plans import INVOICES, NAMES, plan

WORDS = words_in("ja")


@st.composite
def figures(draw: st.DrawFn, most: int = 30) -> Figure:
    count = draw(st.integers(1, most))
    pairs = draw(
        st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=3 * count)
    )
    titles = draw(st.lists(st.text(max_size=60), min_size=count, max_size=count))
    items = tuple(
        Item((f"n{number}",), title, "form" if number % 5 == 0 else "block", "a.b")
        for number, title in enumerate(titles)
    )
    links = tuple(Link(a, b, "data") for a, b in sorted(pairs) if a != b)
    return Figure(items, links)


def check(sheet: Sheet) -> None:
    boxes = [(x, y, x + box.width, y + box.height) for (x, y), box in sheet.boxes]
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert min(left, top) >= -0.01
        assert right <= sheet.width + 0.01
        assert bottom <= sheet.height + 0.01
        for other in boxes[number + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart, (boxes[number], other)
    for wire in sheet.wires:
        for (x, y), (to_x, to_y) in pairwise(wire.points):
            for step in (2, 4, 6):
                point = (x + (to_x - x) * step / 8, y + (to_y - y) * step / 8)
                assert not any(
                    left < point[0] < right and top < point[1] < bottom
                    for left, top, right, bottom in boxes
                )
    for _, box in sheet.boxes:
        if box.inside is not None:
            check(box.inside)
            x, y = box.inside_at
            assert 0 <= x <= box.width - box.inside.width
            assert y + box.inside.height <= box.height


@settings(max_examples=examples(25))
@given(figures(), st.sampled_from(["down", "right"]))
def test_nothing_overlaps_whatever_depends_on_what(figure: Figure, direction: Direction) -> None:
    """Also in circles, which only a broken plan has: it is drawn so that they can be seen."""
    check(lay_out(figure, WORDS, direction))


def test_two_hundred_nodes_have_their_places() -> None:
    items = tuple(
        Item((f"n{n}",), f"手順{n} " + "長い名前" * (n % 9), "block", "a.b") for n in range(200)
    )
    links = [Link(n // 3, n, "data") for n in range(1, 150)]
    links += [Link(n, 199, "after") for n in range(100, 199)]
    sheet = lay_out(Figure(items, tuple(links)), WORDS)
    check(sheet)
    assert sheet.width < 2500, "rows go on below each other instead of growing without end"


def test_loops_and_subflows_hold_what_is_inside_them() -> None:
    figure = figure_of(plan(INVOICES), {"common/names": plan(NAMES)}, "ja")
    for direction in ("down", "right"):
        check(lay_out(figure, WORDS, direction))
    paths = [item.path for item in figure.everything()]
    assert ("each", "read") in paths
    assert ("names", "tidy") in paths


def test_the_same_plan_is_drawn_the_same_every_time() -> None:
    first, second = (lay_out(figure_of(plan(INVOICES)), WORDS) for _ in range(2))
    assert first == second


def test_a_plan_that_calls_itself_is_drawn_once() -> None:
    text = NAMES + "  - { id: again, type: subflow, call: { plan_id: names } }\n"
    figure = figure_of(plan(text), {"names": plan(text)})
    (outer,) = (item for item in figure.items if item.path == ("again",))
    assert outer.inside is not None
    assert [item.inside for item in outer.inside.items] == [None, None]


def test_a_plan_without_nodes_is_an_empty_sheet() -> None:
    assert lay_out(Figure((), ()), WORDS).boxes == ()


@settings(max_examples=examples(60))
@given(st.text(max_size=120), st.integers(1, 4))
def test_lines_fit_their_room(text: str, most: int) -> None:
    lines = wrapped(text, 13, 150, most)
    assert len(lines) <= most
    assert all(width(line, 13) <= 150 for line in lines)


def test_a_line_begins_with_no_sign_that_belongs_to_the_one_before() -> None:
    lines = wrapped("請求書を受け取り、内容を確認します。「重要」な点は、必ず控えます。", 10, 90, 9)
    assert "".join(lines).startswith("請求書を受け取り、")
    assert not any(line[0] in "、。」" for line in lines)


def test_what_does_not_fit_ends_in_an_ellipsis() -> None:
    assert wrapped("あ" * 100, 10, 100, 2)[-1].endswith("…")
