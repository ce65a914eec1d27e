"""The answer as Markdown: words of documents and models in it are shown, never obeyed."""

from collections.abc import Iterator, Sequence

from sanbo.agents.grace.answers.draft import Draft
from sanbo.agents.grace.schemas import AnswerSentence, Source, StepResult
from sanbo.evidence.model import SearchedQuery
from sanbo.evidence.places import cited_place
from sanbo.evidence.plain_words import as_markdown
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.text import matching_form

MOST_QUERIES = 10
MOST_HINTS = 3
LONGEST_QUOTE = 200
_INVISIBLE = "\N{ZERO WIDTH SPACE}"
"""Neither space nor punctuation to Markdown: `**30%**は` would not become bold."""


def sentence_line(sentence: AnswerSentence) -> str:
    marks = "".join(f"[{number}]" for number in sentence.sources)
    problem = f" *({as_markdown(sentence.problem)})*" if sentence.problem else ""
    return f"{_with_bold(sentence)}{marks}{problem}"


def answer_lines(draft: Draft, language: Language, note: str = "") -> Iterator[str]:
    """Piece by piece, as it is streamed; together it is the whole."""
    if note:
        yield f"> {as_markdown(note)}\n\n"
    several = len(draft.parts) > 1
    for part in draft.parts:
        if several:
            yield f"#### {as_markdown(part.question)}\n\n"
        for sentence in part.sentences:
            yield f"{sentence_line(sentence)}\n\n"
        if not part.sentences:
            yield f"{tell('grace.part_not_found', language)}\n\n"
    for sentence in draft.contradictions:
        yield f"⚠ {sentence_line(sentence)}\n\n"


def not_found_lines(
    draft: Draft, why: str, searched: Sequence[str], language: Language, note: str
) -> Iterator[str]:
    if note:
        yield f"> {as_markdown(note)}\n\n"
    yield f"{as_markdown(why)}\n\n"
    if searched:
        queries = as_markdown(listed(searched[:MOST_QUERIES], language))
        yield f"{tell('grace.searched', language, queries=queries)}\n\n"
    hints = (*draft.sentences, *draft.nearest)[:MOST_HINTS]
    if hints:
        yield f"{tell('grace.nearest', language)}\n\n"
        yield "".join(f"- {sentence_line(hint)}\n" for hint in hints) + "\n"


def source_lines(sources: Sequence[Source], language: Language) -> str:
    """The list of sources, for a question that has no list of its own."""
    lines = [
        f"- [{source.id}] {as_markdown(source_place(source, language))}"
        f" {tell('grace.quote', language, quote=as_markdown(source.quote[:LONGEST_QUOTE]))}"
        for source in sources
    ]
    return "\n".join(lines)


def source_place(source: Source, language: Language) -> str:
    if source.kind == "web":
        return tell("grace.web_place", language, title=source.document, url=source.url)
    return cited_place(source, language)


def searched_for(results: Sequence[StepResult]) -> tuple[str, ...]:
    """Every query once, in the order of searching."""
    queries: list[SearchedQuery] = [each for result in results for each in result.searched]
    return tuple({matching_form(each.text): each.text for each in reversed(queries)}.values())[::-1]


def _with_bold(sentence: AnswerSentence) -> str:
    if sentence.span is None:
        return as_markdown(sentence.text)
    start, end = sentence.span
    before, bold, after = sentence.text[:start], sentence.text[start:end], sentence.text[end:]
    if not bold.strip() or bold != bold.strip():
        return as_markdown(sentence.text)
    left = "" if bold[0].isalnum() else _INVISIBLE
    right = "" if bold[-1].isalnum() else _INVISIBLE
    return f"{_piece(before)}**{left}{as_markdown(bold)}{right}**{_piece(after)}"


def _piece(text: str) -> str:
    """Escaped, with the blanks at its ends."""
    if not text.strip():
        return " " if text else ""
    before = " " if text[0].isspace() else ""
    after = " " if text[-1].isspace() else ""
    return f"{before}{as_markdown(text)}{after}"


def listed(names: Sequence[str], language: Language) -> str:
    """Names or queries, each between its quotation marks."""
    return tell("evidence.and", language).join(
        tell("grace.name", language, name=name) for name in names
    )
