"""`sanbo init`: a workspace with a commented settings file, made once and never overwritten."""

from importlib import resources
from pathlib import Path

import typer

from sanbo.cli import conventions
from sanbo.cli.bench import read_settings
from sanbo.cli.screen import err, show_line
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import PermissionDenied
from sanbo.kernel.settings import FILE, prepare_workspace

FOLDERS = ("designs", "block_specs", "runs")
TEMPLATE = "workspace.yaml"

app = typer.Typer(add_completion=False)


@app.command(help="cli.help.init")
def init(context: typer.Context) -> int:
    workspace = read_settings(context.obj).workspace
    try:
        made = _make(workspace)
    except OSError as error:
        raise PermissionDenied(
            "workspace_unusable", workspace=str(workspace), reason=error.strerror
        ) from None
    console = err()
    for path in made:
        show_line(console, "ok", tell("cli.init.made", path=path))
    if not made:
        show_line(console, "ok", tell("cli.init.nothing", workspace=workspace))
    show_line(console, "ok", tell("cli.init.next"))
    return conventions.SUCCEEDED


def template() -> str:
    return resources.files("sanbo.cli").joinpath(TEMPLATE).read_text("utf-8")


def _make(workspace: Path) -> list[Path]:
    """What was not there yet; what is there is left as it is."""
    made: list[Path] = [] if workspace.is_dir() else [workspace]
    prepare_workspace(workspace)
    for folder in (workspace / name for name in FOLDERS):
        if not folder.is_dir():
            folder.mkdir(parents=True)
            made.append(folder)
    settings = workspace / FILE
    try:
        with settings.open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        return made
    return [*made, settings]
