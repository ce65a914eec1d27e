"""The thinker over a language model: one call that confirms or corrects what the rules read."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, model_validator
from typing_extensions import override

from sanbo.agents.analysis import prompts
from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.conclusion import conclude
from sanbo.agents.analysis.deciding import chosen, suggestions, which_of
from sanbo.agents.analysis.decision import Decision, Offered, OutOfScope, View
from sanbo.agents.analysis.model_thinking import briefing
from sanbo.agents.analysis.model_thinking.briefing import (
    Brief,
    Draft,
    Refused,
    draft_of,
    result_block,
)
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.spec.binding import bind
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import OPERATIONS
from sanbo.agents.analysis.spec.words import DATASET, listed
from sanbo.kernel.markdown import one_line, plain
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, Problem, SanboError
from sanbo.llm.failures import came_to_nothing, concerns_the_reply
from sanbo.llm.model import HumanMessage, Message, Mismatch, Model, SystemMessage, Wish
from sanbo.sandbox.calls import apart

MOST_CALLS = 2  # in a turn: the second with the refused draft and the reason
LONGEST, _MOST_LETTERS = briefing.LONGEST_TEXT, 4000
_WISH = Wish(most_tokens=1500, temperature=0, explained=True, repair=False)


class Reply(BaseModel):
    action: Literal["ok", "specs", "ask", "refuse"]
    specs: list[dict[str, Any]] = Field(default=[], max_length=briefing.MOST_SPECS)
    question: str = ""
    choices: list[str] = []
    scope: OutOfScope = "other"
    why: str = ""

    @model_validator(mode="before")
    @classmethod
    def _inner(cls, given: object) -> object:
        """Schemas want one object outside; a model that no schema binds may leave it out."""
        told = cast("Mapping[str, object]", given if isinstance(given, Mapping) else {})
        return told.get("decision", cast("object", given))


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

    async def decide(self, view: View) -> Decision:
        dataset = view.dataset
        if dataset is None:
            question = tell("analysis_thinking.no_table", view.language)
            return Decision(next_action="ask", clarifying_questions=(question,))
        choice = chosen(view)
        if choice is not None and choice.specs and view.last_error is None:
            return Decision(next_action="act", specs=choice.specs, rationale="chosen by the person")
        if choice is not None:
            view = _in_words(view, choice)
        return await self._decide(view, dataset)

    async def _decide(self, view: View, dataset: DatasetProfile) -> Decision:
        draft = await apart(draft_of, view)
        brief = Brief(view, dataset, draft)
        error = view.last_error
        refused = None if error is None else Refused(error, spec=view.failed_spec)
        reasons: list[str] = []
        calls = 0
        while view.calls + calls < MOST_CALLS:
            calls += 1
            said = ""
            try:
                reply = await self._reply(view, brief, draft, refused)
                said = reply.model_dump_json(exclude_defaults=True)
                decision = _decision(reply, view, dataset, draft)
            except SanboError as error:
                if came_to_nothing(error):
                    return _offer(view, draft, error.problem, calls, is_silent=True)
                if not isinstance(error, InvalidInput) and not concerns_the_reply(error):
                    raise
                said = error.reply if isinstance(error, Mismatch) else said
                refused = Refused(error.problem, said)
                reasons.append(f"refused: {error.problem.text_id}")
            else:
                # pyrefly: ignore[no-matching-overload]
                why = "; ".join(filter(None, [decision.rationale, *reasons]))
                return decision.model_copy(update={"rationale": why, "calls": calls})
        assert refused is not None
        return _offer(view, draft, refused.problem, calls)

    async def _reply(
        self, view: View, brief: Brief, draft: Draft, refused: Refused | None
    ) -> Reply:
        has_draft = bool(draft.readings) and view.failed_spec is None
        system = prompts.DECIDE.format(
            data_rule=prompts.DATA_RULE,
            ok=prompts.OK if has_draft else "",
            most=briefing.MOST_SPECS,
            new=brief.new,
            language=prompts.LANGUAGES[view.language],
            operations=_lines({name: op.prompt() for name, op in OPERATIONS.items()}),
            charts=_lines({name: kind.prompt for name, kind in KINDS.items()}),
        )
        names = (brief.columns, brief.values, brief.inputs)
        form = _reply_of(briefing.reply_schema(*names, has_draft=has_draft))
        told = _messages(system, brief.text(refused), view, prompts.REFUSED if refused else "")
        return await self._model.structured(told, form, purpose="analysis.decide", wish=_WISH)

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        """`refused`: figures of the last text that stand in no result."""
        if self.checks_itself:
            return await apart(conclude, view)
        language = prompts.LANGUAGES[view.language]
        system = prompts.CONCLUDE.format(data_rule=prompts.DATA_RULE, language=language)
        wrong = prompts.REFUSED_FIGURES.format(figures=listed(refused)) if refused else ""
        told = _messages(system, result_block(view), view, wrong)
        text = await self._model.complete(told, purpose="analysis.conclude")
        lines = text[:_MOST_LETTERS].splitlines()
        return "\n\n".join(plain(line) for line in lines if line.strip())


# ---- what a reply comes to ----


def _decision(reply: Reply, view: View, dataset: DatasetProfile, draft: Draft) -> Decision:
    why = one_line(reply.why, briefing.LONGEST_WHY)
    match reply.action:
        case "ok":
            if not draft.readings or view.failed_spec is not None:
                raise InvalidInput("analysis_no_draft")
            specs = draft.readings[0].specs
            return Decision(next_action="act", specs=specs, rationale=f"draft 1 {why}".strip())
        case "specs":
            specs = _checked(reply.specs, view, dataset)
            return Decision(next_action="act", specs=specs, rationale=why)
        case "ask":
            question, *choices = (
                one_line(each, LONGEST) for each in (reply.question, *reply.choices)
            )
            unclear = tell("analysis_thinking.what_do_you_mean", view.language)
            offered = [Offered(text=each, specs=()) for each in choices if each]
            return Decision(
                next_action="ask",
                clarifying_questions=(question or unclear,),
                readings=tuple(offered[: briefing.MOST_CHOICES]),
                rationale=why,
            )
        case "refuse":
            return Decision(
                next_action="out_of_scope",
                scope=reply.scope,
                rationale=why,
                suggestions=suggestions(dataset, view.language),
            )


def _checked(
    told: Sequence[dict[str, Any]], view: View, dataset: DatasetProfile
) -> tuple[AnySpec, ...]:
    """What stands on tables that are there is bound now; the rest when its input has come."""
    if not told:
        raise InvalidInput("analysis_spec_no_object")
    tables = {DATASET: dataset, **{each.result_id: each.profile for each in view.results}}
    first = int(view.next_result_id[1:])
    specs = [briefing.read(each) for each in told]
    return tuple(
        spec if spec.input in {f"r{first + n}" for n in range(place)} else bind(spec, tables)
        for place, spec in enumerate(specs)
    )


def _in_words(view: View, choice: Offered) -> View:
    """The choice instead of its number; where waiting was chosen, the question that was left."""
    turns = view.turns
    if choice.text == _go_on(view):
        return view.model_copy(update={"turns": turns[:-2]})
    last = turns[-1].model_copy(update={"text": choice.text})
    return view.model_copy(update={"turns": (*turns[:-1], last)})


def _offer(
    view: View, draft: Draft, problem: Problem, calls: int, *, is_silent: bool = False
) -> Decision:
    """Nothing is taken in the model's place: the person hears why, and how to go on."""
    said = problem.in_language(view.language).message
    readings = tuple(one for one in draft.readings if view.failed_spec not in one.specs)
    if is_silent:
        asked = [said, tell("analysis_thinking.wait_or_take", view.language)]
        readings = (*readings, Offered(text=_go_on(view), specs=()))
    else:
        asked = [tell("analysis.not_understood", view.language, reason=said)]
        asked += [which_of(readings, view.language)] if readings else []
    return Decision(
        next_action="ask",
        rationale=f"{'no reply' if is_silent else 'no spec that fits'}: {problem.text_id}",
        clarifying_questions=tuple(asked),
        readings=readings,
        calls=calls,
    )


def _go_on(view: View) -> str:
    return tell("analysis_thinking.go_on", view.language)


def _messages(system: str, data: str, view: View, refusal: str) -> list[Message]:
    question = prompts.QUESTION.format(question=view.questions[-1][:_MOST_LETTERS])
    told = "\n\n".join(filter(None, (data, question, refusal)))
    return [SystemMessage(system), HumanMessage(told)]


def _lines(about: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in about.items())
