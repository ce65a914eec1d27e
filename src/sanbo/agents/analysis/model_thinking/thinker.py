"""The thinker over a language model: one call that confirms or corrects what the rules read."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field, model_validator
from typing_extensions import override

from sanbo.agents.analysis import prompts
from sanbo.agents.analysis.conclusion import conclude
from sanbo.agents.analysis.decision import Decision, Offered, OutOfScope, View
from sanbo.agents.analysis.model_thinking.briefing import Brief, Refused, result_block
from sanbo.agents.analysis.model_thinking.draft import Draft, draft_of
from sanbo.agents.analysis.model_thinking.notation import (
    LONGEST_TEXT,
    LONGEST_WHY,
    MOST_CHOICES,
    MOST_SPECS,
    read,
    reply_schema,
)
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.deciding import chosen, suggestions
from sanbo.agents.analysis.spec.binding import bind
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import OPERATIONS
from sanbo.agents.analysis.spec.words import DATASET, listed
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, Problem, SanboError
from sanbo.llm.failures import came_to_nothing, concerns_the_reply
from sanbo.llm.model import HumanMessage, Mismatch, Model, SystemMessage, Wish
from sanbo.sandbox.calls import apart

MOST_CALLS = 2
"""In a turn: the second with the refused draft and the reason."""
MOST_TOKENS = 1500
_LONGEST_QUESTION = 4000
_WISH = Wish(most_tokens=MOST_TOKENS, temperature=0, explained=True, repair=False)


class _Ok(BaseModel):
    action: Literal["ok"]
    why: str = ""


class _Specs(BaseModel):
    action: Literal["specs"]
    specs: list[dict[str, Any]] = Field(min_length=1, max_length=MOST_SPECS)
    why: str = ""


class _Ask(BaseModel):
    action: Literal["ask"]
    question: str = ""
    choices: list[str] = []
    why: str = ""


class _Refuse(BaseModel):
    action: Literal["refuse"]
    scope: OutOfScope = "other"
    why: str = ""


class Reply(BaseModel):
    decision: Annotated[_Ok | _Specs | _Ask | _Refuse, Field(discriminator="action")]

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, given: object) -> object:
        """Without a schema that binds them, models leave the outer object out."""
        is_bare = isinstance(given, dict) and "action" in given
        return {"decision": cast("object", given)} if is_bare else given


def _reply_of(schema: dict[str, Any]) -> type[Reply]:
    class Analysis(Reply):
        @classmethod
        @override
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return schema

    return Analysis


class ModelThinker:
    """`words_conclusions`: the model writes them; else code does, as with the rules."""

    def __init__(self, model: Model, *, words_conclusions: bool = False) -> None:
        self._model = model
        self.checks_itself = not words_conclusions

    # ---- deciding ----

    async def decide(self, view: View) -> Decision:
        if view.dataset is None:
            question = tell("analysis_thinking.no_table", view.language)
            return Decision(next_action="ask", clarifying_questions=(question,))
        choice = chosen(view)
        if choice is not None and choice.specs and view.last_error is None:
            return Decision(next_action="act", specs=choice.specs, rationale="chosen by the person")
        if choice is not None and not choice.specs:
            view = _taken(view, choice)
        return await self._decide(view, view.dataset or view.dataset)

    async def _decide(self, view: View, dataset: DatasetProfile) -> Decision:
        draft = await apart(draft_of, view)
        brief = Brief(view, dataset, draft)
        refused = None
        if view.last_error is not None:
            refused = Refused(view.last_error, spec=view.failed_spec)
        calls = view.calls
        reasons: list[str] = []
        while calls < MOST_CALLS:
            calls += 1
            try:
                reply = await self._reply(view, brief, draft, refused)
            except SanboError as error:
                if came_to_nothing(error):
                    return _waiting(view, draft, error.problem, calls - view.calls)
                if not concerns_the_reply(error):
                    raise
                said = error.reply if isinstance(error, Mismatch) else ""
                refused = Refused(error.problem, said)
            else:
                try:
                    decision = _decision(reply, view, dataset, draft)
                except InvalidInput as error:
                    refused = Refused(error.problem, reply.model_dump_json())
                else:
                    why = "; ".join([decision.rationale, *reasons]).strip("; ")
                    told = {"rationale": why, "calls": calls - view.calls}
                    return decision.model_copy(update=told)
            reasons.append(f"refused: {refused.problem.text_id}")
        return _given_up(view, dataset, draft, refused, calls - view.calls)

    async def _reply(
        self, view: View, brief: Brief, draft: Draft, refused: Refused | None
    ) -> Reply:
        has_draft = bool(draft.readings) and view.failed_spec is None
        system = prompts.DECIDE.format(
            data_rule=prompts.DATA_RULE,
            ok=prompts.OK if has_draft else "",
            most=MOST_SPECS,
            first=brief.new[0],
            second=brief.new[1],
            language=prompts.LANGUAGES[view.language],
            operations=_lines(
                {name: str(cast("Any", op).prompt) for name, op in OPERATIONS.items()}
            ),
            charts=_lines(prompts.CHARTS),
        )
        told = [brief.text(refused), _question(view)]
        if refused is not None:
            told.append(prompts.REFUSED)
        schema = reply_schema(brief.columns, brief.values, brief.inputs, has_draft=has_draft)
        return await self._model.structured(
            [SystemMessage(system), HumanMessage("\n\n".join(told))],
            _reply_of(schema),
            purpose="analysis.decide",
            wish=_WISH,
        )

    # ---- concluding ----

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        """`refused`: figures of the last text that stand in no result."""
        if self.checks_itself:
            return await apart(conclude, view)
        system = prompts.CONCLUDE.format(
            data_rule=prompts.DATA_RULE, language=prompts.LANGUAGES[view.language]
        )
        told = [result_block(view), _question(view)]
        if refused:
            told.append(prompts.REFUSED_FIGURES.format(figures=listed(refused)))
        text = await self._model.complete(
            [SystemMessage(system), HumanMessage("\n\n".join(told))], purpose="analysis.conclude"
        )
        return as_plain_markdown(text)


# ---- what a reply comes to ----


def _decision(reply: Reply, view: View, dataset: DatasetProfile, draft: Draft) -> Decision:
    said = reply.decision
    why = _line(said.why, LONGEST_WHY)
    match said:
        case _Ok():
            if not draft.readings:
                raise InvalidInput("analysis_no_draft")
            specs = draft.readings[0].specs
            return Decision(next_action="act", specs=specs, rationale=f"the draft; {why}")
        case _Specs():
            return Decision(
                next_action="act", specs=_checked(said.specs, view, dataset), rationale=why
            )
        case _Ask():
            question = _line(said.question, LONGEST_TEXT)
            choices = [text for each in said.choices if (text := _line(each, LONGEST_TEXT))]
            return Decision(
                next_action="ask",
                clarifying_questions=(
                    question or tell("analysis_thinking.what_do_you_mean", view.language),
                ),
                readings=tuple(Offered(text=each, specs=()) for each in choices[:MOST_CHOICES]),
                rationale=why,
            )
        case _Refuse():
            return Decision(
                next_action="out_of_scope",
                scope=said.scope,
                rationale=why,
                suggestions=suggestions(dataset, view.language),
            )


def _checked(
    told: Sequence[dict[str, Any]], view: View, dataset: DatasetProfile
) -> tuple[AnySpec, ...]:
    """What stands on tables that are there is bound now; the rest when its input has come."""
    tables = {DATASET: dataset, **{each.result_id: each.profile for each in view.results}}
    first = int(view.next_result_id[1:])
    made: list[AnySpec] = []
    for number, each in enumerate(told):
        spec = read(each)
        if spec.input not in {f"r{first + place}" for place in range(number)}:
            spec = bind(spec, tables)
        made.append(spec)
    return tuple(made)


def _taken(view: View, choice: Offered) -> View:
    """The answer in words; where waiting was chosen, the question that was left."""
    turns = view.turns
    if choice.text == tell("analysis_thinking.go_on", view.language):
        return view.model_copy(update={"turns": turns[:-2] if len(turns) > 2 else turns})
    last = turns[-1].model_copy(update={"text": choice.text})
    return view.model_copy(update={"turns": (*turns[:-1], last)})


def _waiting(view: View, draft: Draft, problem: Problem, calls: int) -> Decision:
    """Nothing is taken in the model's place by itself: the person says how to go on."""
    again = Offered(text=tell("analysis_thinking.go_on", view.language), specs=())
    which = tell("analysis_thinking.wait_or_take", view.language)
    return Decision(
        next_action="ask",
        rationale=f"no reply: {problem.text_id}",
        clarifying_questions=(problem.in_language(view.language).message, which),
        readings=(again, *draft.readings[:2]),
        calls=calls,
    )


def _given_up(
    view: View, dataset: DatasetProfile, draft: Draft, refused: Refused | None, calls: int
) -> Decision:
    problem = refused.problem.in_language(view.language) if refused is not None else None
    reason = problem.message if problem is not None else ""
    failed = view.failed_spec
    readings = tuple(one for one in draft.readings if failed is None or failed not in one.specs)
    asked = [tell("analysis.not_understood", view.language, reason=reason)]
    if readings:
        asked.append(tell("analysis_rules.which_reading", view.language))
    return Decision(
        next_action="ask",
        rationale=f"no spec that fits: {problem.text_id if problem else ''}",
        clarifying_questions=tuple(asked),
        readings=readings,
        suggestions=() if readings else suggestions(dataset, view.language),
        calls=calls,
    )


def _question(view: View) -> str:
    return prompts.QUESTION.format(question=view.questions[-1][:_LONGEST_QUESTION])


def _lines(about: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in about.items())


def _line(text: str, most: int) -> str:
    return " ".join(text.split())[:most]


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
