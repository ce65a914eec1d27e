"""The words that make a question a question, and what kind of answer they want."""

import re
from functools import lru_cache
from typing import Literal

from sanbo.language.numerals import narrow

Wanted = Literal["money", "date", "number", "person", "place", "reason", "method"]

_COUNTER = (
    "年度|年間|年生|年|か月|ヶ月|カ月|ヵ月|箇月|月|日間|日|週間|曜日|時間|時|分|秒|人|名|円|万円|億円|%|％|パーセント"
    "|割|回|件|個|社|台|枚|冊|本|歳|才|階|章|条|番|位|倍|度|メートル|キロメートル|キロ|m|km|kg|グラム|トン|平方メートル"
    "|ページ|頁|種類|種|カ国|か国|ヶ国|箇所|か所|ヶ所|カ所|点|話|巻|世紀|世|代|号|文字|通り|つ|泊|食|校|店舗|店|作|戸"
)
INTERROGATIVE = re.compile(
    rf"(?>何(?:{_COUNTER})?|なん(?:で|と|の)|なに|いつ|どこ|だれ|誰|どなた|どれほど|どれくらい|どれ|どのくらい|どの程度"
    r"|(?<!な)どの|どちら|どう|どんな|いくら|いくつ|なぜ|いかに|いかなる|いずれ)(?!も(?![のらっ])|でも)"
)
COUNTED = re.compile(rf"(?:何|なん)({_COUNTER})")
HOW_MUCH = "いくら|いくつ|どのくらい|どれくらい|どの程度|どれだけ|どれほど"
"""As a pattern."""
ABOUT_MONEY = "いくら|費|料|額|代金|予算|売上|利益|価格|単価|手当|賃|給与"
_VAGUE = "何 誰 どこ いつ どれ どの どちら どう どんな 何故 幾ら 幾つ どの位"
VAGUE = frozenset(_VAGUE.split())
"""In the dictionary's normal form."""
WHAT = re.compile(
    r"何(?:という|て|と|[一-龠]{0,2})|誰|いつ|どこ|どの|どれ|どんな|どう|なぜ|いくつ|いくら|なに|なん|だれ"
    r"|\b(?:what|who|whom|whose|where|when|which|how|why)\b"
)
"""With what is counted, whatever it is: 何派."""
COUNTED_THING = re.compile(r"何([一-龠]{1,2}|[ァ-ヶー]+|[a-z%]+|つ)")
_POLITE = re.compile(
    r"(?:について|に関して)?(?:、)?(?:詳しく|簡単に|具体的に)?"
    r"(?:(?:を|も)?(?:お?教え(?:て|下さい|ください|ていただけますか)|お?知らせ(?:て)?|お?聞かせ(?:て)?|説明して|述べ(?:よ|て)"
    r"|挙げ(?:よ|て)|まとめて|調べて|お?示し(?:て)?|知りたい(?:です)?|お?願いし(?:ます|たい))"
    r"(?:ください|下さい|ほしい|欲しい|もらえますか|いただけますか|くれますか)?)"
)
_ENDING = re.compile(
    r"(?:の|ん)?(?:です|でしょう|でした|だろう|である|であります)か|(?:です|ます|でしょう)(?=[。？?！!、\s]|$)"
)
_HOW = re.compile(
    r"どのよう(?:な|に)|どういう|どういった|どうやって|どうすれば|どうして|とは(?=[、。？?\s]|$)"
)
_MARKS = re.compile(r"[。？?！!]+")
_CASUAL = re.compile(
    r"(?:お世話になっております|いつもお世話になります|よろしくお願い(?:いた)?します|よろしく)"
)

# ---- what kind of answer ---------------------------------------------------------------------

