"""Plans at the command line: which one PLAN means, its findings and dry runs on the screen, its
files on disk, and going on with a corrected one.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import JsonValue
from rich.console import Console

from sanbo.cli.arguments import (
    STANDARD_OUTPUT,
    existing,
    make_output_folder,
    opened_output,
    refuse_unwritable,
)
from sanbo.cli.asking import GivenUp, confirmed
from sanbo.cli.screen import Mark, mark, say, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, PermissionDenied
from sanbo.runs.model import JsonObject
from sanbo.runs.parts import Files, on_one_line

if TYPE_CHECKING:
    from sanbo.cli.bench import Bench
    from sanbo.runs.model import Artifact, Correction, JsonObject, Run
    from sanbo.service.plan_views import DryRunCase, DryRunReport, NodeReport
    from sanbo.service.plans import Finding, PlanSource
    from sanbo.settings import Settings


def show_findings(console: Console, findings: Sequence[Finding]) -> None:
    """Errors before warnings, each group from top to bottom of its file."""
    for finding in sorted(
        findings, key=lambda each: (each.severity != "error", each.file, each.line, each.column)
    ):
        line = mark(console, "broken" if finding.severity == "error" else "warning").append(" ")
        line.append_text(words(place_of(finding), "bold")).append("  ")
        line.append_text(words(finding.code, "cyan")).append("  ")
        console.print(line.append_text(words(finding.message, "default")), soft_wrap=True)
        hint = f"    {tell('cli.plan.advice', hint=finding.hint)}"
        console.print(words(hint, "dim"), soft_wrap=True)


def show_verdict(console: Console, findings: Sequence[Finding]) -> None:
    errors = sum(each.severity == "error" for each in findings)
    warnings = len(findings) - errors
    if not findings:
        show_line(console, "ok", tell("cli.plan.valid"))
        return
    kind = "broken" if errors else "warning"
    text = "cli.plan.counts" if errors else "cli.plan.counts_valid"
    show_line(console, kind, tell(text, errors=errors, warnings=warnings))


def place_of(finding: Finding) -> str:
    """`file:line:column`, as editors take it."""
    place = f":{finding.line}:{finding.column}" if finding.line else ""
    return f"{finding.file or '–'}{place}"


LONGEST = 1000
"""Of a value; a narrower screen cuts it sooner."""


def show_dry_run(console: Console, report: DryRunReport) -> None:
    for node in report.nodes:
        _show_node(console, node)


def _show_node(console: Console, node: NodeReport) -> None:
    broken = any(each.severity == "error" for each in node.findings)
    kind: Mark = "broken" if broken else "warning" if node.findings else "ok"
    line = mark(console, kind).append(" ").append_text(words(node.node, "bold"))
    about = node.block or tell(f"cli.plan.kind.{node.type}")
    console.print(line.append_text(words(f"  {about}", "dim")), soft_wrap=True)
    _show_values(console, tell("cli.plan.inputs"), node.inputs)
    _show_values(console, tell("cli.plan.outputs"), node.outputs)
    for case in node.cases:
        _show_case(console, case)


def _show_values(console: Console, heading: str, values: Mapping[str, JsonValue]) -> None:
    for name, value in values.items():
        line = words(f"    {heading} ", "dim").append_text(words(name, "cyan"))
        line.append(": ").append_text(words(on_one_line(value, LONGEST)))
        console.print(line, overflow="ellipsis", no_wrap=True)


def _show_case(console: Console, case: DryRunCase) -> None:
    text = tell(f"cli.plan.case.{case.kind}", condition=case.condition)
    sampled = tell("cli.plan.case_sampled") if case.is_sampled else ""
    console.print(words(f"    {text}{sampled}", "dim"), soft_wrap=True)
    for each in case.consequences:
        kind: Mark = "broken" if each.outcome == "fails" else "ok"
        told = tell(f"cli.plan.outcome.{each.outcome}", node=each.node)
        line = words("      ").append_text(mark(console, kind)).append(" ")
        reason = f"  {each.reason}" if each.reason else ""
        console.print(line.append_text(words(f"{told}{reason}", "dim")), soft_wrap=True)


_FORBIDDEN = frozenset('<>:"/\\|?*')
"""In names on Windows."""
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")


def uploaded_pictures(bench: Bench, source: PlanSource, plan: str) -> JsonObject:
    """What the forms of a plan in a file show as help, as a part of a run's input."""
    from sanbo.service.plans import pictures_beside  # noqa: PLC0415 - loaded by then anyway

    if not (file := Path(plan)).is_file():
        return {}
    uploads: JsonObject = {
        name: bench.upload(path, path.name).model_dump(mode="json")
        for name, path in pictures_beside(source, file).items()
    }
    return {"pictures": uploads}


def prepare_output(output: Path) -> None:
    """Before the work: nobody waits for files that can't be written."""
    if _names_file(output):
        refuse_unwritable(output)
        return
    if output.exists() and not output.is_dir():
        raise Conflict("output_exists", path=str(output))
    try:
        make_output_folder(output)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("path_refused", path=str(output), reason=reason) from None


