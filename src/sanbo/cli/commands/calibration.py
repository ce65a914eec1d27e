"""`sanbo calibration`: how true scores are, what people think of answers, fitting anew."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from sanbo.cli import conventions as exits
from sanbo.cli.bench import open_bench
from sanbo.cli.conventions import Group, Json, RunId
from sanbo.cli.screen import Mark, err, local_time, out, print_json, show_line, words
from sanbo.kernel.messages import tell
from sanbo.service import calibration as scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanbo.service.calibration import (
        Bin,
        CalibrationReport,
        Cutoffs,
        Figures,
        Heard,
        ThresholdsChange,
        Version,
    )

BAR_WIDTH = 20
SHOWN_CHANGES = 10
_LEVELS = ("silent", "notify", "confirm")


def show_report(report: CalibrationReport) -> None:
    console = out()
    console.print(_facts(report))
    _show_thresholds(report)
    if report.reliability:
        _title("reliability")
        console.print(_reliability(report.reliability))
    _title("versions")
    console.print(_versions(report.versions))
    if report.history:
        _title("history")
        console.print(_history(report.history[:SHOWN_CHANGES]))
    for warning in report.warnings:
        show_line(err(), "warning", warning)
    if report.can_fit and report.may_change:
        show_line(err(), "ok", tell("cli.calibration.can_fit", command="sanbo calibration fit"))


def show_heard(heard: Heard) -> None:
    """What was noted, and whether it moved anything."""
    said = heard.feedback
    if said is None:
        show_line(err(), "ok", tell("cli.calibration.withdrawn"))
    else:
        text = "changed" if said.earlier else "noted"
        verdict = tell(f"cli.calibration.verdict.{said.verdict}")
        show_line(err(), "ok", tell(f"cli.calibration.{text}", verdict=verdict))
        if not said.answered:
            show_line(err(), "ok", tell("cli.calibration.not_counted"))
    for level in _LEVELS:
        before, after = getattr(heard.before, level), getattr(heard.after, level)
        if before != after:
            moved = tell(
                "cli.calibration.moved",
                level=tell(f"cli.calibration.level.{level}"),
                before=f"{before:.3f}",
                after=f"{after:.3f}",
            )
            show_line(err(), "ok", moved)


def show_version_in_use(report: CalibrationReport, before: str) -> None:
    """How good it is, and the way back."""
    if report.version == before:
        show_line(err(), "ok", tell("cli.calibration.same", version=before))
        return
    in_use = next(each for each in report.versions if each.in_use)
    show_line(err(), "ok", tell("cli.calibration.in_use", version=in_use.version))
    if in_use.before is not None and in_use.after is not None:
        show_line(err(), *_compared(in_use.before, in_use.after))
    command = f"sanbo calibration use {before}"
    show_line(err(), "ok", tell("cli.calibration.way_back", command=command))


def show_fitted(report: CalibrationReport, before: str) -> None:
    """The new version, in use or not."""
    newest = report.versions[0]
    if newest.in_use or newest.before is None or newest.after is None:
        show_version_in_use(report, before)
        return
    show_line(err(), "ok", tell("cli.calibration.kept", version=newest.version, in_use=before))
    show_line(err(), *_compared(newest.before, newest.after))
    command = f"sanbo calibration use {newest.version}"
    show_line(err(), "ok", tell("cli.calibration.all_the_same", command=command))


def _compared(before: Figures, after: Figures) -> tuple[Mark, str]:
    if before.brier is not None and after.brier is not None and after.brier >= before.brier:
        told = tell(
            "cli.calibration.worse", before=f"{before.brier:.3f}", after=f"{after.brier:.3f}"
        )
        return "warning", told
    return "ok", tell("cli.calibration.better", before=_share(before.ece), after=_share(after.ece))


# ---- the parts of the report ----


def _facts(report: CalibrationReport) -> Table:
    risk = report.silent_wrong_at_worst
    labels = report.labels
    facts = {
        "score": tell(f"cli.calibration.score.{report.score}"),
        "version": report.version,
        "verdicts": tell(
            "cli.calibration.verdicts",
            good=labels.good,
            bad=labels.bad,
            not_counted=labels.not_counted,
            needed=labels.needed,
        ),
        "ece": _share(report.figures.ece),
        "auroc": _share(report.figures.auroc),
        "silent_risk": tell("cli.calibration.unknown")
        if risk is None
        else tell("cli.calibration.at_worst", share=f"{risk:.1%}"),
    }
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, value in facts.items():
        table.add_row(words(tell(f"cli.calibration.fact.{name}")), words(value))
    return table


def _show_thresholds(report: CalibrationReport) -> None:
    console = out()
    console.print()
    console.print(words(tell("cli.calibration.thresholds"), "bold"))
    for level in _LEVELS:
        told = tell(
            "cli.calibration.threshold",
            level=tell(f"cli.calibration.level.{level}"),
            now=f"{getattr(report.thresholds, level):.3f}",
            configured=f"{getattr(report.configured, level):.3f}",
        )
        console.print(words(f"  {told}"))
    console.print(words(f"  {report.thresholds.told}", "dim"), soft_wrap=True)


def _title(name: str) -> None:
    console = out()
    console.print()
    console.print(words(tell(f"cli.calibration.title.{name}"), "bold"))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(tell(f"cli.calibration.column.{name}"), overflow="fold")
    return table


def _reliability(bins: Sequence[Bin]) -> Table:
    table = _table("range", "answers", "said", "good")
    for each in bins:
        bar = "█" * round(each.true * BAR_WIDTH)
        table.add_row(
            words(f"{each.low:.1f}–{each.high:.1f}"),
            words(each.answers),
            words(f"{each.said:.2f}"),
            Text(f"{each.true:.2f} ").append(bar, style="cyan"),
        )
    return table


def _versions(versions: Sequence[Version]) -> Table:
    table = _table("version", "how", "labels", "figures", "made", "actor")
    for each in versions:
        compared = ""
        if each.before is not None and each.after is not None:
            compared = f"{_share(each.before.ece)} → {_share(each.after.ece)}"
        table.add_row(
            words(each.version, "bold" if each.in_use else ""),
            words(tell(f"cli.calibration.how.{each.how or 'shipped'}")),
            words(each.labels or ""),
            words(compared),
            words(each.origin.made_on if each.made_at is None else local_time(each.made_at)),
            words(each.actor),
        )
    return table


def _history(changes: Sequence[ThresholdsChange]) -> Table:
    table = _table("time", "moved", "cause", "actor")
    for each in changes:
        table.add_row(
            words(local_time(each.time)),
            words(_moves(each.before, each.after)),
            words(each.told),
            words(each.actor),
        )
    return table


def _moves(before: Cutoffs, after: Cutoffs) -> str:
    return "  ".join(
        f"{tell(f'cli.calibration.level.{level}')} {getattr(before, level):.3f}"
        f" → {getattr(after, level):.3f}"
        for level in _LEVELS
        if getattr(before, level) != getattr(after, level)
    )


def _share(value: float | None) -> str:
    return tell("cli.calibration.unknown") if value is None else f"{value:.3f}"


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
