"""What a model says in JSON: its schema without the titles that pydantic adds for people."""

from typing import Any

from pydantic import BaseModel, ConfigDict


def _without_titles(schema: dict[str, Any]) -> None:
    """They repeat the names: a fifth of a schema that servers put into the prompt."""
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)


class Said(BaseModel):
    model_config = ConfigDict(json_schema_extra=_without_titles)