def save_files(bench: Bench, run: Run, output: Path) -> None:
    """Into a folder; or the one of a file name's ending as that, and what else there is beside."""
    shown = (part for part in bench.parts(run.run_id) if isinstance(part, Files))
    files = tuple(file for part in shown if not part.is_aside for file in part.items)
    named = _fitting(files, output) if _names_file(output) else None
    folder = output.parent if _names_file(output) else output
    for artifact in files:
        target = output if artifact is named else _free(folder, _plain(artifact.name))
        _write(bench, run, artifact, target)
        say(tell("cli.saved", path=target))
    if not files:
        say(tell("cli.plan.nothing_saved"), "yellow")
    others = {made.artifact_id for made in run.artifacts} - {each.artifact_id for each in files}
    if others:
        say(tell("cli.plan.more_files", count=len(others), run_id=run.run_id), "dim")


def _names_file(output: Path) -> bool:
    """`result.xlsx` does; `results`, `2026.05` and whatever is a folder already do not."""
    return _ENDING.fullmatch(output.suffix) is not None and not output.is_dir()


def _fitting(files: tuple[Artifact, ...], output: Path) -> Artifact | None:
    ending = output.suffix.casefold()
    fitting = [each for each in files if PurePath(each.name).suffix.casefold() == ending]
    return fitting[0] if len(fitting) == 1 else None


def _write(bench: Bench, run: Run, artifact: Artifact, target: Path) -> None:
    _, content = bench.artifact(run.run_id, artifact.artifact_id)
    with (
        BytesIO(content) if isinstance(content, bytes) else content.open("rb") as reader,
        opened_output(target) as writer,
    ):
        shutil.copyfileobj(reader, writer)


def _plain(name: str) -> str:
    """A name that came from a plan or a file is only ever a name."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join("_" if letter in _FORBIDDEN or ord(letter) < 32 else letter for letter in last)
    return kept.strip(" .") or "file"


def _free(folder: Path, name: str) -> Path:
    stem, ending = PurePath(name).stem, PurePath(name).suffix
    target, number = folder / name, 2
    while target.exists():
        target = folder / f"{stem} ({number}){ending}"
        number += 1
    return target


PlanName = Annotated[str, typer.Argument(metavar="PLAN", help="cli.option.plan")]
OptionalPlan = Annotated[
    str | None, typer.Argument(metavar="[PLAN]", help="cli.option.plan", show_default=False)
]
STANDARD_INPUT = "-"
ENDINGS = (".yaml", ".yml")


def plan_source(settings: Settings, plan: str) -> PlanSource:
    # Loaded when it is needed: help and wrong options need not wait for the plan engine.
    from sanbo.service import plans  # noqa: PLC0415

    if not plan.strip():
        raise typer.BadParameter(tell("cli.usage.empty", option="PLAN"), param_hint="PLAN")
    if plan == STANDARD_INPUT:
        return plans.source_of_text(settings, sys.stdin.read(), tell("cli.plan.standard_input"))
    if plan.endswith(ENDINGS) or Path(plan).is_file():
        return plans.source_of_file(settings, existing(plan))
    return plans.source_by_id(settings, plan)


def vars_given(assignments: Iterable[str]) -> JsonObject:
    """`name=value`, the value as YAML has it: `10` is a number, `[a, b]` a list."""
    from sanbo.service.plans import UnreadableValue, value_written  # noqa: PLC0415

    given: JsonObject = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            told = tell("cli.usage.plan_var", given=assignment)
            raise typer.BadParameter(told, param_hint="--var")
        try:
            given[name.strip()] = value_written(value)
        except UnreadableValue as error:
            told = tell("cli.usage.plan_var_value", given=assignment, reason=error)
            raise typer.BadParameter(told, param_hint="--var") from None
    return given


Kind = Literal["svg", "png", "mermaid"]
_SUFFIXES: dict[str, Kind] = {
    ".svg": "svg",
    ".png": "png",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".md": "mermaid",
}


def picture_kind(output: Path | None) -> Kind:
    if output is None or output == STANDARD_OUTPUT:
        return "mermaid"
    kind = _SUFFIXES.get(output.suffix.lower())
    if kind is None:
        raise typer.BadParameter(tell("cli.usage.plan_picture"), param_hint="--output")
    return kind


MOST_NAMED = 12


def correction_wanted(
    bench: Bench, run: str, plan: str | None, *, yes: bool, ask: bool
) -> JsonObject | None:
    """The change with which the run goes on, empty for none; None where nobody could be asked."""
    if plan is not None:
        source = plan_source(bench.settings, plan)
        pictures = uploaded_pictures(bench, source, plan) or {"pictures": {}}
        found = bench.correction(run, {"source": source.model_dump(mode="json"), **pictures})
        assert found is not None
        _show(found)
        return found.change
    found = bench.correction(run)
    if found is None:
        return {}
    _show(found)
    if yes:
        return found.change
    if not ask:
        say(tell("cli.correction.say_which"), "red")
        return None
    return found.change if _sure() else {}


def _sure() -> bool:
    try:
        return confirmed(tell("cli.correction.sure"))
    except GivenUp:
        return False


def _show(found: Correction) -> None:
    say(tell("cli.correction.differs", before=found.before, after=found.after))
    for name, steps in (("again", found.again), ("kept", found.kept)):
        shown = "、".join(steps[:MOST_NAMED]) + (" …" if len(steps) > MOST_NAMED else "")
        say(tell(f"cli.correction.{name}", steps=shown or tell("none")), "dim")
