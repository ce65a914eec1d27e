"""transforms.group_evidence: the files of an archive put together by the folders they are in."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows

_LEVELS = {"by_dir": "top_dir", "tier2": "second_dir", "sub_dir": "second_dir"}


class GroupEvidence(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        files = _files(given.evidence)
        level = _level(given.level, [_path(file) for file in files])
        groups: dict[str, Rows] = {}
        for file in files:
            groups.setdefault(_place(_path(file), level), []).append(file)
        keys = {place: _name(place, level) for place in sorted(groups)}
        made = [_group(key, groups[place], given) for place, key in keys.items()]
        return {
            "groups": made,
            "summary": {
                "files": len(files),
                "groups": len(made),
                "by_group": {place: len(groups[place]) for place in keys},
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


def _level(word: str, paths: list[str]) -> str:
    level = _LEVELS.get(word, word)
    if level != "auto":
        return level
    tops = {path.split("/")[0] if "/" in path else "" for path in paths}
    has_folders = any(path.count("/") > 1 for path in paths)
    return "second_dir" if len(tops) == 1 and has_folders else "top_dir"


def _place(path: str, level: str) -> str:
    """The folder that a file is grouped by; right in a top folder, the file itself."""
    parts = path.split("/")
    match level:
        case "top_dir":
            return "/".join(parts[:-1][:1])
        case "second_dir":
            return "/".join(parts[:2]) if len(parts) > 1 else ""
        case "dir":
            return "/".join(parts[:-1])
        case "file":
            return path
        case _:
            return ""


def _name(place: str, level: str) -> str | None:
    """A folder's own name, which two of them may have."""
    if level in ("top_dir", "second_dir"):
        return place.rpartition("/")[2]
    return place if level in ("dir", "file") else None


def _group(key: str | None, files: Rows, given: Given) -> Row:
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
