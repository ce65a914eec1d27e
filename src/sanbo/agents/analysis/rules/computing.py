"""Which aggregate belongs to which column of a question."""

import re

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.parts import Played
from sanbo.agents.analysis.rules.reading import Measure
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit


def aggregates_in(masked: str, period_mean: TimeUnit | None) -> list[tuple[int, Aggregate]]:
    """Where each stands; words inside of a mean of periods are not theirs."""
    hidden = masked
    if period_mean:
        words = next(words for unit, words in lexicon.PERIOD_MEAN if unit == period_mean)
        hidden = words.sub(lambda found: "　" * len(found.group()), masked)
    found: list[tuple[int, Aggregate]] = []
    for name, words in lexicon.AGGREGATES.items():
        for match in words.finditer(hidden):
            found.append((match.start(), name))
    return sorted(found)


def measures_in(
    played: list[Played], aggregates: list[tuple[int, Aggregate]], marked: Scene
) -> tuple[list[Measure], list[Aggregate]]:
    """Each aggregate goes to the column that it stands beside."""
    columns = [one for one in played if one.part in ("measure", "versus")]
    if not columns:
        return [], list(dict.fromkeys(name for _, name in aggregates))
    own: dict[str, list[Aggregate]] = {one.column: [] for one in columns}
    loose: list[Aggregate] = []
    for place, name in aggregates:
        target = _beside(place, columns, marked) if len(own) > 1 else columns[0]
        if target is None:
            loose.append(name)
        elif name not in own[target.column]:
            own[target.column].append(name)
    if len(own) > 1 and loose:
        for names in own.values():
            if not names:
                names.extend(name for name in loose)
        loose = []
    if len(own) > 1 and len({name for _, name in aggregates}) == 1 and aggregates:
        for names in own.values():  # 売上と数量の合計
            if not names:
                names.append(aggregates[0][1])
    measures = [
        Measure(column, name) for column, names in own.items() for name in (names or [None])
    ]
    return measures, loose


def _beside(place: int, columns: list[Played], marked: Scene) -> Played | None:
    text = marked.masked
    if text[place].isascii():  # average sales, average of sales
        following = next((one for one in columns if one.mention.start > place), None)
        if following and re.fullmatch(
            r"[a-z.]*[\s(]*(?:of |for |in )?(?:the |all |its )*",
            text[place : following.mention.start],
        ):
            return following
    for one in columns:  # 売上の合計
        if one.mention.end <= place and re.fullmatch(
            r"(?:の|\s|別の|ごとの)?", text[one.mention.end : place]
        ):
            return one
    for one in columns:  # 平均売上, average of sales
        if place < one.mention.start and re.fullmatch(
            r"[a-z.]*[\s(]*(?:of )?(?:the )?(?:all )?|(?:合計|平均|最大|最小|総)?の?",
            text[place : one.mention.start],
        ):
            return one
    earlier = [one for one in columns if one.mention.end <= place]
    if earlier and re.search("[ぁ-ん一-龠]", text[earlier[-1].mention.end : place] or "の"):
        return earlier[-1]
    return next((one for one in columns if one.mention.start > place), None)
