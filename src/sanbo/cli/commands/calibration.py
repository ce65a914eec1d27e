"""`sanbo calibration`: how true scores are, what people think of answers, fitting anew."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sanbo.cli import exits
from sanbo.cli.bench import open_bench
from sanbo.cli.calibration_view import (
    show_fitted,
    show_heard,
    show_report,
    show_version_in_use,
)
from sanbo.cli.groups import Group
from sanbo.cli.options import Json, RunId
from sanbo.cli.screen import print_json
from sanbo.service import calibration as scores

if TYPE_CHECKING:
    from sanbo.service.calibration import Heard

app = typer.Typer(
    cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.calibration"
)

Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="cli.option.fit_reason")]


class Said(StrEnum):
    GOOD = "good"
    BAD = "bad"
    WITHDRAW = "withdraw"


class Kind(StrEnum):
    LOGISTIC = "logistic"
    ISOTONIC = "isotonic"


@app.command("show", help="cli.help.calibration_show")
def show(context: typer.Context, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        report = bench.call(scores.calibration)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        show_report(report)
    return exits.SUCCEEDED


@app.command("feedback", help="cli.help.calibration_feedback")
def feedback(
    context: typer.Context,
    run: RunId,
    verdict: Annotated[
        Said, typer.Argument(metavar="good|bad|withdraw", help="cli.option.verdict")
    ],
    comment: Annotated[
        str, typer.Option("--comment", metavar="TEXT", help="cli.option.verdict_comment")
    ] = "",
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        heard: Heard
        if verdict is Said.WITHDRAW:
            heard = bench.call(lambda desk, caller: scores.withdraw_feedback(desk, caller, run))
        else:
            said = "good" if verdict is Said.GOOD else "bad"
            heard = bench.call(
                lambda desk, caller: scores.give_feedback(desk, caller, run, said, comment)
            )
    if as_json:
        print_json(heard.model_dump(mode="json"))
    else:
        show_heard(heard)
    return exits.SUCCEEDED


@app.command("fit", help="cli.help.calibration_fit")
def fit(
    context: typer.Context,
    kind: Annotated[
        Kind, typer.Option("--kind", metavar="KIND", help="cli.option.fit_kind")
    ] = Kind.LOGISTIC,
    reason: Reason = "",
    as_json: Json = False,
) -> int:
    how = "logistic" if kind is Kind.LOGISTIC else "isotonic"
    with open_bench(context.obj) as bench:
        before = bench.call(scores.calibration).version
        report = bench.call(lambda desk, caller: scores.fit(desk, caller, how, reason))
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        show_fitted(report, before)
    return exits.SUCCEEDED


@app.command("use", help="cli.help.calibration_use")
def use(
    context: typer.Context,
    version: Annotated[str, typer.Argument(metavar="VERSION", help="cli.option.version_used")],
    reason: Reason = "",
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        before = bench.call(scores.calibration).version
        report = bench.call(lambda desk, caller: scores.use(desk, caller, version, reason))
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        show_version_in_use(report, before)
    return exits.SUCCEEDED
