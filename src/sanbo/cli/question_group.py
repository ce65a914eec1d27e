"""A command that takes a question, and has commands of its own below it.

`sanbo research notes …` is the command `notes`; after `--` even that word is a question.
"""

from typing import Any

from typing_extensions import override

from sanbo.cli.groups import Group
from sanbo.kernel.messages import tell


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
