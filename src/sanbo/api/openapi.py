"""The OpenAPI document: what FastAPI derives, with our problems, streams and texts; its page."""

from typing import Any, cast

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.responses import HTMLResponse, JSONResponse

from sanbo import __version__
from sanbo.api.pages import page
from sanbo.api.problems import MEDIA_TYPE, ProblemDocument
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.runs.model import Event
from sanbo.service.research import MODELS

TAGS = (
    "runs",
    "events",
    "interactions",
    "artifacts",
    "files",
    "collections",
    "analysis",
    "comparison",
    "research",
    "grace",
    "plans",
    "triggers",
    "workflows",
    "drafts",
    "about",
    "cluster",
    "health",
)
OPEN = frozenset({"check_health", "check_readiness", "call_hook"})
_SCHEMAS = "#/components/schemas/"
# Beside what routes name: what events and the result of a research hold, for its page.
_MODELS = (Event, ProblemDocument, *MODELS)


def openapi_document(app: FastAPI, server: str, language: Language) -> dict[str, Any]:
    document: dict[str, Any] = get_openapi(
        title=tell("api_docs.title", language),
        version=__version__,
        description=tell("api_docs.description", language),
        routes=app.routes,
        tags=[{"name": tag, "description": tell(f"api_tag.{tag}", language)} for tag in TAGS],
        servers=[{"url": server or "/"}],
        separate_input_output_schemas=False,
    )
    for path in cast("dict[str, dict[str, Any]]", document["paths"]).values():
        for operation in path.values():
            _finish(operation, language)
    _add_components(document["components"])
    document["security"] = [{"token": []}, {"cookie": []}, {}]  # {}: none needed on loopback
    return document


def _finish(operation: dict[str, Any], language: Language) -> None:
    name = operation["operationId"]
    operation["summary"] = tell(f"api_operation.{name}", language)
    responses = operation["responses"]
    for response in responses.values():
        response["description"] = tell("api_docs.done", language)
    responses.pop("422", None)  # FastAPI's own shape, which is never sent
    responses["default"] = {
        "description": tell("api_docs.problem", language),
        "content": {MEDIA_TYPE: {"schema": {"$ref": f"{_SCHEMAS}ProblemDocument"}}},
    }
    if name in OPEN:
        operation["security"] = []
    streamed = {
        "follow_events": ("text/event-stream", {"$ref": f"{_SCHEMAS}Event"}),
        "read_journal": ("application/x-ndjson", {"$ref": f"{_SCHEMAS}Event"}),
        "download_artifact": ("*/*", {"type": "string", "format": "binary"}),
    }
    if name in streamed:
        media_type, schema = streamed[name]
        responses["200"] = {
            "description": tell(f"api_docs.{name}", language),
            "content": {media_type: {"schema": schema}},
        }
    if name == "follow_events":
        responses["204"] = {"description": tell("api_docs.nothing_more", language)}


def _add_components(components: dict[str, Any]) -> None:
    schemas: dict[str, Any] = components["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for model in _MODELS:
        schema = TypeAdapter(model).json_schema(ref_template=_SCHEMAS + "{model}")
        for name, definition in schema.pop("$defs", {}).items():
            schemas.setdefault(name, definition)
        schemas[model.__name__] = schema
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sanbo_token"},
    }


router = APIRouter(include_in_schema=False)


@router.get("/openapi.json")
async def show_openapi(request: Request) -> JSONResponse:
    server = request.scope.get("root_path", "")
    document: dict[str, Any] = openapi_document(request.app, server, current_language())
    return JSONResponse(document)


@router.get("/docs")
async def show_docs() -> HTMLResponse:
    words = ("title", "parameters", "body", "responses", "schemas", "failed")
    return page("docs", {word: tell(f"api_docs.{word}") for word in words}, script=True)
