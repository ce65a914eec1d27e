"""A comparison as people see it: what it came to, then the changes, what needs attention first."""

from collections.abc import Iterator, Sequence
from typing import cast

from sanbo.agents.comparison.model import Change, ComparisonResult, Piece, Place
from sanbo.agents.comparison.outputs.rows import Row, Section, Stretch, is_quiet, sections
from sanbo.agents.comparison.outputs.wording import (
    document_name,
    explanation,
    flag_word,
    from_to,
    kind_word,
    pair_name,
    place_word,
)
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import JsonObject, Run, Step
from sanbo.runs.parts import (
    ChangeItem,
    Changes,
    Part,
    Parts,
    Progress,
    ProgressStep,
    Segment,
    Side,
    Text,
    Tone,
    Trouble,
)
from sanbo.runs.presentation import present_run, progress_part, progress_step, whole

MOST_CHANGES = 500
"""All of them are in the files."""
LONGEST_TEXT = 4_000
LONGEST_EXPLANATION = 600
_OF_A_PARAGRAPH = frozenset({"select_next_chunk", "call_model", "execute_tools"})
_TONES: dict[str, Tone] = {"added": "good", "deleted": "bad"}


def present(seen: Snapshot, language: Language) -> Parts:
    run = seen.run
    result = None if run.result is None else ComparisonResult.model_validate(run.result)
    return whole(
        run,
        language,
        () if result is None else _result(run, result, language),
        progress=_progress(seen, language),
        has_files=False,
    )


# ---- while it works ----


def _progress(seen: Snapshot, language: Language) -> Progress:
    """Three or more steps for each of hundreds of paragraphs are one, with how far it is."""
    steps: list[ProgressStep] = []
    of_paragraphs = [step for step in seen.run.steps if step.path[-1] in _OF_A_PARAGRAPH]
    paragraphs = _paragraphs(of_paragraphs, seen, language)
    sheets = [step for step in seen.run.steps if step.path[-1] == "look_over"]
    for step in seen.run.steps:
        if step in sheets[:-1]:
            continue  # a few sheets each: the last tells for all
        if step.path[-1] not in _OF_A_PARAGRAPH:
            steps.append(progress_step(step, 1, language))
        elif step is of_paragraphs[0] and paragraphs is not None:
            steps.append(paragraphs)
    return progress_part(steps, language)


def _paragraphs(steps: Sequence[Step], seen: Snapshot, language: Language) -> ProgressStep | None:
    chunks = [
        cast("JsonObject", output["current_chunk_a"])
        for (path, _), output in seen.outputs.items()
        if path[-1] == "select_next_chunk" and isinstance(output, dict)
        if output.get("current_chunk_a")
    ]
    if not chunks:
        return None
    chunk = chunks[-1]
    number, of = cast("int", chunk["number"]), cast("int", chunk["of"])
    failed = next((step for step in steps if step.status == "failed"), None)
    done = seen.run.steps[-1] not in steps
    status = "failed" if failed else "succeeded" if done else "running"
    label = chunk.get("label") or chunk.get("id", "")
    told = tell("comparison_parts.paragraph", language, number=number, of=of, label=label)
    return ProgressStep(
        id="paragraphs",
        title=tell("comparison_parts.paragraphs", language),
        status=status,
        detail="" if status == "succeeded" else told,
        done=number if done else number - 1,
        of=of,
        duration_ms=sum(step.duration_ms or 0 for step in steps) if done else None,
        path=steps[0].path,
    )


# ---- what came out ----


def _result(run: Run, result: ComparisonResult, language: Language) -> Iterator[Part]:
    yield Text(id="summary", markdown=result.summary.text_md)
    folds = run.input.get("fold_renumbered") is True
    shown = [each for each in result.changes if not is_quiet(each, fold_renumbered=folds)]
    names = [pair_name(pair, language) for pair in result.pairs]
    several = len(names) > 1
    if shown:
        first = result.pairs[0]
        yield Changes(
            id="changes",
            title=tell("comparison_parts.changes", language),
            old_name="" if several else document_name(first.old, language),
            new_name="" if several else document_name(first.new, language),
            items=tuple(
                _change(each, language, names[each.pair] if several else "")
                for each in shown[:MOST_CHANGES]
            ),
            total_items=len(shown),
        )
    for number, pair in enumerate(result.pairs):
        for place, warning in enumerate(pair.warnings, start=1):
            yield Trouble(
                id=f"warning/{number}/{place}",
                title=names[number],
                problem=warning.in_language(language),
                is_warning=True,
                is_aside=True,  # the summary says so, too
            )


