"""Which rows a question is about: conditions on words, on parts of words, on yes and no."""

import re
import unicodedata
from dataclasses import dataclass, replace

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.date_conditions import date_conditions
from sanbo.agents.analysis.rules.mentions import ColumnMention
from sanbo.agents.analysis.rules.number_conditions import number_conditions, sign_conditions
from sanbo.agents.analysis.rules.reading import Conditions
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.values import ValueMention
from sanbo.agents.analysis.rules.yes_no import yes_no_conditions
from sanbo.agents.analysis.spec.filters import Among, Compare, Contains, Filter, Presence

_HOLDS = r"(?:含[むんみ]|含まれ(?!な|ず|ま)|入っ(?!ては?い?な|てま|てお)|入る|ある(?!か))"
_TEXT = r"[一-龠々ァ-ヶーa-z0-9]{1,20}"
_IN = r"(?:の?名(?:前|称)?|欄|列|の中|の文字)?に(?:は)?"
_SAID = r"(?:という|との)?(?:言葉|文字列?|単語|語)?"
_QUOTED = re.compile(rf"[「『\"“'](?P<t>[^「」『』\"”']{{1,60}})[」』\"”']{_SAID}[をがの]?{_HOLDS}")
_PLAIN = re.compile(rf"(?P<t>{_TEXT})[をがの]{_HOLDS}")
_ENGLISH = re.compile(
    r"(?<![a-z])(?<!not )(?<!n't )(?<!n’t )"
    r"(?:(?:contain(?:s|ing)?|includ(?:es|ing)|mention(?:s|ing)?)"
    r"(?: the (?:word|text))? [\"“'「](?P<q>[^\"”'」]{1,60})[\"”'」]"
    rf"|contain(?:s|ing)? (?P<t>{_TEXT})(?=$|[?.,、。]))"
)
_IN_BEFORE = re.compile(rf"{_IN}[「『\"“']?$")
_NAME_BEFORE = re.compile(r"(?:^|[、。, のは])(?:名前|名称|名)に(?:は)?[「『\"“']?$")
_COLUMN_AFTER = re.compile(r"(?:てい?る|た|む|でい?る|る|れる|い?る)?")
_LISTED = re.compile(r"(?:[」』\"”'][とや、,・か]|または|もしくは|あるいは| or | and )[「『\"“']?$")
_GROUPED = re.compile("別|ごと|毎")
_ENGLISH_NAME = re.compile(r"(?: names?| titles?)? (?:that |which )?$")

HOLDS = re.compile(
    r"含[むんみめ]|含まれ|[がのを]入っ(?:てい?る|た)|が入る|"
    r"(?<=[□◇])も?込み|が[つ付]く|(?<!◇)(?:で|から)始ま|(?<!◇)で終わ|"
    r"(?<![a-z])(?:start|begin|end)(?:s|ing)? with(?![a-z])|"
    r"(?<![a-z])(?:contain(?:s|ed|ing)?|includ(?:es?|ed|ing)|in (?:the|its|their) (?:name|title)s?)"
    r"(?![a-z])"
)
"""Words that say which rows by what they hold, or that something is taken in."""
HELD_CELLS = re.compile(
    r"(?:欠損値?|空欄|空白|外れ値|異常値|重複|負の値|マイナス)[をがの]?(?:含|入)[ぁ-ん]|"
    r"(?:contain(?:s|ing)?|includ(?:es|ing)) (?:any |the |a )?"
    r"(?:missing|blank|null|empty|outlier|duplicat)"
)


@dataclass(frozen=True, slots=True)
class Part:
    condition: Contains
    span: tuple[int, int]
    column: int
    """Where the column is named: it is no group there."""

    def covers(self, place: int) -> bool:
        return self.span[0] <= place < self.span[1]


def containment(scene: Scene, question: str, table: Table) -> Part | None:
    """None also where the column or the text can't be told: the words are unread then."""
    for pattern in (_QUOTED, _ENGLISH, _PLAIN):
        for found in pattern.finditer(scene.text):
            group = next(name for name, text in found.groupdict().items() if text)
            if _LISTED.search(scene.text[: found.start(group)]):
                return None
            mention = _column(scene, table, found, is_quoted=pattern is not _PLAIN)
            if mention is None:
                continue
            value = _as_written(found[group], question)
            condition = Contains(col=mention.column, op="contains", value=value)
            return Part(condition, found.span(), mention.start)
    return None


