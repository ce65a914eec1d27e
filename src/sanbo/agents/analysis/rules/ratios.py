"""One named number through another: ratio of cost to sales, 目標に対する実績の割合."""

import re

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.reading import Formula
from sanbo.agents.analysis.rules.scene import Scene

_RATE_AFTER = re.compile(r"の?[一-龠]{0,4}(?:比率|割合|率|比(?![べ較例]))")
_TO = re.compile(r"\s(?:to|over|and)\s(?:the |total )*")
_RATIO_BEFORE = re.compile(r"(?<![a-z])ratios? (?:of|between) (?:the |total )*$")
_OF = re.compile(
    r"\sas an? (?:share|percentage|percent|fraction|proportion|ratio|%) of (?:the |total )*"
    r"|\s?/\s?|\sper (?:total )?"
)


def ratio_named(scene: Scene, columns: Columns) -> Formula | None:
    """Both columns stand beside each other, with words that say what goes through what."""
    for one, other in zip(scene.columns, scene.columns[1:], strict=False):
        first, second = one.column, other.column
        if first == second or not (columns.is_measure(first) and columns.is_measure(second)):
            continue
        if not columns.is_numeric(first) or not columns.is_numeric(second):
            continue
        before, after = scene.masked[: one.start], scene.masked[other.end :]
        between = scene.masked[one.end : other.start]
        if (between in ("に対する", "に対しての") and _RATE_AFTER.match(after)) or re.fullmatch(
            r"1?(?:あたり|当たり|当り)の", between
        ):
            return _through(second, first)
        if (
            (between == "の" and re.match(r"に対する(?:比率|割合|率|比)", after))
            or (between in ("と", "対") and re.match(r"の(?:比率|割合|比(?![べ較例]))", after))
            or (_RATIO_BEFORE.search(before) and _TO.fullmatch(between))
            or (re.fullmatch(r"[-\s]to[-\s]", between) and re.match(r"\sratio", after))
            or (_OF.fullmatch(between) and not columns.is_few(second))
        ):
            return _through(first, second)
    return None


def _through(left: str, right: str) -> Formula:
    return Formula(f"{left} ÷ {right}", "divide", left, right)
