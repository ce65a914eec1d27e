"""Presets: answers to a plan's forms under a name, so that a plan need not be told the same again.

Neither files, which go with their runs, nor secrets, which are written nowhere. What was answered
in one run may also be proposed to another of its plan.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import from_json, to_json

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import Conflict, InvalidInput, LimitExceeded, NotFound
from sanbo.plans.model import Plan
from sanbo.runs.model import Event, Interaction, InteractionAnswered, InteractionOpen, JsonObject
from sanbo.storage.database import Database, DatabaseTime, insert_into
from sanbo.storage.tables import presets


def answers_in(history: Iterable[Event]) -> dict[str, JsonObject]:
    """By the path of the form's node; neither decisions nor what the journal has only masked."""
    asked: dict[str, Interaction] = {}
    found: dict[str, JsonObject] = {}
    for event in history:
        match event.payload:
            case InteractionOpen(interaction=question):
                asked[question.interaction_id] = question
            case InteractionAnswered(interaction_id=name) as given if name in asked:
                question = asked[name]
                fields = {each.id for each in question.requirements if not each.secret}
                values = {
                    field: value
                    for field, value in given.answer.items()
                    if field in fields and field not in given.masked
                }
                if values:
                    found.setdefault("/".join(question.path[:-1]), {}).update(values)
            case _:
                pass
    return found


LONGEST_NAME = 100
MOST_BYTES = 200_000
MOST_OF_A_PLAN = 200


class Preset(BaseModel):
    model_config = ConfigDict(frozen=True)

    plan_id: str
    name: str
    owner: str
    shared: bool
    """Everybody may start from it; only its owner changes it."""
    updated_at: datetime
    answers: dict[str, JsonObject] = Field(default_factory=dict[str, JsonObject])
    """Values by field, by the path of the form's node, `/` between names."""
    vars: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])

    def vars_of(self, plan: Plan) -> dict[str, JsonValue]:
        """Those that the plan still has."""
        return {name: value for name, value in self.vars.items() if name in plan.vars}


class Presets:
    def __init__(self, database: Database) -> None:
        self.database = database

    def of_plan(self, plan_id: str, owner: str) -> list[Preset]:
        """One's own and those for all, by name; one's own goes before another's of that name."""
        mine = presets.c.owner == owner
        query = (
            sa.select(presets)
            .where(presets.c.plan_id == plan_id, sa.or_(mine, presets.c.shared.is_(True)))
            .order_by(presets.c.name, sa.case((mine, 0), else_=1))
        )
        with self.database.read() as connection:
            return [_preset(row) for row in connection.execute(query).mappings()]

    def named(self, plan_id: str, name: str, owner: str) -> Preset:
        known = self.of_plan(plan_id, owner)
        for each in known:
            if each.name == name:
                return each
        names = [each.name for each in known]
        meant = nearest(name, names, 3, least=0.4) or names[:10]
        raise NotFound(
            "preset_not_found", name=name[:LONGEST_NAME], known="、".join(meant) or tell("none")
        )

    def save(
        self,
        plan_id: str,
        name: str,
        owner: str,
        *,
        shared: bool,
        answers: Mapping[str, JsonObject],
        variables: Mapping[str, JsonValue],
    ) -> Preset:
        """In the place of one's own of that name; a name is everybody's only once."""
        name = name.strip()
        if not name or len(name) > LONGEST_NAME or "/" in name or not name.isprintable():
            raise InvalidInput("preset_name_refused", limit=LONGEST_NAME)
        if not answers and not variables:
            raise InvalidInput("preset_empty")
        content = to_json({"answers": answers, "vars": variables})
        if len(content) > MOST_BYTES:
            raise LimitExceeded("preset_too_large", limit=MOST_BYTES // 1000)
        row = {"plan_id": plan_id, "owner": owner, "name": name}
        fresh = {"shared": shared, "content": content.decode(), "updated_at": DatabaseTime()}
        with self.database.write() as connection:
            known = connection.execute(
                sa.select(presets.c.owner, presets.c.name, presets.c.shared).where(
                    presets.c.plan_id == plan_id
                )
            ).all()
            if shared and any(n == name and o != owner and s for o, n, s in known):
                raise Conflict("preset_name_taken", name=name)
            mine = {n for o, n, _ in known if o == owner}
            if name not in mine and len(mine) >= MOST_OF_A_PLAN:
                raise LimitExceeded("presets_too_many", limit=MOST_OF_A_PLAN)
            insert = insert_into(presets, is_sqlite=self.database.is_sqlite).values(**row, **fresh)
            connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["plan_id", "owner", "name"], set_=fresh
                )
            )
        return self.named(plan_id, name, owner)

    def remove(self, plan_id: str, name: str, owner: str) -> None:
        """One's own."""
        found = self.named(plan_id, name, owner)
        if found.owner != owner:
            raise Conflict("preset_of_other", name=name, owner=found.owner)
        same = (presets.c.plan_id == plan_id) & (presets.c.name == name)
        with self.database.write() as connection:
            connection.execute(sa.delete(presets).where(same, presets.c.owner == owner))


def _preset(row: Mapping[Any, Any]) -> Preset:
    return Preset(
        plan_id=row["plan_id"],
        name=row["name"],
        owner=row["owner"],
        shared=row["shared"],
        updated_at=datetime.fromtimestamp(row["updated_at"], UTC),
        **from_json(row["content"]),
    )
