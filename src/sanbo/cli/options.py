"""Arguments and options that several commands share."""

from typing import Annotated

import typer

RunId = Annotated[str, typer.Argument(metavar="RUN", help="cli.option.run")]
Json = Annotated[bool, typer.Option("--json", help="cli.option.json")]
Files = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="FIELD=PATH", help="cli.option.file", show_default=False),
]
