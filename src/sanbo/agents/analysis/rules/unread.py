"""Conditions and ratios that a question states and nothing read: left out, they would mislead."""

import re
from collections.abc import Sequence

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.conditions import HELD_CELLS, HOLDS
from sanbo.agents.analysis.rules.contrasts import FILL
from sanbo.agents.analysis.rules.number_conditions import WITHOUT_ZERO
from sanbo.agents.analysis.rules.parts import WIDTH
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.rules.synonyms import EVERYDAY
from sanbo.agents.analysis.rules.wording import form
from sanbo.agents.analysis.rules.yes_no import NO
from sanbo.agents.analysis.spec.filters import AnyOf, Compare, Filter, Presence

_NEGATION = re.compile(r"[一-龠ァ-ヶー■]{0,6}[ぁ-ん]{0,2}?[てでけさ]い?ない(?:[一-龠]{1,4}|■)")
_VERB = re.compile(
    r"how many (?:■+|[a-z]+)(?: have| has| were| was| had| got| who| that)* "
    r"(?P<w>[a-z]{3,}ed)(?![a-z])"
)
_OF_EVERY_ROW = frozenset(
    ("placed", "recorded", "registered", "listed", "reported", "included", "ordered", "created")
)
_PER = re.compile(r"[^\s、。のをはが]{0,8}(?:あたり|当たり|当り)")
_RATE = re.compile(r"(?<![a-z])(?P<w>[a-z]{3,20}) rates?(?![a-z])")

_RATE_OF_COLUMN = re.compile(r"(?<!■)■+率")
_NUMBER = re.compile(r"(?<![a-z\d.])\d[\d,]*(?:\.\d+)?[一-龠%ァ-ヶー]{0,4}")
_NUMBERS_READ = (
    lexicon.TOP,
    lexicon.BOTTOM,
    lexicon.TOP_PERCENT,
    lexicon.BINS,
    lexicon.PARETO,
    lexicon.NORMALIZED,
    lexicon.MOST,
    lexicon.LEAST,
    lexicon.PANELS,
    WIDTH,
    FILL,
    WITHOUT_ZERO,
    lexicon.OLDEST,
    lexicon.YOUNGEST,
    *lexicon.AGGREGATES.values(),
    *lexicon.TESTS.values(),
    *(words for _, words in lexicon.PERIOD_MEAN),
    *(words for _, _, words in lexicon.GROWTH),
    re.compile(
        r"(?:1|一)?\s?(?:m2|[^\s、。\d]{0,6})(?:あたり|当たり|当り)|(?<!\d)1(?:つずつ|つ|枚|行|列)|"
        r"(?<!\d)[1-9](?:つ|軸|変数|群|列|項目|者|社間|店間)(?:の|で)|"
        r"per 1(?!\d)|[「『\"“'][^」』\"”']{1,60}[」』\"”']|に[^\s、。]{2,20}(?:を|が)(?:含|入っ)|"
        r"[(（]\d[)）]|^\d{1,2}[.)、]"
    ),
)


def _without_bounds(scene: Scene) -> str:
    left = list(scene.masked)
    for bound in scene.bounds:
        left[bound.start : bound.end] = "▽" * (bound.end - bound.start)
    return "".join(left)


def unread_numbers(scene: Scene) -> tuple[str, ...]:
    """賞与が3倍以上, score 9 or 10: a number that nothing made use of."""
    plain = _without_bounds(scene)
    for expression in _NUMBERS_READ:
        plain = expression.sub("　", plain)
    return tuple(found.group() for found in _NUMBER.finditer(plain))


_NAME = re.compile(r"(?<=[a-z,] )[A-Z][A-Za-z\-]{2,}")


def unread_names(masked: str, question: str) -> tuple[str, ...]:
    """Average price in Canada, where no row is of Canada."""
    if not question.isascii() or question.istitle() or question.isupper():
        return ()
    names = {
        form(name)
        for name in _NAME.findall(question)
        if re.search(rf"(?<![a-z■□◇]){re.escape(form(name))}(?![a-z])", masked)
    }
    return tuple(sorted(name for name in names if name not in EVERYDAY and not _is_said(name)))


def _is_said(word: str) -> bool:
    return any(
        one.fullmatch(word) for one in (*_SAID, *(words for _, words in lexicon.CHARTS))
    ) or any(one.fullmatch(word) for one in lexicon.AGGREGATES.values())


_SAID = (
    lexicon.TREND,
    lexicon.PARETO,
    lexicon.PIVOT,
    lexicon.CORRELATION,
    lexicon.SPEARMAN,
    lexicon.KENDALL,
    lexicon.TEST,
    lexicon.SHARE,
    lexicon.COUNT,
    lexicon.DISTRIBUTION,
    lexicon.OUTLIERS,
    *lexicon.TESTS.values(),
)
_SUM = re.compile(
    r"(?:を|で)(?:足した|足し合わせ|引いた|差し引い|掛けた|かけ合わせ|掛け合わせた|割った)"
)


def unread_sums(masked: str) -> tuple[str, ...]:
    """AとBを足した, where no such sum was made."""
    found = _SUM.search(masked)
    return (found.group()[1:],) if found else ()


_VAGUE = re.compile(
    r"(?<!より)(?:若|古|新し|大き|小さ|長|短|安|高|多|少な|低|早|遅)い"
    r"(?=[■□一-龠]{1,8}(?:(?:の|における)[■一-龠平]|は何))"
)
_CLAUSE = re.compile(
    r"(?<![a-z])(?:who|that|which)(?: have| has| had| were| was| are| is| did| do)*"
    r"(?: not| never| been)* (?P<w>[a-z]{3,}ed)(?![a-z])(?! (?:[a-z]+ ){0,4}[■□◇\d])"
)


