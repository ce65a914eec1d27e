"""The language of the command line: chosen before anything is shown, help texts included.

Commands name their texts by id (`help="cli.help.runs.list"`); `translate` puts the words in.
"""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from typer.core import TyperGroup

from sanbo.cli.help_view import show_help
from sanbo.kernel.messages import Language, has_text, tell


def early_language(arguments: Sequence[str]) -> Language:
    """`--lang`, else SANBO_LANGUAGE, else Japanese; the settings are not read yet."""
    wanted = os.environ.get("SANBO_LANGUAGE", "")
    for position, argument in enumerate(arguments):
        if argument == "--lang":
            wanted = "".join(arguments[position + 1 : position + 2])
        elif argument.startswith("--lang="):
            wanted = argument.removeprefix("--lang=")
    return "en" if wanted == "en" else "ja"


def translate(command: Any) -> Any:
    """Puts the words of the current language into a command and all that are below it."""
    command.help = _words(command.help)
    command.epilog = _words(command.epilog)
    for parameter in command.params:
        _translate_parameter(parameter)
    _translate_help(command)
    if isinstance(command, TyperGroup):
        below: Iterable[Any] = command.commands.values()
        for each in below:
            translate(each)
    return command


def _translate_parameter(parameter: Any) -> None:
    parameter.help = _words(parameter.help)
    if isinstance(parameter.show_default, str):
        parameter.show_default = _words(parameter.show_default)


def _words(text: str | None) -> str | None:
    return tell(text) if text is not None and has_text(text) else text


def _translate_help(command: Any) -> None:
    """The option `--help`, and what it shows."""
    make_option = command.get_help_option

    def help_option(context: Any) -> Any:
        option = make_option(context)
        if option is not None:
            option.help = tell("cli.option.help")
        return option

    def format_help(context: Any, _formatter: Any) -> None:
        show_help(command, context)

    command.get_help_option, command.format_help = help_option, format_help
