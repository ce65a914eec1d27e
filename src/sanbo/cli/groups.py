"""A group of commands that says in the person's language when one is not there."""

from typing import Any

from typer.core import TyperGroup

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest


class Group(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            near = nearest(name, self.commands)
            text = "cli.usage.command_near" if near else "cli.usage.command"
            ctx.fail(tell(text, name=name, near="".join(near)))
        return super().resolve_command(ctx, args)
