"""An instruction in clauses: each asks for one thing, or a few that belong together."""

import re
from collections.abc import Iterator

from sanbo.plans.designing.vocabulary import language_of, plain, steps_in

_SENTENCE = re.compile(r"[。！？\n\r;；]+|(?<=[a-z0-9)\"”])[.!?](?=\s|$)")
_NUMBER = re.compile(
    r"\s*(?:[(（]?\d{1,2}[.)）．、:：]|[①-⑳]|[-*・●■○]|手順\s?\d{1,2}[.:：]?|step \d{1,2}[.:]?)\s*"
)
_THOUSANDS = re.compile(r"(?<=\d)[,，](?=\d{3})")
_OPENS = frozenset("はをがのにともやへ")
"""What ends with one of these goes on behind the comma."""
_GOES_ON = re.compile(
    r"(?:として|について|によって|に対して|に応じて|に関して|にわたって|すべて|全て|従って|"
    r"したがって|基づいて|もとづいて|によっては|用いて|使って|沿って)$"
)
_CONDITION = re.compile(
    "(?:場合|とき|時|際)(?:は|に|には|に限り|に限って|だけ|のみ)?$|(?:あれば|なら|えたら|えれば)$"
)
"""What goes on with what is done then."""
_TE = re.compile(
    r"(?<=[ぁ-ん一-龠])(?:てから|て|んで|いで)(?!いる|いな|ある|くだ|下さ|もら|おく|おき|ほし|"
    r"欲し|しま|き|い[くっ]|み[てる]|は|も|の)"
)
_ENGLISH = re.compile(
    r",? (?:and then|then|and finally|finally|and also|after that|afterwards|next)[, ]"
    r"|, (?:and )?| and | (?=before |after |once |only if |only after )"
)
_VERB = re.compile(
    r"(?:[a-z]+ ){0,4}?(?:write|save|export|output|produce|create|put|store|sort|keep|"
    r"select|pick|exclude|remove|drop|leave|find|take|add|"
    r"summari[sz]e|aggregate|calculate|compute|multiply|divide|subtract|combine|merge|stack|"
    r"append|look|join|reconcile|compare|validate|draw|fill|read|extract|ask|"
    r"approves?|confirms?|signs?|reviews?|deliver|attach|show|give|has|have|must|deduplicate|"
    r"send|get|before|after|once|only)\b"
    r"|(?:[a-z]+ ){0,1}(?:total|sum|count|average|order|rank|list|match|filter|group|check|sample|"
    r"report) (?:the|it|them|all|by|up|each|every|only|those|rows|out|how|what|any|amounts?)\b"
)


_NAMED = re.compile("[^、。をはが]{1,15}と(?:し|して|する)")
"""請求額と消費税を足して税込額とし: the name of what was computed."""
_IF = re.compile("(?:and )?(?:if|when|whenever|where|in case|should|unless|only if) ")
"""A condition goes on with what is done then."""
_WHEN = re.compile("before |after |once |only if |only after ")


def sentences(text: str) -> list[str]:
    made: list[str] = []
    for piece in _SENTENCE.split(text):
        said = " ".join(piece.split())
        number = _NUMBER.match(said)
        if rest := said[number.end() if number else 0 :].strip():
            made.append(rest)
    return made


def clauses(text: str) -> list[str]:
    """In plain form, from left to right."""
    made: list[str] = []
    for sentence in sentences(_THOUSANDS.sub("", plain(text))):
        cut = _japanese(sentence) if language_of(sentence) == "ja" else _english(sentence)
        for piece in cut:
            clause = piece.strip(" 、,.:：")
            if made and _NAMED.fullmatch(clause):
                made[-1] += clause
            elif clause:
                made.append(clause)
    return made


def _japanese(sentence: str) -> Iterator[str]:
    held = ""
    for piece in re.split("[、,，]", sentence):
        held = f"{held}、{piece}" if held else piece
        if _is_open(held):
            continue
        yield from _at_verbs(held)
        held = ""
    if held:
        yield from _at_verbs(held)


def _is_open(text: str) -> bool:
    """Whether it goes on: a list, or what a verb is still to come for."""
    if not steps_in(text) or _GOES_ON.search(text):
        return True
    if _CONDITION.search(text):
        return True
    last = text[-1:]
    if last in _OPENS:
        return not text.endswith(("だけに", "順に", "前に", "後に", "うえで"))
    if last == "で":
        return not text.endswith(("うえで", "上で", "んで", "いで", "順で"))
    return not re.search("[ぁ-ん後上]$", text)


def _at_verbs(text: str) -> Iterator[str]:
    start = 0
    for match in _TE.finditer(text):
        head, tail = text[start : match.end()], text[match.end() :]
        if _GOES_ON.search(head) or not steps_in(head) or not steps_in(tail):
            continue
        yield head
        start = match.end()
    yield text[start:]


def _english(sentence: str) -> Iterator[str]:
    start = 0
    for match in _ENGLISH.finditer(sentence):
        tail = sentence[match.end() :]
        is_new = bool(_VERB.match(tail)) and (not _WHEN.match(tail) or "approve" in steps_in(tail))
        head = sentence[start : match.start()]
        if head and is_new and steps_in(head) and not _IF.match(head):
            yield sentence[start : match.start()]
            start = match.end()
    yield sentence[start:]
