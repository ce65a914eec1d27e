"""`sanbo` itself: the options that hold for every command, and the commands by name."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from sanbo import __version__
from sanbo.cli import conventions
from sanbo.cli.conventions import Group
from sanbo.cli.language import translate
from sanbo.kernel.messages import Language, tell

COMMANDS = (
    "demo",
    "up",
    "doctor",
    "init",
    "analyze",
    "compare",
    "research",
    "ask",
    "plan",
    "presets",
    "triggers",
    "blocks",
    "index",
    "collections",
    "calibration",
    "runs",
    "token",
    "cluster",
)
"""Each is the `app` of the module of its name in `sanbo.cli.commands`."""

_WITH_VALUE = ("--workspace", "--lang")
_WITHOUT_VALUE = ("--version",)


@dataclass(frozen=True)
class Everywhere:
    """What was said before the command and holds for all of them."""

    workspace: Path | None
    language: Language | None


def everywhere_first(arguments: Sequence[str]) -> list[str]:
    """Moves the options that hold for every command to the front: people write them anywhere."""
    found: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            rest += [argument, *waiting]
            break
        if argument in _WITH_VALUE:
            found += [argument, *waiting[:1]]
            waiting = waiting[1:]
        elif argument in _WITHOUT_VALUE or argument.startswith(tuple(f"{o}=" for o in _WITH_VALUE)):
            found.append(argument)
        else:
            rest.append(argument)
    return found + rest


class _LoadedWhenCalled(TyperCommand):
    """A name and a line of help; the command behind it is imported when it is called.

    Commands need Pydantic's models and more: half a second that `sanbo --help` need not wait.
    """

    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        module = importlib.import_module(f"sanbo.cli.commands.{self.name}")
        command: Any = translate(get_command(module.app))
        return command.make_context(info_name, args, parent=parent, **extra)


class _Root(Group):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name in COMMANDS:
            self.add_command(_LoadedWhenCalled(name=name, help=f"cli.help.{name}"))


def root() -> Any:
    """The command line in the current language."""
    app = typer.Typer(
        cls=_Root,
        add_completion=False,
        invoke_without_command=True,
        help="cli.help.sanbo",
        epilog="cli.help.sanbo_end",
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_everywhere)
    return translate(get_command(app))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sanbo {__version__}")
        raise typer.Exit


def _everywhere(
    context: typer.Context,
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="cli.option.workspace", show_default="cli.option.workspace_default"
        ),
    ] = None,
    lang: Annotated[
        Language | None,
        typer.Option(help="cli.option.lang", show_default="cli.option.lang_default"),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="cli.option.version", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    _ = version
    if workspace is not None and not workspace.strip():
        raise typer.BadParameter(tell("cli.usage.empty", option="--workspace"))
    context.obj = Everywhere(Path(workspace) if workspace else None, lang)
    if context.invoked_subcommand is None:
        context.get_help()
        raise typer.Exit(conventions.USAGE)
