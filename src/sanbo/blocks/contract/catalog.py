"""All blocks that plans can use, those of the package and those of the workspace, and which of
their versions a plan means after `@`: `1`, `^1.2`, `~1.2.3`, `>=1,<2`, `1.4.0`.
"""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from semver import Version
from typing_extensions import override

from sanbo.blocks.block import Block, EngineBlock
from sanbo.blocks.contract.block_folder import (
    BLOCK_FOLDER,
    SpecFolder,
    load_module,
    shipped_folder,
    workspace_folder,
)
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.messages import Language, current_language
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import (
    Conflict,
    InvalidInput,
    MissingDependency,
    NotFound,
    Problem,
    SanboError,
)

# ---- ranges of versions --------------------------------------------------------------------------


_COMPARISONS: dict[str, Callable[[Version, Version], bool]] = {
    ">=": lambda version, bound: version >= bound,
    "<=": lambda version, bound: version <= bound,
    ">": lambda version, bound: version > bound,
    "<": lambda version, bound: version < bound,
    "=": lambda version, bound: version == bound,
}
_PART = re.compile(
    r"""
    (?P<operator> \^ | ~ | >= | <= | > | < | ==? )? \s*
    v?(?P<major>\d{1,9}) (?: \.(?P<minor>\d{1,9}|[x*]) (?: \.(?P<patch>\d{1,9}|[x*])
    (?P<suffix> -[0-9A-Za-z.-]+ )? (?: \+[0-9A-Za-z.-]+ )? )? )?
    """,
    re.VERBOSE,
)
_ANY = frozenset({"", "*", "x", "latest"})


@dataclass(frozen=True)
class Bound:
    comparison: str
    version: Version

    def holds(self, version: Version) -> bool:
        return _COMPARISONS[self.comparison](version, self.version)


@dataclass(frozen=True)
class Range:
    """Versions that fit every bound; without any, all versions do."""

    text: str
    bounds: tuple[Bound, ...] = ()

    def __contains__(self, version: Version) -> bool:
        return all(bound.holds(version) for bound in self.bounds)

    @property
    def wants_prerelease(self) -> bool:
        return any(
            bound.version.prerelease and bound.comparison in ("=", ">=", ">")
            for bound in self.bounds
        )


def parse_range(text: str) -> Range:
    """`InvalidInput` "block_range_invalid" for what is not a range."""
    written = text.strip()
    if written in _ANY:
        return Range(written)
    bounds: list[Bound] = []
    for piece in re.split(r",\s*+|(?<!\s)\s++(?=[<>=^~])", written):
        part = _PART.fullmatch(piece.strip())
        if part is None:
            raise InvalidInput("block_range_invalid", range=text)
        bounds += _bounds(part)
    return Range(written, tuple(bounds))


def _bounds(part: re.Match[str]) -> list[Bound]:
    operator = part["operator"] or ""
    numbers = [int(each) for each in _numbers(part)]
    major, minor, patch = [*numbers, 0, 0][:3]
    lowest = Version(major, minor, patch, (part["suffix"] or "")[1:] or None)
    match operator:
        case "^":
            return [Bound(">=", lowest), Bound("<", _next_incompatible(numbers))]
        case "~":
            return [Bound(">=", lowest), Bound("<", _after(numbers[:2]))]
        case ">" | "<=" if len(numbers) < 3:  # `>1` means 2 and newer, `<=1` all of 1
            return [Bound(">=" if operator == ">" else "<", _after(numbers))]
        case ">" | "<" | ">=" | "<=":
            return [Bound(operator, lowest)]
        case _ if len(numbers) == 3:
            return [Bound("=", lowest)]
        case _:
            return [Bound(">=", lowest), Bound("<", _after(numbers))]


def _numbers(part: re.Match[str]) -> list[str]:
    """`1.x` is `1`."""
    found = [part["major"], part["minor"], part["patch"]]
    kept: list[str] = []
    for number in found:
        if number is None or number in "x*":
            break
        kept.append(number)
    return kept


def _after(numbers: list[int]) -> Version:
    """The first version that no longer begins with these numbers."""
    *head, last = numbers
    major, minor, patch = [*head, last + 1, 0, 0][:3]
    return Version(major, minor, patch)


