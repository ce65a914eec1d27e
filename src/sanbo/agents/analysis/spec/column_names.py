"""Every place in a spec that names a column, found by the mark on its type."""

from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from sanbo.agents.analysis.spec.words import ColumnMark

M = TypeVar("M", bound=BaseModel)
Rename = Callable[[str], str]


def with_columns(spec: M, rename: Rename) -> M:
    """The spec with each column's name replaced by what `rename` gives for it."""
    return cast("M", _renamed(spec, type(spec), rename))


def columns_of(spec: BaseModel) -> list[str]:
    """The names that stand in a spec, each once, in their order."""
    names: dict[str, None] = {}

    def note(name: str) -> str:
        names[name] = None
        return name

    with_columns(spec, note)
    return list(names)


def _renamed(value: Any, annotation: Any, rename: Rename) -> Any:
    if isinstance(value, BaseModel):
        return _renamed_model(value, rename)
    if isinstance(value, str):
        return rename(value) if _is_marked(annotation) else value
    if isinstance(value, tuple):
        inner = _inner(annotation, tuple)
        items = cast("tuple[Any, ...]", value)
        return tuple(_renamed(item, inner[0] if inner else Any, rename) for item in items)
    if isinstance(value, Mapping):
        return _renamed_keys(cast("Mapping[str, Any]", value), _inner(annotation, dict), rename)
    return value


def _renamed_model(model: BaseModel, rename: Rename) -> BaseModel:
    changed: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        before = getattr(model, name)
        # Pydantic takes the outermost `Annotated` apart: its marks stand in `metadata`.
        kind: Any = field.annotation
        for mark in field.metadata:
            kind = Annotated[kind, mark]
        after = _renamed(before, kind, rename)
        if after != before:
            changed[name] = after
    return model.model_copy(update=changed) if changed else model


def _renamed_keys(
    value: Mapping[str, Any], inner: Sequence[Any], rename: Rename
) -> dict[str, tuple[Any, ...]] | Mapping[str, Any]:
    if not inner or not _is_marked(inner[0]):
        return value
    renamed: dict[str, tuple[Any, ...]] = {}
    for key, items in value.items():
        name = rename(key)  # two spellings of one column come together
        renamed[name] = tuple(dict.fromkeys((*renamed.get(name, ()), *items)))
    return renamed


def _is_marked(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return any(isinstance(mark, ColumnMark) for mark in marks) or _is_marked(inner)
    if get_origin(annotation) in (Union, UnionType):
        return any(_is_marked(arm) for arm in get_args(annotation))
    return False


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
