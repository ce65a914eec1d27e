"""The reference pages of the shipped blocks, written from their contracts: `make blocks-docs`."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, cast, get_args

import yaml

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.samples import sample_text
from sanbo.blocks.contract.schema_failures import type_words
from sanbo.blocks.contract.spec_reader import DESCRIPTION
from sanbo.blocks.spec import FILE, TEXT, BlockSpec, Port, Schema, text_of
from sanbo.kernel.messages import LANGUAGES, Language, tell, use_language

Side = Literal["inputs", "outputs"]
SIDES: tuple[Side, ...] = get_args(Side)

_DEPTH = 2
_SHORT = 60


@dataclass(frozen=True)
class PortLine:
    name: str
    """Of a port, or of a part of one: `summary.rows`."""
    type: str
    note: str
    """Beside the description: must be given, the default, the choices."""
    description: str


def port_lines(spec: BlockSpec, side: Side) -> Iterator[PortLine]:
    """Each port, and below it what is inside, as far as the contract tells."""
    ports = spec.inputs if side == "inputs" else spec.outputs
    told: list[Schema] = []
    for name, port in ports.items():
        yield PortLine(
            name=name,
            type=type_words(port.schema_),
            note=_note(port.schema_, required=port.required, default=_default(port)),
            description=text_of(port.description),
        )
        if port.schema_ not in told:  # a second name of the same thing is not told again
            yield from _parts(name, port.schema_, side, _DEPTH)
        told.append(port.schema_)


def _parts(name: str, schema: Schema, side: Side, depth: int) -> Iterator[PortLine]:
    if depth == 0 or FILE in schema or TEXT in schema:
        return
    if isinstance(items := schema.get("items"), Mapping):
        yield from _parts(f"{name}[]", cast("Schema", items), side, depth)
    properties: Mapping[str, Any] = schema.get("properties") or {}
    for key, part in properties.items():
        if not isinstance(part, Mapping):
            continue
        inner = cast("Schema", part)
        about: Mapping[Language, str] = inner.get(DESCRIPTION) or {}
        yield PortLine(
            name=f"{name}.{key}",
            type=type_words(inner),
            note=_note(
                inner,
                required=side == "inputs" and key in (schema.get("required") or ()),
                default=_short(inner["default"]) if "default" in inner else "",
            ),
            description=text_of(about) or str(inner.get("description") or ""),
        )
        yield from _parts(f"{name}.{key}", inner, side, depth - 1)


def _default(port: Port) -> str:
    return _short(port.default) if port.has_default and port.default is not None else ""


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _note(schema: Schema, *, required: bool, default: str) -> str:
    choices = [str(each) for each in schema.get("enum") or () if each is not None]
    notes: list[str] = []
    if required:
        notes.append(tell("block_port.required"))
    if default:
        notes.append(tell("block_port.default", value=default))
    if choices:
        notes.append(tell("block_port.choices", values=" ".join(choices)))
    return tell("block_port.and").join(notes)


# ---- pages ---------------------------------------------------------------------------------------


INDEX = "index.md"


def pages() -> dict[str, str]:
    """Every page by its file's name. A block has one page, of its newest version."""
    catalog = Catalog.load(None)
    newest = [catalog.resolve(block_id) for block_id in catalog.ids]
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
    for section in spec.sections:
        lines += [f"## {section.name}", "", text_of(section.description, "ja"), ""]
        lines += [text_of(section.description, "en"), "", "```yaml", _yaml(section.example)]
        if section.gives is not None:
            lines.append(f"# → {json.dumps(section.gives, ensure_ascii=False)}")
        lines += ["```", ""]
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


def _yaml(example: object) -> str:
    dumped = yaml.safe_dump(example, allow_unicode=True, sort_keys=False, width=120)
    return dumped.rstrip()


def _both(text_id: str, before: str, **params: object) -> str:
    told = [tell(text_id, language=language, **params) for language in ("en", "ja")]
    return before + " / ".join(told)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
