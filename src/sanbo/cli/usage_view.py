"""What was wrong with a command line, in the person's language and not in the library's."""

from typing import Any

import typer

from sanbo.cli.screen import say
from sanbo.kernel.messages import tell


def show_usage(error: typer.TyperException) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # the help is on the screen already
        return
    say(_message(error), "red")
    context = getattr(error, "ctx", None)
    if context is not None:
        say(tell("cli.usage.help", command=context.command_path), "dim")


def _message(error: typer.TyperException) -> str:
    parameter: Any = getattr(error, "param", None)
    # By name: these classes are not part of what Typer exports.
    match type(error).__name__:
        case "MissingParameter" if parameter is not None:
            return tell("cli.usage.missing", name=_spelling(parameter))
        case "NoSuchOption":
            return tell("cli.usage.option", name=getattr(error, "option_name", ""))
        case "BadParameter" if parameter is not None:
            reason = _expected(parameter) or error.message
            return tell("cli.usage.value", name=_spelling(parameter), reason=reason)
        case _:
            return error.message


def _spelling(parameter: Any) -> str:
    long = [option for option in parameter.opts if option.startswith("--")]
    return long[0] if long else parameter.display_name_raw


def _expected(parameter: Any) -> str:
    choices = parameter.type_descriptor.choices
    if choices:
        listed = " / ".join(str(getattr(choice, "value", choice)) for choice in choices)
        return tell("cli.usage.one_of", choices=listed)
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if low is not None and high is not None:
        return tell("cli.usage.between", low=low, high=high)
    return ""
