"""The wording of an instruction: words and what they stand for in both languages, sentences and
clauses, lists of names, and the formats that it gives or wants.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from sanbo.kernel.messages import Language
from sanbo.language.numerals import narrow
from sanbo.retrieval.tokens import morphemes

_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
_LETTERS, _KANA = re.compile("[a-z]{0,20}"), re.compile("[ぁ-ん]{0,8}")


class Found(NamedTuple):
    start: int
    end: int
    word: str


@cache
def _table() -> Mapping[str, Any]:
    text = (files("sanbo.plans.designing") / "words.yaml").read_text("utf-8")
    return yaml.safe_load(text)


def plain(text: str) -> str:
    """In one width and case: what words are looked for in."""
    return narrow(text).casefold()


def language_of(text: str) -> Language:
    return "ja" if _JAPANESE.search(text) else "en"


def words(name: str, language: Language) -> tuple[str, ...]:
    of: Any = _table()
    for key in name.split("."):
        of = of[key]
    return tuple(str(word) for word in of[language])


@cache
def _pattern(name: str) -> re.Pattern[str]:
    japanese = [re.escape(word.casefold()) for word in words(name, "ja")]
    english = [
        (r"(?<![a-z])" if word[0].isalpha() else "") + word.casefold() for word in words(name, "en")
    ]
    parts = "|".join(sorted((*japanese, *english), key=len, reverse=True))
    return re.compile(parts)


def found_in(name: str, text: str) -> Iterator[Found]:
    """These words in a text in plain form, from left to right."""
    for match in _pattern(name).finditer(text):
        yield Found(*match.span(), match[0])


def find(name: str, text: str) -> Found | None:
    return next(found_in(name, text), None)


def has(name: str, text: str) -> bool:
    return find(name, text) is not None


@cache
def _acts() -> tuple[str, ...]:
    return tuple(_table()["acts"])


def acts_in(text: str) -> frozenset[str]:
    return frozenset(name for name in _acts() if has(f"acts.{name}", text))


def formats_in(text: str) -> list[tuple[int, str, str]]:
    """Where a format is named, its name, and the word."""
    made: list[tuple[int, str, str]] = []
    for name, about in _table()["formats"].items():
        for word in about["words"]:
            for match in re.finditer(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text):
                made.append((match.start(), name, word))
    return sorted(made)


def ending_of(name: str) -> str:
    return str(_table()["formats"][name]["ending"])


@cache
def answers() -> Mapping[str, frozenset[str]]:
    """Facts about steps, by the sense or the name of the words that they answer."""
    return {str(name): frozenset(facts) for name, facts in _table()["answers"].items()}


@cache
def is_concept(name: str) -> bool:
    """Whether this table has words of that name."""
    head, _, rest = name.partition(".")
    found: Any = _table().get(head, {})
    found = found.get(rest, {}) if rest else found
    return "ja" in found


def without(text: str, names: Iterable[str]) -> str:
    """The text without these words and the endings of verbs behind them."""
    for name in names:
        parts: list[str] = []
        start = 0
        for one in found_in(name, text):
            tail = (_LETTERS if one.word.isascii() else _KANA).match(text[one.end :])
            parts.append(text[start : one.start])
            start = max(start, one.end + (tail.end() if tail else 0))
        text = " ".join((*parts, text[start:])) if parts else text
    return text


_SENTENCE = re.compile(r"[。！？\n\r;；]+|(?<=[A-Za-z0-9)\"”])[.!?](?=\s|$)")
_NUMBER = re.compile(
    r"\s*(?:[(（]?\d{1,2}[.)）．、:：](?!\d)|[①-⑳]|[-*・●■○•]|手順\s?\d{1,2}[.:：]?|step "
    r"\d{1,2}[.:]?)\s*",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d)[,，](?=\d{3})")
_BRACKETS = re.compile(r"（[^（）]{1,200}）")
_JAPANESE_CUT = re.compile(
    "(?<=[てしりいきみえちびずけせめれげべじぎ])、|(?<=んで)、|(?<=(?:けど|ので|ため))、|(?<=ですが)、|(?<=順で)、|(?<=順に)、"
)
_GOES_ON = re.compile(
    "(?:として|について|によって|に対して|に応じて|に関して|基づいて|従って|沿って|使って|用いて|もし|ない)、?$"
)
_VERBS = (
    "pull|list|sort|put|write|save|give|make|add|work|keep|leave|show|look|combine|match|compare|calculate|"
    "compute|fill|get|count|sum|remove|drop|exclude|convert|flag|send|total|group|order|rank|ignore|take|"
    "merge|stack|find|check|export|produce|create|build|reconcile|extract|read|have|let|ask|then|report|"
    "multiply|divide|subtract|skip|round|append|mark|note|tell|otherwise|i need|i want|i'd "
    "like|please|could you|can you|if|only when|only if|once|before|heaviest|largest|highest|"
    "oldest|newest|lowest|smallest"
)
_ENGLISH_CUT = re.compile(
    rf"(?:,? and then|,? then|, and|,| and|:| –| -)\s+(?=(?:{_VERBS})\b)", re.IGNORECASE
)


def sentences(text: str) -> list[str]:
    made: list[str] = []
    whole = _BRACKETS.sub(lambda found: _SENTENCE.sub("、", found[0]), _THOUSANDS.sub("", text))
    for piece in _SENTENCE.split(whole):
        said = " ".join(piece.split())
        number = _NUMBER.match(said)
        rest = said[number.end() if number else 0 :].strip()
        if rest and not rest.isdecimal():  # the number of a paragraph
            made.append(rest)
    return made


def clauses(sentence: str) -> list[str]:
    """From left to right, as they were written."""
    cut = _JAPANESE_CUT if language_of(sentence) == "ja" else _ENGLISH_CUT
    return [piece for part in _pieces(sentence, cut) if (piece := part.strip(" 、,.:："))]


def _pieces(sentence: str, cut: re.Pattern[str]) -> Iterator[str]:
    start = 0
    for match in cut.finditer(sentence):
        head = sentence[start : match.start()]
        if (
            _GOES_ON.search(head)
            or head.count("(") != head.count(")")
            or head.count("（") != head.count("）")
        ):
            continue
        yield head
        start = match.end()
    yield sentence[start:]


NARRATIVE = re.compile(
    r"(?:けど|けれど|ですが|ますが|ので|んで|から)$|があるので|(?:ています|ている|ものです|"
    r"用意します|用意する|差し支えない|構わない|でよい|てよい|はならない|なりません|"
    r"認めません|用いる|される|されます|入る|入ります|である|ものである|ことがある|"
    r"ことがあります|目的とする|と記入する|と記入します|と記載する|入ってます|出てます|"
    r"あります)$|^(?:we (?:have|got)|i (?:have|"
    r"saved|zip)|here'?s|attached|each [a-z ]+ sends|"
    r"the [a-z ]{1,30} (?:is|are) (?:an?|in)\b|列は\d|columns are)"
)


def is_note(said: str) -> bool:
    """What tells and asks for nothing."""
    return not has("excludes", said) and (
        has("purposes", said)
        or bool(NARRATIVE.search(said))
        or not acts_in(f" {said} ") - {"group"}
    )


# ---- lists of names ----

_ITEM_JA = (
    r"[一-龠ァ-ヶーa-zA-Z0-9々](?:[一-龠ァ-ヶーa-zA-Z0-9々()（）/ ]|お(?=客)|"
    r"(?<=[一-龠])[りしせえいけれ](?=[一-龠]|$|[・、])){0,14}"
)
_LIST_JA = re.compile(rf"{_ITEM_JA}(?:(?:・|、|，|と|及び|および|,\s?){_ITEM_JA}){{1,12}}")
_ITEM_EN = (
    r"(?:the |their |its |an? )?(?<![A-Za-z0-9/&'-])[A-Za-z][A-Za-z0-9/&'-]{0,24}+"
    r"(?: (?!and\b|or\b)[A-Za-z0-9/&'-]{1,24}+){0,3}"
)
_LIST_EN = re.compile(
    rf"{_ITEM_EN}(?:, (?:and )?{_ITEM_EN}){{1,12}}(?:,? and {_ITEM_EN})?|{_ITEM_EN} and {_ITEM_EN}"
)
_CUT_JA = re.compile("・|、|，|と|及び|および|,")
_CUT_EN = re.compile(r",\s?(?:and )?| and ")

_LEAD_EN = re.compile(
    r"^.*\b(?:with|of|for|from|by|me|columns?|fields?|showing|containing|read|extract|list|these|the|an?)\s+"
)


def noun_of(name: str) -> str:
    """担当者 of 担当者だけで結構: up to the first particle, but for の."""
    made = ""
    for one in morphemes(name) if language_of(name) == "ja" else ():
        if one.part in ("助詞", "助動詞") and one.surface not in ("の", "と") and made:
            break
        made += one.surface
    return made.strip() or name


def lists_in(text: str) -> Iterator[tuple[list[str], int, int]]:
    """Names in a row, with their place: 品番・数量・単価; item, quantity and price."""
    is_japanese = language_of(text) == "ja"
    for match in (_LIST_JA if is_japanese else _LIST_EN).finditer(text):
        parts = (_CUT_JA if is_japanese else _CUT_EN).split(match[0])
        names = [re.sub(r"^(?:and |the |their |its |an? )+", "", part.strip()) for part in parts]
        if not is_japanese:
            names[0] = _LEAD_EN.sub("", names[0])
        names = [noun_of(name) for name in names if name]
        if len(names) > 1:
            yield names, *match.span()


_WANTED = re.compile(
    r"\s?(?:ファイル|ブック|形式|表|の一覧|の表|のファイル|の一覧表)?(?:"
    r"(?:に|へ|として|と[しす])(?!まとめた|入って|入り)|で(?!す|届|渡|もら|来|落と|受|用意|出て|送|提供)|"
    r"を(?:\d?つ)?(?:作|つく|出|書き出|保存|くだ|下さ|ほし|欲|お願|生成|用意して)|お願い|[。!?]|$|\s?please)"
)
_BEFORE = re.compile(
    r"(?:\b(?:to|into|as|in|write|need|want|make|give me|create|produce|then)|[.:;]|^)"
    r" ?(?:(?:the|an?|one|new|separate|own|small|single|their|this) ){0,3}$"
)
_GIVEN = re.compile(
    r"(?:from|of|is|are|have|with|via|reconcile|match|compare|read|take) "
    r"(?:(?:the|an?|this|these|our|my) ){0,2}$|"
    r"\b(?:sends?|sent|comes?|came|arrives?|got|gets|receives?|received|saved|stored)\b[^.;,]{0,60}$"
)


class FormatMention(NamedTuple):
    start: int
    end: int
    name: str
    is_target: bool


def format_mentions(text: str) -> list[FormatMention]:
    """Of a text in plain form, from left to right."""
    made: list[FormatMention] = []
    for at, name, word in formats_in(text):
        before, behind = text[:at], text[at + len(word) :]
        if not (before[-8:] + behind[:8]).isascii():
            is_target = bool(_WANTED.match(behind))
        else:
            is_alone = behind.strip(" .") in ("", "please")
            is_target = (is_alone or bool(_BEFORE.search(before))) and not _GIVEN.search(before)
        made.append(FormatMention(at, at + len(word), name, is_target))
    return made
