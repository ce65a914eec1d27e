"""A model's answer, read while it is written: one JSON object a sentence.

Whatever stands between the objects is passed over: fences, commas, an array around them, an object
that holds them in a list, prose. Where pieces of the stream begin and end makes no difference.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Annotated, Any, Literal, cast

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from sanbo.evidence.model import Part, Quoted, Section

LONGEST_OBJECT = 8_000
LONGEST_ANSWER = 200_000
MOST_PARTS = 200
MOST_READ_AGAIN = 100_000
"""Characters of objects that were given up, and searched for others inside of them."""
_NOT_PARTS = frozenset({"quotes", "quote", "citations", "sources", "queries"})
"""Lists in a part itself; a list under any other name holds the parts."""


class WrittenSearch(BaseModel):
    section: Literal["search"]
    text: str = ""
    queries: list[str]


class PartScanner:
    """Takes complete objects out of a text that comes in pieces."""

    def __init__(self, search: Callable[[WrittenSearch], None] = lambda _: None) -> None:
        """`search` is told that an answer begins with the wish to search again."""
        self._search = search
        self.skipped = 0
        """Objects that are no sentence."""
        self.found = 0
        self._text = ""
        self._at = 0
        self._read = 0
        self._read_again = 0
        self._begin: int | None = None
        self._reset()

    @property
    def is_full(self) -> bool:
        """Whether nothing that follows is looked at any more."""
        return (
            self.found + self.skipped >= MOST_PARTS
            or self._read >= LONGEST_ANSWER
            or self._read_again >= MOST_READ_AGAIN
        )

    def feed(self, piece: str) -> Iterator[Part]:
        self._text += piece[: LONGEST_ANSWER - self._read]
        self._read += len(piece)
        yield from self._scan()

    def end(self) -> Iterator[Part]:
        """What is found within an object that was never finished."""
        while self._begin is not None and not self.is_full:
            self._restart()
            yield from self._scan()

    # ---- the scan, character by character ----

    def _reset(self) -> None:
        self._depth = 0
        self._in_string = False
        self._is_escaped = False
        self._string_begin = 0
        self._first_key: str | None = None

    def _scan(self) -> Iterator[Part]:
        while self._at < len(self._text) and not self.is_full:
            if self._begin is None:
                if not self._find_begin():
                    return
                continue
            character = self._text[self._at]
            self._at += 1
            if self._at - self._begin > LONGEST_OBJECT:
                self._restart()
            elif self._in_string:
                self._inside_string(character)
            elif self._is_no_object(character):
                self._restart()
            elif character == "[" and self._holds_parts():
                self._go_on()
            else:
                self._count(character)
                if self._depth == 0:
                    yield from self._whole_object()

    def _find_begin(self) -> bool:
        begin = self._text.find("{", self._at)
        if begin < 0:
            self._text, self._at = "", 0
            return False
        self._text, self._at, self._begin = self._text[begin:], 1, 0
        self._depth = 1
        return True

    def _inside_string(self, character: str) -> None:
        if self._is_escaped:
            self._is_escaped = False
        elif character == "\\":
            self._is_escaped = True
        elif character == '"':
            self._in_string = False
            if self._first_key is None:
                self._first_key = self._text[self._string_begin : self._at - 1]

    def _is_no_object(self, character: str) -> bool:
        """`{P1}` in prose: an object begins with a name or ends at once."""
        return self._first_key is None and not character.isspace() and character not in '"}'

    def _holds_parts(self) -> bool:
        """`{"parts": [`: the list of its first name, unless that is a part's own."""
        before = self._text[self._string_begin : self._at - 1]
        is_first = before.partition('"')[2].strip() == ":"
        return self._depth == 1 and is_first and self._first_key not in _NOT_PARTS

    def _count(self, character: str) -> None:
        if character == '"':
            self._in_string = True
            if self._first_key is None:
                self._string_begin = self._at
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1

    def _go_on(self) -> None:
        self._begin = None
        self._reset()

    def _restart(self) -> None:
        """The object is none: another may begin within it."""
        assert self._begin is not None
        self._read_again += self._at - self._begin
        self._at = self._begin + 1
        self._go_on()

    def _whole_object(self) -> Iterator[Part]:
        assert self._begin is not None
        written = self._text[self._begin : self._at]
        try:
            value: object = json.loads(written, strict=False)
        except (ValueError, RecursionError):
            self._restart()
            return
        self._go_on()
        for each in _sentences(value):
            part = read_part(each)
            if wish := _read_search(each):
                if not self.found:
                    self._search(wish)
            elif part is None:
                self.skipped += 1
            else:
                self.found += 1
                yield part


def _sentences(value: object) -> list[object]:
    """The object itself, or what it holds where its list of sentences was not its first."""
    fields = cast("dict[str, object]", value)
    if "text" in fields or "section" in fields:
        return [value]
    lists = [cast("list[object]", each) for each in fields.values() if isinstance(each, list)]
    held = [each for items in lists for each in items if _is_object(each)]
    return held[:MOST_PARTS] or [value]


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


# ---- one sentence --------------------------------------------------------------------------


def _as_list(value: Any) -> Any:
    return [] if value is None else [value] if isinstance(value, dict) else value


def _section(value: Any) -> Any:
    return value.strip().lower().removesuffix("s") if isinstance(value, str) else value


def _number(value: Any) -> Any:
    """`"Q2"` is 2; what is no number is the first."""
    if isinstance(value, int):
        return value
    digits = "".join(each for each in str(value) if each.isascii() and each.isdigit())[:3]
    return int(digits) if digits else 1


class _WrittenQuote(BaseModel):
    passage: str = Field(validation_alias=AliasChoices("passage", "id", "passage_id"))
    quote: str = Field(validation_alias=AliasChoices("quote", "text"))


class _WrittenPart(BaseModel):
    section: Annotated[Section, BeforeValidator(_section)] = "finding"
    sub_question: Annotated[int, BeforeValidator(_number)] = 1
    """From 1, as models count."""
    quotes: Annotated[list[Any], BeforeValidator(_as_list)] = Field(default_factory=list[Any])
    text: str


def _read_search(value: object) -> WrittenSearch | None:
    try:
        return WrittenSearch.model_validate(value)
    except ValidationError:
        return None


def read_part(value: object) -> Part | None:
    """A sentence as it is claimed; a quote that can't be read is left out of it."""
    try:
        written = _WrittenPart.model_validate(value)
    except ValidationError:
        return None
    if not written.text.strip():
        return None
    return Part(
        section=written.section,
        sub_question=max(0, written.sub_question - 1),
        text=_sound(written.text),
        quotes=tuple(_quotes(written.quotes)),
    )


def _quotes(values: list[Any]) -> Iterator[Quoted]:
    for value in values[:20]:
        try:
            quote = _WrittenQuote.model_validate(value)
        except ValidationError:
            continue
        yield Quoted(passage=_sound(quote.passage), quote=_sound(quote.quote))


def _sound(text: str) -> str:
    """In letters that UTF-8 can write: a model may spell half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")


async def parts_of(pieces: AsyncIterator[str], scanner: PartScanner) -> AsyncGenerator[Part]:
    """The sentences of a stream, each as soon as it is whole."""
    # Closed at once, not when it is collected: a stream holds a connection.
    async with aclosing(cast("AsyncGenerator[str]", pieces)) as stream:
        async for piece in stream:
            for part in scanner.feed(piece):
                yield part
            if scanner.is_full:
                return
    for part in scanner.end():
        yield part
