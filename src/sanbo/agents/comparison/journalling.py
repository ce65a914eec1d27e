"""What of a step's update goes into the journal: what was done, without the bulk."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

_AS_IT_IS = ("document_a", "document_b", "current_chunk_a", "rounds", "tools_used", "result")


def journalled(update: object) -> JsonValue:
    if not isinstance(update, Mapping):
        return None
    fields = cast("Mapping[str, Any]", update)
    told: dict[str, Any] = {name: fields[name] for name in _AS_IT_IS if fields.get(name)}
    if turn := fields.get("turn"):
        told["calls"] = [
            {"name": call["name"], "arguments": call["arguments"]}
            for call in (*turn["calls"], *turn["invalid"])
        ]
        told["refusal"] = turn["refusal"]
    if fields.get("processed_chunks_a") and fields.get("comparison_results"):
        told["decided"] = fields["comparison_results"][-1]
    return to_jsonable_python(told, fallback=repr)
