"""`sanbo collections`: list, show, search and delete collections."""

from typing import Annotated

import typer

from sanbo.cli import conventions
from sanbo.cli.asking import GivenUp, confirmed
from sanbo.cli.bench import open_shelf
from sanbo.cli.collections_view import show_collections, show_documents, show_hits
from sanbo.cli.commands.index import pair
from sanbo.cli.conventions import Group, Json
from sanbo.cli.screen import can_ask, print_json, say
from sanbo.kernel.messages import tell

app = typer.Typer(
    cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.collections"
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="cli.option.collection")]


@app.command("list", help="cli.help.collections_list")
def show_all(context: typer.Context, as_json: Json = False) -> int:
    with open_shelf(context.obj) as shelf:
        infos = shelf.all()
    if as_json:
        print_json([info.model_dump(mode="json") for info in infos])
    elif infos:
        show_collections(infos)
    else:
        say(tell("cli.collections.none"))
    return conventions.SUCCEEDED


@app.command("show", help="cli.help.collections_show")
def show_one(
    context: typer.Context,
    name: Name,
    containing: Annotated[
        str, typer.Option("--containing", metavar="TEXT", help="cli.option.containing")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="cli.option.limit")] = 50,
    as_json: Json = False,
) -> int:
    with open_shelf(context.obj) as shelf:
        info = shelf.info(name)
        documents = shelf.documents(name, containing=containing, limit=limit)
    if as_json:
        shown = [document.model_dump(mode="json") for document in documents]
        print_json({**info.model_dump(mode="json"), "listed": shown})
        return conventions.SUCCEEDED
    show_collections([info])
    if documents:
        say("")
        show_documents(documents)
    if len(documents) == limit < info.documents:
        say(tell("cli.collections.more", shown=len(documents)))
    return conventions.SUCCEEDED


@app.command("search", help="cli.help.collections_search")
def search(
    context: typer.Context,
    name: Name,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="cli.option.query")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="cli.option.hits")] = 5,
    folder: Annotated[
        list[str] | None,
        typer.Option("--folder", metavar="FOLDER", help="cli.option.folder", show_default=False),
    ] = None,
    format: Annotated[
        list[str] | None,
        typer.Option("--format", metavar="FORMAT", help="cli.option.format", show_default=False),
    ] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="KEY=VALUE", help="cli.option.meta_is", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    metadata = dict(pair(text) for text in meta or [])
    with open_shelf(context.obj) as shelf:
        where = shelf.filter(folders=folder or [], formats=format or [], metadata=metadata)
        hits = shelf.search(name, query, limit=limit, where=where)
    if as_json:
        print_json([hit.model_dump(mode="json") for hit in hits])
    elif hits:
        show_hits(hits)
    else:
        say(tell("cli.collections.no_hits", query=query))
    return conventions.SUCCEEDED


@app.command("delete", help="cli.help.collections_delete")
def delete(
    context: typer.Context,
    name: Name,
    document: Annotated[
        str | None, typer.Option("--document", metavar="ID", help="cli.option.document")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="cli.option.yes")] = False,
) -> int:
    with open_shelf(context.obj) as shelf:
        info = shelf.info(name)
        if document is not None:
            removed = shelf.remove(name, document)
            say(tell("cli.collections.removed", document=removed.name))
            return conventions.SUCCEEDED
        if not yes and not can_ask():
            say(tell("cli.usage.yes_needed"), "red")
            return conventions.USAGE
        if not yes and not _sure(info.name, info.documents):
            say(tell("cli.not_deleted"))
            return conventions.FAILED
        shelf.delete(name)
    say(tell("cli.collections.deleted", name=info.name))
    return conventions.SUCCEEDED


def _sure(name: str, count: int) -> bool:
    try:
        return confirmed(tell("cli.collections.confirm", name=name, count=count))
    except GivenUp:
        return False
