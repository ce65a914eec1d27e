"""How Streamlit itself is set up: quiet, offline, in our colours, with a page of our own."""

import re
from collections.abc import Awaitable, Callable
from importlib import resources
from pathlib import Path

import streamlit
from starlette.formparsers import MultiPartParser
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit import config

from sanbo.kernel.messages import Language, tell
from sanbo.settings import Settings
from sanbo.ui.on_demand import PREFIX

SCRIPT = Path(__file__).with_name("app.py")

# Fonts that office machines have; none is fetched. Streamlit's page says it is English, so without
# a Japanese font by name a browser may draw Japanese text with Chinese forms.
_FONTS = (
    "'Hiragino Sans', 'Yu Gothic UI', 'Yu Gothic', Meiryo, 'Noto Sans CJK JP', "
    "'Noto Sans JP', sans-serif"
)

_OPTIONS: dict[str, object] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "client.allowedOrigins": [],  # no page of a stranger may embed and steer this one
    "global.developmentMode": False,
    "logger.hideWelcomeMessage": True,
    "runner.magicEnabled": False,
    "server.baseUrlPath": "streamlit",
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    # No base: light or dark as the reader's system is.
    "theme.font": _FONTS,
    "theme.showWidgetBorder": True,
    "theme.baseRadius": "6px",
    "theme.light.primaryColor": "#1f4e79",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f4f6f9",
    "theme.light.textColor": "#1c2733",
    "theme.light.borderColor": "#d5dce4",
    "theme.light.sidebar.backgroundColor": "#eef2f6",
    "theme.dark.primaryColor": "#3f7fbf",
    "theme.dark.backgroundColor": "#10161c",
    "theme.dark.secondaryBackgroundColor": "#1b232b",
    "theme.dark.textColor": "#e6ecf2",
    "theme.dark.borderColor": "#3c4854",
    "theme.dark.sidebar.backgroundColor": "#161d24",
}


def configure_streamlit(settings: Settings) -> None:
    for name, value in _OPTIONS.items():
        config.set_option(name, value)
    limit_mb = settings.server.max_upload_mb
    config.set_option("server.maxUploadSize", limit_mb)
    # Uploads of tables must not touch the disk; by itself the form's reader spools what is larger
    # than 1 MB into a file. Streamlit holds the whole upload in memory anyway.
    MultiPartParser.spool_max_size = (limit_mb + 1) << 20


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

    async def enter(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{PREFIX}/{query}")

    routes: list[BaseRoute] = [Route(PREFIX, enter), Route(f"{PREFIX}/", show)]
    for name, media_type in _ASSETS.items():
        routes.append(Route(f"{PREFIX}/sanbo/{name}", _asset(name, media_type)))
    return routes


def _asset(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    content = (resources.files("sanbo.ui") / "assets" / name).read_bytes()

    async def show(_request: Request) -> Response:
        return Response(content, media_type=media_type, headers={"Cache-Control": "no-cache"})

    return show
