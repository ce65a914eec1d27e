"""Every sentence that might answer a question, by how well it does beside all the others."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache

from sanbo.evidence.model import Passage
from sanbo.evidence.reader.reading import UNREAD, read
from sanbo.evidence.rules.choices import Chosen, Wanted, ranked, wanted
from sanbo.evidence.rules.sentences import Sentence, paragraphs
from sanbo.evidence.rules.terms import content_words, words_of
from sanbo.evidence.rules.values import holds_what
from sanbo.language.likeness import likeness, mean_likeness
from sanbo.language.numerals import KANJI_DIGITS, SMALL, narrow
from sanbo.language.questions import is_exact, wanted_by_word
from sanbo.retrieval.tokens import letters

_NAMED_THING = re.compile(
    r"(?:何|なん|なに)(?:て|と(?:も)?)(?:いう|言う|いい|言い|いわ|言わ|呼|よ[ばび]|称|名付|名づけ)"
    r"|(?:名前|名称|呼び名|通称|略称|愛称|別名|総称|呼称|俗称|異名)(?:は|を|と|で|が|$)"
    r"|\bwhat (?:is|are|was|were)\b.{0,200}\b(?:called|named)\b|\bname of\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"と(?:も|は|の)?(?:いう|言う|いい|言い|いわれ|言われ|呼ば|呼ぶ|呼び|呼称|称|名付|名づけ|する(?=。|$)|総称|略)"
    r"|の(?:名|総称|略|こと)|名(?:は|を|称)|[略通愛別]称|命名"
    r"|\b(?:called|named|known as|referred to as|name)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"どのよう|どう|理由|\bhow\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"^(?:また、?|なお、?|ただし、?|しかし、?|そして、?|[^、。]{0,10}では、)?"
    r"(?:これ|この|それ|その|同(?=[^じ])|こう|そう|ここ|そこ|当該|前者|後者|両者|彼|は)"
    r"|^(?:this|these|that|those|it|its|such|they|he|she)\b",
    re.IGNORECASE,
)
_CALENDAR = (
    (
        re.compile("何年(?!間|度|生)|[たのる]年(?:は|を|$)|西暦"),
        re.compile(f"[0-9〇{KANJI_DIGITS}十]{{1,4}}年|元年|世紀"),
    ),
    (re.compile("何月"), re.compile(f"{SMALL}月")),
    (re.compile("何日(?!間)"), re.compile(f"{SMALL}(?:営業)?日")),
    (re.compile("何時(?!間)"), re.compile(f"{SMALL}(?:時|:)")),
    (re.compile("何世紀"), re.compile("世紀")),
)
"""What is asked of a calendar, and how that is written."""
_HEAD = re.compile(
    r"(?:どの(?!よう|くらい|程度)|何の|どんな|どこの|何という|どのような|どういう)([^\sをがはにでのと、?]{1,8})"
    r"|([一-鿿ァ-ヶー]{1,8})(?:とは|は)(?:何|誰|どこ|なに|どれ|どちら)?(?:です|でしょう|だ)?か?[。?]*$"
)
_ELSEWHERE = re.compile(
    r"同(?:社|国|市|県|町|村|氏|校|誌|局|年|月|日|法|作|書|曲|党|寺|駅|店|島|川|山|船|艦|機|賞|地|所|館|大学|政令)"
    r"|(?:^|、)(?:彼ら?|彼女ら?|それら?|これら?|ここ|そこ)(?=[はがをにでの])|[前後]者|上記|前述"
)
_FOLLOWS = re.compile(
    r"(?:次|以下|下記)の(?:よう|とおり|通り)|(?:次|以下)に(?:示|挙)|(?:を考える|で示す|に示す)。?$"
)
_LEADING = re.compile(r"^(?:また|なお|ただし|しかし|そして|例えば|たとえば|かつて|現在)、?")
_NAMES_SOMETHING = re.compile(r"[一-鿿ァ-ヶa-zA-Z0-9]")
_TOPIC = re.compile(r"^(.{1,60}?)(?:とは|には|では|は|が|も)(?=[^ぁ-ん]|、|[ぁ-ん]{2})")


@lru_cache(maxsize=256)
def asks_for_name(question: str) -> bool:
    """How something is called: 何といいますか, 略称は."""
    return _NAMED_THING.search(narrow(question)) is not None


@lru_cache(maxsize=256)
def asks_for_thing(question: str) -> bool:
    """A thing, a person or a place, and no date, amount, reason or way."""
    form = narrow(question)
    of_figure = wanted_by_word(question) not in (None, "person", "place")
    return not is_exact(question) and not of_figure and _OPEN.search(form) is None


def gives_name(sentence: str) -> bool:
    return _NAMING.search(sentence) is not None


def points_back(sentence: str) -> bool:
    """It speaks of what the sentence before names: これを…という."""
    return _POINTS_BACK.search(sentence) is not None


def has_own_topic(sentence: str, asked: frozenset[str]) -> bool:
    """What it speaks of (before its first は or が) is named, and not by the question alone."""
    found = _TOPIC.match(_LEADING.sub("", sentence))
    if found is None or points_back(sentence):
        return False
    named = (word for word in content_words(found[1]) if _NAMES_SOMETHING.search(word))
    return any(word not in asked for word in named)


def lacks_calendar(question: str, sentence: str) -> bool:
    """A year is asked for, and the sentence has only days; or the like."""
    asked, form = narrow(question), narrow(sentence)
    return any(asks.search(asked) and not is_written.search(form) for asks, is_written in _CALENDAR)


def refers_elsewhere(question: str, sentence: str) -> bool:
    """What is asked for is only referred to: この分野, 同社, ここ."""
    if _ELSEWHERE.search(sentence):
        return True
    asked = _HEAD.search(narrow(question))
    if asked is None:
        return False
    head = re.escape(asked[1] or asked[2])
    referred = f"(?:[こそ]の|[こそ]れらの|同じ?|当該?|このような|そのような){head}"
    return re.search(referred, sentence) is not None


def leads_on(sentence: str) -> bool:
    """What it speaks of stands after it: 次のとおり."""
    return _FOLLOWS.search(sentence) is not None


PASSAGES = 24
"""So many of the most relevant ones are looked at."""
_SUREST = 6.0
_MOST_NEW = 8
_ENOUGH_NEW = 2
WEIGHTS: Mapping[str, float] = {
    "read": 0.4,
    "relevance": 0.3,
    "score": 2.3,
    "name": 0.9,
    "new": 1.0,
    "sentence": 0.1,
    "paragraph": 1.4,
    "around": 2.6,
    "titled": 2.7,
    "kind": 0.4,
    "kind_missing": -0.2,
    "row": 0.1,
    "only_names": -0.4,
}
"""What counts how much, in log odds (`benchmarks/fit_candidates.py`)."""
# Letters of a sentence with the one before it, and between them.
_LONGEST, _CLOSE = 300, 2
# これを…という speaks of what the sentence before says: it answers nearly as well.
_CARRIED = 0.95
# A day where a year is asked for is no answer.
_KIND_MISSING = 0.5


@dataclass(frozen=True)
class Meant:
    """Shares of the question's words that are said, also in words of about the same meaning."""

    sentence: float
    paragraph: float
    """In the clause, list item or row that the sentence stands in."""
    around: float
    """There, in the headings above it or in the document's name."""
    titled: float
    """Of the words themselves, in the headings or the name."""


