"""Names and cells are text to be shown: never a formula, a template or a line break."""

import os
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from matplotlib.text import Text

from sanbo.agents.analysis.charts import draw
from sanbo.agents.analysis.charts.look import drawable, has_letter, shortened_apart, width
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.spec.filters import Compare
from sanbo.agents.analysis.spec.plots import Bar, Box, Hist, Line, Pie, PlotSpec, Scatter
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.agents.analysis.charts.tables import drawn, frame_of, names, sales

HOSTILE = [
    r"$\frac{1}{0}$",
    "$",
    "_hidden",
    "改行\nと\tタブ\x00\x1b[31m",
    "{0}{__class__}%s",
    "\u202e右から左",
    "①㈱髙﨑Ⅲ℡",
    "😀👍🏽🚀✅",
    "𠮷野家と한국과东京",
    "<script>alert(1)</script>",
    "長い" * 400,
]


def _frame(texts: list[str]) -> Frame:
    data = {"名\n$x$": texts, "値": list(range(1, len(texts) + 1))}
    return frame_of(data, {"名\n$x$": "text", "値": "integer"}, {"値": "$\n円"})


@pytest.mark.parametrize(
    "spec",
    [
        Bar(x="名\n$x$", y="値"),
        Bar(x="値", color="名\n$x$", stacked=True),
        Line(x="名\n$x$", y="値", title=r"$\badmath$ {0}"),
        Pie(x="名\n$x$", y="値", top_k=20),
        Box(x="名\n$x$", y="値"),
        Scatter(x="値", y="値", color="名\n$x$"),
        Hist(x="名\n$x$"),
    ],
    ids=lambda spec: spec.kind,
)
def test_hostile_text_is_drawn_as_text(spec: PlotSpec) -> None:
    frame = _frame(HOSTILE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a missing glyph or a bad formula would warn
        outcome = draw(spec, frame)
    for text in (outcome.figures[0].title, outcome.figures[0].alt, *map(str, outcome.notes)):
        assert text.isprintable()


def test_a_formula_is_never_typeset() -> None:
    made = drawn(Bar(x="名\n$x$", y="値"), _frame(["$a^2$", "b"]))
    texts = made.figure.findobj(Text)
    assert "$a^2$" in [text.get_text() for text in texts]
    assert not any(text.get_parse_math() for text in texts)


def test_the_table_keeps_the_cells_as_they_are() -> None:
    outcome = draw(Bar(x="名\n$x$", y="値"), _frame(["😀\n", "𠮷"]))
    assert [row[0] for row in outcome.figures[0].table.rows] == ["😀\n", "𠮷"]
    assert "〓" in outcome.notes[-1].text


def test_emoji_without_a_glyph_are_named() -> None:
    assert drawable("完了✅") == "完了[white heavy check mark]"
    assert drawable("①㈱髙﨑") == "①㈱髙﨑"
    assert drawable("𠮷野家") == "〓野家"


@given(st.text(max_size=60))
def test_any_text_becomes_one_line_that_the_fonts_can_show(text: str) -> None:
    shown = drawable(text)
    assert all(has_letter(letter) for letter in shown)
    assert "\n" not in shown
    assert drawable(shown) == shown


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=20, unique=True))
def test_shortened_names_stay_different(texts: list[str]) -> None:
    short = shortened_apart(texts, 20)
    assert len(set(short)) == len(texts)
    assert all(width(text) <= 20 for text in short)


@settings(
    max_examples=examples(20),
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # charts are slow to shrink
)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=8) | st.none(),
            st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(2**60), 2**60),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["bar", "line", "pie", "hist", "box", "scatter"]),
)
def test_any_table_gives_a_chart_or_a_reason(
    rows: list[tuple[str | None, float]], kind: str
) -> None:
    data = {"名": [name for name, _ in rows], "値": [float(value) for _, value in rows]}
    frame = frame_of(data, {"名": "text", "値": "number"})
    spec: PlotSpec = {
        "bar": Bar(x="名", y="値", color="名"),
        "line": Line(x="値", y="値"),
        "pie": Pie(x="名", y="値"),
        "hist": Hist(x="値"),
        "box": Box(x="名", y="値"),
        "scatter": Scatter(x="値", y="値", size="値"),
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with suppress(InvalidInput):  # its message and hint are a person's to read
            assert draw(spec, frame).figures[0].png.startswith(b"\x89PNG")


def _refused(spec: PlotSpec, frame: Frame) -> str:
    with pytest.raises(InvalidInput) as caught:
        draw(spec, frame)
    return caught.value.problem.message + caught.value.problem.hint


def test_negative_values_are_no_pie_but_a_bar() -> None:
    frame = frame_of({"名": ["a", "b"], "値": [1, -1]}, {"名": "text", "値": "integer"})
    assert "棒グラフ" in _refused(Pie(x="名", y="値"), frame)
    assert "棒グラフ" in _refused(Bar(x="名", y="値", normalized=True), frame)


def test_nothing_but_zeros_is_no_pie() -> None:
    frame = frame_of({"名": ["a", "b"], "値": [0, 0]}, {"名": "text", "値": "integer"})
    assert "合計が0" in _refused(Pie(x="名", y="値"), frame)


def test_a_pie_of_means_is_drawn_with_a_caution() -> None:
    outcome = draw(Pie(x="店舗", y="達成率", agg="mean"), sales())
    assert "割合は目安" in outcome.notes[0].text


def test_an_empty_column_is_refused_by_name() -> None:
    frame = frame_of({"名": ["a"], "空": [None]}, {"名": "text", "空": "empty"})
    assert "「空」" in _refused(Bar(x="名", y="空"), frame)
    assert "「空」" in _refused(Hist(x="空"), frame)


def test_words_are_no_heights() -> None:
    assert "「カテゴリ」は文字の列" in _refused(Bar(x="店舗", y="カテゴリ"), sales())


def test_months_of_a_column_of_words_are_refused() -> None:
    assert "日付の列ではない" in _refused(Bar(x="店舗", x_unit="month"), sales())


def test_a_filter_that_leaves_nothing_is_named() -> None:
    spec = Bar(x="店舗", filters=(Compare(col="店舗", op="==", value="札幌店"),))
    assert "札幌店" in _refused(spec, sales())


def test_conditions_stand_at_the_foot_of_the_chart() -> None:
    spec = Bar(x="店舗", filters=(Compare(col="店舗", op="==", value="新宿店"),))
    outcome = draw(spec, sales())
    assert (outcome.input_rows, outcome.used_rows) == (84, 42)


def test_too_many_names_for_a_scatter_are_refused() -> None:
    assert "51種類" in _refused(Scatter(x="名", y="値"), names(51))


def test_a_chart_leaves_no_file_behind(tmp_path: Path) -> None:
    code = (
        "from sanbo.agents.analysis.charts import warm_up\n"
        "import pathlib, sys\n"
        "warm_up()\n"
        "sys.exit(len(list(pathlib.Path('.').rglob('*'))))\n"
    )
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MPL")},
        **dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), str(tmp_path)),
        "PYTHONPATH": str(Path("src").resolve()),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False, timeout=120
    )
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []
