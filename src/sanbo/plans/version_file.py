"""Versions of a plan as one file, with their history: to be kept, or taken in elsewhere."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.plans.load import load
from sanbo.plans.version_store import PlanVersion, digest_of

MOST_VERSIONS = 1000
MOST_BYTES = 50_000_000


class VersionFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["sanbo-plan-versions/1"] = "sanbo-plan-versions/1"
    versions: tuple[PlanVersion, ...] = Field(min_length=1, max_length=MOST_VERSIONS)


def written(versions: tuple[PlanVersion, ...]) -> bytes:
    return VersionFile(versions=versions).model_dump_json(indent=2).encode()


def read(content: bytes) -> tuple[PlanVersion, ...]:
    """Each as its own text says that it is: nothing in the file is believed that can be checked."""
    if len(content) > MOST_BYTES:
        raise LimitExceeded("plan_import_too_large", limit=MOST_BYTES // 1_000_000)
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
