"""The start of a plan's run: its variables, the button, and the sample's own files."""

import json
import time
from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import InvalidInput, Problem, SanboError
from sanbo.runs.model import JsonObject, Question, Requirement, Validation
from sanbo.service.inputs import check_fields
from sanbo.service.plan_samples import sample_answers
from sanbo.service.plan_trial import start_trial
from sanbo.service.plans import (
    PLAN,
    DesignDetail,
    PlanSource,
    UnreadableValue,
    findings_of,
    source_by_id,
    start_input,
    value_written,
)
from sanbo.ui import connection
from sanbo.ui.boundary import draw_problem
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.plans import place
from sanbo.ui.plans.findings_view import draw_findings

LONGEST_ID = 100


def fields_of(variables: Mapping[str, JsonValue]) -> tuple[Requirement, ...]:
    """Of those that a form can name."""
    return tuple(_field(name, value) for name, value in variables.items() if _can_be_asked(name))


def changed_values(variables: Mapping[str, JsonValue], answer: JsonObject) -> JsonObject:
    """What a run is given: only what differs from what the plan itself says."""
    given: JsonObject = {}
    for name, default in variables.items():
        if name not in answer:
            continue
        value = answer[name]
        if _is_structured(default):
            value = _read(name, str(value or ""))
        if not _same(value, default):
            given[name] = value
    return given


def _field(name: str, value: JsonValue) -> Requirement:
    match value:
        case bool():
            return Requirement(id=name, type="boolean", label=name, default=value, required=False)
        case int():
            whole = Validation(integer=True)
            return Requirement(id=name, type="number", label=name, default=value, validation=whole)
        case float():
            return Requirement(id=name, type="number", label=name, default=value)
        case str():
            return Requirement(id=name, type="text", label=name, default=value, required=False)
        case _:
            return Requirement(
                id=name,
                type="text",
                label=name,
                description=tell("ui.plans.start.as_yaml"),
                default=json.dumps(value, ensure_ascii=False),
                required=False,
            )


def _read(name: str, written: str) -> JsonValue:
    try:
        return value_written(written)
    except UnreadableValue as unreadable:
        fault = tell("ui.plans.start.not_yaml", name=name)
        raise InvalidInput(
            "plan_variable_unreadable",
            name=name,
            reason=str(unreadable),
            details={"fields": [{"field": name, "message": fault}]},
        ) from None


def _is_structured(value: JsonValue) -> bool:
    return value is None or isinstance(value, list | dict)


def _can_be_asked(name: str) -> bool:
    return bool(name) and len(name) <= LONGEST_ID and not any(c.isspace() or c == "/" for c in name)


def _same(one: JsonValue, other: JsonValue) -> bool:
    # In Python True equals 1.
    return one == other and isinstance(one, bool) == isinstance(other, bool)


SAME_CLICK_SECONDS = 3.0
_STARTED, _REFUSED = "plan_started", "plan_refused"


def draw_start(design: DesignDetail, source: PlanSource) -> None:
    if not design.valid:
        st.button(tell("ui.plans.start.run"), disabled=True, icon=":material/play_arrow:")
        st.markdown(
            f":red[:material/error: {literal(tell('ui.plans.start.invalid', count=design.errors))}]"
        )
        label = tell("ui.plans.start.see_findings")
        if st.button(label, type="tertiary", icon=":material/rule:"):
            place.turn_to("check")
            st.rerun()
        return
    _draw_sample(design, source)
    fields = fields_of(design.vars)
    if not fields:
        if st.button(tell("ui.plans.start.run"), type="primary", icon=":material/play_arrow:"):
            _begin(design.plan_id, partial(_start, design.plan_id, {}))
        _draw_refused(design.plan_id)
        return
    question = Question(mode="collect", message=design.plan_id, requirements=fields)
    workbench = connection.bench().workbench
    key = f"plan:{design.plan_id}::vars"
    form = KeptForm(question, key, connection.caller().owner, workbench.drafts)
    st.markdown(f"**{literal(tell('ui.plans.start.vars'))}**")
    draw_form(form, partial(_send, design), send_label=tell("ui.plans.start.run"))


def _draw_sample(design: DesignDetail, source: PlanSource) -> None:
    if not sample_answers(source):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="plan-sample"):
        is_asked = st.button(
            tell("ui.plans.start.sample"), icon=":material/science:", key=f"sample:{design.plan_id}"
        )
        st.caption(literal(tell("ui.plans.start.sample_help")), width="stretch")
    key = f"sample:{design.plan_id}"
    if is_asked:
        with st.spinner(tell("ui.plans.start.beginning")):
            _begin(key, partial(_start_trial, design.plan_id))
    _draw_refused(key)


def _draw_refused(key: str) -> None:
    refused: tuple[str, Problem] | None = st.session_state.get(_REFUSED)
    if refused is None or refused[0] != key:
        return
    draw_problem(refused[1])
    if findings := findings_of(refused[1]):
        draw_findings(findings)


# ---- what the buttons do ----


def _begin(key: str, begin: Callable[[], str]) -> None:
    st.session_state.pop(_REFUSED, None)
    try:
        run_id = _once(key, {}, begin)
    except SanboError as error:
        st.session_state[_REFUSED] = (key, error.problem)
    else:
        _go_to(run_id)


def _send(design: DesignDetail, answer: JsonObject) -> Callable[[], None]:
    checked = check_fields(fields_of(design.vars), answer)
    values = changed_values(design.vars, checked)
    run_id = _once(design.plan_id, values, partial(_start, design.plan_id, values))
    return lambda: _go_to(run_id)


def _go_to(run_id: str) -> None:
    place.show_run(run_id)
    st.rerun()


def _once(key: str, values: JsonObject, begin: Callable[[], str]) -> str:
    """A double click must not start two runs."""
    asked = (key, values)
    last = st.session_state.get(_STARTED)
    if last is not None and last[0] == asked and time.monotonic() - last[2] < SAME_CLICK_SECONDS:
        return last[1]
    run_id = begin()
    st.session_state[_STARTED] = (asked, run_id, time.monotonic())
    return run_id


def _start(plan_id: str, values: Mapping[str, JsonValue]) -> str:
    bench = connection.bench()
    given = start_input(source_by_id(bench.workbench.settings, plan_id), values)
    work = bench.workbench.start(connection.caller(), PLAN, given, language=current_language())
    return bench.call(work).run_id


def _start_trial(plan_id: str) -> str:
    bench = connection.bench()
    source = source_by_id(bench.workbench.settings, plan_id)
    work = start_trial(bench.workbench, connection.caller(), source, {}, current_language())
    return bench.call(work).run_id