def _next_incompatible(numbers: list[int]) -> Version:
    """`^`: up to the next change of the first number that is not 0."""
    for position, number in enumerate(numbers):
        if number:
            return _after(numbers[: position + 1])
    return _after(numbers)


# ---- the catalogue -------------------------------------------------------------------------------


def check_requirements(spec: BlockSpec) -> None:
    """`MissingDependency` that names all packages that are missing, or too old."""
    missing = [each for each in spec.requirements if not _is_met(each)]
    if missing:
        raise MissingDependency(
            "block_packages_missing",
            block=spec.reference,
            packages=", ".join(missing),
            details={"block": spec.reference, "packages": missing},
        )


@cache
def _is_met(text: str) -> bool:
    # Here: few blocks need packages, and every command would wait for it.
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415

    try:
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate():
            return True
        return wanted.specifier.contains(metadata.version(wanted.name), prereleases=True)
    except (InvalidRequirement, metadata.PackageNotFoundError):
        return False


BlockClass = type[Block[Any]] | type[EngineBlock[Any]]


class _Specs(Mapping[str, tuple[BlockSpec, ...]]):
    """By id, newest version first. What the package ships is read when it is first asked for: a
    plan needs a few of them. A workspace's own have been read, and stand beside those."""

    def __init__(self, files: Mapping[str, str], own: Iterable[BlockSpec] = ()) -> None:
        """`files`: the shipped contracts by id."""
        self.files = files
        self._own = [*own]
        self._ids = sorted({*files, *(spec.id for spec in self._own)})
        self._known: dict[str, tuple[BlockSpec, ...]] = {}

    @override
    def __getitem__(self, block_id: str) -> tuple[BlockSpec, ...]:
        if block_id not in self._known:
            found = [spec for spec in self._own if spec.id == block_id]
            if block_id in self.files:
                found.append(_shipped_spec(self.files[block_id]))
            elif not found:
                raise KeyError(block_id)
            newest_first = sorted(found, key=lambda spec: spec.version, reverse=True)
            self._known[block_id] = tuple(newest_first)
        return self._known[block_id]

    @property
    def own(self) -> tuple[BlockSpec, ...]:
        return tuple(self._own)

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    @override
    def __len__(self) -> int:
        return len(self._ids)


@cache
def _shipped_spec(file: str) -> BlockSpec:
    return shipped_folder().read(file)


@dataclass(frozen=True)
class Catalog:
    _by_id: _Specs
    problems: tuple[Problem, ...] = ()
    """Specs of the workspace that could not be read; all others work."""
    folder: Path | None = None
    """The workspace's block folder."""
    _own: frozenset[str] = frozenset()
    _classes: dict[str, BlockClass] = field(
        default_factory=dict[str, BlockClass], init=False, repr=False, compare=False
    )

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._by_id)

    @property
    def specs(self) -> tuple[BlockSpec, ...]:
        """All, by id, newest version first: each is read."""
        return tuple(spec for specs in self._by_id.values() for spec in specs)

    @property
    def own(self) -> tuple[BlockSpec, ...]:
        """The workspace's, of all versions."""
        return self._by_id.own

    @classmethod
    def load(cls, workspace: Path | None) -> "Catalog":
        """Quick when nothing has changed: only the workspace's folder is looked at again."""
        return _loaded(workspace / BLOCK_FOLDER if workspace else None)

    def resolve(self, reference: str) -> BlockSpec:
        """The newest block that fits `id`, `id@1`, `id@^1.2`, `id@>=1,<2` or `id@1.2.3`."""
        block_id, _, wanted = reference.strip().partition("@")
        versions = self.versions(block_id)
        if not versions:
            raise self._unknown(block_id)
        asked = parse_range(wanted)
        fitting = [spec for spec in versions if spec.version in asked]
        fitting = fitting or [spec for spec in versions if _stands_for(spec, asked)]
        if not fitting:
            raise NotFound(
                "block_version_unknown",
                block=block_id,
                range=wanted,
                versions=", ".join(str(spec.version) for spec in versions),
                details={"block": block_id, "versions": [str(spec.version) for spec in versions]},
            )
        return _newest(fitting, asked)

    def versions(self, block_id: str) -> tuple[BlockSpec, ...]:
        """Newest first; empty for an id that is not known."""
        return self._by_id.get(block_id, ())

    def block(self, spec: BlockSpec) -> BlockClass:
        """The class that does the work."""
        if (known := self._classes.get(spec.reference)) is not None:
            return known
        check_requirements(spec)
        file, _, name = spec.entrypoint.partition(":")
        found = getattr(self._module(spec, file), name, None)
        if not (isinstance(found, type) and issubclass(found, Block | EngineBlock)):
            raise MissingDependency(
                "block_class_missing", block=spec.reference, entrypoint=spec.entrypoint
            )
        return self._classes.setdefault(spec.reference, cast("BlockClass", found))

    def _module(self, spec: BlockSpec, file: str) -> ModuleType:
        if self.is_own(spec) and self.folder is not None:
            return load_module(self.folder, file)
        return importlib.import_module(f"sanbo.blocks.{file.removesuffix('.py').replace('/', '.')}")

    def is_own(self, spec: BlockSpec) -> bool:
        """Whether it is the workspace's."""
        return spec.reference in self._own

    def unloadable(self, spec: BlockSpec) -> Problem | None:
        """Why the code of a workspace's own block can't be run at all."""
        if not self.is_own(spec):
            return None
        try:
            self.block(spec)
        except SanboError as error:
            return error.problem
        return None

    def nearest(self, block_id: str) -> tuple[str, ...]:
        """Known ids that may have been meant, nearest first."""
        last = block_id.rpartition(".")[2]
        same_name = [known for known in self._by_id if known.rpartition(".")[2] == last]
        close = nearest(block_id, self._by_id, 3)
        return tuple(dict.fromkeys([*close, *same_name]))[:3]

    def _unknown(self, block_id: str) -> NotFound:
        near = self.nearest(block_id)
        return NotFound(
            "block_unknown_near" if near else "block_unknown",
            block=block_id,
            nearest=", ".join(near),
            details={"block": block_id, "nearest": list(near)},
        )


