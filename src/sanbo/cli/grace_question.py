"""What GRACE asks a person: the answer as it stands, the choices, and how to make one."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from sanbo.cli.grace_progress import step_words
from sanbo.cli.grace_view import show_list, show_score, show_sources
from sanbo.cli.screen import words
from sanbo.kernel.messages import current_language, tell
from sanbo.service.grace_written import matter_of, told_sentence, told_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from sanbo.runs.model import Interaction, JsonObject, Requirement, Run
    from sanbo.service.grace import AnswerSentence

ACTION = "action"
MOST_HINTS = 3
TEXT_OF_ACTION = {"modify": "instruction", "inform": "information"}
"""The field that an action needs; with any other action it is not asked for."""
_ACTION_OF_TEXT = {text: action for action, text in TEXT_OF_ACTION.items()}


def show_matter(console: Console, interaction: Interaction) -> None:
    """The plan that is to be agreed to, or the answer as it stands and how sure it is."""
    matter = matter_of(interaction.context)
    if matter.plan is not None:
        show_list(console, "cli.grace.planned", map(step_words, matter.plan.steps))
    proposed, near = matter.sentences, matter.nearest
    if matter.confidence is not None and matter.confidence.level == "escalate":
        proposed, near = (), (*proposed, *near)  # nothing that anybody could agree to
    show_list(console, "cli.grace.proposed", map(_whole, proposed))
    show_list(console, "cli.grace.contradictions", map(_whole, matter.contradictions))
    show_list(console, "cli.grace.nearest", map(_whole, near[:MOST_HINTS]))
    if matter.confidence is not None:
        show_score(console, matter.confidence.score, matter.confidence.level)
        show_list(console, "grace_written.heading.reasons", matter.confidence.explanation)
    show_sources(console, [told_source(each, current_language()) for each in matter.sources])
    console.print()


def field_to_ask(field: Requirement, answered: JsonObject) -> Requirement | None:
    """Instructions are asked for where they are wanted, and then they are needed."""
    action = _ACTION_OF_TEXT.get(field.id)
    if action is None:
        return field
    if answered.get(ACTION) != action:
        return None
    return field.model_copy(update={"required": True})


def show_ways_to_answer(console: Console, run: Run, interaction: Interaction) -> None:
    """One command a choice, to be copied as it is."""
    several = len(run.open_interactions) > 1
    console.print(words(tell("cli.grace.ways"), "bold"))
    for label, answer in _ways(interaction):
        parts = ["sanbo", "runs", "answer", run.run_id]
        if several:
            parts += ["--interaction", interaction.interaction_id]
        parts += ["--data", json.dumps(answer, ensure_ascii=False)]
        console.print(words(f"  {label}", "dim"), soft_wrap=True)
        console.print(words(f"    {shlex.join(parts)}"), soft_wrap=True)


def _whole(sentence: AnswerSentence) -> str:
    return told_sentence(sentence).whole


def _ways(interaction: Interaction) -> Iterator[tuple[str, JsonObject]]:
    """What each choice is called, and the answer that makes it."""
    text = tell("cli.grace.your_text")
    for field in interaction.requirements:
        if field.id == ACTION:
            for option in field.options:
                answer: JsonObject = {ACTION: option.value}
                if wanted := TEXT_OF_ACTION.get(str(option.value)):
                    answer[wanted] = text
                yield option.label, answer
        elif field.required:
            yield field.label, {field.id: text}
