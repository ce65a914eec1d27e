"""Versions of plans: kept by id and version, approved by people, and never changed after that.

draft → in_review → approved → retired
  ↑________|  returned
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from semver import Version
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied
from sanbo.kernel.secrets import redact
from sanbo.plans.model import Plan, PlanSource, PlanText
from sanbo.plans.settings import PlanSettings
from sanbo.storage.database import Database, DatabaseTime
from sanbo.storage.tables import plan_events, plan_versions

State = Literal["draft", "in_review", "approved", "retired"]
Decision = Literal["submit", "approve", "return", "retire"]
EventKind = Literal["saved", "submit", "approve", "return", "retire", "imported"]

_FROM_TO: dict[Decision, tuple[State, State]] = {
    "submit": ("draft", "in_review"),
    "approve": ("in_review", "approved"),
    "return": ("in_review", "draft"),
    "retire": ("approved", "retired"),
}
LONGEST_VERSION = 64
LONGEST_COMMENT = 2000


class _Recorded(BaseModel):
    model_config = ConfigDict(frozen=True)


class VersionEvent(_Recorded):
    """Who did what with a version."""

    time: datetime
    actor: str
    kind: EventKind
    digest: str
    """Of the text at that moment."""
    comment: str = ""
    is_imported: bool = False
    """It happened elsewhere, as the file says that it came with."""


class VersionInfo(_Recorded):
    plan_id: str
    version: str
    state: State
    author: str
    digest: str
    created_at: datetime
    updated_at: datetime

    @property
    def name(self) -> str:
        return f"{self.plan_id}@{self.version}"


class PlanVersion(VersionInfo):
    source: PlanSource
    blocks: dict[str, str] = Field(default_factory=dict[str, str])
    """By reference, the exact versions of blocks that it was saved with."""
    history: tuple[VersionEvent, ...] = ()


class RunVersion(_Recorded):
    """What a run records of the plan that it ran."""

    plan_id: str
    version: str
    digest: str
    state: State | None = None
    """Of the kept version with this very text, when the run began; None where it was none."""


def digest_of(source: PlanSource) -> str:
    """Of its text and those of all plans that it calls; where they stood does not matter."""
    called = [[name, source.called[name].text] for name in sorted(source.called)]
    return hashlib.sha256(to_json([source.plan.text, called])).hexdigest()


def split_name(name: str) -> tuple[str, str]:
    """`id@version`; the version is empty where none is named."""
    plan_id, at, version = name.rpartition("@")
    return (plan_id, version.strip()) if at else (name, "")


def newest_first(versions: Sequence[VersionInfo]) -> list[VersionInfo]:
    return sorted(versions, key=lambda each: _order(each.version), reverse=True)


def _order(version: str) -> tuple[bool, Any, str]:
    """By SemVer where it is one, before all that is none."""
    try:
        return True, Version.parse(version, optional_minor_and_patch=True), version
    except ValueError:
        return False, Version(0), version


class PlanVersions:
    def __init__(self, database: Database) -> None:
        self.database = database

    # ---- looking ----

    def list(self, plan_id: str | None = None) -> list[VersionInfo]:
        """By id, newest version first."""
        query = sa.select(*_INFO)
        if plan_id is not None:
            query = query.where(plan_versions.c.plan_id == plan_id)
        with self.database.read() as connection:
            rows = connection.execute(query).mappings().all()
        found = newest_first([_info(row) for row in rows])
        return sorted(found, key=lambda each: each.plan_id)

    def find(self, plan_id: str, version: str) -> PlanVersion | None:
        with self.database.read() as connection:
            return _read(connection, plan_id, version)

    def get(self, plan_id: str, version: str = "") -> PlanVersion:
        """Without a version: the newest approved one, or else the newest that is not retired."""
        known = self.list(plan_id)
        if not version:
            usable = [each for each in known if each.state == "approved"]
            usable = usable or [each for each in known if each.state != "retired"] or known
            version = usable[0].version if usable else ""
        found = self.find(plan_id, version)
        if found is None:
            raise self._unknown(plan_id, version, known)
        return found

    def _unknown(self, plan_id: str, version: str, known: Sequence[VersionInfo]) -> NotFound:
        if known:
            shown = "、".join(each.version for each in known[:10])
            return NotFound("plan_version_not_found", plan_id=plan_id, version=version, known=shown)
        ids = list(dict.fromkeys(each.plan_id for each in self.list()))
        meant = nearest(plan_id, ids, 3, least=0.4) or ids[:10]
        return NotFound(
            "plan_versions_none", plan_id=plan_id, known="、".join(meant) or tell("none")
        )

    # ---- changing ----

    def save(
        self,
        plan: Plan,
        source: PlanSource,
        blocks: Mapping[str, str],
        *,
        actor: str,
        may_replace: bool = False,
        comment: str = "",
    ) -> PlanVersion:
        """As a draft, new or in its place. `may_replace`: also somebody else's."""
        if len(plan.version) > LONGEST_VERSION or "@" in plan.version or not plan.version.strip():
            raise InvalidInput("plan_version_refused", version=plan.version[:LONGEST_VERSION])
        with self.database.write() as connection:
            now = _moment(connection.execute(sa.select(DatabaseTime())).scalar_one())
            fresh = PlanVersion(
                plan_id=plan.id,
                version=plan.version,
                state="draft",
                author=actor,
                digest=digest_of(source),
                created_at=now,
                updated_at=now,
                source=_named(source, plan.id, plan.version),
                blocks=dict(blocks),
            )
            known = _read(connection, plan.id, plan.version, to_write=True)
            if known is None:
                try:
                    _insert(connection, fresh)
                except IntegrityError:
                    raise Conflict("plan_saved_meanwhile", name=fresh.name) from None
            elif known.digest == fresh.digest:
                return known
            elif known.state != "draft":
                state = tell(f"plan_states.{known.state}")
                raise Conflict("plan_version_fixed", name=known.name, state=state)
            elif known.author != actor and not may_replace:
                raise PermissionDenied("plan_draft_of_other", name=known.name, author=known.author)
            else:
                row = _row(fresh)
                _update(connection, known, **{name: row[name] for name in _REPLACED})
            saved = VersionEvent(
                time=now, actor=actor, kind="saved", digest=fresh.digest, comment=comment
            )
            _record(connection, fresh, saved)
        return self.get(plan.id, plan.version)

    def decide(
        self,
        plan_id: str,
        version: str,
        decision: Decision,
        *,
        actor: str,
        settings: PlanSettings,
        comment: str = "",
    ) -> PlanVersion:
        if not version:
            raise InvalidInput("plan_version_not_named", plan_id=plan_id)
        if decision == "return" and not comment.strip():
            raise InvalidInput("plan_return_reason", name=f"{plan_id}@{version}")
        known = self.get(plan_id, version)
        before, after = _FROM_TO[decision]
        with self.database.write() as connection:
            standing = _read(connection, plan_id, version, to_write=True) or known
            if standing.state != before:
                state = tell(f"plan_states.{standing.state}")
                raise Conflict(f"plan_decision.{decision}", name=known.name, state=state)
            if decision == "approve" and settings.four_eyes and actor in _authors(standing):
                raise PermissionDenied("plan_four_eyes", name=known.name, author=actor)
            now = connection.execute(sa.select(DatabaseTime())).scalar_one()
            _update(connection, standing, state=after, updated_at=now)
            decided = VersionEvent(
                time=_moment(now),
                actor=actor,
                kind=decision,
                digest=standing.digest,
                comment=comment,
            )
            _record(connection, standing, decided)
        return self.get(plan_id, version)

    def take_in(self, versions: Sequence[PlanVersion], actor: str, *, trusted: bool) -> int:
        """How many are new here. What is here already with another text is refused, all of it.

        `trusted`: approvals of elsewhere count here.
        """
        taken = 0
        with self.database.write() as connection:
            now = _moment(connection.execute(sa.select(DatabaseTime())).scalar_one())
            for each in versions:
                known = _read(connection, each.plan_id, each.version, to_write=True)
                if known is not None:
                    if known.digest != each.digest:
                        raise Conflict("plan_import_differs", name=each.name)
                    continue
                counts = trusted or each.state != "approved"
                state = each.state if counts else "in_review"
                _insert(connection, each.model_copy(update={"state": state, "updated_at": now}))
                for past in each.history:
                    _record(connection, each, past.model_copy(update={"is_imported": True}))
                arrived = VersionEvent(time=now, actor=actor, kind="imported", digest=each.digest)
                _record(connection, each, arrived)
                taken += 1
        return taken

    # ---- running ----

    def run_version(self, plan: Plan, source: PlanSource, settings: PlanSettings) -> RunVersion:
        """What a run of this text records; refused where it must not run."""
        digest = digest_of(source)
        known = self.find(plan.id, plan.version)
        state = known.state if known is not None and known.digest == digest else None
        name = f"{plan.id}@{plan.version}"
        if state == "retired":
            raise Conflict("plan_retired", name=name)
        if settings.require_approval and state != "approved":
            approved = [each.name for each in self.list(plan.id) if each.state == "approved"]
            raise PermissionDenied(
                "plan_not_approved",
                name=name,
                state=tell(f"plan_states.{state or ('differs' if known else 'unknown')}"),
                approved="、".join(approved[:5]) or tell("none"),
            )
        return RunVersion(plan_id=plan.id, version=plan.version, digest=digest, state=state)


