"""The plans that there are: their folders, samples with their material, and lists with faults.

To check a plan takes the code of all its blocks, which takes seconds to load. That one is valid is
kept in the workspace, by everything that it depends on; that one is not is found out each time.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter
from typing_extensions import override

import sanbo
from sanbo.blocks.contract.block_folder import BLOCK_FOLDER, SpecFolder, workspace_folder
from sanbo.blocks.contract.yaml_tree import MOST_CHARACTERS
from sanbo.blocks.spec import Text, text_of
from sanbo.kernel.problems import Conflict, InvalidInput, LimitExceeded, NotFound, PermissionDenied
from sanbo.plans.load import load
from sanbo.plans.model import Plan, PlanSource
from sanbo.plans.settings import PlanSettings
from sanbo.plans.store import ENDINGS, Design, Designs, DesignsAndVersions, read_plan_file
from sanbo.plans.version_store import (
    PlanVersions,
    State,
    VersionInfo,
    digest_of,
)
from sanbo.settings import Settings

DESIGNS = "designs"
SHIPPED = Path(__file__).parent / "samples" / "plans"


def designs_of(workspace: Path) -> Designs:
    """A plan of the workspace goes before a sample of the same id."""
    return Designs([workspace / DESIGNS, SHIPPED])


class DesignsBeside(Designs):
    """Also those beside a file, and in the tree of `designs/` that it stands in."""

    def __init__(self, file: Path, others: Designs) -> None:
        folder = file.absolute().parent
        trees = [parent for parent in folder.parents if parent.name == DESIGNS]
        super().__init__([folder, *trees, *others.folders])
        self._others = others

    @override
    def list(self) -> tuple[Design, ...]:
        """Without the file's own folder: it may be somebody's whole home."""
        return self._others.list()


def save_text(workspace: Path, plan_id: str, text: str, *, replace: bool) -> Path:
    """Writes a plan's file, whole or not at all; never outside `designs/`."""
    if len(text) > MOST_CHARACTERS:
        raise LimitExceeded("plan_too_long", limit=MOST_CHARACTERS)
    folder = workspace / DESIGNS
    if _is_there(Designs([folder]), plan_id) and not replace:
        raise Conflict("plan_exists", plan_id=plan_id)
    file = _file_of(folder, plan_id)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.parent.resolve().is_relative_to(folder.resolve()):
            raise InvalidInput("plan_id_refused", plan_id=plan_id)
        _write(file, text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("path_refused", path=str(file), reason=reason) from None
    return file


def is_design(workspace: Path, plan_id: str) -> bool:
    """Whether it would hide a plan or a sample that is there."""
    return _is_there(designs_of(workspace), plan_id)


def _is_there(designs: Designs, plan_id: str) -> bool:
    """An id that can't be one is refused here."""
    try:
        _ = designs.read(plan_id, but=plan_id)  # by its file: one of another name is not hidden
    except NotFound:
        return False
    return True


def _file_of(folder: Path, plan_id: str) -> Path:
    files = [folder / f"{plan_id}{ending}" for ending in ENDINGS]
    return next((file for file in files if file.is_file()), files[0])


def _write(file: Path, text: str) -> None:
    """By a new file in its place: whoever reads at this moment sees the old one or the new one."""
    number, made = tempfile.mkstemp(dir=file.parent, prefix=".saving-")
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
        os.replace(made, file)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


MATERIAL = "answers.json"
"""Beside the sample plans: by plan id, `node.field` and its value; `@name` for a file."""
_material = TypeAdapter(dict[str, dict[str, Text]])


def sample_answers(source: PlanSource) -> dict[str, str]:
    """What to answer, by `node.field`; empty for a plan that is no sample.

    Only for the sample as it is shipped or a copy of it: the plan's own id tells.
    """
    plan = load(source.plan).plan
    known = _answers()
    if plan is None or plan.id not in known:
        return {}
    return {name: _found(text_of(value)) for name, value in known[plan.id].items()}


def sample_folder() -> Path:
    return SHIPPED


def sample_ids() -> tuple[str, ...]:
    """Plans that can be run with nothing at hand."""
    return tuple(_answers())


def _answers() -> dict[str, dict[str, Text]]:
    return _material.validate_json((SHIPPED / MATERIAL).read_bytes())


def _found(value: str) -> str:
    return f"@{SHIPPED / value[1:]}" if value.startswith("@") else value


KEPT = Path("cache") / "valid_plans.json"
"""In a workspace: the number of warnings of each valid plan, by the digest of what it rests on."""
MOST_KEPT = 500
_kept = TypeAdapter(dict[str, int])

Origin = Literal["workspace", "sample"]


class DesignInfo(BaseModel):
    """A plan as a list shows it."""

    model_config = ConfigDict(frozen=True)

    plan_id: str
    title: str
    version: str
    description: str
    file: str
    origin: Origin
    """Of the workspace's `designs/`, or shipped as a sample."""
    valid: bool
    errors: int
    warnings: int
    own_id: str = ""
    """The one in its text, under which its versions are kept; its file may be called otherwise."""
    state: State | None = None
    """Of the kept version with this very text; None where it is none."""
    versions: tuple[VersionInfo, ...] = ()
    """All that were kept, the newest first."""


class Faults(NamedTuple):
    errors: int = 0
    warnings: int = 0


def list_designs(settings: Settings, versions: PlanVersions | None = None) -> list[DesignInfo]:
    """Those of the folders, with their versions; and those of which there are only versions."""
    designs = designs_of(settings.workspace)
    verdicts = _Verdicts(settings)
    kept: dict[str, list[VersionInfo]] = {}
    for each in versions.list() if versions else ():
        kept.setdefault(each.plan_id, []).append(each)
    found = designs if versions is None else DesignsAndVersions(designs, versions)
    listed = [_listed(found, design, verdicts, kept) for design in designs.list()]
    for plan_id in kept.keys() - {each.own_id for each in listed}:
        assert versions is not None
        source = versions.get(plan_id).source
        faults = verdicts.of(source, "workspace")
        info = described(plan_id, "", "workspace", load(source.plan).plan, faults)
        listed.append(with_versions(info, source, kept[plan_id]))
    verdicts.keep()
    return sorted(listed, key=lambda each: each.plan_id)


def with_versions(info: DesignInfo, source: PlanSource, kept: Sequence[VersionInfo]) -> DesignInfo:
    if not kept:
        return info
    same = (info.version, digest_of(source))
    state = next((each.state for each in kept if (each.version, each.digest) == same), None)
    return info.model_copy(update={"state": state, "versions": tuple(kept)})


def origin_of(file: Path) -> Origin:
    return "sample" if file.is_relative_to(SHIPPED) else "workspace"


def described(
    plan_id: str, file: str, origin: Origin, plan: Plan | None, faults: Faults
) -> DesignInfo:
    return DesignInfo(
        plan_id=plan_id,
        title=text_of(plan.title) if plan else "",
        version=plan.version if plan else "",
        description=text_of(plan.description) if plan else "",
        file=file,
        origin=origin,
        valid=not faults.errors,
        errors=faults.errors,
        warnings=faults.warnings,
        own_id=plan.id if plan else "",
    )


def _listed(
    designs: Designs,
    design: Design,
    verdicts: "_Verdicts",
    kept: Mapping[str, Sequence[VersionInfo]],
) -> DesignInfo:
    text = read_plan_file(design.file, design.name)
    origin = origin_of(design.file)
    source = designs.source(text)
    plan = load(text).plan
    info = described(design.plan_id, design.name, origin, plan, verdicts.of(source, origin))
    return with_versions(info, source, kept.get(plan.id, ()) if plan else ())


class _Verdicts:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = settings.workspace / KEPT
        self._before = self._read()
        self._used: dict[str, int] = {}
        own = settings.workspace / BLOCK_FOLDER
        self._own_blocks = workspace_folder(own).fingerprint() if own.is_dir() else ()

    def of(self, source: PlanSource, origin: Origin) -> Faults:
        if origin == "sample" and self._is_plain and not _is_mixed(source):
            return Faults()  # what the package ships is checked by its tests
        key = self._key(source)
        warnings = self._before.get(key)
        faults = _faults(self._settings, source) if warnings is None else Faults(0, warnings)
        if not faults.errors:
            self._used[key] = faults.warnings
        return faults

    @property
    def _is_plain(self) -> bool:
        return not self._own_blocks and self._settings.plans == PlanSettings()

    def _key(self, source: PlanSource) -> str:
        parts = (source.model_dump_json(), self._settings.plans.model_dump_json(), _package())
        return hashlib.sha256(repr((*parts, self._own_blocks)).encode()).hexdigest()

    def _read(self) -> dict[str, int]:
        try:
            return _kept.validate_json(self._file.read_bytes())
        except (OSError, ValueError):
            return {}

    def keep(self) -> None:
        """Where there is a workspace already; a list makes none."""
        if self._used.keys() <= self._before.keys() or not self._settings.workspace.is_dir():
            return
        kept = {**self._before, **self._used}
        newest = dict(list(kept.items())[-MOST_KEPT:])
        made = self._file.with_suffix(f".{os.getpid()}")
        try:
            self._file.parent.mkdir(exist_ok=True)
            made.write_text(json.dumps(newest), "utf-8")
            made.replace(self._file)
        except OSError:
            return  # it is found out again


def _is_mixed(source: PlanSource) -> bool:
    """Whether a sample calls a plan that the workspace has in the sample's place."""
    return any(not (SHIPPED.parent / text.file).is_file() for text in source.called.values())


def _faults(settings: Settings, source: PlanSource) -> Faults:
    from sanbo.service.plans import validation_of  # noqa: PLC0415 - with it come all blocks

    found = validation_of(settings, source).findings
    return Faults(
        sum(each.severity == "error" for each in found),
        sum(each.severity == "warning" for each in found),
    )


@cache
def _package() -> str:
    """Changes with the code and the contracts that a plan is checked by."""
    root = Path(sanbo.__file__).parent
    seen = (SpecFolder(root / name, name).fingerprint() for name in ("blocks", "plans"))
    return hashlib.sha256(repr(list(seen)).encode()).hexdigest()
