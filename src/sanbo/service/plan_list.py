"""The plans that there are, as lists show them, with how many faults each has.

To check a plan takes the code of all its blocks, which takes seconds to load. That one is valid is
kept in the workspace, by everything that it depends on; that one is not is found out each time.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter

import sanbo
from sanbo.blocks.contract.block_folder import BLOCK_FOLDER, SpecFolder, workspace_folder
from sanbo.blocks.spec import text_of
from sanbo.plans.load import load
from sanbo.plans.model import Plan, PlanSource
from sanbo.plans.named_plans import DesignsAndVersions
from sanbo.plans.settings import PlanSettings
from sanbo.plans.store import Design, Designs, read_plan_file
from sanbo.plans.version_store import (
    PlanVersions,
    State,
    VersionInfo,
    digest_of,
)
from sanbo.service.plan_folders import SHIPPED, designs_of
from sanbo.settings import Settings

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
