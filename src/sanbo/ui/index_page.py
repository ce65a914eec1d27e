"""The page that Streamlit draws into: its own, with our name, icon, language and first script."""

import re
from collections.abc import Awaitable, Callable
from importlib import resources
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from sanbo.kernel.messages import Language, tell

PATHS = (
    "/",
    "/analysis",
    "/comparison",
    "/deep-research",
    "/grace",
    "/calibration",
    "/plans",
    "/new",
    "/run",
    "/collections",
    "/collection",
    "/status",
)
_ASSETS = {"start.js": "text/javascript", "icon.svg": "image/svg+xml"}


def index_page(language: Language) -> str:
    """Streamlit's page without its inline script, which our security policy would refuse."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    page = re.sub(r"<!--.*?(?:-->|\Z)", "", page, flags=re.DOTALL)
    page = re.sub(r"<script>.*?(?:</script>|\Z)", "", page, flags=re.DOTALL)
    page = re.sub(r"<noscript>.*?(?:</noscript>|\Z)", _noscript(language), page, flags=re.DOTALL)
    page = re.sub(r'<link rel="(service-desc|shortcut icon)"[^<>]*/?>', "", page)
    page = re.sub(r"<html[^<>]*>", f'<html lang="{language}">', page)
    ours = (
        f"<title>{tell('ui.product', language)}</title>"
        '<link rel="icon" type="image/svg+xml" href="./sanbo/icon.svg" />'
        '<script src="./sanbo/start.js"></script>'
    )
    return re.sub(r"<title>[^<]*</title>", ours, page)


def _noscript(language: Language) -> str:
    return f"<noscript><p>{tell('ui.needs_script', language)}</p></noscript>"


def index_routes(language: Language) -> list[BaseRoute]:
    page = index_page(language)

    async def show(_request: Request) -> Response:
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    routes: list[BaseRoute] = [Route(path, show) for path in PATHS]
    for name, media_type in _ASSETS.items():
        routes.append(Route(f"/sanbo/{name}", _asset(name, media_type)))
    return routes


def _asset(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    content = (resources.files("sanbo.ui") / "assets" / name).read_bytes()

    async def show(_request: Request) -> Response:
        return Response(content, media_type=media_type, headers={"Cache-Control": "no-cache"})

    return show