@dataclass(frozen=True)
class Candidate:
    """A sentence with what speaks for it."""

    chosen: Chosen
    score: float
    """Of the sentence alone: the question's words, and the kind of thing that is asked for."""
    relevance: float
    """Log odds of its passage."""
    read: float
    """What the reader makes of it, as log odds."""
    name: bool
    """It says how something is called, where that is asked."""
    points_back: bool
    """It speaks of what the sentence before names."""
    new: int
    """Words that the question does not have: one of them must be the answer."""
    own_topic: bool
    """What it speaks of is not just what the question says."""
    holds_kind: bool
    """It has a date where one is asked for, an amount, a person."""
    elsewhere: bool
    """What is asked for is only referred to: この分野, 同社."""
    leads_on: bool
    """What it speaks of stands after it."""
    subject: str
    """What the passage is about, where a thing is asked for that the sentence does not name."""
    lead: Sentence | None
    """The sentence before, where this one speaks of what that one names: この制度は…."""
    meant: Meant
    kind_missing: bool

    def counted(self) -> dict[str, float]:
        """What its fit is made of."""
        return {
            "read": self.read,
            "relevance": self.relevance,
            "score": self.score,
            "name": float(self.name * (1 + self.points_back)),
            "new": float(min(self.new, _ENOUGH_NEW)),
            **asdict(self.meant),
            "kind": float(self.holds_kind),
            "kind_missing": float(self.kind_missing),
            "row": float(self.chosen.sentence.is_row),
            "only_names": float(self.chosen.only_names),
        }

    @cached_property
    def fit(self) -> float:
        """Of passage and sentence together, like log odds."""
        return sum(WEIGHTS[name] * value for name, value in self.counted().items())


def candidates(question: str, passages: Sequence[Passage]) -> list[Candidate]:
    """The best first; none only where no passage has a sentence."""
    want = wanted(question, passages)
    readings = zip(passages, read(question, passages), strict=True)
    odds = {passage.id: reading.sentences for passage, reading in readings}
    found = [
        candidate
        for passage in most_relevant(passages)
        for candidate in _of_passage(question, passage, want, odds[passage.id])
    ]
    return sorted(found, key=lambda each: -each.fit)


