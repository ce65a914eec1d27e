"""Whether two sentences speak of the same thing, or say the same in nearly the same words."""

import re
from dataclasses import dataclass
from functools import lru_cache

from sanbo.evidence.model import Passage
from sanbo.evidence.rules.sentences import one_line
from sanbo.evidence.rules.standing import are_editions
from sanbo.evidence.rules.terms import content_words
from sanbo.evidence.rules.values import Value, masked, values, years
from sanbo.language.numerals import narrow
from sanbo.retrieval.tokens import letters

# Said in one place and not in the other, these do not make it another thing.
_SOFT_TEXT = """
原則 支給 支払う 支払い 定める 会社 当社 当たり 当たる 就く つき 規程 規定 する 為る 有る 成る
出来る 有 事 物 もの 様 通り 必ず 場合 現在 なお 但し また 又 尚 円 日 年 月 人 額 金額 付与
与える 与う 設定 予定 行う 実施 となる 開始 下記 上記 次 約 およそ 凡そ 計 合計 一律 全員 今後
引き続き 従来 既に 可能 可 不可 必要 不要 禁止 許可 認める 無い 不 だ です shall will must is are
be may pay paid grant entitl receiv allow permit requir necessary need
"""
_EMPTY_TEXT = (
    "為る 有る 無い 事 物 もの こと 不可 可 不要 必要 可能 禁止 許可 prohibit forbidden longer"
)
_EMPTY = frozenset(_EMPTY_TEXT.split())
_SOFT = frozenset(_SOFT_TEXT.split())
_LONGEST = 400
# 第7条　…: what it says does not depend on where it stands.
_NUMBERED = re.compile(r"^第[0-9]{1,4}[条項号](?:の[0-9]{1,2})?\s+")
_VERB = re.compile("[うくすつぬふむゆるぐぶい]$")
_POINTS_BACK = re.compile(
    r"この|その|これ|それ|同(?=[社氏年月日法市町])|当該|上記|前項|前条|\b(?:this|that|these|it|its)\b",
    re.IGNORECASE,
)
# What happens again and again: another day is another meeting.
_EVENT = re.compile(
    "開催|会議|会合|打ち?合わ?せ|ミーティング|訪問|発生|実施|出席|研修|議事"
    "|meeting|held|visit|session",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"^(?P<words>.{1,80}?)(?:は|とは|には|では|が)(?![ぁ-ん]{0,1}ず)"
    r"|^(?P<english>.{3,80}?)\s(?:is|are|was|were|shall|will|must|may|can)\b",
    re.IGNORECASE,
)
# Names of kinds of documents: 旅費規程 and 旅費マニュアル may well contradict each other.
_KIND_OF_DOCUMENT = re.compile(
    r"規程|規則|規定|細則|マニュアル|手引き?|手順書?|ガイド(?:ライン|ブック)?|faq|よくある質問|q&a|質問|お知らせ|通知|案内|連絡"
    r"|議事録|会議|メモ|資料|一覧|表|リスト|ポリシー|方針|書|版|改[定訂正]|新|旧|最新|案|抜粋|について|\.[a-z]{2,8}$|policy"
    r"|manual|guide(?:line)?s?|handbook|minutes|notice|memo|table|list|rules?|regulations?|draft|old|new|final|v[0-9.]+",
    re.IGNORECASE,
)
_NOT_AT_ALL = re.compile(
    r"(?:な(?:い|く)|ません(?:でした)?|なかった|不可|不要|禁止)(?:もの)?(?:と(?:する|します))?(?:です|である|だ|されて(?:いる|います))?"
    r"[。.」）)\s]*$"
)
_YET_POSITIVE = re.compile(
    r"(?:なければ|なくては|ねば|ないと)(?:なら|なり|いけ)(?:ない|ません)|かもしれ(?:ない|ません)|に過ぎ(?:ない|ません)|(?:とは)?限ら(?:ない|ません)"
    r"|やむを得(?:ない|ません)|差し支え(?:ない|ありません)|構(?:わない|いません)"
)
_NOT = re.compile(
    r"\b(?:not|never|cannot|prohibited|forbidden|no longer)\b|n['’]t\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Statement:
    """A sentence as it is compared."""

    form: str
    values: tuple[Value, ...]
    units: tuple[str, ...]
    hard: frozenset[str]
    """What it is about, without figures and without words that only carry."""
    words: frozenset[str]
    """The same with its verbs."""
    denies: bool
    topic_end: int
    """Where what it is about ends; -1 where it does not say."""
    topic: str


@lru_cache(maxsize=2048)
def statement(sentence: str) -> Statement:
    form = _NUMBERED.sub("", narrow(one_line(sentence[:_LONGEST])))
    found = values(form)
    topic = _TOPIC.match(form)
    words = frozenset(content_words(masked(form))) - _EMPTY
    return Statement(
        form=form,
        values=found,
        units=tuple(value.unit for value in found),
        hard=frozenset(word for word in words if _is_hard(word)),
        words=words,
        denies=_denies(form),
        topic_end=topic.end() if topic else -1,
        topic=(topic["words"] or topic["english"] or "").strip("・-* 　") if topic else "",
    )


def _is_hard(word: str) -> bool:
    return word not in _SOFT and not _VERB.search(word)


def _denies(form: str) -> bool:
    plain = _YET_POSITIVE.sub("", form)
    return bool(_NOT_AT_ALL.search(plain) or _NOT.search(plain))


def differing_value(one: Statement, other: Statement) -> int | None:
    """The one value in which they differ, or None where they speak of different things."""
    if not one.values or one.units != other.units or one.denies != other.denies:
        return None
    if _POINTS_BACK.search(one.form) or _POINTS_BACK.search(other.form):
        return None  # この庁舎: it is another one each time
    pairs = zip(one.values, other.values, strict=True)
    differing = [nth for nth, (a, b) in enumerate(pairs) if a.meaning != b.meaning]
    if len(differing) != 1 or not _same_words(one, other):
        return None
    nth = differing[0]
    return (
        nth if _is_said(one, nth) and _is_said(other, nth) and _clashes(one, other, nth) else None
    )


def _clashes(one: Statement, other: Statement, nth: int) -> bool:
    """4月1日 and 2025年4月1日 are no contradiction: one only says less."""
    a, b = one.values[nth], other.values[nth]
    if a.unit != "date":
        return True
    if _EVENT.search(one.form) or _EVENT.search(other.form):
        return False
    parts = zip(a.meaning.split("-"), b.meaning.split("-"), strict=False)
    return any(x and y and x != y for x, y in parts)


def _is_said(said: Statement, nth: int) -> bool:
    """Told about the topic, and not part of what it is about: 2024年度の売上は…."""
    value = said.values[nth]
    if value.unit == "fiscal" or said.topic_end < 0 or value.start < said.topic_end:
        return False
    after = said.form[value.end : value.end + 3]
    return not (value.unit == "date" and re.match("度|時点|現在|の時|における|分", after))


def _same_words(one: Statement, other: Statement) -> bool:
    """All words that name something, and enough of them."""
    if one.hard != other.hard:
        return False
    return len(one.hard) > 1 or (bool(one.hard) and one.topic == other.topic)


def contradicts(one: Statement, other: Statement) -> bool:
    """The one says that it is so, the other that it is not."""
    if one.denies == other.denies or one.words != other.words or not one.hard:
        return False
    if len(one.words) < 2:
        return False
    return one.units == other.units and all(
        a.meaning == b.meaning for a, b in zip(one.values, other.values, strict=True)
    )


# ---- where they stand ----------------------------------------------------------------------


def comparable(one: Passage, other: Passage) -> bool:
    """Not two years, branches or plans, as far as names, sheets and headings tell."""
    if one.chunk_id == other.chunk_id:
        return False
    if _are_of_other_years(one, other):
        return False
    headings = one.position.headings[-1:], other.position.headings[-1:]
    if one.document_id == other.document_id:
        return headings[0] == headings[1] and one.position.sheet == other.position.sheet
    names = _files(one, other), (" ".join(headings[0]), " ".join(headings[1]))
    return not any(_are_parallel(a, b) for a, b in names)


def are_of_one_setting(one: Passage, other: Passage) -> bool:
    """Documents that are not for two years, branches or plans, whatever their headings are."""
    return not _are_of_other_years(one, other) and not _are_parallel(*_files(one, other))


def _files(one: Passage, other: Passage) -> tuple[str, str]:
    return one.document.rpartition("/")[2], other.document.rpartition("/")[2]


def _are_of_other_years(one: Passage, other: Passage) -> bool:
    ours, theirs = _years(one), _years(other)
    return bool(ours and theirs and ours != theirs) and not are_editions(one, other)


def _years(passage: Passage) -> frozenset[str]:
    place = passage.position
    around = (passage.document, passage.context, place.sheet or "", *place.headings)
    return years("\n".join(around))


def _are_parallel(one: str, other: str) -> bool:
    """Each has a word of its own beside what they share: 東京支店 and 大阪支店."""
    ours, theirs = _telling(one), _telling(other)
    return bool(ours & theirs and ours - theirs and theirs - ours)


@lru_cache(maxsize=512)
def _telling(name: str) -> frozenset[str]:
    words = content_words(_KIND_OF_DOCUMENT.sub(" ", narrow(name)))
    return frozenset(word for word in words if not word.isdigit())


NEARLY_THE_SAME = 0.8


def pairs(text: str) -> frozenset[str]:
    """Neighbouring letters; figures whole, so that 10日 and 12日 are not alike."""
    form = letters(text)
    return frozenset(form[at : at + 2] for at in range(len(form) - 1))


def is_repeated(text: str, other: str) -> bool:
    """Whether the other says it already, or it only adds to it: the same figures, most letters."""
    if _figures(text) != _figures(other):
        return False
    ours, theirs = pairs(text), pairs(other)
    return len(ours & theirs) >= NEARLY_THE_SAME * min(len(ours), len(theirs))


def is_the_same(text: str, other: str) -> bool:
    """Whether both say it, and neither says more."""
    ours, theirs = pairs(text), pairs(other)
    return _figures(text) == _figures(other) and len(ours & theirs) >= NEARLY_THE_SAME * max(
        len(ours), len(theirs)
    )


def _figures(text: str) -> frozenset[str]:
    return frozenset("".join(c if c.isdigit() else " " for c in letters(text)).split())
