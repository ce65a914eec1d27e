"""`nlp.summarize_structured`: documents in short, in the fields that the plan names.

By rules it is made of a document's own sentences: those that say most of what it is about.
"""

from collections import Counter
from collections.abc import Sequence

from pydantic import JsonValue

from sanbo.blocks.ai.findings import (
    Findings,
    Place,
    Record,
    place_of,
)
from sanbo.blocks.ai.labels import label_form
from sanbo.blocks.ai.model_extraction import Task
from sanbo.blocks.ai.process_llm import ProcessLlm, Rules, by_rules
from sanbo.blocks.ai.shapes import Shape, Wanted
from sanbo.documents.model import Document, Heading
from sanbo.evidence.rules.sentences import Sentence, one_line, sentences
from sanbo.evidence.rules.terms import content_words

SHORTEST, LONGEST = 8, 300
_FIRST_BONUS = 0.3
_ASKED_BONUS = 0.5
_TOO_ALIKE = 0.6


def title_of(document: Document) -> str | None:
    if document.title:
        return document.title
    heading = next((each for each in document.blocks if isinstance(each, Heading)), None)
    if heading is not None:
        return one_line(document.text_of(heading)) or None
    first = document.text.strip().split("\n", 1)[0].strip()
    return one_line(first) if 0 < len(first) <= 80 else None


def telling_sentences(document: Document, most: int, asked: str = "") -> list[Sentence]:
    """In the order of the text; none twice in other words."""
    candidates = [
        each
        for each in sentences(document.text)
        if not each.is_heading and SHORTEST <= len(each.text) <= LONGEST
    ]
    prose = [each for each in candidates if not each.is_row] or candidates
    words = [frozenset(content_words(one_line(each.text))) for each in prose]
    weights = Counter(word for each in words for word in each)
    wanted = frozenset(content_words(asked)) if asked else frozenset[str]()
    ranked = sorted(
        range(len(prose)),
        key=lambda number: (-_score(number, words, weights, wanted), number),
    )
    chosen: list[int] = []
    for number in ranked:
        if len(chosen) == most:
            break
        if words[number] and not any(_alike(words[number], words[each]) for each in chosen):
            chosen.append(number)
    return [prose[number] for number in sorted(chosen)]


def _score(
    number: int,
    words: Sequence[frozenset[str]],
    weights: Counter[str],
    wanted: frozenset[str],
) -> float:
    own = words[number]
    if not own:
        return 0.0
    # The square root keeps long sentences from winning by their length alone.
    about = sum(weights[word] - 1 for word in own) / len(own) ** 0.5
    most = max(weights.values(), default=1)
    score = about / most
    score += _FIRST_BONUS if number == 0 else 0.0
    return score + _ASKED_BONUS * len(own & wanted)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _TOO_ALIKE * min(len(one), len(other))


SENTENCES, POINTS = 3, 5
_TITLES = frozenset(label_form(each) for each in ("title", "タイトル", "題名", "表題", "標題"))
_SUMMARIES = frozenset(
    label_form(each)
    for each in ("summary", "要約", "概要", "要旨", "まとめ", "abstract", "overview", "answer")
)
_POINTS = frozenset(
    label_form(each)
    for each in ("points", "key_points", "要点", "主な内容", "ポイント", "highlights")
)


def _in_short(document: Document, task: Task) -> Findings:
    """By rules: titles and summaries in the document's own words, other fields by labels."""
    found = by_rules(document, task)
    records = tuple(
        _with_summary(document, task.shape, task.instruction, each) for each in found.records
    )
    return found.model_copy(update={"records": records})


class SummarizeStructured(ProcessLlm):
    by_rules: Rules = staticmethod(_in_short)
    method_without_model = "extractive"


def _with_summary(document: Document, shape: Shape, asked: str, record: Record) -> Record:
    values, sources = dict(record.values), dict(record.sources)
    for wanted in shape.asked:
        made = _summary_of(document, wanted, asked)
        if made is not None:
            values[wanted.name], sources[wanted.name] = made
    conflicts = tuple(each for each in record.conflicts if values.get(each.field) is None)
    return Record(values=values, sources=sources, conflicts=conflicts)


def _summary_of(document: Document, wanted: Wanted, asked: str) -> tuple[JsonValue, Place] | None:
    name = label_form(wanted.name)
    if name in _TITLES and wanted.kind == "string":
        title = title_of(document)
        return (title, Place(text=title)) if title else None
    is_points = wanted.kind == "array" and not wanted.fields and name in _POINTS | _SUMMARIES
    if not is_points and not (wanted.kind == "string" and name in _SUMMARIES | _POINTS):
        return None
    told = telling_sentences(document, POINTS if is_points else SENTENCES, asked)
    if not told:
        return None
    lines = [one_line(each.text) for each in told]
    place = place_of(document, told[0].start, told[0].text)
    between = "" if any("。" in line for line in lines) else " "
    return ([*lines] if is_points else between.join(lines)), place
