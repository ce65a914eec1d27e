"""How strongly a text binds, and what it denies: しなければならない, できない, shall, except."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Level = Literal["must", "will", "forbidden", "best_effort", "effort", "may"]


class Duty(NamedTuple):
    """A word that says how strongly something is asked for or allowed."""

    start: int
    end: int
    level: Level
    denied: bool = False
    """することができない, shall not."""

    def moved(self, by: int) -> "Duty":
        return Duty(self.start + by, self.end + by, self.level, self.denied)


def binding(duty: Duty | None) -> Level | None:
    """How it binds; what is merely said (する, するものとする, will) binds as the sentence does."""
    if duty is None or duty.level == "will":
        return None
    return "forbidden" if duty.denied and duty.level in ("may", "must") else duty.level


def denies(duty: Duty | None) -> bool:
    return duty is not None and (duty.denied or duty.level == "forbidden")


class Denial(NamedTuple):
    """A word that denies or excludes, beside those of duties."""

    start: int
    end: int
    meaning: str
    """The same for ない and ません, for 除く and 除き."""

    def moved(self, by: int) -> "Denial":
        return Denial(self.start + by, self.end + by, self.meaning)


# ---- Japanese ----

_FORMAL = "(?:ものと(?:する|します|し(?!て)|される)|ことと(?:する|します|し)(?=[。、．，]|$))"
_DUTIES = re.compile(
    # Tells at once that nothing begins here.
    r"(?=[努なねべ義をてでこも禁必推])(?:"
    rf"(?P<effort>(?:努め(?:なければなら(?:ない|ず)|なければなりません|る{_FORMAL}?|ます)"
    rf"|努力(?:する{_FORMAL}?|しなければならない|します)|推奨(?:する|します|とする|(?=[）)]))))"
    r"|(?P<must>なければ(?:なら(?:ない|ず|なかった)|なりません|いけない)|ねばならない"
    r"|べき(?:である|ものとする)|(?<=[認意可諾届知議決出])を要する|義務を負う"
    r"|(?<=[がは])必要(?:です|である|とする|とします|となる|となります)|必須(?:です|である|とする|とします|(?=[）)])))"
    r"|(?P<forbidden>[てで]は(?:なら(?:ない|ず|なかった)|なりません|いけない)"
    r"|を?(?:禁止(?:する|します|される)|禁(?:ずる|じる|じます)))"
    rf"|(?P<may_not>(?:ことが)?でき(?:ない|ず|ません|なかった){_FORMAL}?)"
    # 施錠できる場所 allows nothing.
    rf"|(?P<may>(?:ことが)?でき(?:る(?![一-鿿ァ-ヶ])|ます){_FORMAL}?|ことを妨げない|ことがあ(?:る|ります)"
    r"|[てで]も?(?:よい|良い|差し支えない|構わない|かまわない))"
    rf"|(?P<will_not>ない{_FORMAL})"
    rf"|(?P<will>{_FORMAL}))"
)
_DENIALS = re.compile(
    r"(?=[除なまざず不無非未禁])(?:"
    r"(?P<except>除[くき]|除い[てた]|除外)"
    r"|(?P<without>(?<![少])なく(?!とも|な))"
    r"|(?P<not>(?<![少危切])(?:ない(?!し)|なかっ)|ません|ざる"
    r"|(?<![必は])(?<![^一-鿿]ま)(?<!^ま)(?<![か関拘]わら)(?<!のみなら)ず(?![るれつか]))"
    r"|(?P<word>不可|不要|不能|不許可|不承認|不同意|不適用|不開示|不支給|不履行|無効|無償|無給|無報酬|無条件|無担保|無過失|無利息|無断|無期限"
    r"|無制限|無料|非公開|非課税|非独占|非営利|未払|未満了|禁止))"
)
_MAYBE_JAPANESE = re.compile("[ぁ-ん一-鿿]")
_WHOLE = frozenset("を努義禁必推")  # these need no verb before them

# ---- English ----

_ENGLISH_DUTIES = re.compile(
    r"\b(?:(?P<forbidden>(?:is|are) (?:prohibited from|not (?:permitted|allowed|entitled) to))"
    r"|(?P<best_effort>(?:use|make|exercise)s? (?:its |their |all |your )?(?:reasonable )?best"
    r" (?:efforts|endeavou?rs))"
    r"|(?P<effort>should|SHOULD|endeavou?rs? to"
    r"|(?:use|make|exercise)s? (?:its |their |all |your )?(?:commercially )?reasonable"
    r" (?:efforts|endeavou?rs))"
    r"|(?P<must>shall|must|SHALL|MUST|(?:is|are) (?:required|obliged|obligated) to|ha(?:s|ve) to)"
    r"|(?P<will>will|WILL|wo(?=n[’']t\b)|agrees? to)"
    r"|(?P<may>may|can|MAY|CAN|(?:is|are) (?:permitted|allowed|entitled|free) to))"
    r"(?P<not>not\b|n?[’']t\b|\s+(?:not|NOT|never)\b)?(?![A-Za-z])"
)
_ENGLISH_DENIALS = re.compile(
    r"\b(?:(?P<except>except(?:ing|ed|ions?)?|exclud(?:e|es|ed|ing)|other than|unless)"
    r"|(?P<without>without)"
    r"|(?P<not>not|no(?! (?:later|more|less|fewer) than)|never|neither|nor|none"
    r"|prohibit(?:s|ed|ing)?)"
    r"|(?P<word>non-?(?:exclusive|transferable|refundable|compete|disclosure|binding|taxable)\w*"
    r"|non-[a-z]+|ir(?:revocabl|reversibl)[ey]|un(?:limited|conditional(?:ly)?|enforceable|paid"
    r"|authori[sz]ed|restricted|reasonabl[ey])|in(?:valid|eligible|definitely)|im(?:permissible)"
    r"|void|exempt(?:ed)?|free of charge))\b|(?P<short>n[’']t)\b",
    re.IGNORECASE,
)
_LATIN = re.compile("[A-Za-z]{2}")


def duties(text: str) -> list[Duty]:
    """In the order of the text."""
    found = list(_japanese_duties(text)) if _MAYBE_JAPANESE.search(text) else []
    if _LATIN.search(text):
        found += _english_duties(text)
        found.sort(key=lambda duty: duty.start)
    return found


def denials(text: str) -> list[Denial]:
    """In the order of the text."""
    patterns = [_DENIALS] if _MAYBE_JAPANESE.search(text) else []
    if _LATIN.search(text):
        patterns.append(_ENGLISH_DENIALS)
    found = [
        Denial(_denied_since(text, hit), hit.end(), _meaning(hit))
        for pattern in patterns
        for hit in pattern.finditer(text)
    ]
    found.sort(key=lambda denial: denial.start)
    return found


def _denied_since(text: str, hit: re.Match[str]) -> int:
    is_verb = hit.lastgroup in ("not", "without") and not text[hit.start()].isascii()
    return _verb_before(text, hit.start()) if is_verb else hit.start()


def _meaning(hit: re.Match[str]) -> str:
    name = hit.lastgroup or "not"
    return hit.group().casefold() if name == "word" else "not" if name == "short" else name


def _japanese_duties(text: str) -> Iterator[Duty]:
    done = 0
    for hit in _DUTIES.finditer(text):
        name = hit.lastgroup or ""
        start = max(done, _verb_before(text, hit.start()))
        done = hit.end()
        level, denied = _LEVELS[name]
        yield Duty(start, done, level, denied)


_LEVELS: dict[str, tuple[Level, bool]] = {
    "effort": ("effort", False),
    "must": ("must", False),
    "forbidden": ("forbidden", False),
    "may": ("may", False),
    "may_not": ("may", True),
    "will": ("will", False),
    "will_not": ("will", True),
}


def _verb_before(text: str, start: int) -> int:
    """Where its verb begins: する, し, or a verb and its ending as in 支払わ."""
    if text[start] in _WHOLE:
        return start
    at = start
    while at > max(0, start - 3) and "ぁ" <= text[at - 1] <= "ん":
        at -= 1
    ending = text[at:start]
    if ending.startswith(("し", "する", "させ")):
        return at
    for of_noun in ("する", "し"):
        if ending.endswith(of_noun):
            return start - len(of_noun)
    verb = at
    while verb > max(0, at - 2) and _is_kanji(text[verb - 1]):
        verb -= 1
    return verb if verb < at else start


def _is_kanji(letter: str) -> bool:
    return "一" <= letter <= "鿿" or letter == "々"


def _english_duties(text: str) -> Iterator[Duty]:
    for hit in _ENGLISH_DUTIES.finditer(text):
        groups = hit.groupdict()
        level: Level = next(level for level in _ENGLISH_LEVELS if groups[level])
        yield Duty(hit.start(), hit.end(), level, bool(groups["not"]))


_ENGLISH_LEVELS: tuple[Level, ...] = (
    "forbidden",
    "best_effort",
    "effort",
    "must",
    "will",
    "may",
)
