"""`nlp.chunk_texts`: texts and files in pieces of a length that a model or an index takes."""

import base64
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.ai.material import document_of_text
from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.file.sources import shared_readers
from sanbo.documents.chunks import chunk, sentence_spans
from sanbo.documents.model import Document, Source
from sanbo.evidence.passages_given import tokens_of
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef

TextInput = str | Mapping[str, JsonValue]


@dataclass(frozen=True)
class NamedText:
    id: str
    text: str


def named_texts(texts: Sequence[TextInput]) -> list[NamedText]:
    """A text is a string, or an object with `text` and perhaps `id` or `name`."""
    named: list[NamedText] = []
    for number, each in enumerate(texts):
        if isinstance(each, str):
            named.append(NamedText(str(number), each))
            continue
        name = each.get("id") or each.get("chunk_id") or each.get("path") or each.get("name")
        text = each.get("text") or each.get("text_excerpt") or ""
        named.append(NamedText(str(number) if name is None else str(name), str(text)))
    return named


def tidied(text: str) -> str:
    """White space of a line as single blanks, and no more than one empty line."""
    lines = [" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines()]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip()


Strategy = Literal["structure", "sentence", "paragraph", "fixed"]
_STRATEGIES: Mapping[str, Strategy] = {
    "tokens": "fixed",
    "sentences": "sentence",
    "paragraphs": "paragraph",
    "markdown_headings": "structure",
}
Span = tuple[int, int]


class ChunkTexts(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        if given.overlap_tokens >= given.max_tokens:
            raise InvalidInput(
                "nlp_overlap_too_large",
                node=context.node,
                overlap=given.overlap_tokens,
                most=given.max_tokens,
            )
        documents = [*_given_texts(given), *_given_files(given, context)]
        chunks: list[dict[str, JsonValue]] = []
        strategy: Strategy = _STRATEGIES.get(given.strategy, given.strategy)
        for place, (source, document) in enumerate(documents):
            starts = [block.position.start for block in document.blocks]
            for number, (start, end) in enumerate(_cuts(document, given, strategy)):
                text = document.text[start:end]
                chunks.append(
                    {
                        "id": f"{place}-{number}",
                        "source": source,
                        "index": number,
                        "text": text,
                        "tokens": tokens_of(text),
                        "start": start,
                        "end": end,
                        **_place(document, starts, start),
                    }
                )
        return {
            "chunks": chunks,
            "summary": {
                "texts": len(documents),
                "chunks": len(chunks),
                "strategy": given.strategy,
                "longest_tokens": max((tokens_of(str(each["text"])) for each in chunks), default=0),
            },
        }


def _given_texts(given: Given) -> Iterator[tuple[str, Document]]:
    for number, each in enumerate(named_texts(given.texts)):
        text = tidied(each.text) if given.normalize_whitespace else each.text
        name = f"text:{number}" if isinstance(given.texts[number], str) else each.id
        yield name, document_of_text(name, text)


def _given_files(given: Given, context: BlockContext) -> Iterator[tuple[str, Document]]:
    """Files, or the files of an evidence; without bytes, the text that is known of one."""
    for number, told in enumerate(given.files):
        name = str(told.get("path") or told.get("name") or number)
        inside = next((told[key] for key in ("file", "bytes") if told.get(key)), told)
        is_told = isinstance(inside, dict) and {"file_id", "name", "size"} <= inside.keys()
        if is_told or isinstance(inside, FileRef):
            file = FileRef.model_validate(inside)
            document = shared_readers().read(Source(name=name, data=context.files.read(file)))
        elif isinstance(encoded := told.get("base64"), str) and not told.get("text"):
            data = base64.b64decode(encoded)
            document = shared_readers().read(Source(name=name, data=data))
        else:
            text = str(told.get("text") or told.get("text_excerpt") or "")
            document = document_of_text(name, text)
        if given.normalize_whitespace:
            document = document_of_text(name, tidied(document.text))
        yield name, document


def _cuts(document: Document, given: Given, strategy: Strategy) -> list[Span]:
    """Pieces that each stay below the limit, put together up to it."""
    text = document.text
    pieces = [
        short
        for start, end in _pieces(document, given, strategy)
        for short in _short_enough(text, start, end, given.max_tokens)
        if text[short[0] : short[1]].strip()
    ]
    if strategy == "structure":
        return pieces
    return _gathered(text, pieces, given.max_tokens, given.overlap_tokens)


def _pieces(document: Document, given: Given, strategy: Strategy) -> list[Span]:
    text = document.text
    if strategy == "structure":
        # About a letter a token in Japanese; where it is fewer, a chunk is merely shorter.
        cuts = chunk(document, target=max(50, given.max_tokens // 2), most=given.max_tokens)
        return [(each.position.start, each.position.end) for each in cuts]
    if strategy == "paragraph":
        return _paragraphs(text)
    if strategy == "sentence":
        return [
            (start + begin, start + stop)
            for start, end in _paragraphs(text)
            for begin, stop in sentence_spans(text[start:end])
        ]
    step = max(1, given.max_tokens // 8)
    return [(start, min(start + step, len(text))) for start in range(0, len(text), step)]


def _paragraphs(text: str) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for part in text.split("\n\n"):
        spans.append((start, start + len(part)))
        start += len(part) + 2
    return spans


def _short_enough(text: str, start: int, end: int, most: int) -> Iterator[Span]:
    while tokens_of(text[start:end]) > most:
        low, high = start + 1, end
        while low < high:  # the longest begin that is short enough
            middle = (low + high + 1) // 2
            if tokens_of(text[start:middle]) <= most:
                low = middle
            else:
                high = middle - 1
        yield start, low
        start = low
    if start < end:
        yield start, end


def _gathered(text: str, pieces: Sequence[Span], most: int, overlap: int) -> list[Span]:
    made: list[Span] = []
    first = 0
    while first < len(pieces):
        last = first
        while (
            last + 1 < len(pieces)
            and tokens_of(text[pieces[first][0] : pieces[last + 1][1]]) <= most
        ):
            last += 1
        made.append((pieces[first][0], pieces[last][1]))
        following = last + 1
        if following < len(pieces):
            while (
                following - 1 > first
                and tokens_of(text[pieces[following - 1][0] : pieces[last][1]]) <= overlap
            ):
                following -= 1
        first = following
    return made


def _place(document: Document, starts: Sequence[int], start: int) -> dict[str, JsonValue]:
    number = bisect_right(starts, start) - 1
    if number < 0:
        return {"page": None, "sheet": None, "headings": []}
    position = document.blocks[number].position
    return {
        "page": position.page,
        "sheet": position.sheet,
        "headings": list[JsonValue](position.headings),
    }