def _column(
    scene: Scene, table: Table, found: re.Match[str], *, is_quoted: bool
) -> ColumnMention | None:
    """The one beside it; for a quoted text also the only one that the question names."""
    texts = [
        one
        for one in scene.columns
        if table.columns[one.column].type == "text" and len(one.columns) == 1
    ]
    start, end = found.span()
    inside = [one for one in scene.columns if start <= one.start < end]
    before = [
        one
        for one in texts
        if one.end <= start
        and (
            _IN_BEFORE.fullmatch(scene.text[one.end : start])
            or _ENGLISH_NAME.fullmatch(scene.text[one.end : start])
        )
    ]
    if before and not inside:
        return before[-1]
    tail = _COLUMN_AFTER.match(scene.text, end)
    after = [one for one in texts if tail and end <= one.start <= tail.end()]
    if after and not inside and not _GROUPED.match(scene.masked[after[0].end :]):
        is_named = _NAME_BEFORE.search(scene.text[:start]) is not None
        is_first = not re.search(r"に(?:は)?[「『\"“']?$", scene.text[:start])
        if is_named or is_first:
            return after[0]
    if not is_quoted:
        return None
    named = {one.column for one in texts}
    if len(named) == 1:
        return texts[0]
    whole = [name for name in table.columns.of("category") if table.columns.is_unique(name)]
    return ColumnMention(-1, -1, (whole[0],), 6) if not named and whole else None


def _as_written(text: str, question: str) -> str:
    """As it stands in the question: a comparison goes by case and width too."""
    plain, places = "", list[int]()
    for place, character in enumerate(question):
        folded = unicodedata.normalize("NFKC", character).casefold()
        plain += folded
        places += [place] * len(folded)
    start = plain.find(text)
    return question[places[start] : places[start + len(text) - 1] + 1] if start >= 0 else text


def value_conditions(scene: Scene, table: Table, found: Conditions) -> None:
    named = {mention.column for mention in scene.columns}
    kept: dict[str, list[str]] = {}
    excluded: dict[str, list[str]] = {}
    for place, mention in reversed(list(enumerate(scene.values))):
        follower = scene.values[place + 1] if place + 1 < len(scene.values) else None
        column, value = _home(mention.found, named, table.columns)
        _qualified(scene, mention, column, found)
        if follower and _OR_LIST.fullmatch(scene.masked[mention.end : follower.start]):
            found.alternatives.add(column)
        side = excluded if scene.exclusions.has(mention) else kept
        side.setdefault(column, []).insert(0, value)
    for column, found_values in kept.items():
        values = list(dict.fromkeys(found_values))
        if column not in found.alternatives:
            found.values += [(column, value) for value in values]
        if len(values) == 1:
            found.filters.append(
                Compare(col=column, op="==", value=_typed(values[0], table, column))
            )
        else:
            found.filters.append(
                Among(
                    col=column,
                    op="in",
                    value=tuple(_typed(value, table, column) for value in values),
                )
            )
    for column, values in excluded.items():
        for value in dict.fromkeys(values):
            if value in kept.get(column, ()):
                found.homeless.append(value)  # asked for, and left out
            found.filters.append(Compare(col=column, op="!=", value=_typed(value, table, column)))


_OR_LIST = re.compile(r"\s?(?:または|もしくは|あるいは|か|,?\s?or)\s?(?:in |the )?")


_BESIDE = re.compile(r"\s?(?:が|は|の|=|:|「)?\s?|\s(?:is |of |was |= )?|\s?-\s?")


def _qualified(scene: Scene, mention: ValueMention, column: str, found: Conditions) -> None:
    """A column beside its own value only says what the value is: low priority, 店舗が新宿店."""
    for one in scene.columns:
        if column not in one.columns:
            continue
        if (
            one.end <= mention.start and _BESIDE.fullmatch(scene.masked[one.end : mention.start])
        ) or (
            mention.end <= one.start
            and re.fullmatch(r"[\s\-]", scene.masked[mention.end : one.start])
        ):
            found.used.add(one.start)


def _home(found: tuple[tuple[str, str], ...], named: set[str], columns: Columns) -> tuple[str, str]:
    """The column that the question names too, else the one with the fewest different values."""
    for column, value in found:
        if column in named:
            return column, value
    return min(found, key=lambda one: (columns.roles[one[0]] == "id", columns[one[0]].distinct))


def _typed(value: str, table: Table, column: str) -> str | bool:
    if table.columns[column].type == "boolean" and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value


def conditions(scene: Scene, question: str, table: Table, date_column: str | None) -> Conditions:
    found = Conditions()
    if part := containment(scene, question, table):
        found.filters.append(part.condition)
        found.used.add(part.column)
        found.read.append(part.span)
        outside = [one for one in scene.values if not part.covers(one.start)]
        scene = replace(scene, values=tuple(outside))
    value_conditions(scene, table, found)
    date_conditions(scene, table, date_column, found)
    number_conditions(scene, table, found)
    sign_conditions(scene, table, found)
    yes_no_conditions(scene, table, found)
    return found


def not_missing(columns: list[str]) -> list[Filter]:
    return [Presence(col=column, op="not_null") for column in columns]
