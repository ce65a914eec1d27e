"""What a question leaves out: 大阪店は除く, 大阪以外, excluding Osaka and Nagoya.

One grammar for values, moments and bounds. Japanese says it after them (thing, particles, word),
English before them or after. A word of exclusion that takes no thing is unread: an answer without
it would hold what the person does not want to see.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol


class Thing(Protocol):
    """What a question names, and where."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Exclusions:
    left_out: frozenset[int] = frozenset()
    """Where the things begin that are left out."""
    read: tuple[tuple[int, int], ...] = ()
    """The words that leave them out."""
    unread: tuple[tuple[int, int], ...] = ()
    """Words of exclusion that no thing goes with."""

    def has(self, thing: Thing) -> bool:
        return thing.start in self.left_out


_NEGATED = r"(?!ません|てい?な|ては(?:い|駄|だ|な)|ちゃ|し?な[いくけ]|せず|しません|さ?れ?な[いく])"
"""除きません, 除外しない: the opposite."""
_JAPANESE = (
    r"(?<![控解削免掃])除[いくきけ]",
    "除外",
    "取り?除[いくきけ]",
    "のぞ[いくきけ](?!込)",
    "以外",
    "対象外",
    "排除",
    "含め(?:ず|な[いくか]|ません)",
    "含ま(?:ず|な[いくか]|れな[いくか]|れず|れません)|含みません",
    "入れ(?:ず|な[いくか]|ません)",
    "(?<!税)抜(?:き|い[てた])",
    "省[いくきけ]",
    "外(?:し[てた]|す|せば)",
    "はず(?:し[てた]|す)",
    "カット",
    "無視",
    "度外視",
    "スキップ",
    "数え(?:ず|な[いくか]|ません)",
    "カウント(?:せず|しな[いくか]|しません)",
    "ノーカウント",
)
_BESIDE_ONLY = (
    "では?な[いくか]",
    "じゃな[いくか]",
    "では?ありません",
    "なし|無し",
    "不要",
    "いりません",
    "いらな[いく]",
    "要りません",
    "要らな[いく]",
    "結構です",
)
"""Other things are said with them too: グラフは不要."""
_UNREADABLE = (
    r"(?<![控解削免掃])除(?:か|こ(?!う))",
    "省か",
    "外さ[なずれ]",
    r"(?:に限ら|を問わ|に関わら|にかかわら)(?:ず|な)",
    "(?:だけ|のみ)で(?:は)?な[いくか]",
    "のみならず",
)
_TWISTED = (
    r"(?!少な|足りな|まず|必ず)[一-龠ァ-ヶーぁ-ん]{1,7}?(?:な(?:い(?!か|で(?:しょ|す))|く)|ません(?!か)|ずに)",
    "消し|落と|飛ば|捨て|はじ[いく]|弾[いく]|別として|(?<!■)別に|さておき|置い|引い|入れ[てた]|加え|足し|より",
)
"""Said of a value, other rows than its own are meant: 大阪店は出さないで, 大阪店より高い."""
_TWISTED_ENGLISH = ("minus", "drop(?:ping)?", "remov(?:e|ing)", "tak(?:e|ing) out", "less", "than")
_FILLERS = (
    r"[」』\"”'’)\]】、 ]",
    "さん|様|氏|君",
    "という|といった|である|だった",
    "集計|計算|対象|分析|結果|合計|平均|母数|範囲|一覧|表|グラフ",
    "すべて|全て|全部|全件|必ず|一旦|いったん|今回|両方|どちらも|いずれも|とも",
    "データ|レコード|明細|実績|もの(?!ぞ)|ところ|場合|ぶん|店舗|商品|部門|[分行件人方者値]",
    "だけ|のみ|ばかり",
    "については|について|に関しては|に関して|から|まで|って|[はをがもにの]",
    "■+",
)
_ENGLISH = (
    r"exclud(?:ing|es?)",
    r"excepting|except(?: for| in)?|with the exception of",
    r"other than",
    r"without(?: counting)?",
    r"but not|but(?= (?:the )?[□◇])",
    r"besides",
    r"ignor(?:ing|e)",
    r"outside(?: of)?",
    r"leav(?:ing|e) (?:out|aside)",
    r"omit(?:ting)?",
    r"skip(?:ping)?",
    r"(?:apart|aside) from",
    r"(?:not|do(?:es)?n['’]t) (?:includ(?:ing|e)|count(?:ing)?)",
)
_ENGLISH_BESIDE_ONLY = (r"not(?: in| from)?", "non", "no")
_ENGLISH_AFTER = (
    r"(?:not (?:be )?(?:included|counted)|excluded|left out|omitted|ignored|skipped|aside|removed)",
)
_ENGLISH_UNREADABLE = (r"but for", r"regardless of", r"exclusions?")
_ENGLISH_FILLERS = (
    r"(?:the|in|from|for|of|at|all|any|anything|those|that|which|where|with|is|are|was|were|be|"
    r"rows?|data|records?|sales|stores?|shops?|branch(?:es)?|values?|should|being|both)(?![a-z])",
    r"[\s\-\"“'‘「=(]",
    "■+",
)
_ENGLISH_FILLERS_AFTER = (
    r"(?:is|are|was|were|be|being|should|to|stores?|shops?|rows?|data|sales|both|all)(?![a-z])",
    r"[\s\"”'’」,)]",
    "■+",
)
_LIST = re.compile(
    r"(?:さん|の?分|のデータ)?[」』\"”'’)]?\s?"
    r"(?P<c>[、,・/& ]|[とやも]、?|及び|および|または|もしくは|か|and|or|, ?and|, ?or)"
    r"\s?(?:the |in |from |は)?[「『\"“'‘(]?"
)
_OF_ANOTHER = re.compile(r"(?:[□◇]|[上下満内超])の[「『\"“'(]?$")
"""大阪店の家電を除く: both at once, or 家電 within 大阪店? 大阪店の家電以外 is the latter."""
_IN_A_NAME = re.compile(r"(?:■|名|名前|名称|欄)に[「『\"“'(]?$")
_MOST_FILLERS = 10
_ANY_FORM = frozenset(("以外",))


