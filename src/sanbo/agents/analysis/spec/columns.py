"""The columns that a spec names, found by the marks on its fields."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from sanbo.agents.analysis.spec.words import ColumnMark, Need

M = TypeVar("M", bound=BaseModel)
Visit = Callable[[str, Need | None], str]


def with_columns(spec: M, rename: Callable[[str], str]) -> M:
    """The spec with each column's name replaced by what `rename` gives for it."""
    return cast("M", _visited(spec, None, lambda name, _: rename(name)))


def columns_of(spec: BaseModel) -> list[str]:
    """The names that stand in a spec, each once, in their order."""
    return list(dict.fromkeys(name for name, _ in _named(spec)))


def needs_of(spec: BaseModel) -> Iterator[tuple[str, Need]]:
    """Columns that must hold numbers or dates by their marks alone."""
    for name, need in _named(spec):
        if need is not None:
            yield name, need


def _named(spec: BaseModel) -> list[tuple[str, Need | None]]:
    found: list[tuple[str, Need | None]] = []

    def keep(name: str, need: Need | None) -> str:
        found.append((name, need))
        return name

    _visited(spec, None, keep)
    return found


def _visited(value: Any, annotation: Any, visit: Visit) -> Any:
    if isinstance(value, BaseModel):
        fields = type(value).model_fields.items()
        after = {
            # Pydantic takes the outermost `Annotated` apart: its marks stand in `metadata`.
            name: _visited(
                getattr(value, name),
                # pyrefly: ignore[not-a-type]
                Annotated[field.annotation, None, *field.metadata],
                visit,
            )
            for name, field in fields
        }
        changed = {name: one for name, one in after.items() if one != getattr(value, name)}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, str):
        mark = _mark(annotation)
        return value if mark is None else visit(value, mark.need)
    if isinstance(value, tuple):
        inner = _inner(annotation, tuple)
        items = cast("tuple[Any, ...]", value)
        return tuple(_visited(item, inner[0] if inner else Any, visit) for item in items)
    if isinstance(value, Mapping):
        return _keys(cast("Mapping[str, Any]", value), _inner(annotation, dict), visit)
    return value


def _keys(value: Mapping[str, Any], inner: Sequence[Any], visit: Visit) -> Mapping[str, Any]:
    mark = _mark(inner[0]) if inner else None
    if mark is None:
        return value
    renamed: dict[str, Any] = {}
    for key, items in value.items():
        name = visit(key, mark.need)  # two spellings of one column come together
        if isinstance(items, tuple):
            both = (*renamed.get(name, ()), *cast("tuple[Any, ...]", items))
            renamed[name] = tuple(dict.fromkeys(both))
        else:
            renamed[name] = items
    return renamed


def _mark(annotation: Any) -> ColumnMark | None:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        own = next((mark for mark in marks if isinstance(mark, ColumnMark)), None)
        return own or _mark(inner)
    if get_origin(annotation) in (Union, UnionType):
        return next((mark for arm in get_args(annotation) if (mark := _mark(arm))), None)
    return None


def _inner(annotation: Any, container: type) -> Sequence[Any]:
    """`X` of `tuple[X, ...]`, key and value of a dict, through `Annotated` and `| None`."""
    origin = get_origin(annotation)
    if origin is container:
        return get_args(annotation)
    if origin is Annotated:
        return _inner(get_args(annotation)[0], container)
    if origin in (Union, UnionType):
        found = (_inner(arm, container) for arm in get_args(annotation))
        return next((inner for inner in found if inner), ())
    return ()
