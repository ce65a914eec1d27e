"""What commands have in common: options, groups with a question, and how they end."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typing_extensions import override

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest

SUCCEEDED = 0
FAILED = 1
USAGE = 2
WAITING = 3
INTERRUPTED = 130


class Interrupted(Exception):
    """Ctrl-C in the middle of something, raised once it is let go of; says how to go on."""


RunId = Annotated[str, typer.Argument(metavar="RUN", help="cli.option.run")]
Json = Annotated[bool, typer.Option("--json", help="cli.option.json")]
Files = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="FIELD=PATH", help="cli.option.file", show_default=False),
]


class Group(TyperGroup):
    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            near = nearest(name, self.commands)
            text = "cli.usage.command_near" if near else "cli.usage.command"
            ctx.fail(tell(text, name=name, near="".join(near)))
        return super().resolve_command(ctx, args)


class QuestionGroup(Group):
    """The first word is a command's name, or else where the question begins."""

    @override
    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        below: Any = self.commands.get(args[0]) if args else None
        if below is not None:
            return below.make_context(f"{info_name} {args[0]}", args[1:], parent=parent, **extra)
        is_meant = "--" in args
        # As a plain command is read: options may follow the question.
        as_command = {"allow_interspersed_args": True, "allow_extra_args": False}
        context: Any = super().make_context(info_name, args, parent=parent, **as_command, **extra)
        asked = context.params.get("question") or [""]
        if not is_meant and asked[0] in self.commands:
            context.fail(tell("cli.usage.command_first", name=asked[0]))
        return context