def _any(parts: Sequence[str], *, latin: bool = False) -> re.Pattern[str]:
    joined = "|".join(parts)
    return re.compile(rf"(?<![a-z])(?:{joined})(?![a-z])" if latin else f"(?:{joined})")


_AFTER = re.compile(f"(?:{_any((*_JAPANESE, *_BESIDE_ONLY)).pattern}){_NEGATED}")
_NOT_ONLY = _any(_UNREADABLE)
_FILLER = _any(_FILLERS)
_BEFORE_EN = _any((*_ENGLISH, *_ENGLISH_BESIDE_ONLY), latin=True)
_AFTER_EN = _any(_ENGLISH_AFTER, latin=True)
_TWIST, _TWIST_EN = _any(_TWISTED), _any(_TWISTED_ENGLISH, latin=True)
_FILLER_EN, _FILLER_AFTER_EN = _any(_ENGLISH_FILLERS), _any(_ENGLISH_FILLERS_AFTER)
_NOT_EN = re.compile(r"(?:(?<![a-z])(?:not|never|without|no)|n't|n’t) $")
_GUARD = re.compile(
    f"{_any((*_JAPANESE, *_UNREADABLE)).pattern}|"
    f"{_any((*_ENGLISH, *_ENGLISH_AFTER, *_ENGLISH_UNREADABLE), latin=True).pattern}"
)


def exclusions(
    masked: str,
    values: Sequence[Thing],
    others: Sequence[Sequence[Thing]],
    is_alike: Callable[[Thing, Thing], bool],
) -> Exclusions:
    """`others`: moments, bounds, in order; `is_alike`: whether two values are of one column."""
    taken: dict[int, tuple[int, int]] = {}
    """Where a thing begins, and the word that leaves it out."""
    doubted: list[tuple[int, int]] = []
    english = [found.span() for found in _BEFORE_EN.finditer(masked)]
    twists = [found.span() for found in _TWIST_EN.finditer(masked)]
    for things in (values, *others):
        for thing in things:
            word = _word_after(masked, thing) or _word_before(masked, thing, english)
            if word is not None and not _is_doubtful(masked, thing, word):
                taken[thing.start] = word
            elif word is None and things is values:
                word = _word(masked, thing.end, _TWIST, _FILLER)
                word = word or _word_before(masked, thing, twists)
            if word is not None and thing.start not in taken:
                doubted.append(word)
        pairs = list(pairwise(things))
        for one, other in (*reversed(pairs), *pairs):
            first, second = (one, other) if other.start in taken else (other, one)
            if (first.start in taken) == (second.start in taken):
                continue
            word = taken[second.start]
            # A word goes for the things before it or for those after it, not for both.
            if (word[0] > second.start) != (second is other):
                continue
            link = _LIST.fullmatch(masked[one.end : other.start])
            if link is None:
                continue
            if link["c"] in "、, " and not is_alike(one, other):
                doubted.append(word)
            taken[first.start] = word
    read = tuple(dict.fromkeys(taken.values()))
    unread = [
        found.span()
        for found in _GUARD.finditer(masked)
        if not any(found.start() < end and start < found.end() for start, end in read)
    ]
    return Exclusions(frozenset(taken), read, tuple(sorted({*unread, *doubted})))


def _word_after(masked: str, thing: Thing) -> tuple[int, int] | None:
    return _word(masked, thing.end, _AFTER, _FILLER) or _word(
        masked, thing.end, _AFTER_EN, _FILLER_AFTER_EN
    )


def _word(
    masked: str, place: int, words: re.Pattern[str], filler: re.Pattern[str]
) -> tuple[int, int] | None:
    for _ in range(_MOST_FILLERS):
        if _NOT_ONLY.match(masked, place):
            return None
        if found := words.match(masked, place):
            return found.span()
        between = filler.match(masked, place)
        if between is None:
            return None
        place = between.end()
    return None


def _word_before(
    masked: str, thing: Thing, words: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    near = [span for span in words if span[1] <= thing.start]
    if not near:
        return None
    place = near[-1][1]
    while place < thing.start and (between := _FILLER_EN.match(masked, place)):
        place = between.end()
    return near[-1] if place == thing.start else None


def _is_doubtful(masked: str, thing: Thing, word: tuple[int, int]) -> bool:
    before, said = masked[: thing.start], masked[slice(*word)]
    if word[0] < thing.start:
        return _NOT_EN.search(masked[: word[0]]) is not None
    if said.startswith(("含ま", "含み")) and _IN_A_NAME.search(before):
        return True  # part of a name, and the thing is a whole one
    return said not in _ANY_FORM and _OF_ANOTHER.search(before) is not None
