"""More of `sanbo plan`: `generate` and `refine` from a sentence; `save`, `submit`, `approve` …
versions.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from pydantic import JsonValue
from rich.table import Table

from sanbo.cli import conventions as exits
from sanbo.cli.arguments import existing, refuse_unwritable, unused, write_new
from sanbo.cli.bench import Bench, open_bench, read_settings
from sanbo.cli.conventions import Json
from sanbo.cli.parts_view import show_parts
from sanbo.cli.plans import PlanName, picture_kind, plan_source, show_findings, show_verdict
from sanbo.cli.progress import exit_code, report, say_started, watch
from sanbo.cli.screen import err, out, print_json, say, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.settings import prepare_workspace
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Files

if TYPE_CHECKING:
    from sanbo.service.plan_versions import Decision, PlanVersions, VersionDetail
    from sanbo.settings import Settings


def _designed(bench: Bench, given: JsonObject, documents: Sequence[str] | None) -> Run:
    from sanbo.service import plan_design  # noqa: PLC0415 - takes a moment

    files = [bench.upload(path, path.name) for path in map(existing, documents or ())]
    given["documents"] = [file.model_dump(mode="json") for file in files]
    run = bench.start(plan_design.DESIGN, given)
    say_started(run)
    return watch(bench, run)


def generate(
    context: typer.Context,
    instruction: Annotated[
        str, typer.Argument(metavar="INSTRUCTION", help="cli.option.design_instruction")
    ],
    *,
    documents: Annotated[
        list[str] | None,
        typer.Option("--document", "-d", metavar="FILE", help="cli.option.design_document"),
    ] = None,
    outline: Annotated[
        Path | None, typer.Option("--outline", metavar="FILE", help="cli.option.design_outline")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="cli.option.design_output")
    ] = None,
    as_json: Json = False,
) -> int:
    if output is not None:
        refuse_unwritable(output)
    from sanbo.service import plan_design  # noqa: PLC0415 - takes a moment

    with open_bench(context.obj) as bench:
        given: JsonObject = {"question": instruction}
        if outline is not None and outline.exists():
            given["outline"] = plan_design.read_outline(outline)
        run = _designed(bench, given, documents)
        if run.status is not Status.SUCCEEDED:
            return report(bench, run, as_json=as_json)
        made = plan_design.design_of(run)
        if outline is not None and not outline.exists():
            write_new(outline, plan_design.outline_text(made).encode())
        target = output or unused(Path(f"{made.plan_id}.yaml"))
        if as_json:
            print_json(cast("JsonValue", run.model_dump(mode="json")))
        else:
            parts = [part for part in bench.parts(run.run_id) if not part.is_aside]
            show_parts(out(), (part for part in parts if not isinstance(part, Files)))
            show_findings(out(), made.findings)
            show_verdict(err(), made.findings)
        write_new(target, made.text.encode())
        if not made.is_dry_run:
            return exits.FAILED
    return exit_code(run)


def refine(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli.option.plan")],
    change: Annotated[str, typer.Argument(metavar="CHANGE", help="cli.option.design_change")],
    *,
    documents: Annotated[
        list[str] | None,
        typer.Option("--document", "-d", metavar="FILE", help="cli.option.design_document"),
    ] = None,
    is_written: Annotated[bool, typer.Option("--write", help="cli.option.design_write")] = False,
    as_json: Json = False,
) -> int:
    """What differs is shown first; the file changes only with `--write`."""
    from sanbo.service import plan_design  # noqa: PLC0415 - takes a moment

    source = existing(str(file))
    with open_bench(context.obj) as bench:
        given: JsonObject = {"question": change, "plan_text": source.read_text("utf-8-sig")}
        run = _designed(bench, given, documents)
        if run.status is not Status.SUCCEEDED:
            return report(bench, run, as_json=as_json)
        made = plan_design.design_of(run)
        if as_json:
            print_json(cast("JsonValue", run.model_dump(mode="json")))
        else:
            for line in made.changes:
                out().print(line, markup=False)
            show_findings(out(), made.findings)
            show_verdict(err(), made.findings)
        if is_written and made.is_dry_run:
            source.write_text(made.text, "utf-8")
        return exit_code(run) if made.is_dry_run else exits.FAILED


Comment = Annotated[str, typer.Option("--comment", metavar="TEXT", help="cli.option.plan_comment")]
VersionName = Annotated[str, typer.Argument(metavar="ID@VERSION", help="cli.option.plan_version")]
NamedPlan = Annotated[
    str, typer.Argument(metavar="ID[@VERSION]", help="cli.option.plan_of_versions")
]


def state_words(state: str) -> str:
    return tell(f"plan_states.{state}")


@contextmanager
def _opened(context: typer.Context) -> Generator[tuple[Settings, PlanVersions]]:
    settings = read_settings(context.obj)
    prepare_workspace(settings.workspace)
    from sanbo.service.plan_versions import open_versions  # noqa: PLC0415 - takes a moment

    with open_versions(settings) as versions:
        yield settings, versions


def save(
    context: typer.Context, plan: PlanName, comment: Comment = "", as_json: Json = False
) -> int:
    with _opened(context) as (settings, versions):
        source = plan_source(settings, plan)
        from sanbo.service.access import OPERATOR  # noqa: PLC0415
        from sanbo.service.plan_versions import save_version  # noqa: PLC0415

        with _findings_first():
            kept = save_version(settings, versions, source, OPERATOR, comment)
    if not as_json:
        show_findings(err(), kept.findings)
    return _told(kept, "saved", as_json=as_json)


def _decision(decision: Decision) -> Callable[..., int]:
    def decided(
        context: typer.Context, version: VersionName, comment: Comment = "", as_json: Json = False
    ) -> int:
        with _opened(context) as (settings, versions):
            from sanbo.service import plan_versions  # noqa: PLC0415
            from sanbo.service.access import OPERATOR  # noqa: PLC0415

            with _findings_first():
                kept = plan_versions.decide(
                    settings, versions, version, decision, caller=OPERATOR, comment=comment
                )
        return _told(kept, decision, as_json=as_json)

    return decided


@contextmanager
def _findings_first() -> Generator[None]:
    """A plan that is refused says where and why before it says that it was refused."""
    from sanbo.service.plans import findings_of  # noqa: PLC0415

    try:
        yield
    except InvalidInput as refusal:
        show_findings(err(), findings_of(refusal.problem))
        raise


def _told(kept: VersionDetail, done: str, *, as_json: bool) -> int:
    if as_json:
        print_json(kept.model_dump(mode="json"))
    else:
        state = state_words(kept.state)
        told = tell(f"cli.plan.version.{done}", name=kept.name, state=state)
        show_line(err(), "ok", told)
    return exits.SUCCEEDED


def history(context: typer.Context, plan: NamedPlan, as_json: Json = False) -> int:
    """Oldest first, so that the last line is how it stands."""
    with _opened(context) as (_, versions):
        from sanbo.service.plan_versions import split_name  # noqa: PLC0415

        plan_id, version = split_name(plan)
        named = [version] if version else [each.version for each in versions.list(plan_id)]
        found = [versions.get(plan_id, each) for each in named or [""]]
    if as_json:
        print_json([each.model_dump(mode="json", exclude={"source"}) for each in found])
        return exits.SUCCEEDED
    table = Table(box=None, pad_edge=False)
    for name in ("version", "time", "done", "actor", "comment"):
        table.add_column(tell(f"cli.plan.column.{name}"), no_wrap=name != "comment")
    for each in reversed(found):
        for event in each.history:
            done = tell(f"cli.plan.done.{event.kind}")
            elsewhere = tell("cli.plan.elsewhere") if event.is_imported else ""
            table.add_row(
                words(each.version),
                words(f"{event.time.astimezone():%Y-%m-%d %H:%M}", "dim"),
                words(f"{done}{elsewhere}"),
                words(event.actor),
                words(event.comment),
            )
    out().print(table)
    for each in reversed(found):
        told = tell("cli.plan.version.stands", name=each.name, state=state_words(each.state))
        say(f"{told}  #{each.digest[:8]}", "dim")
    return exits.SUCCEEDED


def diff(
    context: typer.Context,
    old: Annotated[str, typer.Argument(metavar="OLD", help="cli.option.plan_old")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="cli.option.plan")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="cli.option.plan_picture")
    ] = None,
    as_json: Json = False,
) -> int:
    kind = picture_kind(output)
    if output is not None:
        refuse_unwritable(output)
    settings = read_settings(context.obj)
    sources = plan_source(settings, old), plan_source(settings, new)
    from sanbo.service.plan_views import diff_of, diff_picture  # noqa: PLC0415

    found = diff_of(*sources)
    if output is not None:
        write_new(output, diff_picture(*sources, kind=kind))
    if as_json:
        print_json(found.model_dump(mode="json", exclude={"parts"}))
        return exits.SUCCEEDED
    text = "cli.plan.diff.counts" if found.changes else "cli.plan.diff.none"
    say(tell(text, old=found.old, new=found.new, count=len(found.changes)))
    colours = {"added": "green", "removed": "red"}
    for each in found.changes:
        line = words(f"{each.sign} ", colours.get(each.kind, "yellow"))
        out().print(line.append_text(words(each.sentence)), soft_wrap=True)
    return exits.SUCCEEDED


def compatibility(context: typer.Context, version: VersionName, as_json: Json = False) -> int:
    with _opened(context) as (settings, versions):
        from sanbo.service import plan_versions  # noqa: PLC0415

        found = plan_versions.compatibility(settings, versions, version)
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
        return exits.SUCCEEDED
    for each in found:
        told = tell(
            "cli.plan.upgrade.pinned" if each.is_pinned else "cli.plan.upgrade.open",
            node="/".join(each.node),
            block=each.block,
            used=each.used,
            newest=each.newest,
        )
        show_line(out(), "broken" if each.breaks else "ok", told)
        for one in each.breaks:
            out().print(words(f"    {one.sentence}"), soft_wrap=True)
    if not found:
        show_line(err(), "ok", tell("cli.plan.upgrade.none"))
    return exits.SUCCEEDED


def migrate(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="cli.option.plan_old_file")],
    write: Annotated[bool, typer.Option("--write", help="cli.option.plan_write")] = False,
) -> int:
    settings = read_settings(context.obj)
    path = existing(file)
    from sanbo.service.plans import migration_of, source_of_file  # noqa: PLC0415

    with _findings_first():
        source = source_of_file(settings, path)
        made = migration_of(settings, source)
    old, new = source.plan.text.splitlines(), made.text.splitlines()
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in unified_diff(old, new, path.name, path.name, lineterm="", n=2):
        out().print(words(line, colours.get(line[0], "")), soft_wrap=True)
    for left in made.left:
        show_line(err(), "warning", left.sentence)
    if not made.forms:
        show_line(err(), "ok", tell("cli.plan.migrate.nothing"))
    elif write:
        path.write_bytes(made.text.encode())
        show_line(err(), "ok", tell("cli.plan.migrate.written", path=path, count=len(made.forms)))
    else:
        show_line(err(), "ok", tell("cli.plan.migrate.shown", count=len(made.forms)))
    return exits.SUCCEEDED


Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="cli.option.plan_export")
]


def export(context: typer.Context, plan: NamedPlan, output: Output) -> int:
    refuse_unwritable(output)
    with _opened(context) as (_, versions):
        from sanbo.service.plan_versions import export_versions  # noqa: PLC0415

        write_new(output, export_versions(versions, plan))
    return exits.SUCCEEDED


def take_in(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="cli.option.plan_import")],
    as_json: Json = False,
) -> int:
    content = existing(file).read_bytes()
    with _opened(context) as (settings, versions):
        from sanbo.service.access import OPERATOR  # noqa: PLC0415
        from sanbo.service.plan_versions import import_versions  # noqa: PLC0415

        found, taken = import_versions(settings, versions, content, OPERATOR)
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
        return exits.SUCCEEDED
    for each in found:
        say(tell("cli.plan.version.stands", name=each.name, state=state_words(each.state)))
    show_line(err(), "ok", tell("cli.plan.version.imported", count=taken))
    return exits.SUCCEEDED


COMMANDS: dict[str, Callable[..., Any]] = {
    "save": save,
    "history": history,
    "submit": _decision("submit"),
    "approve": _decision("approve"),
    "return": _decision("return"),
    "retire": _decision("retire"),
    "diff": diff,
    "compatibility": compatibility,
    "migrate": migrate,
    "export": export,
    "import": take_in,
}
