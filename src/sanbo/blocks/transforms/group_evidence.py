"""transforms.group_evidence: the files of an archive put together by the folders they are in."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows

Level = Literal["top_dir", "second_dir", "dir", "file"]
_TOP = "."
"""The key of files that are in no folder."""


class GroupEvidence(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        files = _files(given.evidence)
        groups: dict[str, Rows] = {}
        for file in files:
            groups.setdefault(_key(_path(file), given.level), []).append(file)
        made = [_group(key, groups[key], given) for key in sorted(groups)]
        return {
            "groups": made,
            "summary": {
                "files": len(files),
                "groups": len(made),
                "by_group": {key: len(groups[key]) for key in sorted(groups)},
            },
        }


def _files(evidence: Row) -> Rows:
    found = evidence.get("files")
    if not isinstance(found, list):
        raise InvalidInput("transform_evidence_files", port="evidence.files")
    files: Rows = []
    for number, file in enumerate(found):
        if not isinstance(file, dict) or not _path(file):
            raise InvalidInput("transform_evidence_files", port=f"evidence.files.{number}")
        files.append(file)
    return files


def _path(file: Row) -> str:
    path = file.get("path") or file.get("name")
    return path.replace("\\", "/").strip("/") if isinstance(path, str) else ""


def _key(path: str, level: Level) -> str:
    if level == "file":
        return path
    folders = path.split("/")[:-1]
    deepest = {"top_dir": 1, "second_dir": 2}.get(level, len(folders))
    return "/".join(folders[:deepest]) or _TOP


def _group(key: str, files: Rows, given: Given) -> Row:
    """Evidence of the same shape as all of it, so that the same blocks can read it."""
    by_dir: dict[str, list[JsonValue]] = {}
    for file in files:
        path = _path(file)
        by_dir.setdefault(path.split("/")[0] if "/" in path else "", []).append(path)
    paths = {_path(file) for file in files}
    sizes = [size for file in files if isinstance(size := file.get("size"), int)]
    evidence: Row = {
        **{name: value for name, value in given.evidence.items() if name not in _OF_ALL},
        "raw_size": sum(sizes),
        "total_files": len(files),
        "files": list[JsonValue](files),
        "by_dir": dict[str, JsonValue](by_dir),
        "problems": _problems(given.evidence, paths),
    }
    group: Row = {"key": key, "evidence": evidence}
    if given.instruction:
        evidence["instruction"] = group["instruction"] = given.instruction
    return group


def _problems(evidence: Row, paths: set[str]) -> list[JsonValue]:
    found = evidence.get("problems")
    problems = found if isinstance(found, list) else []
    return [one for one in problems if isinstance(one, dict) and one.get("path") in paths]


_OF_ALL = frozenset({"raw_size", "total_files", "files", "by_dir", "problems", "instruction"})