def _stands_for(spec: BlockSpec, asked: Range) -> bool:
    """Whether what is asked for is an earlier version that this one replaces."""
    return bool(spec.replaces) and any(
        bound.version in parse_range(spec.replaces)
        for bound in asked.bounds
        if bound.comparison in ("=", ">=")
    )


def _newest(specs: list[BlockSpec], wanted: Range) -> BlockSpec:
    """A version that is not final yet is taken only when asked for, or when there is no other."""
    final = [spec for spec in specs if not spec.version.prerelease]
    chosen = specs if wanted.wants_prerelease or not final else final
    return max(chosen, key=lambda spec: spec.version)


@dataclass(frozen=True)
class _Kept:
    fingerprint: object
    catalog: Catalog


_kept: dict[tuple[Path, Language], _Kept] = {}


def _loaded(folder: Path | None) -> Catalog:
    if folder is None or not folder.is_dir():
        return _shipped()
    files = workspace_folder(folder)
    fingerprint = files.fingerprint()
    key = (folder.resolve(), current_language())  # problems are told in the reader's language
    if (kept := _kept.get(key)) and kept.fingerprint == fingerprint:
        return kept.catalog
    catalog = _with_workspace(_shipped(), files)
    _kept[key] = _Kept(fingerprint, catalog)
    return catalog


@cache
def _shipped() -> Catalog:
    # Each stands where its id says, in `group/group.name.yaml`.
    files = {Path(file).stem: file for file in shipped_folder().spec_files()}
    return Catalog(_Specs(files))


def _with_workspace(shipped: Catalog, files: SpecFolder) -> Catalog:
    found: dict[str, BlockSpec] = {}
    told: list[Problem] = []
    where: dict[str, str] = {}
    for file in files.spec_files():
        try:
            spec = files.read(file)
            is_shipped = any(each.version == spec.version for each in shipped.versions(spec.id))
            if is_shipped or spec.reference in found:
                raise _repeated(spec, f"{files.shown_as}/{file}", where.get(spec.reference, ""))
            found[spec.reference] = spec
            where[spec.reference] = f"{files.shown_as}/{file}"
            check_requirements(spec)  # known all the same: a plan that names it is told why
        except SanboError as error:
            told.append(error.problem)
    specs = _Specs(shipped._by_id.files, found.values())
    return Catalog(specs, tuple(told), files.root, frozenset(found))


def _repeated(spec: BlockSpec, file: str, other: str) -> Conflict:
    kind = "block_repeated" if other else "block_shipped_already"
    return Conflict(kind, block=spec.reference, file=file, other=other)
