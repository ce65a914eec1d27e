"""A block folder's YAML files: each a mapping, with problems that name file and line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sanbo.blocks.yaml_tree import MOST_DEPTH, Marks, YamlRefused, read_tree
from sanbo.kernel.problems import InvalidInput, LimitExceeded

MAX_BYTES = 1_000_000


def read_yaml(path: Path, file: str) -> dict[str, Any]:
    """A file's mapping; `InvalidInput` names file and line of what is not right in it."""
    try:
        tree = read_tree(_text(path, file))
    except YamlRefused as refused:
        raise _explained(refused, file) from None
    if tree.repeated:  # of two values under one key, YAML would silently take the second
        first = tree.repeated[0]
        line = tree.marks.at(*first)[0]
        key = str(first[-1])
        raise InvalidInput(
            "block_yaml_repeated", file=file, line=line, key=key, details=_where(file, line)
        )
    if not isinstance(tree.value, dict):
        raise InvalidInput("block_yaml_not_mapping", file=file, details=_where(file, 1))
    return tree.value


def line_of(path: Path, keys: Sequence[str | int]) -> int:
    """The line of the value at these keys, or of the nearest thing around it that is there."""
    try:
        marks = read_tree(path.read_text("utf-8")).marks
    except (OSError, UnicodeDecodeError, YamlRefused):
        marks = Marks()
    return marks.at(*keys)[0]


def _explained(refused: YamlRefused, file: str) -> InvalidInput | LimitExceeded:
    line = refused.place[0]
    where = _where(file, line)
    match refused.code:
        case "yaml_too_deep":
            return LimitExceeded(
                "block_yaml_depth", file=file, line=line, limit=MOST_DEPTH, details=where
            )
        case "yaml_expands":
            return LimitExceeded("block_yaml_alias", file=file, line=line, details=where)
        case _:
            return InvalidInput("block_yaml", file=file, line=line, details=where)


def _where(file: str, line: int) -> dict[str, object]:
    return {"file": file, "line": line}


def _text(path: Path, file: str) -> str:
    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(
            "block_file_unreadable", file=file, reason=error.strerror or type(error).__name__
        ) from None
    if len(data) > MAX_BYTES:
        raise LimitExceeded("block_file_too_large", file=file, limit=MAX_BYTES // 1000)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput("block_yaml", file=file, line=line, details=_where(file, line)) from None
