"""transforms.flatten_items: what a loop collected, as one list."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import listed
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import MISSING, Missing, Row, path_of

_DEEPEST = 20


class FlattenItems(Transform[Given]):
    needed = ("results_list",)

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        results = listed(given.results_list)
        items: list[JsonValue] = []
        empty = dropped = 0
        for index, result in enumerate(results):
            every = list(_items(result, given, 0))
            found = [item for item in every if isinstance(item, dict)]
            dropped += len(every) - len(found)
            empty += not found
            items.extend(_marked(item, result, index, given) for item in found)
        return {
            "items": items,
            "summary": {
                "results": len(results),
                "items": len(items),
                "empty": empty,
                "dropped": dropped,
            },
        }


def _items(
    result: JsonValue, given: Given, depth: int, *, is_inside: bool = False
) -> Iterator[JsonValue]:
    """`is_inside`: below a result's own list, what is a mapping is an item, whatever it holds."""
    if result is None:
        return
    if depth > _DEEPEST:
        raise InvalidInput("transform_flatten_deep", limit=_DEEPEST)
    if isinstance(result, list):
        for one in result:
            yield from _items(one, given, depth + 1, is_inside=is_inside)
        return
    inner = MISSING if is_inside else _inner(result, given.key)
    if isinstance(inner, Missing):
        yield result
    else:
        is_items = isinstance(result, dict) and inner is result.get("items")
        is_own = isinstance(inner, list) and (bool(given.key) or is_items)
        yield from _items(inner, given, depth + 1, is_inside=is_own)


def _inner(result: JsonValue, key: str | None) -> JsonValue | Missing:
    """The list inside a result; a mapping without one is an item itself."""
    if not isinstance(result, dict):
        return MISSING
    if key:
        return path_of(key).of(result)
    if isinstance(result.get("items"), list):
        return result["items"]
    within = [name for name in result if name == "results" or name.endswith("_results")]
    inside = [result[name] for name in within if isinstance(result[name], list | dict)]
    return inside[0] if len(inside) == 1 else inside or MISSING


def _marked(item: JsonValue, result: JsonValue, index: int, given: Given) -> JsonValue:
    """With the fields of its result that are to be kept, and its place in the list."""
    names = [str(name) for name in listed(given.keep)]
    if not isinstance(item, dict) or not (names or given.index_as):
        return item
    marked: Row = {}
    if given.index_as:
        marked[given.index_as] = index
    if isinstance(result, dict):
        marked |= {name: result.get(name) for name in names}
    return {**marked, **item}
