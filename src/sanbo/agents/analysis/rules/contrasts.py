"""Conditions beyond single values: column against column, cells filled, rates of yes and no."""

import re

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.mentions import ColumnMention
from sanbo.agents.analysis.rules.reading import Contrast, Fill
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import bare, form, name_words, stem
from sanbo.agents.analysis.rules.yes_no import YES
from sanbo.agents.analysis.spec.filters import CompareOp

_AFTER: tuple[tuple[re.Pattern[str], CompareOp], ...] = (
    (re.compile(r"以上"), ">="),
    (re.compile(r"以下"), "<="),
    (re.compile(r"未満|を下回|より(?:も)?(?:少な|低|小さ|短|安|下)|に満たな|を割"), "<"),
    (re.compile(r"を上回|を超え|を超過|より(?:も)?(?:多|高|大き|長|上)|超"), ">"),
)
_BETWEEN_JA = re.compile(r"(?:の方|のほう)?(?:が|は)")
_BETWEEN_EN: tuple[tuple[re.Pattern[str], CompareOp], ...] = (
    (
        re.compile(
            r"\s(?:is |are |was |were |has |that is |falls? )?(?:below|under|less "
            r"than|lower than|smaller than|fewer than)(?: the| its| their)?\s"
        ),
        "<",
    ),
    (
        re.compile(
            r"\s(?:is |are |was |were |has |that is )?(?:above|over|more than|"
            r"greater than|higher than|exceed(?:s|ed|ing)?|larger than)(?: the| "
            r"its| their)?\s"
        ),
        ">",
    ),
)


def contrast(scene: Scene, columns: Columns) -> Contrast | None:
    """在庫数が発注点を下回っている, stock below the reorder point."""
    for one in scene.columns:
        if columns.is_numeric(one.column) and (op := _against_mean(scene, one)):
            return Contrast(one.column, op, None)
    for one, other in zip(scene.columns, scene.columns[1:], strict=False):
        if not columns.is_numeric(one.column) or not columns.is_numeric(other.column):
            continue
        between, after = scene.masked[one.end : other.start], scene.masked[other.end :]
        if _BETWEEN_JA.fullmatch(between):
            for words, op in _AFTER:
                if words.match(after):
                    return Contrast(one.column, op, other.column)
        for words, op in _BETWEEN_EN:
            if words.fullmatch(between):
                return Contrast(one.column, op, other.column)
    return None


_MEAN_AFTER = re.compile(r"(?:の?方)?(?:が|は)(?:全体の|全)?平均(?:値|点|額)?(?P<j>.{0,7})")
_MEAN_ENGLISH = re.compile(
    r"\s(?:is |are |was |were |that is )?(?P<e>above|over|higher than|more than|greater than|"
    r"below|under|lower than|less than)(?: the)?(?: overall)? (?:average|mean)(?![a-z])"
)
_MEAN_BEFORE = re.compile(r"(?<![a-z])(?P<e>above|below)[- ](?:the )?average $")


def _against_mean(scene: Scene, mention: ColumnMention) -> CompareOp | None:
    """運賃が平均より高い, above-average fares."""
    after = scene.masked[mention.end :]
    if found := _MEAN_AFTER.match(after):
        return next((op for words, op in _AFTER if words.match(found["j"])), None)
    found = _MEAN_ENGLISH.match(after) or _MEAN_BEFORE.search(scene.masked[: mention.start])
    if found is None:
        return None
    return "<" if found["e"] in ("below", "under", "lower than", "less than") else ">"


FILL = re.compile(
    r"(?:欠損|空欄|空白|欠測)(?:値|セル)?(?:を|は|には)?(?P<j>平均値?|中央値|"
    r"最頻値|0|ゼロ|直前の値|前の値|ひとつ前の値)(?:で|に|を)(?:埋め|補完|補っ|"
    r"補い|置き?換え|入れ)"
    r"|(?:fill(?:ing)?(?: in)?|imput(?:e|ing)|replac(?:e|ing))(?: the| any| all)* "
    r"(?:missing|blank|empty|null)[a-z ■]{0,30} (?:with|by|using)(?: the| a)? "
    r"(?P<e>mean|average|median|mode|0|zero|previous|last)"
)


def filling(masked: str) -> Fill | None:
    found = FILL.search(masked)
    if found is None:
        return None
    word = found["j"] or found["e"]
    if word.startswith("平均") or word in ("mean", "average"):
        return Fill("mean")
    if word in ("中央値", "median"):
        return Fill("median")
    if word in ("最頻値", "mode"):
        return Fill("mode")
    return Fill("constant", 0) if word in ("0", "ゼロ", "zero") else Fill("forward")


_RATE = re.compile(r"(?P<j>[一-龠ァ-ヶー]{2,10}?)率|(?<![a-z])(?P<e>[a-z]{4,}) rates?(?![a-z])")


def _is_akin(token: str, word: str) -> bool:
    """escalated and escalation, returned and return."""
    return token.startswith(word[: max(4, len(word) - 4)])


def rate_of(text: str, table: Table) -> tuple[str, str] | None:
    """返品率 and return rate, where a column says yes or no of it: that column and its yes."""
    columns = table.columns
    for found in _RATE.finditer(text):
        word = found["j"] or stem(found["e"])
        for profile in columns.table.columns:
            if profile.distinct != 2 or profile.type not in ("text", "boolean"):
                continue
            name, tokens = bare(profile.name), name_words(profile.name)
            is_named = (
                name.startswith(word)
                if found["j"]
                else any(_is_akin(token, word) for token in tokens)
            )
            yes = next((value for value in profile.values if form(value) in YES), None)
            if is_named and yes is not None:
                return profile.name, yes
    return None
