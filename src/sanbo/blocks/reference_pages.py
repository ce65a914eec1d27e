"""The reference pages of the shipped blocks, written from their contracts: `make blocks-docs`."""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from sanbo.blocks.catalog import Catalog
from sanbo.blocks.port_tables import SIDES, Side, port_lines
from sanbo.blocks.sample_text import sample_text
from sanbo.blocks.spec import BlockSpec, text_of
from sanbo.kernel.messages import LANGUAGES, tell, use_language

INDEX = "index.md"


def pages() -> dict[str, str]:
    """Every page by its file's name. A block has one page, of its newest version."""
    catalog = Catalog.load(None)
    newest = [catalog.resolve(block_id) for block_id in {spec.id: None for spec in catalog.specs}]
    found = {f"{spec.id}.md": _page(spec, catalog) for spec in newest}
    return {INDEX: _index(newest), **found}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")


def _index(specs: list[BlockSpec]) -> str:
    lines = [_both("block_page.index_title", "# "), ""]
    for language in LANGUAGES:
        lines += [tell("block_page.index", language), ""]
    for group, members in groupby(specs, key=lambda spec: spec.id.partition(".")[0]):
        lines += [f"## {group}", "", "| block | what it does | 内容 |", "| --- | --- | --- |"]
        lines += [
            f"| [`{spec.id}`]({spec.id}.md) | {_cell(text_of(spec.description, 'en'))} "
            f"| {_cell(text_of(spec.description, 'ja'))} |"
            for spec in members
        ]
        lines.append("")
    return "\n".join(lines)


def _page(spec: BlockSpec, catalog: Catalog) -> str:
    versions = ", ".join(str(each.version) for each in catalog.versions(spec.id))
    lines = [f"# {spec.id}", "", f"`{spec.id}@{spec.version}`"]
    lines += ["", text_of(spec.description, "ja"), "", text_of(spec.description, "en"), ""]
    if spec.deprecated:
        lines += [f"> {text_of(spec.deprecated, language)}" for language in LANGUAGES] + [""]
    if len(catalog.versions(spec.id)) > 1:
        lines += [_both("block_page.versions", "", versions=versions), ""]
    for side in SIDES:
        lines += [_both(f"block_page.{side}", "## "), "", *_port_table(spec, side), ""]
    for sample in spec.dry_run.samples[:1]:
        lines += [_both("block_page.sample", "## "), "", "```yaml", sample_text(sample), "```", ""]
    return "\n".join(lines)


def _port_table(spec: BlockSpec, side: Side) -> Iterator[str]:
    with use_language("en"):
        english = list(port_lines(spec, side))
    with use_language("ja"):
        japanese = list(port_lines(spec, side))
    if not english:
        yield _both("block_page.none", "")
        return
    yield "| port | type | | what it is | 内容 |"
    yield "| --- | --- | --- | --- | --- |"
    for line, other in zip(english, japanese, strict=True):
        about = other.description if other.description != line.description else ""
        cells = (f"`{line.name}`", line.type, line.note, line.description, about)
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _both(text_id: str, before: str, **params: object) -> str:
    told = [tell(text_id, language=language, **params) for language in ("en", "ja")]
    return before + " / ".join(told)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
