"""`sql.query`: rows of a database that the settings name; values go in as parameters only."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, LimitExceeded, NotFound
from sanbo.storage.outside import ask, names_in, refuse_changes


class Query(EngineBlock[Given]):
    @classmethod
    @override
    def as_written(cls, inputs: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        sql = inputs.get("sql")
        if isinstance(sql, str) and "${" in sql:
            raise InvalidInput("sql_from_data", port="sql")
        return inputs

    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        sql, parameters = given.get("sql"), given.get("parameters")
        if isinstance(sql, str):
            refuse_changes(sql)
            if parameters is None or isinstance(parameters, dict):
                _check_names(sql, parameters or {})

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any]:
        url = context.connections.get(given.connection)
        if url is None:
            raise NotFound(
                "sql_connection_unknown",
                name=given.connection,
                nearest=alternatives(given.connection, context.connections),
            )
        _check_names(given.sql, given.parameters)
        answer = await asyncio.to_thread(
            ask,
            url.get_secret_value(),
            given.sql,
            given.parameters,
            most_rows=given.max_rows,
            seconds=given.timeout_sec,
        )
        if answer.is_cut:
            cut = LimitExceeded("sql_cut", limit=given.max_rows)
            if given.on_more == "fail":
                raise cut
            context.warn(cut)
        return {
            "rows": answer.rows,
            "summary": {
                "connection": given.connection,
                "rows": len(answer.rows),
                "columns": answer.columns,
                "is_cut": answer.is_cut,
            },
        }


def _check_names(sql: str, parameters: Mapping[str, JsonValue]) -> None:
    known = names_in(sql)
    for name in sorted(known - parameters.keys()):
        raise InvalidInput("sql_parameter_missing", port="parameters", name=name)
    for name in parameters:
        if name not in known:
            nearest = alternatives(name, known)
            raise InvalidInput(
                "sql_parameter_unknown", port="parameters", name=name, nearest=nearest
            )
