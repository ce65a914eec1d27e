"""The research page at `/research`: what Next.js exported into files, or how to get it.

The files come from the folder `web` of the installed package where it has one, else from `web/out`
of the source tree. They are read once and answered from memory: an address can only name a file
that was there, and a build that replaces them meanwhile never mixes with an older one.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from typing_extensions import override

from sanbo.api.language import accepted_language
from sanbo.api.pages import page
from sanbo.api.problems import problem_response
from sanbo.kernel.messages import Language, tell, use_language
from sanbo.kernel.problems import NotFound

ADDRESS = "/research"
PACKAGED = Path(__file__).parents[1] / "web"
BUILT = Path(__file__).parents[3] / "web" / "out"

_FIRST = "index.html"
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
    """The files of the first folder that holds the page, by their address; none where none does."""
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
        "X-Frame-Options": "DENY",
        "Content-Security-Policy": (
            page_policy(content.decode()) if path.suffix == ".html" else "default-src 'none'"
        ),
    }
    return WebFile(content, headers)


def web_page_routes(
    default: Language, folders: tuple[Path, ...] = (PACKAGED, BUILT)
) -> list[BaseRoute]:
    """`/research` and the files below it."""
    files = read_export(*folders)

    def language_of(request: Request) -> Language:
        header = request.headers.get("accept-language")
        return accepted_language(request.query_params.get("lang") or header, default)

    async def show_page(request: Request) -> Response:
        if not files:  # it may have been built since
            files.update(read_export(*folders))
        if not files:
            with use_language(language_of(request)):
                return _explanation()
        return _answer(files[_FIRST], request)

    async def show_file(request: Request) -> Response:
        name: str = request.path_params["name"]
        if not name:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{ADDRESS}{query}", status_code=308)
        if (file := files.get(name)) is not None:
            return _answer(file, request)
        with use_language(language_of(request)):
            missing = NotFound("web_file_not_found", path=name[:200])
            return problem_response(missing.problem, request.scope)

    return [Route(ADDRESS, show_page), Route(f"{ADDRESS}/{{name:path}}", show_file)]


def _answer(file: WebFile, request: Request) -> Response:
    if request.headers.get("if-none-match") == file.headers["ETag"]:
        return Response(status_code=304, headers=file.headers)
    return Response(file.content, headers=file.headers)


def _explanation() -> Response:
    words = ("title", "reason", "steps", "meanwhile", "link")
    texts = {word: tell(f"web_page.{word}") for word in words}
    return page("no_web_page", texts)
