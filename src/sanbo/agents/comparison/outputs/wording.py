"""How kinds, flags, places and files are called, and what stands in the column of remarks."""

from collections.abc import Sequence
from functools import cache
from typing import Literal, get_args

from sanbo.agents.comparison.model import (
    Change,
    ComparedDocument,
    ComparedPair,
    Flag,
    FlagDetail,
    Kind,
    Place,
)
from sanbo.documents.file_formats import formats, media_type_of
from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import excerpt, printable

OutputFormat = Literal["markdown", "html", "docx", "xlsx", "json"]

OUTPUTS: tuple[OutputFormat, ...] = get_args(OutputFormat)


def media_type(output: OutputFormat) -> str:
    return formats()[output].media_type


def output_of(file: str) -> OutputFormat | None:
    """By the ending of the file that is wanted."""
    for output in OUTPUTS:
        if media_type_of(file) == media_type(output):
            return output
    return None


def download_name(output: OutputFormat, language: Language) -> str:
    """新旧対照表.docx, 比較結果.md; never made from the documents' own names."""
    is_table = output in ("docx", "xlsx")
    stem = "comparison_outputs.file.table" if is_table else "comparison_outputs.file.result"
    return f"{tell(stem, language)}{formats()[output].ending}"


LONGEST_EXPLANATION = 160
_LONGEST_LABEL = 40
_MOST_LABELS = 3
_TOLD_PLACES: tuple[Kind, ...] = ("moved", "moved_changed", "renumbered", "split", "merged")


@cache
def kind_word(kind: Kind, language: Language) -> str:
    return tell(f"comparison_outputs.kind.{kind}", language)


@cache
def flag_word(flag: Flag, language: Language) -> str:
    return tell(f"comparison_outputs.flag.{flag}", language)


def flag_words(change: Change, language: Language) -> str:
    separator = tell("comparison_outputs.separator", language)
    return separator.join(flag_word(flag, language) for flag in change.flags)


def detail_words(detail: FlagDetail, language: Language, most: int = 40) -> str:
    """100万円 → 120万円"""
    old, new = excerpt(detail.old, most), excerpt(detail.new, most)
    if old == new:
        return tell("comparison_outputs.words_kept", language, words=new)
    if not old:
        return tell("comparison_outputs.words_added", language, words=new)
    if not new:
        return tell("comparison_outputs.words_deleted", language, words=old)
    return tell("comparison_outputs.from_to_words", language, old=old, new=new)


def place_word(places: Sequence[Place], language: Language) -> str:
    """第三条第二項; without a number the heading it stands under, its row, its page; or nothing."""
    words: list[str] = []
    for place in places[: _MOST_LABELS + 1]:
        word = _one_place(place, language)
        if word and word not in words:
            words.append(word)
    if len(words) > _MOST_LABELS or len(places) > _MOST_LABELS + 1:
        told = tell("comparison_outputs.separator", language).join(words[:_MOST_LABELS])
        return tell("comparison_outputs.and_more_places", language, places=told)
    return tell("comparison_outputs.separator", language).join(words)


def where(change: Change, language: Language) -> str:
    """Where a change is, for a list of changes: it always says something."""
    old = place_word(change.old_places, language)
    new = place_word(change.new_places, language)
    if old and new and old != new and (change.old_places[0].label or change.new_places[0].label):
        return tell("comparison_outputs.from_to", language, old=old, new=new)
    told = new or old
    label = (change.new_places or change.old_places)[0].label if told else ""
    if any(letter.isalpha() for letter in label):
        return told
    # A bare number or the heading of many paragraphs says little.
    words = excerpt(change.new_text or change.old_text, 24)
    quoted = tell("comparison_outputs.quoted", language, words=words)
    return f"{told} {quoted}" if told and not told.startswith(words[:8]) else told or quoted


def caption(places: Sequence[Place], text: str) -> str:
    """第五条第二項 over a text that itself begins with ２ only."""
    if len(places) != 1 or not places[0].label or text.lstrip().startswith(places[0].label):
        return ""
    return excerpt(places[0].label, _LONGEST_LABEL)


def from_to(change: Change, language: Language) -> str:
    """旧第三条 → 新第九条, where that tells more than the texts side by side do."""
    if change.kind not in _TOLD_PLACES:
        return ""
    old = place_word(change.old_places, language)
    new = place_word(change.new_places, language)
    if (
        not old
        or not new
        or old == new
        or (old in change.explanation and new in change.explanation)
    ):
        return ""
    return tell("comparison_outputs.from_to", language, old=old, new=new)


def explanation(change: Change, language: Language, most: int = LONGEST_EXPLANATION) -> str:
    """What was found out about it, and what went wrong while finding out."""
    parts = [change.explanation]
    if change.problem is not None:
        parts.append(change.problem.in_language(language).message)
    return excerpt(" ".join(part for part in parts if part), most)


def document_name(document: ComparedDocument | None, language: Language) -> str:
    if document is None:
        return tell("comparison_outputs.no_document", language)
    return printable(document.name)


def pair_name(pair: ComparedPair, language: Language) -> str:
    """Both names, once where they are the same."""
    old = printable(pair.old.name) if pair.old else ""
    new = printable(pair.new.name) if pair.new else ""
    if old and new and old != new:
        return tell("comparison_outputs.two_names", language, old=old, new=new)
    return new or old


def _one_place(place: Place, language: Language) -> str:
    heading = place.headings[-1] if place.headings else ""
    is_bare = not any(letter.isalpha() for letter in place.label)
    if place.label and not (is_bare and heading.startswith(place.label)):
        return excerpt(place.label, _LONGEST_LABEL)
    if heading:
        return excerpt(heading, _LONGEST_LABEL)
    if place.row is not None:
        if place.sheet:
            sheet = excerpt(place.sheet, _LONGEST_LABEL)
            return tell("comparison_outputs.sheet_row", language, sheet=sheet, row=place.row)
        return tell("comparison_outputs.row", language, row=place.row)
    if place.page is not None:
        return tell("comparison_outputs.page", language, page=place.page)
    return ""
