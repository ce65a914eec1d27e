"""Conditions on columns of yes and no: 遅延あり, 返品件数, shipments that were delayed."""

import re

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.reading import Conditions
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import form
from sanbo.agents.analysis.spec.filters import AnyOf, Compare

YES = ("yes", "true", "1", "○", "◯", "有", "あり", "はい", "済", "y", "可")
NO = ("no", "false", "0", "×", "無", "なし", "いいえ", "未", "n", "不可")
_SAYS_NO = re.compile(
    r"(?:が|は|の|も)?(?:なし|無し|無(?![一-龠])|のない|な(?:い|かった)(?!か)|しな(?:い|かった)|"
    r"(?:して|されて)い?な)"
)
_SAYS_YES = re.compile(
    r"(?:が|は|の|も)?(?:あり(?!ません|ますか)|有り|有(?![一-龠])|の?ある(?!か)|あった|した|"
    r"して(?:い)?る|された|されて(?:い)?る)|の?(?:発生)?(?:件数|回数)|(?:は|が)何件|"
    r"が(?:最も|一番|もっとも)?多"
)
_WORD = re.compile(
    r"(?:が|は|の|:|=|\s?is\s|\s)?\s?[「\"]?(?P<w>"
    + "|".join(sorted((one for one in (*YES, *NO) if not one.isdigit()), key=len, reverse=True))
    + r")(?![一-龠a-z])"
)
_NOT_BEFORE = re.compile(r"(?<![a-z])(?:not|never|non)[ -](?:been )?$")
_YES_BEFORE = re.compile(r"(?<![a-z])(?:were|was|are|been|got)(?: also)? $")


def yes_no_conditions(scene: Scene, table: Table, found: Conditions) -> None:
    """Not where a share is asked: its whole has both."""
    if lexicon.SHARE.search(scene.masked):
        return
    taken = {one.col for one in found.filters if not isinstance(one, AnyOf)}
    for mention in scene.columns:
        values = yes_and_no(table.columns[mention.column])
        if values is None or mention.column in taken or len(mention.columns) > 1:
            continue
        before, after = scene.masked[: mention.start], scene.masked[mention.end :]
        word = _WORD.match(after)
        if word:
            value = values[0] if word["w"] in YES else values[1]
        elif _SAYS_NO.match(after) or _NOT_BEFORE.search(before):
            value = values[1]
        elif _SAYS_YES.match(after) or _YES_BEFORE.search(before):
            value = values[0]
        else:
            continue
        found.filters.append(Compare(col=mention.column, op="==", value=value))
        found.used.add(mention.start)


def yes_and_no(column: ColumnProfile) -> tuple[str | bool, str | bool] | None:
    """How a column says yes and no, if it says nothing else."""
    if column.type == "boolean":
        return True, False
    if column.type != "text" or column.distinct != 2 or len(column.values) != 2:
        return None
    yes = next((value for value in column.values if form(value) in YES), None)
    no = next((value for value in column.values if form(value) in NO), None)
    return None if yes is None or no is None else (yes, no)
