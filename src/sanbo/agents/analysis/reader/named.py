"""What a word of the word table names by itself, whatever else is said: an overview, a method."""

import re
from collections.abc import Sequence

from sanbo.agents.analysis.building.frame import Frame, Group, Measure
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.mentions.senses import Item

_OPERATIONS = ("overview", "normality", "cohort", "normalize")
"""For which the networks have no words."""
_PARETO, _FISCAL = "pareto", "fiscal_year"
_SAY_MORE = frozenset(("value", "part", "literal", "number", "when"))
_METHODS = {
    "by_zscore": "zscore", "by_iqr": "iqr", "pearson": "pearson", "spearman": "spearman",
    "kendall": "kendall", "test.t": "t", "test.welch": "welch", "test.anova": "anova",
    "test.mann_whitney": "mann_whitney", "test.kruskal": "kruskal", "test.ks": "ks",
}  # fmt: skip
_OF = {
    "outliers": ("zscore", "iqr"),
    "correlation": ("pearson", "spearman", "kendall"),
    "test": ("t", "welch", "anova", "mann_whitney", "kruskal", "ks"),
}
_COUNTED = frozenset(("bins", "buckets", "bands", "intervals", "階級", "等分", "ビン"))
_DIGIT = re.compile(r"\d")
_BY_DECADE = re.compile(
    r"(?:年代|世代)(?:別|ごと|毎)|\bby (?:decade|age (?:group|bracket|band))s?\b"
)
_STEPS = ("dedup", "fill_mean", "fill_median")
_STACKED = ("stacked", "normalized")
_STACKED_BARS = ("積み上げ", "積上", "stack")
"""In the name of a chart."""


def named_frame(items: Sequence[Item], scene: Scene) -> Frame | None:
    """None where no operation is named, or something says which rows are meant."""
    words = _words(items)
    op = next((name for name in (*_OPERATIONS, _PARETO) if name in words), None)
    if op is None or any(item.sense.kind in _SAY_MORE for item in items):
        return None
    columns = list(dict.fromkeys(item.sense.name for item in items if item.sense.kind == "column"))
    numbers = [name for name in columns if scene.columns[name].is_measure]
    rest = [name for name in columns if name not in numbers and not scene.columns[name].is_date]
    if op == _PARETO:
        groups, figures = [Group(name) for name in rest], [Measure(one, "sum") for one in numbers]
        is_one = len(groups) == 1 and len(figures) < 2
        return Frame(is_share=True, measures=figures, groups=groups) if is_one else None
    if op == "overview":
        return None if columns else Frame(op=op)
    return Frame(op=op, columns=numbers, groups=[Group(name) for name in rest])


def with_named(frame: Frame, items: Sequence[Item]) -> Frame:
    """The method, a preparation, or the look of a chart."""
    words = _words(items)
    fitting = _OF.get(frame.op or "", ())
    frame.method = next((how for word in words if (how := _METHODS.get(word)) in fitting), None)
    is_apart = frame.op != "duplicates" and {"duplicates", "exclude"} <= {*words}
    frame.steps = [word for word in _STEPS if word in words or (word == "dedup" and is_apart)]
    frame.groups = [_in_business_years(one, words) for one in frame.groups]
    if frame.chart == "hist" and (bins := _bins(items)):
        frame.bins, frame.groups = bins, [one for one in frame.groups if one.width is None]
    is_stacked = any(word in words for word in _STACKED) or any(
        sign in item.text for item in items for sign in _STACKED_BARS
    )
    frame.is_stacked = frame.chart == "bar" and is_stacked
    frame.is_cross, frame.is_apart = "pivot" in words, "facet" in words
    return frame


def in_full(question: str, scene: Scene) -> str:
    """年代別, by age group: the steps of ten years that are meant."""
    ages = [one.name for one in scene.columns.values() if "age" in one.concepts and one.is_measure]
    if len(ages) != 1 or _DIGIT.search(question):
        return question
    said = f"by {ages[0]} in steps of 10" if question.isascii() else f"{ages[0]}10歳ごと"
    return _BY_DECADE.sub(said, question)


def _in_business_years(group: Group, words: Sequence[str]) -> Group:
    """年度別, by fiscal year."""
    is_told = any(word.endswith(_FISCAL) for word in words)
    return group._replace(unit=_FISCAL) if group.unit == "year" and is_told else group


def _bins(items: Sequence[Item]) -> dict[str, float]:
    """In 8 bins; in bins of 5, bin width 5, 5刻み."""
    at = next((at for at, item in enumerate(items) if item.sense.name == "bins"), None)
    near = range(0) if at is None else range(max(0, at - 2), min(len(items), at + 4))
    numbers = [one for one in near if items[one].sense.kind == "number"]
    figure = items[numbers[0]].sense.figure if at is not None and len(numbers) == 1 else None
    if at is None or figure is None or not figure.value:
        return {}
    is_counted = numbers[0] < at and items[at].text in _COUNTED
    return {"bins" if is_counted else "width": float(figure.value)}


def _words(items: Sequence[Item]) -> list[str]:
    return [item.sense.name for item in items if item.sense.kind == "word"]