def report(run: Run, language: Language) -> Parts:
    """What it came to, and every change where it stands in the documents."""
    if run.result is None:
        return present_run(run, language)
    result = ComparisonResult.model_validate(run.result)
    folds = run.input.get("fold_renumbered") is True
    shown = [part for part in _result(run, result, language) if not isinstance(part, Changes)]
    return (*shown, *tables(result, language, fold_renumbered=folds))


def tables(
    result: ComparisonResult, language: Language, *, fold_renumbered: bool
) -> Iterator[Part]:
    """新旧対照表: a table of changes for each pair of documents."""
    for section in sections(result, fold_renumbered=fold_renumbered):
        title = tell("comparison_outputs.table.title", language)
        if len(result.pairs) > 1:
            name = pair_name(section.pair, language)
            title = tell(
                "comparison_outputs.table.pair_title", language, number=section.number, name=name
            )
        if section.pair.outcome != "related":
            told = tell(f"comparison_outputs.outcome.{section.pair.outcome}", language)
            yield Text(id=f"outcome/{section.number}", title=title, markdown=told, is_plain=True)
        if section.has_differences:
            yield _table(section, title, language)


def _table(section: Section, title: str, language: Language) -> Changes:
    items = tuple(
        _stretch(row, number, language) if isinstance(row, Stretch) else _row(row, language)
        for number, row in enumerate(section.rows)
    )
    return Changes(
        id=f"changes/{section.number}",
        title=title,
        old_name=document_name(section.pair.old, language),
        new_name=document_name(section.pair.new, language),
        items=items,
        total_items=len(items),
    )


def _stretch(stretch: Stretch, number: int, language: Language) -> ChangeItem:
    omitted = Side(text=tell("comparison_outputs.omitted", language))
    kind = "unchanged" if stretch.is_unchanged else "folded"
    count = stretch.paragraphs
    return ChangeItem(
        id=f"omitted/{number}",
        change="unchanged",
        label=tell(f"comparison_outputs.table.{kind}", language, count=count),
        old=omitted if any(change.old for change in stretch.changes) else None,
        new=omitted if any(change.new for change in stretch.changes) else None,
    )


def _row(row: Row, language: Language) -> ChangeItem:
    """Whole, under the unchanged headings that it belongs to."""
    change = row.change
    item = _change(change, language, "")
    above = "".join(f"{title.new_text}\n" for title in row.above)
    diff = item.diff or _unlike(change)
    told = (from_to(change, language), item.explanation)
    return item.model_copy(
        update={
            "diff": (*((Segment(op="same", text=above),) if above else ()), *diff),
            "explanation": "\n".join(each for each in told if each),
        }
    )


def _unlike(change: Change) -> tuple[Segment, ...]:
    """Both texts whole, where nothing tells their words apart."""
    if change.old_text == change.new_text:
        return (Segment(op="same", text=change.new_text),)
    sides = Segment(op="deleted", text=change.old_text), Segment(op="added", text=change.new_text)
    return tuple(each for each in sides if each.text)


def _change(change: Change, language: Language, document: str) -> ChangeItem:
    is_doubtful = "doubtful" in change.flags
    return ChangeItem(
        id=f"{change.pair}/{change.order}",
        change=change.kind,
        label=kind_word(change.kind, language),
        document=document,
        old=_side(change.old_places, change.old_text, language),
        new=_side(change.new_places, change.new_text, language),
        diff=tuple(segment for piece in change.diff for segment in _segments(piece)),
        flags=tuple(flag_word(flag, language) for flag in change.flags),
        explanation=explanation(change, language, LONGEST_EXPLANATION),
        confidence=change.confidence if is_doubtful else None,
        tone="caution" if change.needs_attention else _TONES.get(change.kind, "plain"),
    )


def _side(places: Sequence[Place], text: str, language: Language) -> Side | None:
    if not places and not text:
        return None
    cut = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
    return Side(place=place_word(places, language), text=cut)


def _segments(piece: Piece) -> Iterator[Segment]:
    if piece.op == "equal":
        yield Segment(op="same", text=piece.new)
        return
    if piece.old:
        yield Segment(op="deleted", text=piece.old)
    if piece.new:
        yield Segment(op="added", text=piece.new)
