"""A group of commands that says in the person's language when one is not there."""

from difflib import get_close_matches
from typing import Any

from typer.core import TyperGroup

from sanbo.kernel.messages import tell


class Group(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            near = get_close_matches(name, list(self.commands), n=1)
            text = "cli.usage.command_near" if near else "cli.usage.command"
            ctx.fail(tell(text, name=name, near="".join(near)))
        return super().resolve_command(ctx, args)