_ORDER = re.compile(r"順|ランキング")
_SEASON = re.compile(
    r"[春夏冬秋]休み|年末年始|年末|年始|お盆|ゴールデンウィーク|大型連休|連休|祝日|祝祭日|繁忙期|閑散期|"
    r"クリスマス|(?<![a-z])(?:christmas|holidays?|"
    r"(?:summer|winter|spring|autumn)(?: break| season)?|"
    r"black friday|new year's)(?![a-z])"
)
_OTHER_SIDE = re.compile(
    r"(?<=[と、])(?:それ)?(?:未満|以下|以上|以外)|"
    r"(?:and|vs\.?|versus|or) (?:under|over|below|above|younger|older)(?! ?(?:than )?[\d■])"
)
_DONE = re.compile(
    r"(?:を|が)?(?:した(?!い)|して(?:い)?[るた]|された)(?=こと|[■□一-龠])|のあ(?:る|った)(?=[■□一-龠])"
)
_OF_ALL = re.compile(
    "購入|注文|売上|販売|利用|登録|出荷|貸出|回答|支払|使用|来店|生産|取引|受注|発注|計|平均|達成|欠損|空欄|重複|外れ|異常"
)
_LAPSED = re.compile(
    r"(?P<w>[一-龠ァ-ヶー]{2,8})(?:を|に)(?![除省抜含使加見比分足引掛割])[一-龠][ぁ-ん]{0,3}(?:た|てい[るた])(?=[■一-龠])"
)


def _is_ranked(masked: str) -> bool:
    return any(
        one.search(masked)
        for one in (
            lexicon.MOST,
            lexicon.LEAST,
            lexicon.TOP,
            lexicon.BOTTOM,
            _ORDER,
        )
    )


def _lapsed(scene: Scene) -> re.Match[str] | None:
    """返却期限を過ぎた貸出: a clause about something that the table does not have."""
    found = _LAPSED.search(_without_bounds(scene))
    return None if found is None or _OF_ALL.search(found["w"]) else found


def _done(scene: Scene, filters: Sequence[Filter], columns: Columns) -> list[str]:
    """延滞した人, where 延滞日数 says how long and no bound is named."""
    limited = {one.col for one in filters if not isinstance(one, AnyOf)}
    found: list[str] = []
    for one in scene.columns:
        word, after = scene.text[one.start : one.end], _DONE.match(scene.masked[one.end :])
        is_number = columns.is_numeric(one.column) and one.column not in limited
        if after and is_number and not _OF_ALL.search(word):
            found.append(word + after.group())
    return found


def unread_conditions(scene: Scene, filters: Sequence[Filter], columns: Columns) -> tuple[str, ...]:
    """部活に入っていない人, 若い社員の, customers who complained: all rows would be counted."""
    masked = scene.masked
    vague = None if _is_ranked(masked) or scene.bounds else _VAGUE.search(masked)
    clause = _CLAUSE.search(masked)
    negated = None
    if not any(_says_no(one) for one in filters) and not lexicon.LEAST.search(masked):
        negated = _NEGATION.search(masked)
    verb = None if filters else _VERB.search(masked)
    if verb and verb["w"] in _OF_EVERY_ROW:
        verb = None
    others = [_SEASON.search(masked), _OTHER_SIDE.search(_without_bounds(scene)), _lapsed(scene)]
    found = [scene.text[slice(*one.span())] for one in (negated, vague, *others) if one]
    found += _done(scene, filters, columns)
    return (*found, *dict.fromkeys(one["w"] for one in (verb, clause) if one))


def _says_no(condition: Filter) -> bool:
    if isinstance(condition, Presence):
        return condition.op == "is_null"
    return isinstance(condition, Compare) and (
        condition.op == "!=" or condition.value is False or form(str(condition.value)) in NO
    )


_PHRASE_AFTER = re.compile(r"[^、。.,?!()]{0,16}")


def unread_selection(
    scene: Scene, read: Sequence[tuple[int, int]], others: Sequence[re.Pattern[str]]
) -> tuple[str, ...]:
    """札幌店は除く, 「宿」や「館」を含む: which rows, where no condition was made of it.

    `read`: where conditions on parts of words stand; `others`: what is left out in other ways.
    """
    known = [found.span() for one in (*others, HELD_CELLS) for found in one.finditer(scene.masked)]
    held = [found.span() for found in HOLDS.finditer(scene.masked)]
    unread = {
        *(one for one in scene.exclusions.unread if not _is_among(one, known)),
        *(one for one in held if not _is_among(one, (*known, *read, *scene.exclusions.read))),
    }
    return tuple(_phrase(scene.text, *one) for one in sorted(unread))


def _is_among(one: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(one[0] < end and start < one[1] for start, end in others)


def _phrase(text: str, start: int, end: int) -> str:
    """With what stands before it, and in English after it."""
    word = text[start:end]
    after = _PHRASE_AFTER.match(text, end) if word.isascii() else None
    before = re.split("[、。.,?!()]", text[max(0, start - 16) : start])[-1]
    return before + word + (after.group() if after else "")


def unread_ratios(scene: Scene, *, is_per_read: bool, is_rate_read: bool) -> tuple[str, ...]:
    """坪あたり, where nothing is in 坪; win rate, where nothing is won; 延滞率 beside 延滞日数."""
    masked = scene.masked
    of_column = None if is_rate_read else _RATE_OF_COLUMN.search(masked)
    per = None if is_per_read else _PER.search(masked)
    rate = None if is_rate_read else _RATE.search(masked)
    if rate and rate["w"] in EVERYDAY:
        rate = None
    return (
        *((per.group().replace("■", ""),) if per else ()),
        *((rate.group(),) if rate else ()),
        *((scene.text[slice(*of_column.span())],) if of_column else ()),
    )
