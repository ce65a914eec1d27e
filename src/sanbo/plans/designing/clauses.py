"""An instruction in sentences and clauses; lists of names in them."""

import re
from collections.abc import Iterator

from sanbo.plans.designing.vocabulary import acts_in, has, language_of
from sanbo.retrieval.tokens import morphemes

_SENTENCE = re.compile(r"[。！？\n\r;；]+|(?<=[A-Za-z0-9)\"”])[.!?](?=\s|$)")
_NUMBER = re.compile(
    r"\s*(?:[(（]?\d{1,2}[.)）．、:：](?!\d)|[①-⑳]|[-*・●■○•]|手順\s?\d{1,2}[.:：]?|step "
    r"\d{1,2}[.:]?)\s*",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d)[,，](?=\d{3})")
_BRACKETS = re.compile(r"（[^（）]{1,200}）")
_JAPANESE = re.compile(
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
_ENGLISH = re.compile(
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
    cut = _JAPANESE if language_of(sentence) == "ja" else _ENGLISH
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
