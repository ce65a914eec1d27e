"""The answer as Markdown: words of documents and models in it are shown, never obeyed."""

from collections.abc import Iterator, Sequence

from sanbo.agents.grace.answers.draft import Draft
from sanbo.agents.grace.schemas import AnswerSentence, Source, StepResult
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.thinking import KnownCollection
from sanbo.evidence.model import SearchedQuery
from sanbo.evidence.places import as_markdown, cited_place
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidSettings, MissingDependency, NotFound
from sanbo.kernel.text import matching_form
from sanbo.retrieval.library import Library
from sanbo.retrieval.model import CollectionInfo

MOST_QUERIES = 10
MOST_HINTS = 6
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
    for sentence in draft.contradictions:  # first: what follows is one side of it
        yield f"⚠ {sentence_line(sentence)}\n\n"
    several = len(draft.parts) > 1
    for part in draft.parts:
        if several:
            yield f"#### {as_markdown(part.question)}\n\n"
        for sentence in part.sentences:
            yield f"{sentence_line(sentence)}\n\n"
        if not part.sentences:
            yield f"{tell('grace.part_not_found', language)}\n\n"


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


NEAREST = 3
LISTED = 5


def allowed(
    library: Library, settings: GraceSettings, wanted: str | None, language: Language
) -> tuple[KnownCollection, ...]:
    """Blocking. The one asked for, else the default, else those of the settings, or all."""
    there = {info.name: info for info in library.collections()}
    for name in settings.collections:
        _in_settings(library, there, name, "grace.collections", language)
    if settings.default_collection is not None:
        _in_settings(
            library, there, settings.default_collection, "grace.default_collection", language
        )
    if wanted is not None:
        info = library.info(wanted)
        if settings.collections and info.name not in settings.collections:
            names = listed(settings.collections[:LISTED], language)
            raise InvalidInput("grace_collection_not_allowed", collection=wanted, allowed=names)
        return (_known(info),)
    if settings.default_collection is not None:
        return (_known(library.info(settings.default_collection)),)
    names = settings.collections or [name for name, info in there.items() if _may_hold(info)]
    if not names:
        raise MissingDependency("grace_no_collection")
    return tuple(_known(library.info(name)) for name in names)


def _in_settings(
    library: Library,
    there: dict[str, CollectionInfo],
    name: str,
    key: str,
    language: Language,
) -> None:
    try:
        library.info(name)
    except (NotFound, InvalidInput):
        near = nearest(name, there, NEAREST, least=0.3) or list(there)[:NEAREST]
        raise InvalidSettings(
            "grace_collection_unknown",
            key=key,
            collection=name,
            nearest=listed(near, language) or tell("none", language),
        ) from None


def _may_hold(info: CollectionInfo) -> bool:
    """An index that others keep does not tell how much is in it."""
    return bool(info.documents) or info.engine == "azure"


def _known(info: CollectionInfo) -> KnownCollection:
    return KnownCollection(name=info.name, documents=info.documents, chunks=info.chunks or None)
