"""Small pages of one file each: no outside resources, and a policy that names their own parts."""

import base64
import hashlib
import html
from collections.abc import Mapping
from importlib import resources
from string import Template

from starlette.responses import HTMLResponse

from sanbo.kernel.messages import current_language


def page(
    name: str,
    texts: Mapping[str, str],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    script: bool = False,
) -> HTMLResponse:
    """The page of this name with its style and script in it; texts are escaped."""
    style = _read("page.css")
    code = _read(f"{name}.js") if script else ""
    content = Template(_read(f"{name}.html")).substitute(
        {key: html.escape(text) for key, text in texts.items()},
        language=current_language(),
        style=style,
        script=code,
    )
    policy = [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        f"style-src '{_hash(style)}'",
    ]
    if script:
        policy += [f"script-src '{_hash(code)}'", "connect-src 'self'"]
    sent = {"Content-Security-Policy": "; ".join(policy), "Cache-Control": "no-store"}
    return HTMLResponse(content, status_code=status, headers={**sent, **(headers or {})})


def _read(file: str) -> str:
    return (resources.files(__name__) / file).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
