"""Charts an office can put into a report: nothing runs into anything, everything can be read."""

import warnings
from io import BytesIO
from itertools import combinations, pairwise

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from sanbo.agents.analysis.charts import draw
from sanbo.agents.analysis.charts.look import colours
from sanbo.agents.analysis.charts.picture import Picture
from sanbo.agents.analysis.spec.plots import Bar, Box, Hist, Line, Pie, PlotSpec, Scatter
from sanbo.kernel.messages import use_language
from tests.examples import spread
from tests.unit.agents.analysis.charts.tables import drawn, frame_of, names, sales

EVERY_KIND: list[PlotSpec] = [
    Bar(x="店舗", y="売上"),
    Bar(x="日付", x_unit="month", y="売上", color="カテゴリ", stacked=True),
    Bar(x="日付", x_unit="month", y="売上", facet="店舗"),
    Line(x="日付", x_unit="month", y="売上", color="店舗"),
    Line(x="日付", y="売上"),
    Pie(x="カテゴリ"),
    Hist(x="売上", color="カテゴリ"),
    Hist(x="達成率", facet="店舗"),
    Scatter(x="達成率", y="売上", color="店舗", size="達成率"),
    Scatter(x="日付", y="売上"),
    Box(x="店舗", y="売上", color="カテゴリ"),
    Box(x="日付", x_unit="month", y="売上"),
]


def _visible(texts: list[Text]) -> list[Bbox]:
    return [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]


def _texts(made: Picture) -> list[str]:
    return [text.get_text() for text in made.figure.findobj(Text) if text.get_text()]


def _ticks(made: Picture, axis: str = "x") -> list[str]:
    made_axis = getattr(made.figure.axes[0], f"{axis}axis")
    return [label.get_text() for label in made_axis.get_ticklabels()]


def _run_into_each_other(made: Picture) -> bool:
    """Upright or level labels only: the boxes of turned ones overlap, their letters do not."""
    for axes in made.figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            labels = [label for label in axis.get_ticklabels() if label.get_rotation() in (0, 90)]
            if any(one.overlaps(other) for one, other in pairwise(_visible(labels))):
                return True
    return False