def _authors(version: PlanVersion) -> set[str]:
    """All who have had a hand in its text here."""
    made = ("saved", "imported")
    return {each.actor for each in version.history if each.kind in made and not each.is_imported}


def _named(source: PlanSource, plan_id: str, version: str) -> PlanSource:
    """With a name that says what it is, wherever it was read from."""
    text = PlanText(text=source.plan.text, file=f"{plan_id}@{version}")
    return source.model_copy(update={"plan": text})


# ---- rows ----------------------------------------------------------------------------------

_INFO = tuple(
    plan_versions.c[name]
    for name in ("plan_id", "version", "state", "author", "digest", "created_at", "updated_at")
)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _info(row: Mapping[Any, Any]) -> VersionInfo:
    return VersionInfo.model_validate(_with_moments(row))


def _with_moments(row: Mapping[Any, Any]) -> dict[str, Any]:
    times = {name: _moment(row[name]) for name in ("created_at", "updated_at")}
    return {**row, **times}


def _read(
    connection: Connection, plan_id: str, version: str, *, to_write: bool = False
) -> PlanVersion | None:
    table, log = plan_versions.c, plan_events.c
    query = sa.select(plan_versions).where(table.plan_id == plan_id, table.version == version)
    # Where the caller writes, others wait for what becomes of it; SQLite has one writer anyway.
    found = connection.execute(query.with_for_update() if to_write else query)
    row = found.mappings().one_or_none()
    if row is None:
        return None
    told = [log[name] for name in VersionEvent.model_fields]
    past = (
        sa.select(*told).where(log.plan_id == plan_id, log.version == version).order_by(log.number)
    )
    history = [
        {**each, "time": _moment(each["time"])} for each in connection.execute(past).mappings()
    ]
    return PlanVersion.model_validate(
        {
            **_with_moments(row),
            "source": PlanSource.model_validate_json(row["source"]),
            "blocks": json.loads(row["blocks"]),
            "history": history,
        }
    )


