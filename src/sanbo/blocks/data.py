"""What stands behind data: how its shape changed, where it came from, the evidence for it."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, EngineBlock, EngineContext, Given, NewFile
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef, JsonObject

PROVENANCE = "__provenance__"


class SchemaDiff(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        options: JsonObject = given.options or {}
        ignored = options.get("ignore")
        left_out = ignored if isinstance(ignored, list) else []
        old, new = (
            {field: kind for field, kind in _fields(schema).items() if field not in left_out}
            for schema in (given.schema_old, given.schema_new)
        )
        diffs = list(_diffs(old, new))
        breaking = [each for each in diffs if each["type"] != "added"]
        counts = {"count": len(diffs), "breaking": len(breaking)}
        return {"diffs": diffs, "breaking_changes": breaking, "summary": counts}


def _fields(schema: JsonValue) -> dict[str, JsonValue]:
    """`{field: type}`, JSON Schema, or a list of `{name, type}`."""
    if isinstance(schema, list):
        return {
            str(each.get("name") or each.get("field") or ""): each.get("type", each)
            for each in schema
            if isinstance(each, dict)
        }
    if not isinstance(schema, dict):
        return {}
    inner = schema.get("properties")
    return inner if isinstance(inner, dict) else schema


def _diffs(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> Iterator[dict[str, Any]]:
    for field, kind in old.items():
        if field not in new:
            yield {"type": "removed", "field": field, "old": kind, "new": None}
        elif new[field] != kind:
            yield {"type": "changed", "field": field, "old": kind, "new": new[field]}
    for field, kind in new.items():
        if field not in old:
            yield {"type": "added", "field": field, "old": None, "new": kind}


class ProvenanceCapture(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any]:
        told: dict[str, JsonValue] = {
            "captured_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "run_id": context.run.run_id,
            "node_id": "/".join(context.run.path),
        }
        about: JsonObject = given.context or {}
        given_items: list[JsonValue] = given.items or []
        items = [
            {
                **(item if isinstance(item, dict) else {"value": item}),
                PROVENANCE: {**about, **told, "hash": _hash(item)},
            }
            for item in given_items
        ]
        return {"items_with_provenance": items, "summary": {"count": len(items)}}


def _hash(item: JsonValue) -> str:
    """Of the record as it was captured, its keys in order."""
    text = json.dumps(item, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class VaultStore(Block[Given]):
    """By their content: two files of one name are both kept, the same content once."""

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        policies: dict[str, JsonValue] = {
            "retention_policy": given.retention_policy,
            "access_policy": given.access_policy,
        }
        stored: list[dict[str, Any]] = []
        items: list[FileRef | dict[str, Any]] = given.items or []
        for number, item in enumerate(items):
            name, data = _content(item, number, context)
            digest = hashlib.sha256(data).hexdigest()
            stored.append(
                {
                    "id": digest,
                    "name": name,
                    "path": f"blobs/{digest}",
                    "size": len(data),
                    "hash": digest,
                    "metadata": item.get("metadata") if isinstance(item, dict) else None,
                    **policies,
                    "file": NewFile(name, data),
                }
            )
        return {"stored": stored, "summary": {"count": len(stored), "dir": "blobs"}}


def _content(
    item: FileRef | dict[str, Any], number: int, context: BlockContext
) -> tuple[str, bytes]:
    if isinstance(item, FileRef):
        return item.name, context.files.read(item)
    file, text = item.get("bytes"), item.get("base64")
    name = str(item.get("name") or (file.name if isinstance(file, FileRef) else ""))
    if isinstance(file, FileRef):
        return name, context.files.read(file)
    if isinstance(text, str) and name:
        try:
            return name, base64.b64decode(text, validate=True)
        except binascii.Error:
            raise InvalidInput("block_base64_unreadable", name=name) from None
    raise InvalidInput("vault_item_empty", number=number + 1)
