"""`sanbo plan run`: a plan with its files and values, to its end or to a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanbo.cli.advancing import asked_to_stop, exit_code, report, say_started
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.findings_view import show_findings
from sanbo.cli.options import Json
from sanbo.cli.parts_view import show_parts
from sanbo.cli.plan_answers import SetAnswers, Setting, check_settings, settings_given
from sanbo.cli.plan_files import prepare_output, save_files
from sanbo.cli.plan_given import PlanName, plan_source, vars_given
from sanbo.cli.screen import err, out, say, show_line
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Files

if TYPE_CHECKING:
    from sanbo.service.plans import PlanSource

Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="cli.option.plan_set", show_default=False),
]
Vars = Annotated[
    list[str] | None,
    typer.Option("--var", metavar="NAME=VALUE", help="cli.option.plan_var", show_default=False),
]


def run(
    context: typer.Context,
    plan: PlanName,
    *,
    given: Sets = None,
    values: Vars = None,
    sample: Annotated[bool, typer.Option("--sample", help="cli.option.plan_sample")] = False,
    executor: Annotated[
        str | None, typer.Option("--executor", metavar="NAME", help="cli.option.plan_executor")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="cli.option.plan_output")
    ] = None,
    as_json: Json = False,
) -> int:
    settings = settings_given(given or ())
    if output is not None:
        prepare_output(output)
    with open_bench(context.obj) as bench:
        from sanbo.service import plan_forms, plans  # noqa: PLC0415

        source = plan_source(bench.settings, plan)
        check_settings(settings, plan_forms.forms_of(source))
        samples = _samples(source) if sample else ()
        started = _started(
            bench, plans.start_input(source, vars_given(values or ()), executor or "")
        )
        say_started(started)
        answers = SetAnswers(bench, settings, samples)
        stop = asked_to_stop(bench, started, may_ask=not as_json, prepared=answers)
        if stop.run.status is Status.SUCCEEDED and output is not None:
            save_files(bench, stop.run, output)
            if not as_json:
                shown = [part for part in bench.parts(stop.run.run_id) if not part.is_aside]
                show_parts(out(), (part for part in shown if not isinstance(part, Files)))
                show_line(err(), "ok", tell("cli.outcome.succeeded", run_id=stop.run.run_id))
                return exit_code(stop.run)
        return report(bench, stop.run, as_json=as_json, put_off=stop.put_off)


def _started(bench: Bench, given: JsonObject) -> Run:
    """A plan that is refused says where and why before it says that it was refused."""
    from sanbo.service.plans import PLAN, findings_of  # noqa: PLC0415

    try:
        return bench.start(PLAN, given)
    except InvalidInput as refusal:
        show_findings(err(), findings_of(refusal.problem))
        raise


def _samples(source: PlanSource) -> tuple[Setting, ...]:
    from sanbo.service.plan_samples import sample_answers, sample_folder  # noqa: PLC0415

    answers = sample_answers(source)
    if not answers:
        raise typer.BadParameter(tell("cli.usage.plan_no_sample"), param_hint="--sample")
    say(tell("cli.plan.sample_files", folder=sample_folder()), "dim")
    return tuple(Setting(name, value) for name, value in answers.items())