_REPLACED = ("digest", "source", "blocks", "updated_at")
"""Where a draft is saved again."""


def _row(version: PlanVersion) -> dict[str, object]:
    return {
        **version.model_dump(exclude={"history"}),
        "source": version.source.model_dump_json(),
        "blocks": json.dumps(version.blocks),
        "created_at": version.created_at.timestamp(),
        "updated_at": version.updated_at.timestamp(),
    }


def _insert(connection: Connection, version: PlanVersion) -> None:
    connection.execute(sa.insert(plan_versions), _row(version))


def _update(connection: Connection, version: VersionInfo, **changes: object) -> None:
    table = plan_versions.c
    connection.execute(
        sa.update(plan_versions)
        .where(table.plan_id == version.plan_id, table.version == version.version)
        .values(**changes)
    )


def _record(connection: Connection, version: VersionInfo, event: VersionEvent) -> None:
    log = plan_events.c
    last = sa.select(sa.func.coalesce(sa.func.max(log.number), 0)).where(
        log.plan_id == version.plan_id, log.version == version.version
    )
    connection.execute(
        sa.insert(plan_events),
        {
            **event.model_dump(),
            "plan_id": version.plan_id,
            "version": version.version,
            "number": connection.execute(last).scalar_one() + 1,
            "time": event.time.timestamp(),
            "comment": redact(event.comment[:LONGEST_COMMENT]),
        },
    )
