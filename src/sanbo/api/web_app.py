"""The web application at `/`: what Next.js exported into files, or how to get it.

The files come from the folder `web` of the installed package where it has one, else from `web/out`
of the source tree. They are read once and answered from memory: an address can only name a file
that was there, and a build that replaces them meanwhile never mixes with an older one.
"""

import asyncio
import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from typing_extensions import override

from sanbo.api.pages import page
from sanbo.api.problems import problem_response
from sanbo.api.requests import accepted_language
from sanbo.kernel.messages import Language, tell, use_language
from sanbo.kernel.problems import NotFound

PACKAGED = Path(__file__).parents[1] / "web"
BUILT = Path(__file__).parents[3] / "web" / "out"

_FIRST = "index.html"
_MISSING = "404.html"
_STREAMLIT = re.compile(r"^/streamlit(?:/.*)?$", re.DOTALL)
_HASHED = "_next/static/"
"""Next.js puts a hash of the content into the names of what is in here."""
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class WebFile:
    content: bytes
    headers: Mapping[str, str]

    @cached_property
    def packed(self) -> bytes:
        """Made when a browser first asks for it, and kept."""
        return gzip.compress(self.content, compresslevel=9, mtime=0)


class _InlineScripts(HTMLParser):
    """The text of every script that stands in the page itself."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[str] = []
        self._inside = False

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and "src" not in dict(attrs)
        if self._inside:
            self.found.append("")

    @override
    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    @override
    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


def page_policy(html: str) -> str:
    """Lets the page's own scripts run and no other, and speak to this server alone."""
    scripts = _InlineScripts()
    scripts.feed(html)
    scripts.close()
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts.found)
    hashes = dict.fromkeys(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self'", *hashes)),
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def read_export(*folders: Path) -> dict[str, WebFile]:
    """The files of the first folder that holds the application, by their names; else none."""
    for folder in folders:
        if (folder / _FIRST).is_file():
            return {
                path.relative_to(folder).as_posix(): _read(path, path.relative_to(folder))
                for path in sorted(folder.rglob("*"))
                if path.is_file() and path.suffix in _MEDIA_TYPES
            }
    return {}


def _read(path: Path, name: Path) -> WebFile:
    content = path.read_bytes()
    hashed = name.as_posix().startswith(_HASHED)
    headers = {
        "Content-Type": _MEDIA_TYPES[path.suffix],
        "Cache-Control": "private, max-age=31536000, immutable" if hashed else "no-cache",
        "ETag": f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        "Vary": "Accept-Encoding",
        "X-Frame-Options": "DENY",
        "Content-Security-Policy": (
            page_policy(content.decode()) if path.suffix == ".html" else "default-src 'none'"
        ),
    }
    return WebFile(content, headers)


def web_app_routes(
    default: Language, folders: tuple[Path, ...] = (PACKAGED, BUILT)
) -> list[BaseRoute]:
    """Every address that nothing before it has answered."""
    files = read_export(*folders)

    async def show(request: Request) -> Response:
        if not files:  # it may have been built since
            files.update(read_export(*folders))
        name: str = request.path_params["name"]
        if (file := _found(files, name)) is not None:
            return await _answer(file, request)
        asked = request.query_params.get("lang") or request.headers.get("accept-language")
        with use_language(accepted_language(asked, default)):
            if not files and not name.startswith(_HASHED):
                return _explanation()
            if _MISSING in files and "text/html" in request.headers.get("accept", ""):
                return await _answer(files[_MISSING], request, 404)
            missing = NotFound("web_file_not_found", path=name[:200])
            return problem_response(missing.problem, request.scope)

    return [Route("/{name:path}", show)]


def no_streamlit_route(default: Language) -> BaseRoute:
    """At the address of the small Streamlit app, where it was not installed: how to get it."""

    async def explain(request: Request) -> Response:
        asked = request.query_params.get("lang") or request.headers.get("accept-language")
        with use_language(accepted_language(asked, default)):
            words = ("title", "reason", "steps", "link")
            texts = {word: tell(f"no_streamlit.{word}") for word in words}
            return page("no_streamlit", texts, status=404)

    route = Route("/streamlit", explain)
    route.path_regex = _STREAMLIT
    return route


def _found(files: Mapping[str, WebFile], name: str) -> WebFile | None:
    """A page by its address, with or without a slash at the end, or a file by its name."""
    page = name.removesuffix("/")
    return files.get(f"{page}.html" if page else _FIRST) or files.get(name)


async def _answer(file: WebFile, request: Request, status: int = 200) -> Response:
    if status == 200 and request.headers.get("if-none-match") == file.headers["ETag"]:
        return Response(status_code=304, headers=file.headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.content, status, headers=file.headers)
    packed = await asyncio.to_thread(lambda: file.packed)  # the first of a large one takes a while
    return Response(packed, status, headers={**file.headers, "Content-Encoding": "gzip"})


def _explanation() -> Response:
    words = ("title", "reason", "steps", "meanwhile", "link")
    texts = {word: tell(f"web_app.{word}") for word in words}
    return page("no_web_app", texts, status=503)
