"""Which columns and values of the table a question names, and where: the longest match counts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.synonyms import APART, CONCEPTS, EVERYDAY, LONE_WORDS
from sanbo.agents.analysis.rules.wording import Word, bare, form, is_kanji, name_words, stem, words

Strength = Literal[1, 2, 3, 4, 5, 6]
"""6: its full name; 5: most of it; 4: a word that it has; 3: other words for all of it; 2: other
words for a part of it; 1: nearly (a slip of the pen)."""


@dataclass(frozen=True, slots=True)
class ColumnMention:
    start: int
    end: int
    columns: tuple[str, ...]
    """More than one where the words fit several equally well."""
    strength: Strength

    @property
    def column(self) -> str:
        return self.columns[0]


@dataclass(frozen=True, slots=True)
class Name:
    """One way to write a column: as text (Japanese) or as words (Latin)."""

    text: str
    column: str
    strength: Strength


_TAILS = (
    "名称",
    "名",
    "コード",
    "cd",
    "id",
    "区分",
    "番号",
    "no",
    "種別",
    "数",
    "額",
    "金額",
    "高",
)
_CONCEPT_WORDS: dict[str, tuple[str, ...]] = {}
for _concept, _words in CONCEPTS.items():
    for _word in _words:
        _key = form(_word) if not _word.isascii() else " ".join(stem(one) for one in _word.split())
        _CONCEPT_WORDS[_key] = (*_CONCEPT_WORDS.get(_key, ()), _concept)
_GENERIC = frozenset(
    {
        "name",
        "id",
        "date",
        "type",
        "number",
        "no",
        "cd",
        "code",
        "of",
        "to",
        "the",
        "time",
        "year",
        "rating",
        "amount",
        "day",
        "count",
        "total",
        "value",
        "status",
        "at",
        "in",
        "per",
        "is",
        "and",
        "a",
        "unit",
        "order",
    }
)


def concepts(column: str) -> dict[str, Strength]:
    """What a column is about: 3 if its whole name says so, 2 if a part of it does."""
    found: dict[str, Strength] = {}
    name, tokens = bare(column), name_words(column)
    joined = " ".join(tokens)
    for text, kinds in _CONCEPT_WORDS.items():
        if text.isascii():
            whole = text == joined
            part = len(text) > 2 and f" {text} " in f" {joined} " and text not in _GENERIC
        else:
            whole = text == name
            part = len(text) > 1 and (name.endswith(text) or name.startswith(text))
        if not whole and not part:
            continue
        for kind in kinds:
            found[kind] = max(found.get(kind, 2), 3 if whole else 2)
    return found


def _qualified(name: str, full: str) -> Iterator[str]:
    """診察料(税抜) is also 税抜の診察料, 税抜き診察料, 診察料税抜."""
    said = full.removeprefix(name).strip("()[]【】〔〕<> ")
    if full.startswith(name) and len(said) > 1 and not said.isascii():
        for word in (said, f"{said}き", f"{said}み"):
            yield from (f"{word}の{name}", f"{word}{name}", f"{name}の{word}", f"{name}{word}")


def _is_kind(short: str) -> bool:
    """館 of 館名 says what it is; 氏 of 氏名 and 件 of 件名 do not."""
    return len(short) == 1 and is_kanji(short) and short not in "氏件人姓書題有無別仮"


_LOOSE = frozenset({"sold", "売れ"})
"""Verbs: they name a number only where nothing else does."""


class Names:
    """Every way to write the columns of a table."""

    def __init__(self, columns: Columns) -> None:
        self.texts: list[Name] = []
        self.latin: dict[str, list[Name]] = {}
        self.tokens: dict[str, list[str]] = {}
        for column in columns.roles:
            self._add(column)
        self._longest = max((key.count(" ") + 1 for key in self.latin), default=0)

    def _add(self, column: str) -> None:  # noqa: PLR0912 - every way to write it
        name, tokens = bare(column), name_words(column)
        if name.isascii():
            self._add_latin(" ".join(tokens), column, 6)
            for token in tokens:
                self.tokens.setdefault(token, []).append(column)
        else:
            self.texts.append(Name(name, column, 6))
            if (full := form(column)) != name:
                self.texts.append(Name(full, column, 6))
                for written in _qualified(name, full):
                    self.texts.append(Name(written, column, 6))
            for tail in _TAILS:
                short = name.removesuffix(tail)
                if short != name and (len(short) >= 2 or (tail == "名" and _is_kind(short))):
                    self.texts.append(Name(short, column, 5))
            for token in tokens:
                if len(token) > 1:
                    self.tokens.setdefault(token, []).append(column)
        for concept, strength in concepts(column).items():
            for word in CONCEPTS[concept]:
                if word.isascii():
                    key = " ".join(stem(one) for one in word.split())
                    self._add_latin(key, column, 1 if word in _LOOSE else strength)
                elif form(word) != name:
                    self.texts.append(
                        Name(
                            form(word),
                            column,
                            1 if word in _LOOSE else _concept_strength(name, form(word), strength),
                        )
                    )
        if not name.isascii():
            for part in _parts(name):
                self.texts.append(Name(part, column, 2))

    def _add_latin(self, key: str, column: str, strength: Strength) -> None:
        if key:
            self.latin.setdefault(key, []).append(Name(key, column, strength))

    def found(self, text: str) -> Iterator[ColumnMention]:
        """All that could be meant; overlapping ones too."""
        for name in self.texts:
            for start in _places(text, name.text):
                yield ColumnMention(start, start + len(name.text), (name.column,), name.strength)
        yield from self._latin_found(words(text))

    def _latin_found(self, found: tuple[Word, ...]) -> Iterator[ColumnMention]:
        joined = {key.replace(" ", ""): names for key, names in self.latin.items()}
        for first, word in enumerate(found):
            known = False
            for count in range(min(self._longest + 1, len(found) - first), 0, -1):
                run = found[first : first + count]
                key = "".join(one.stem for one in run)
                if count == 1 and key in LONE_WORDS:
                    known = True
                    break
                for name in joined.get(key, ()):
                    known = True
                    yield ColumnMention(word.start, run[-1].end, (name.column,), name.strength)
            yield from self._parts_found(found, first)
            if not known and word.stem not in self.tokens and len(word.stem) >= 5:
                yield from self._nearly(word)

    def _parts_found(self, found: tuple[Word, ...], first: int) -> Iterator[ColumnMention]:
        word = found[first]
        for column in self.tokens.get(word.stem, ()):
            if word.stem in EVERYDAY or len(word.stem) < 2:
                continue
            tokens = name_words(column)
            place = tokens.index(word.stem)
            count = 1
            while (
                first + count < len(found)
                and place + count < len(tokens)
                and found[first + count].stem == tokens[place + count]
            ):
                count += 1
            yield ColumnMention(
                word.start, found[first + count - 1].end, (column,), 5 if count > 1 else 4
            )

    def _nearly(self, word: Word) -> Iterator[ColumnMention]:
        if word.stem in EVERYDAY:
            return
        for key, names in self.latin.items():
            if abs(len(key) - len(word.stem)) <= 2 and _close(key.replace(" ", ""), word.stem):
                for name in names:
                    yield ColumnMention(word.start, word.end, (name.column,), 1)
        for token, owners in self.tokens.items():
            if token in EVERYDAY:
                continue
            is_longer = (
                len(token) >= 4 and word.stem.startswith(token) and len(word.stem) - len(token) <= 4
            )
            if is_longer or (len(token) >= 5 and _close(token, word.stem)):
                yield ColumnMention(word.start, word.end, tuple(owners), 1)


def _concept_strength(name: str, word: str, strength: Strength) -> Strength:
    """売上 is nearly all of 売上金額 and of 売上数量, but not of 売上原価."""
    if name.startswith(word) and not name.endswith(APART) and len(word) > 1:
        return 5
    return strength


def _parts(name: str) -> Iterator[str]:
    """Beginnings and ends of a Japanese name, in two or more characters: 金額 of 請求金額."""
    if len(name) >= 4:
        if not name.endswith(APART):
            yield name[:2]
        yield name[-2:]


def _close(one: str, other: str) -> bool:
    if one[:2] != other[:2] or abs(len(one) - len(other)) > 2:
        return False
    return SequenceMatcher(None, one, other).ratio() >= 0.84


def _places(text: str, name: str) -> Iterator[int]:
    start = text.find(name)
    while start >= 0:
        if len(name) > 1 or _stands_alone(text, start):
            yield start
        start = text.find(name, start + 1)


_AFTER_ONE = ("別", "ごと", "毎", "単位", "順", "間")


def _stands_alone(text: str, start: int) -> bool:
    """Whether a single character is a word of its own here: 店 in 店別, not in 店長."""
    before, after = text[start - 1 : start], text[start + 1 : start + 3]
    if before.isdigit() or (before and is_kanji(before) and before not in "各毎全"):
        return False
    return after.startswith(_AFTER_ONE) or not after or not is_kanji(after[0])


def columns_named(
    text: str, names: Names, taken: Iterable[tuple[int, int]] = ()
) -> tuple[ColumnMention, ...]:
    """The mentions that remain, in order of the text; those equally good at one place together."""
    blocked = list(taken)
    by_span: dict[tuple[int, int], list[ColumnMention]] = {}
    for mention in names.found(text):
        by_span.setdefault((mention.start, mention.end), []).append(mention)
    merged: list[ColumnMention] = []
    for (start, end), found in by_span.items():
        best = max(found, key=lambda one: one.strength).strength
        chosen = dict.fromkeys(
            column for one in found if one.strength == best for column in one.columns
        )
        merged.append(ColumnMention(start, end, tuple(chosen), best))
    merged.sort(key=lambda one: (one.start - one.end, -one.strength, one.start))
    kept: list[ColumnMention] = []
    for one in merged:
        if all(one.end <= start or end <= one.start for start, end in blocked):
            blocked.append((one.start, one.end))
            kept.append(one)
    return _settled(_without_echoes(sorted(kept, key=lambda one: one.start), text))


def _without_echoes(mentions: list[ColumnMention], text: str) -> list[ColumnMention]:
    """A loose word right after a name belongs to it: type in `ship mode type`."""
    kept: list[ColumnMention] = []
    for one in mentions:
        before = kept[-1] if kept else None
        is_echo = (
            before is not None
            and one.strength <= 3
            and text[before.end : one.start] == " "
            and before.strength > one.strength
        )
        if not is_echo:
            kept.append(one)
    return kept


def _settled(mentions: list[ColumnMention]) -> tuple[ColumnMention, ...]:
    """Where words fit several columns and one of those is named in full elsewhere, it is meant."""
    sure = {one.column for one in mentions if len(one.columns) == 1 and one.strength >= 4}
    return tuple(
        replace(one, columns=tuple(column for column in one.columns if column in sure))
        if len(one.columns) > 1 and len(sure.intersection(one.columns)) == 1
        else one
        for one in mentions
    )