def most_relevant(passages: Sequence[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: -passage.relevance)[:PASSAGES]


def relevance_odds(passage: Passage) -> float:
    """The log odds of its relevance, never quite sure."""
    chance = min(max(passage.relevance, 1e-9), 1 - 1e-9)
    return max(-_SUREST, min(_SUREST, math.log(chance / (1 - chance))))


def _of_passage(
    question: str, passage: Passage, want: Wanted, read_as: Mapping[int, float]
) -> Iterator[Candidate]:
    odds = relevance_odds(passage)
    asked = frozenset(content_words(question))
    asks = holds_what(question) is not None
    meanings = _Meanings(passage, want)
    subject = _unnamed_subject(question, passage)
    before, before_meant = 0.0, 0.0
    last: Sentence | None = None
    for chosen in sorted(ranked(passage, want), key=lambda each: each.sentence.start):
        text = chosen.sentence.text
        words = frozenset(content_words(text))
        back = points_back(text)
        name = asks_for_name(question) and gives_name(text)
        own = has_own_topic(text, asked)
        shown = subject and not chosen.sentence.is_row and subject not in text
        short = chosen.holds_kind and lacks_calendar(question, text)
        carried = _CARRIED if back and name else 0.0
        meant = meanings.of(chosen, carried * before_meant)
        yield Candidate(
            chosen=chosen,
            score=max(chosen.score - _KIND_MISSING * short, carried * before),
            relevance=odds,
            read=max(UNREAD, min(_SUREST, read_as.get(chosen.sentence.start, UNREAD))),
            name=name,
            points_back=back,
            new=min(len(words - asked), _MOST_NEW),
            own_topic=own,
            holds_kind=chosen.holds_kind and not short,
            elsewhere=refers_elsewhere(question, text),
            leads_on=leads_on(text),
            subject=subject if shown else "",
            lead=_lead(chosen, last) if back else None,
            meant=meant,
            kind_missing=asks and not chosen.holds_kind,
        )
        last = chosen.sentence
        before, before_meant = chosen.score, meant.sentence


class _Meanings:
    """Of a passage's sentences."""

    def __init__(self, passage: Passage, want: Wanted) -> None:
        self._asked, self._weights = tuple(want.weights), tuple(want.weights.values())
        above = (passage.context, *passage.position.headings, passage.document.replace("_", " "))
        self._above = frozenset(content_words("\n".join(above)))
        self._alike_above = likeness(self._asked, tuple(sorted(self._above)))
        self._paragraphs: dict[int, list[float]] = {}
        """By where each sentence begins."""
        for each in paragraphs(passage.text):
            alike = self._alike(words_of(sentence.text for sentence in each))
            self._paragraphs.update({sentence.start: alike for sentence in each})

    def of(self, chosen: Chosen, carried: float) -> Meant:
        """An answer says what its question says; `carried`, of a sentence that points back."""
        said = words_of((chosen.sentence.text, chosen.asked))
        asked = self._alike(words_of((chosen.asked,)))
        here = _either(self._paragraphs[chosen.sentence.start], asked)
        around = _either(here, self._alike_above)
        return Meant(
            sentence=max(self._mean(self._alike(said)), carried),
            paragraph=self._mean(here),
            around=self._mean(around),
            titled=self._mean([float(word in self._above) for word in self._asked]),
        )

    def _alike(self, words: frozenset[str]) -> list[float]:
        return likeness(self._asked, tuple(sorted(words)))

    def _mean(self, alike: Sequence[float]) -> float:
        return mean_likeness(self._weights, alike)


def _either(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [max(pair) for pair in zip(one, other, strict=True)]


def _lead(chosen: Chosen, last: Sentence | None) -> Sentence | None:
    """Only what stands close before, and is not long."""
    if last is None or last.is_row or last.is_heading or chosen.sentence.is_row:
        return None
    is_close = chosen.sentence.start - last.end <= _CLOSE
    return last if is_close and chosen.sentence.end - last.start <= _LONGEST else None


def _unnamed_subject(question: str, passage: Passage) -> str:
    """What the passage is about, where that may be what is asked for."""
    subject = subject_of(passage)
    if not subject or not asks_for_thing(question) or letters(subject) in letters(question):
        return ""
    return subject


def subject_of(passage: Passage) -> str:
    """The nearest heading, or the document's title; empty where neither is known."""
    if passage.position.headings:
        return passage.position.headings[-1].strip()
    return title_of(passage)


def title_of(passage: Passage) -> str:
    """The document's; empty where it is not known."""
    lines = [line.strip() for line in passage.context.splitlines() if line.strip()]
    return lines[0] if lines else ""
