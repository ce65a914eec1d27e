"""YAML as data: no aliases, no dates made of texts, within limits; and where things stand in it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from sanbo.kernel.problems import InvalidInput, LimitExceeded

MAX_BYTES = 1_000_000
MAX_DEPTH = 60

# The C loader is ten times as fast, which a person waits for at every command.
_Safe: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TRUTH, _TIME = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"


class _Loader(_Safe):
    """Texts that look like dates stay texts, and only `true` and `false` are truth values."""


_Loader.yaml_implicit_resolvers = {
    letter: [each for each in resolvers if each[0] not in (_TRUTH, _TIME)]
    for letter, resolvers in _Safe.yaml_implicit_resolvers.items()
}
for _letter in "tTfF":
    _truth = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
    _Loader.yaml_implicit_resolvers.setdefault(_letter, []).insert(0, (_TRUTH, _truth))


def read_yaml(path: Path, file: str, *, is_trusted: bool) -> dict[str, Any]:
    """A file's mapping; `InvalidInput` names file and line of what is not right in it."""
    text = _bytes(path, file)
    try:
        if not is_trusted:
            _check_shape(text, file)
        loader = _Loader(text)
        node = loader.get_single_node()
        if not is_trusted:
            _check_keys(node, file)
        loaded = _value(loader, node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 0
        raise InvalidInput("block_yaml", file=file, line=line, details=_where(file, line)) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise InvalidInput("block_yaml", file=file, line=1, details=_where(file, 1)) from None
    if not isinstance(loaded, dict):
        raise InvalidInput("block_yaml_not_mapping", file=file, details=_where(file, 1))
    return cast("dict[str, Any]", loaded)


def _value(loader: _Loader, node: yaml.Node) -> Any:
    """As the loader's own constructor would make it, in half the time."""
    if node.tag == "tag:yaml.org,2002:str":
        return node.value
    if node.tag == "tag:yaml.org,2002:map":
        if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
            loader.flatten_mapping(cast("yaml.MappingNode", node))
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        return {_key(loader, key): _value(loader, part) for key, part in pairs}
    if node.tag == "tag:yaml.org,2002:seq":
        return [_value(loader, part) for part in cast("list[yaml.Node]", node.value)]
    return loader.construct_object(node)  # pyright: ignore[reportUnknownMemberType]


def _key(loader: _Loader, node: yaml.Node) -> Any:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.MarkedYAMLError(problem_mark=node.start_mark)
    return _value(loader, node)


def line_of(path: Path, keys: Sequence[str | int]) -> int:
    """The line of the value at these keys, or of the nearest thing around it that is there."""
    try:
        loader = _Loader(path.read_bytes())
        node = loader.get_single_node()
    except (OSError, yaml.YAMLError):
        return 1
    line = 1
    for key in keys:
        if not isinstance(node, yaml.MappingNode):
            break
        pairs = cast("list[tuple[yaml.ScalarNode, yaml.Node]]", node.value)
        found = next((pair for pair in pairs if pair[0].value == str(key)), None)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def _where(file: str, line: int) -> dict[str, object]:
    return {"file": file, "line": line}


def _bytes(path: Path, file: str) -> bytes:
    try:
        with path.open("rb") as opened:
            text = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(
            "block_file_unreadable", file=file, reason=error.strerror or type(error).__name__
        ) from None
    if len(text) > MAX_BYTES:
        raise LimitExceeded("block_file_too_large", file=file, limit=MAX_BYTES // 1000)
    return text


def _check_shape(text: bytes, file: str) -> None:
    """What makes a small file huge or deep is refused before anything is built of it."""
    depth = 0
    for event in cast("Iterator[yaml.Event]", yaml.parse(text, _Loader)):  # pyright: ignore[reportUnknownMemberType]
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise InvalidInput("block_yaml_alias", file=file, line=line, details=_where(file, line))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise LimitExceeded(
                "block_yaml_depth",
                file=file,
                line=line,
                limit=MAX_DEPTH,
                details=_where(file, line),
            )


def _check_keys(node: yaml.Node | None, file: str) -> None:
    """Of two values under one key, YAML would silently take the second."""
    if isinstance(node, yaml.SequenceNode):
        for part in cast("list[yaml.Node]", node.value):
            _check_keys(part, file)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name in seen and isinstance(key, yaml.ScalarNode):
            line = key.start_mark.line + 1
            raise InvalidInput(
                "block_yaml_repeated", file=file, line=line, key=name, details=_where(file, line)
            )
        seen.add(name)
        _check_keys(value, file)
