"""The order that rows are wanted in, and how many: 金額の大きい順に5件, the three oldest."""

import re
from typing import NamedTuple

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.row_reading import amount_column, columns_named, places_of
from sanbo.plans.designing.vocabulary import has, language_of

_JA_HOW = (
    "大き[いな]|小さ[いな]|高[いな]|低[いな]|安い|多い|少な[いな]|"
    "新し[いな]|古い|早い|遅い|長い|短い|重い|軽い|"
    "近い|若い|良い|悪い"
)
_COUNT = r"(?:件|社|名|人|品目|商品|位|行|個|つ|店舗|部署)"
_JA = (
    # 金額の大きい順に, 数量が少ない方から2件, 最も安いもの
    re.compile(
        rf"(?P<of>[^、。]{{0,40}}?)(?P<most>一番|いちばん|最も|もっとも)?(?P<how>{_JA_HOW})"
        rf"(?P<seq>(?:もの|方|ほう)?(?:から)?順?)(?:番)?(?:に|で|"
        rf"の|から|、)?(?:並べ[ぁ-ん替]{{0,6}})?、?"
        rf"(?:(?:上から|上位|先頭|トップ)の?)?(?:(?P<n>\d{{1,4}})\s?{_COUNT})?"
    ),
    re.compile(
        r"(?P<of>[^、。]{0,40}?)の?(?P<how>昇順|降順)(?P<seq>)(?:に|で)?(?:並べ[ぁ-ん替]{0,6})?"
    ),
    re.compile(
        r"(?P<of>[^、。]{1,40}?)の?(?P<seq>順)(?P<how>)(?:に|で|$|(?=[)）]))(?:並べ[ぁ-ん替]{0,6})?"
    ),
    re.compile(
        rf"(?P<of>[^、。]{{0,40}}?)(?:の|が|で)?(?P<how>上位|トップ|"
        rf"ベスト|下位|ワースト)(?P<seq>)\s?(?P<n>\d{{1,4}})\s?{_COUNT}?"
    ),
    re.compile(
        r"(?P<of>[^、。]{0,40}?)(?P<most>最)(?P<how>新|古|大|小|安|高|長|短)(?P<seq>)(?:の|値)"
    ),
)
_SUPER = (
    "largest|highest|most|newest|latest|biggest|greatest|longest|"
    "heaviest|smallest|lowest|least|oldest|"
    "earliest|soonest|cheapest|shortest|lightest|fewest|nearest|"
    "best|worst|most recent|most expensive"
)
_NUMBERS = {
    word: at
    for at, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
_WORDS = r"(?: (?!(?:for|per|in|of|to|with|and|by|from|on|as)\b)[a-z%]{1,20})"
_N = rf"(?P<n>\d{{1,4}}|{'|'.join(_NUMBERS)})"
_EN = (
    re.compile(
        rf"(?:,? ?(?:sorted|ordered|ranked|order|sort|rank|arranged?)?(?: it|"
        rf" them)?(?: by| in order of| on)? ?)"
        rf"(?P<of>[a-z% _]{{0,40}}?),? ?(?:with )?(?:the )?(?P<how>{_SUPER})(?P<of2"
        rf">(?: [a-z%]{{1,20}}){{0,3}}?)(?P<seq> (?:first|on top|"
        rf"at the top|comes first)| to (?:the )?(?:{_SUPER}))\b"
    ),
    re.compile(
        rf"\b(?:top|first) {_N}(?P<how>)(?P<seq>)(?: [a-z]{{1,20}}){{0,2}}?(?: by ("
        rf"?P<of>[a-z% _]{{1,30}}))?(?=$|,|\.| in\b| to\b| as\b|"
        rf" and\b| with\b| per\b| for\b)"
    ),
    re.compile(rf"\b{_N} (?P<how>{_SUPER})(?P<seq>)(?P<of>{_WORDS}{{0,3}})"),
    re.compile(rf"\b(?P<how>{_SUPER}) {_N}(?P<seq>)(?P<of>{_WORDS}{{0,3}})"),
    re.compile(
        r"\b(?:sort|order|rank|arrang)[a-z]{0,4} (?:(?:it|them|the [a-z]{1,20}|everything|rows) )?"
        r"(?P<seq>by|on|according to|from) (?P<of>[^,.;()]{1,50}?)(?P<how>,? ?(?:i"
        r"n )?(?:a|de)scending(?: order)?|)"
        r"(?=$|[,.;()]| in(?:to)? an?\b| and (?:save|put|write|give|export|send)| to an?\b| as\b)"
    ),
    re.compile(r"\bin (?P<how>)(?P<seq>order of|sequence of) (?P<of>[a-z% _]{1,30})"),
    re.compile(r"(?P<of>[a-z ]{0,40})(?P<how>(?:a|de)scending|alphabetical)(?P<seq>)[a-z ]{0,12}"),
    re.compile(rf"(?P<most>\b(?:the|its|their) )(?P<how>{_SUPER})(?P<seq>)(?P<of>{_WORDS}{{1,3}})"),
)
_DOWN = re.compile("上位|トップ|ベスト|^新$|^大$|^高$|^長$|^top|悪い")
_UP = re.compile("下位|ワースト|^古$|^小$|^安$|^短$|若い")
_ALPHABET = re.compile("昇順|降順|若|順|ascending|descending|alphabetical")


_SORTED = re.compile(r"\b(?:by|in order|sort|rank|arrang|top)")


class Order(NamedTuple):
    column: str
    is_down: bool
    is_named: bool = True
    """Whether the words name the column."""
    limit: int | None = None
    is_extreme: bool = False
    """The one that has most of it is meant, not an order."""


def order_in(text: str, profile: DatasetProfile, computed: str = "") -> tuple[Order | None, str]:
    """The order that a text asks for, and the text without it; `computed` is what was computed
    last, which is meant where nothing is named."""
    for pattern in _JA if language_of(text) == "ja" else _EN:
        for match in pattern.finditer(text):
            if (found := _order(match, profile, computed)) is not None:
                order, start = found
                return order, f"{text[:start]} {text[match.end() :]}"
    return None, text


def _order(
    match: re.Match[str], profile: DatasetProfile, computed: str
) -> tuple[Order, int] | None:
    given = match.groupdict()
    how, of = (given["how"] or "").strip(), f"{given.get('of') or ''}{given.get('of2') or ''}"
    count = given.get("n")
    limit = (_NUMBERS.get(count) or int(count)) if count else None
    is_extreme = bool(given.get("most")) and not given["seq"].strip() and limit is None
    if not (given["seq"].strip() or limit or is_extreme or _ALPHABET.search(match[0])):
        return None
    said = match[0]
    is_up = has("ascending", how or said) or bool(_UP.search(how))
    is_down = not is_up and (
        has("descending", how or said) or bool(_DOWN.search(how or said.strip()))
    )
    names = columns_named(of, profile)
    if how and not _ALPHABET.search(how):
        names = [name for name in names if _is_ordered(name, profile)]
    if not how and not limit and not names and of.strip() not in ("it", "this", "that"):
        return None
    # 社員番号の順に: the last one that is named
    column = names[-1] if names else _column_for(how or said, profile, computed)
    if column is None:
        return None
    start = match.start()
    if language_of(said) == "ja" and names and (places := list(places_of(names[-1], said))):
        start += max(at for at, _ in places if at <= len(said))
    elif (
        limit is None
        and given.get("of")
        and (language_of(said) == "ja" or not _SORTED.search(said))
    ):
        start = match.start("most" if given.get("most") else "how")
    return Order(column, is_down, bool(names), limit, is_extreme), start


def _is_ordered(name: str, profile: DatasetProfile) -> bool:
    """What has a largest one: figures, days, numbers of things."""
    column = profile.column(name)
    return column is not None and (column.is_numeric or column.is_temporal or column.is_identifier)


def _column_for(how: str, profile: DatasetProfile, computed: str) -> str | None:
    if has("of_days", how) or how in ("新", "古"):
        days = [one.name for one in profile.columns if one.is_temporal]
        if days:
            return days[-1]
    return computed if profile.column(computed) is not None else amount_column(profile)
