"""The thinker over a language model: a choice, then the chosen operation filled in."""

import re
from collections.abc import Mapping, Sequence

from sanbo.agents.analysis import prompts
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.model_thinking.briefing import data_block, executed, question_of
from sanbo.agents.analysis.model_thinking.drafts import (
    NOTHING,
    Choice,
    choice_schema,
    draft_of,
    spec_of,
)
from sanbo.agents.analysis.profile import TableProfile
from sanbo.agents.analysis.spec.binding import bind
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import Plot, PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, listed
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.llm.model import HumanMessage, Message, Model, SystemMessage

_LONGEST_QUESTION = 4000
_MOST_TEXTS = 5


class ModelThinker:
    """`decide` raises `InvalidInput` where the model's spec does not fit the table."""

    checks_itself = False

    def __init__(self, model: Model) -> None:
        self._model = model

    async def decide(self, view: View) -> Decision:
        if view.dataset is None:
            question = tell("analysis_thinking.no_table", view.language)
            return Decision(next_action="ask", clarifying_questions=(question,))
        if view.refused:  # the person knows; a second refusal would only go in circles
            return Decision(next_action="ask")
        if view.acts_left <= 0 and view.results:
            return Decision(next_action="finalize")
        choice = await self._choose(view)
        if choice.next_action != "act":
            return _ending(choice, view)
        if choice.operation == NOTHING:
            raise InvalidInput("analysis_no_operation")
        spec = await self._fill(view, choice)
        if any(spec == result.spec for result in view.done):
            return Decision(next_action="finalize", rationale=choice.rationale)
        is_plot = isinstance(spec, Plot)
        return Decision(
            next_action="act",
            rationale=choice.rationale,
            assumptions=_texts(choice.assumptions),
            analysis_spec=None if is_plot else spec,
            plot_spec=spec if is_plot else None,
        )

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        """`refused`: figures of the last text that stand in no result."""
        system = prompts.CONCLUDE.format(
            data_rule=prompts.DATA_RULE, language=prompts.LANGUAGES[view.language]
        )
        told = [data_block(view), _question(view)]
        if refused:
            told.append(prompts.REFUSED_FIGURES.format(figures=listed(refused)))
        text = await self._model.complete(
            [SystemMessage(system), HumanMessage("\n\n".join(told))], purpose="analysis.conclude"
        )
        return as_plain_markdown(text)

    async def _choose(self, view: View) -> Choice:
        system = prompts.DECIDE.format(
            data_rule=prompts.DATA_RULE,
            operations=_listed(prompts.OPERATIONS),
            charts=_listed(prompts.CHARTS),
            language=prompts.LANGUAGES[view.language],
        )
        schema = choice_schema(may_finalize=bool(view.results), may_act=view.acts_left > 0)
        return await self._model.structured(
            _asked(system, view, data_block(view), _situation(view)),
            schema,
            purpose="analysis.decide",
        )

    async def _fill(self, view: View, choice: Choice) -> AnalysisSpec | PlotSpec:
        operation = choice.operation
        about = prompts.OPERATIONS.get(operation) or prompts.CHARTS[operation]
        system = prompts.FILL.format(
            data_rule=prompts.DATA_RULE,
            operation=operation,
            about=about,
            guide=prompts.GUIDES.get(operation, ""),
        )
        tables = tables_of(view)
        draft = await self._model.structured(
            _asked(system, view, data_block(view, choice.rationale)),
            draft_of(operation, tuple(tables)),
            purpose="analysis.spec",
        )
        return bind(spec_of(operation, draft), tables)


def tables_of(view: View) -> dict[str, TableProfile]:
    """What a spec can name as its input."""
    tables: dict[str, TableProfile] = {} if view.dataset is None else {DATASET: view.dataset}
    return tables | {result.result_id: result.profile for result in view.results}


def _ending(choice: Choice, view: View) -> Decision:
    questions = _texts(choice.questions)
    if choice.next_action == "ask" and not questions:
        questions = (tell("analysis_thinking.what_do_you_mean", view.language),)
    return Decision(
        next_action=choice.next_action,
        rationale=choice.rationale,
        clarifying_questions=questions if choice.next_action == "ask" else (),
        assumptions=_texts(choice.assumptions),
        scope=(choice.scope or "other") if choice.next_action == "out_of_scope" else None,
        suggestions=_texts(choice.suggestions),
    )


def _asked(system: str, view: View, *told_before: str) -> list[Message]:
    told = [*told_before, _question(view)]
    if view.last_error is not None:
        told.append(prompts.FAILED)
    return [SystemMessage(system), HumanMessage("\n\n".join(told))]


def _question(view: View) -> str:
    return prompts.QUESTION.format(question=question_of(view)[:_LONGEST_QUESTION])


def _situation(view: View) -> str:
    done = executed(view.done) or prompts.NOTHING_DONE
    return prompts.SITUATION.format(done=done, acts_left=view.acts_left)


def _listed(about: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {text}" for name, text in about.items())


def _texts(texts: Sequence[str]) -> tuple[str, ...]:
    written = (" ".join(text.split())[:500] for text in texts)
    return tuple(text for text in dict.fromkeys(written) if text)[:_MOST_TEXTS]


LONGEST = 4000
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()]{0,2000}\)")
_ADDRESS = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]{1,20}:/{2}|www\.|data:|javascript:)\S*", re.IGNORECASE
)
_REFERENCE = re.compile(r"!?\[([^\[\]]{0,500})\](?:\[[^\[\]]{0,500}\])?")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+", re.MULTILINE)
_FENCE = re.compile(r"^\s{0,99}+(?:```|~~~).*+$\n?", re.MULTILINE)


def as_plain_markdown(text: str) -> str:
    text = text[:LONGEST]
    text = _FENCE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _REFERENCE.sub(r"\1", text)
    text = _ADDRESS.sub("…", text)
    text = _HEADING.sub("", text)
    return text.replace("<", "&lt;").strip()