_WORDS: tuple[tuple[Wanted, str], ...] = (
    ("money", r"いくら|何[万億]?円|何ドル|\bhow much\b"),
    (
        "date",
        r"いつ|何年(?!間|度|生(?!ま))|何月|何日(?=に|まで|から|の|で(?!す))|何時(?!間)|何曜日|何世紀"
        r"|\bwhen\b|\b(?:what|which) (?:date|year|day|time|month)\b",
    ),
    (
        "number",
        r"いくつ|幾つ|どのくらい|どれくらい|どれほど|どの程度|どれだけ"
        r"|何(?![とのがをにへでもかはだやて]|故|者|処)[^\W\d_]"
        r"|\bhow (?:many|long|often|far|tall|high|old|big|large)\b",
    ),
    ("person", r"誰|だれ|どなた|\bwho\b|\bwhom\b|\bwhose\b"),
    ("place", r"どこ|何処|\bwhere\b"),
    ("reason", r"なぜ|どうして|何故|\bwhy\b"),
    (
        "method",
        r"どうやって|どのように|どうすれば|どうしたら"
        r"|\bhow (?:do|does|can|could|should|to|is|are)\b",
    ),
)
_NOUNS: tuple[tuple[Wanted, str], ...] = (
    (
        "date",
        r"(?:期限|期日|締め?切り?|日時|時期|誕生日|生年月日|年月日|年代|[たのる]年)(?:は|を|$)"
        r"|\bdeadline\b|\bdue date\b",
    ),
    (
        "number",
        r"(?:人数|回数|日数|金額|割合|上限|下限|高さ|面積|長さ)(?:は|を|$)"
        r"|\bwhat (?:is|are) the (?:amount|number|limit|maximum)\b",
    ),
    ("person", r"(?:担当者?|責任者|作者|著者|社長)は"),
    ("place", r"(?:場所|会場|所在地|住所)"),
    ("reason", r"理由|原因|\breasons? (?:for|why)\b"),
    ("method", r"方法|手順|手続き?|やり方|仕方|\bprocedure\b|\bsteps to\b"),
    (
        "money",
        r"(?:額|料金?|費用?|代金|価格|単価|予算|手当)(?:は|$|を(?:お?教え|お?知らせ|知り))"
        r"|\bwhat (?:is|are) the (?:price|fee|cost|rate)\b",
    ),
)
_Patterns = tuple[tuple[Wanted, re.Pattern[str]], ...]
_BY_WORD: _Patterns = tuple((kind, re.compile(asks, re.IGNORECASE)) for kind, asks in _WORDS)
_BY_NOUN: _Patterns = tuple((kind, re.compile(asks, re.IGNORECASE)) for kind, asks in _NOUNS)
_EXACT = re.compile(r"いくら|いつまで|期限(?:は|を|$)|\bhow much\b|\bdeadline\b", re.IGNORECASE)
# これを何というか asks for a name, whatever it is of.
_NAMING = re.compile("何[とて](?:い|言|呼|よ[ばび]|称|名)")
_END = re.compile(r"(?<![。?!\s])[。?!\s]+$")


@lru_cache(maxsize=512)
def wanted_by_word(question: str) -> Wanted | None:
    """What its interrogative asks for: いつ, いくら, who; None where it has none, or only 何."""
    form = narrow(question)
    return next((kind for kind, asks in _BY_WORD if asks.search(form)), None)


@lru_cache(maxsize=512)
def wanted(question: str) -> Wanted | None:
    """As `wanted_by_word`, else what the noun that is asked for says: 期限は, 手順."""
    form = _END.sub("", narrow(question))
    found = wanted_by_word(question)
    if found is not None or _NAMING.search(form):
        return found
    return next((kind for kind, asks in _BY_NOUN if asks.search(form)), None)


@lru_cache(maxsize=256)
def is_exact(question: str) -> bool:
    """Whether an answer can be told from its form: an amount of money, a count, a day."""
    form = narrow(question)
    return COUNTED.search(form) is not None or _EXACT.search(form) is not None


def has_interrogative(text: str) -> bool:
    return INTERROGATIVE.search(text) is not None


def without_asking(question: str) -> str:
    """The question without its interrogatives, politeness and marks; blanks in their place."""
    rest = question
    for pattern in (_CASUAL, _HOW, _POLITE, _ENDING, INTERROGATIVE, _MARKS):
        rest = pattern.sub(" ", rest)
    return rest if rest.strip() else question