@pytest.mark.parametrize("language", ["ja", pytest.param("en", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("spec", EVERY_KIND, ids=lambda spec: spec.kind)
def test_no_label_runs_into_the_next_one(spec: PlotSpec, language: str) -> None:
    with use_language("ja" if language == "ja" else "en"):
        assert not _run_into_each_other(drawn(spec, sales()))


@pytest.mark.parametrize("count", spread([1, 5, 13, 31, 50], 2))
@pytest.mark.parametrize("text", ["店{}", "とても長い部署名と役職名のある担当者{}"])
def test_names_of_any_number_and_length_can_be_read(count: int, text: str) -> None:
    made = drawn(Bar(x="名", y="値"), names(count, text))
    assert not _run_into_each_other(made)
    shown = [label for label in _ticks(made) + _ticks(made, "y") if label[:1] in "店と"]
    assert len(set(shown)) == count


def test_turned_labels_keep_a_line_of_distance() -> None:
    made = drawn(Line(x="名", y="値"), names(30, "部署の名前{}"))
    labels = [label for label in made.figure.axes[0].get_xticklabels() if label.get_text()]
    assert labels[0].get_rotation() > 0
    starts = [label.get_window_extent().x1 for label in labels]
    assert min(after - before for before, after in pairwise(starts)) > 17


def test_ten_years_of_months_are_thinned_out_not_crowded() -> None:
    months = [f"{2015 + n // 12}-{n % 12 + 1:02}-01" for n in range(120)]
    frame = frame_of({"日": months, "値": range(120)}, {"日": "date", "値": "integer"})
    made = drawn(Line(x="日", x_unit="month", y="値"), frame)
    assert not _run_into_each_other(made)
    assert 5 <= len([label for label in _ticks(made) if label]) <= 20


@pytest.mark.parametrize("spec", spread(EVERY_KIND, 4), ids=lambda spec: spec.kind)
def test_everything_stands_on_the_sheet(spec: PlotSpec) -> None:
    made = drawn(spec, sales())
    sheet = made.figure.bbox
    for text in _on_sheet(made):
        box = text.get_window_extent()
        assert box.x0 >= sheet.x0 - 1, text.get_text()
        assert box.x1 <= sheet.x1 + 1, text.get_text()
        assert box.y0 >= sheet.y0 - 1, text.get_text()
        assert box.y1 <= sheet.y1 + 1, text.get_text()


def _on_sheet(made: Picture) -> list[Text]:
    found = [*made.figure.texts]
    for legend in made.figure.legends:
        found += legend.get_texts()
    for axes in made.figure.axes:
        if not axes.get_visible():
            continue
        found += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            # Ticks beyond the ends of an axis exist, but are not drawn.
            seen = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            found += [tick.label1 for tick in seen]
    return [text for text in found if text.get_text() and text.get_visible()]


def test_a_title_and_a_legend_never_meet() -> None:
    spec = Bar(x="店舗", y="売上", color="カテゴリ", title="とても長い題名です。" * 30)
    made = drawn(spec, sales())
    title = next(text for text in made.figure.texts if text.get_text().startswith("とても"))
    assert not title.get_window_extent().overlaps(made.figure.legends[0].get_window_extent())


def test_large_amounts_are_in_ten_thousands_and_the_axis_says_so() -> None:
    made = drawn(Bar(x="店舗", y="売上"), sales())
    assert made.figure.axes[0].get_ylabel() == "売上の合計（万円）"
    assert "500" in _ticks(made, "y")


def test_very_large_amounts_are_in_hundred_millions() -> None:
    data = {"名": ["a", "b"], "売上": [3_000_000_000, 12_000_000_000]}
    frame = frame_of(data, {"名": "text", "売上": "currency"}, {"売上": "円"})
    assert drawn(Bar(x="名", y="売上"), frame).figure.axes[0].get_ylabel() == "売上（億円）"


def test_a_unit_that_counts_in_thousands_is_kept() -> None:
    data = {"名": ["a", "b"], "売上": [3_000_000, 12_000_000]}
    frame = frame_of(data, {"名": "text", "売上": "currency"}, {"売上": "千円"})
    made = drawn(Bar(x="名", y="売上"), frame)
    assert made.figure.axes[0].get_ylabel() == "売上（千円）"
    assert "10,000,000" in _ticks(made, "y")


def test_a_unit_in_the_name_is_not_said_twice() -> None:
    frame = frame_of(
        {"名": ["a"], "単価(円)": [5]}, {"名": "text", "単価(円)": "integer"}, {"単価(円)": "円"}
    )
    assert drawn(Bar(x="名", y="単価(円)"), frame).figure.axes[0].get_ylabel() == "単価（円）"


def test_years_have_no_thousands_separator() -> None:
    data = {"年": list(range(1990, 2020)), "値": list(range(30))}
    frame = frame_of(data, {"年": "integer", "値": "integer"})
    assert "2,000" not in _texts(drawn(Line(x="年", y="値"), frame))
    assert "2000" in _texts(drawn(Line(x="年", y="値"), frame))


def test_ratios_are_shown_as_percentages() -> None:
    made = drawn(Bar(x="店舗", y="達成率"), sales())
    assert made.figure.axes[0].get_ylabel() == "達成率の平均（%）"
    assert "60" in _ticks(made, "y")


def test_weekdays_are_written_out() -> None:
    made = drawn(Bar(x="日付", x_unit="weekday", y="売上"), sales())
    assert _ticks(made) == ["月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"]


def test_bars_start_at_zero() -> None:
    low, _ = drawn(Bar(x="名", y="値"), names(3)).figure.axes[0].get_ylim()
    assert low == 0


def test_colours_differ_also_in_brightness_for_those_who_see_no_colour() -> None:
    def brightness(colour: str) -> float:
        red, green, blue = to_rgb(colour)
        return 0.299 * red + 0.587 * green + 0.114 * blue

    assert all(brightness(colour) < 0.75 for colour in colours(7))  # none pale on white
    assert len(set(colours(21))) == 21
    assert all(one != other for one, other in combinations(colours(8, rest_is_last=True), 2))


def test_lines_differ_in_their_markers_too() -> None:
    lines = drawn(Line(x="日付", x_unit="month", y="売上", color="カテゴリ"), sales()).figure.axes[
        0
    ]
    assert len({line.get_marker() for line in lines.lines if len(line.get_xdata()) > 2}) == 3  # type: ignore[arg-type]


def test_a_period_without_rows_breaks_the_line_and_is_told_of() -> None:
    days = ["2025-01-05", "2025-02-05", "2025-04-05", "2025-05-05"]
    frame = frame_of({"日": days, "値": [1, 2, 3, 4]}, {"日": "date", "値": "integer"})
    outcome = draw(Line(x="日", x_unit="month", y="値"), frame)
    assert [row[0] for row in outcome.figures[0].table.rows] == [
        "2025-01",
        "2025-02",
        "2025-04",
        "2025-05",
    ]
    assert outcome.notes[0].text.startswith("データのない期間が1あり")


def test_no_more_than_twelve_panels() -> None:
    outcome = draw(Bar(x="名", y="値", facet="名"), names(20))
    assert outcome.figures[0].table.row_count == 12
    assert "全20項目のうち、件数の多い12項目" in outcome.notes[0].text


@pytest.mark.parametrize("spec", EVERY_KIND, ids=lambda spec: spec.kind)
def test_a_png_of_a_fixed_size_without_missing_letters(spec: PlotSpec) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = draw(spec, sales()).figures[0].png
    with Image.open(BytesIO(made)) as image:
        assert image.size == (1200, 700)
    assert len(made) < 300_000


def test_a_theme_of_another_library_changes_nothing() -> None:
    before = draw(Bar(x="店舗", y="売上"), sales())
    theme = {"font.family": ["serif"], "axes.facecolor": "black", "text.parse_math": True}
    with mpl.rc_context(theme):  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
        assert draw(Bar(x="店舗", y="売上"), sales()) == before
