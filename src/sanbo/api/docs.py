"""The documentation of the API: the OpenAPI document, and a page for it without outside hosts."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse

from sanbo.api.openapi import openapi_document
from sanbo.api.pages import page
from sanbo.kernel.messages import current_language, tell

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
