"""Plans by name, in folders or kept as versions, which can also be taken elsewhere as one file.

In a folder the id is a file's name without its ending, and nothing outside is reached.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import override

from sanbo.blocks.contract.yaml_tree import MOST_CHARACTERS
from sanbo.documents.encodings import decode
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, LimitExceeded, NotFound, UnsupportedFormat
from sanbo.kernel.text import unseen_characters, with_unseen_shown
from sanbo.plans.dependencies import calls_in
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.version_store import PlanVersion, PlanVersions, digest_of, split_name

ENDINGS = (".yaml", ".yml")
_CALLED_ENDINGS = (*ENDINGS, ".json")
"""A plan may call one that is JSON; a folder's other JSON files are no plans to list."""
MOST_CALLED = 100
MOST_BYTES = 4 * MOST_CHARACTERS
_ID = re.compile(
    r"[^\\/:*?\"<>|.\s][^\\/:*?\"<>|\x00]{0,99}(?:/[^\\/:*?\"<>|.\s][^\\/:*?\"<>|\x00]{0,99}){0,9}"
)


@dataclass(frozen=True)
class Design:
    plan_id: str
    file: Path
    name: str
    """The file as findings name it: relative to the folder's parent."""


def is_plan_id(plan_id: str) -> bool:
    """Whether it can name a plan: never a path out of the folder."""
    return _ID.fullmatch(plan_id) is not None and not unseen_characters(plan_id)


class Designs:
    """The first folder that has a plan wins."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)

    def list(self) -> tuple[Design, ...]:
        found: dict[str, Design] = {}
        for folder in self.folders:
            for file in sorted(folder.rglob("*")):
                if file.suffix not in ENDINGS or not file.is_file() or not _is_in(file, folder):
                    continue
                plan_id = file.relative_to(folder).with_suffix("").as_posix()
                if is_plan_id(plan_id):
                    found.setdefault(plan_id, Design(plan_id, file, _name(file, folder)))
        return tuple(sorted(found.values(), key=lambda design: design.plan_id))

    def read(self, plan_id: str, *, but: str = "") -> PlanText:
        """By the name of its file or by the id it has itself; `but`: not by this id."""
        if unseen := unseen_characters(plan_id):
            shown = with_unseen_shown(plan_id[:200])
            raise InvalidInput("plan_id_unseen", plan_id=shown, unseen=unseen)
        if not is_plan_id(plan_id):
            raise InvalidInput("plan_id_refused", plan_id=plan_id[:200])
        for folder in self.folders:
            for ending in _CALLED_ENDINGS:
                file = folder / f"{plan_id}{ending}"
                if file.is_file() and _is_in(file, folder):
                    return read_plan_file(file, _name(file, folder))
        if plan_id != but and (declared := self._declared(plan_id)):
            return declared
        known = [design.plan_id for design in self.list()]
        meant = nearest(plan_id, known, 3, least=0.4) or known[:10]
        raise NotFound("plan_not_found", plan_id=plan_id, known="、".join(meant) or tell("none"))

    def _declared(self, plan_id: str) -> PlanText | None:
        """The plan that says this is its id, whatever its file is called."""
        for folder in self.folders:
            for file in sorted(folder.rglob("*")):
                if file.suffix in _CALLED_ENDINGS and file.is_file() and _is_in(file, folder):
                    text = read_plan_file(file, _name(file, folder))
                    if (plan := load(text).plan) is not None and plan.id == plan_id:
                        return text
        return None

    def source(self, plan: PlanText, given: Mapping[str, PlanText] | None = None) -> PlanSource:
        """With every plan that it calls, however deep, those that are given first; one that is not
        there is left out."""
        called: dict[str, PlanText] = {}
        waiting = [plan]
        itself = load(plan).plan
        while waiting and len(called) < MOST_CALLED:
            loaded = load(waiting.pop())
            for call in calls_in(loaded.plan) if loaded.plan else ():
                if call.plan_id in called:
                    continue
                try:
                    text = (given or {}).get(call.plan_id)
                    text = text or self.read(call.plan_id, but=itself.id if itself else "")
                except (InvalidInput, NotFound):
                    continue  # the validator tells, with the line
                called[call.plan_id] = text
                waiting.append(text)
        return PlanSource(plan=plan, called=called)


def read_plan_file(file: Path, name: str = "") -> PlanText:
    """In UTF-8, or in what a Japanese editor may have made of it."""
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        # Beyond the limit it is cut, so that the validator sees that it is too long.
        text = decode(data).text if data.strip() else ""
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput("plan_file_refused", file=name or str(file), reason=reason) from None
    except UnsupportedFormat as error:
        reason = error.problem.message
        raise InvalidInput("plan_file_refused", file=name or str(file), reason=reason) from None
    return PlanText(text=text, file=name or file.name)


def _is_in(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder.parent).as_posix()


class DesignsAndVersions(Designs):
    """Plans of folders and, where there is none of that name, kept ones; also as `id@version`.

    What a kept one calls is what was kept with it.
    """

    def __init__(self, designs: Designs, versions: PlanVersions) -> None:
        super().__init__(designs.folders)
        self._designs = designs
        self._versions = versions
        self._kept: dict[str, PlanText] = {}

    @override
    def list(self) -> tuple[Design, ...]:
        return self._designs.list()

    @override
    def read(self, plan_id: str, *, but: str = "") -> PlanText:
        if plan_id in self._kept:
            return self._kept[plan_id]
        name, version = split_name(plan_id)
        found = self._versions.find(name, version) if version else None
        if found is None:
            try:
                return self._designs.read(plan_id, but=but)
            except NotFound:
                if version or not self._versions.list(plan_id):
                    raise
                found = self._versions.get(plan_id)
        for each, text in found.source.called.items():
            self._kept.setdefault(each, text)
        return found.source.plan


def source_named(name: str, designs: Designs, versions: PlanVersions) -> PlanSource:
    """A plan by its id, of the folders first; or a kept one, `id@version`."""
    plan_id, version = split_name(name)
    if version and versions.find(plan_id, version) is not None:
        return versions.get(plan_id, version).source
    try:
        return DesignsAndVersions(designs, versions).source(designs.read(name))
    except NotFound:
        if version or versions.list(plan_id):
            return versions.get(plan_id, version).source
        raise


MOST_VERSIONS = 1000
MOST_FILE_BYTES = 50_000_000


class VersionFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["sanbo-plan-versions/1"] = "sanbo-plan-versions/1"
    versions: tuple[PlanVersion, ...] = Field(min_length=1, max_length=MOST_VERSIONS)


def written_versions(versions: tuple[PlanVersion, ...]) -> bytes:
    return VersionFile(versions=versions).model_dump_json(indent=2).encode()


def read_versions(content: bytes) -> tuple[PlanVersion, ...]:
    """Each as its own text says that it is: nothing in the file is believed that can be checked."""
    if len(content) > MOST_FILE_BYTES:
        raise LimitExceeded("plan_import_too_large", limit=MOST_FILE_BYTES // 1_000_000)
    try:
        versions = VersionFile.model_validate_json(content).versions
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise InvalidInput("plan_import_unreadable", reason=reason[:300]) from None
    for each in versions:
        plan = load(each.source.plan).plan
        if plan is None or (plan.id, plan.version) != (each.plan_id, each.version):
            raise InvalidInput("plan_import_other", name=each.name)
        if digest_of(each.source) != each.digest:
            raise InvalidInput("plan_import_changed", name=each.name)
    return versions
