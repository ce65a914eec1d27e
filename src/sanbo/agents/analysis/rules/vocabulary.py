"""Everyday English words, which are no slips of a column's name and rarely a value. Data only."""

from typing import Final

EVERYDAY: Final = frozenset(
    """a about across add after against all also amount an and any are as asc ascending at average avg axis bar bars be
    best between bin bins bottom box broken but by can chart charts color colored colour column columns compare
    compared count counts create data dataset date day days desc descending describe did different display distinct
    distribution do does down draw each every excluding except find first for from generate get give graph greater group
    grouped had has have help high higher highest histogram how i in into is it its just know larger largest last least
    less like line list low lower lowest make many mark max maximum me mean median min minimum month monthly months more
    most much my need no not number numbers of on one only or order out over overview per percent percentage pie plot
    plots please points quarter ratio record records relation relationship render row rows scatter scatterplot select
    separate series share show showing small smaller sort sorted split stacked standard sum summary table than that the
    their them there these this those through time times to top total totals trend under unique up use value
    values variable vary versus view visualization visualize vs want was we week were what when where which while who why
    will with without x y year years yearly you your
    segmented categorized grouped classified partitioned average correlation correlations deviation statistics missing duplicates outliers forecast predict report question
    month weekday weekend january february march april may june july august september october november december
    """.split()
)

LONE_WORDS: Final = frozenset("a an and as at by for from in is of on or the to with".split())
"""That never name a column when they stand alone."""
