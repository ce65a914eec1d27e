"""A comparison side by side, shown in a page's frame with no rights of ours.

The view is an interactive page: it holds words of documents that anybody may have written, and a
script. It can't be put into the workbench's page by `srcdoc`: that would inherit the workbench's
policy, under which no inline script runs, and to loosen that policy would loosen it for everything.
So it has its own address with its own policy:

- `sandbox allow-scripts`: its origin is opaque, whoever opens it and however. Its script reaches no
  cookie, no storage, no page and no API of ours, opens no window and leads nobody elsewhere.
- `default-src 'none'`: it fetches nothing and sends nothing, and is whole in itself. Which script
  may run the view says itself, by its hash, in a policy of its own that stands before all content.
- `frame-ancestors 'self'`: only our own pages show it in a frame.
"""

from fastapi import APIRouter, Response
from starlette.requests import Request
from starlette.responses import FileResponse

from sanbo.api.artifacts import artifact_response
from sanbo.api.dependencies import Bench, Who
from sanbo.service.comparison import side_by_side

router = APIRouter(prefix="/comparison", tags=["comparison"])

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'unsafe-inline'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-scripts",
    )
)


@router.get("/{run_id}/view", response_class=FileResponse)
async def show_comparison(request: Request, run_id: str, bench: Bench, who: Who) -> Response:
    artifact, content = await side_by_side(bench, who, run_id)
    response = artifact_response(artifact, content, request.headers, inline=False)
    response.headers["Content-Type"] = "text/html; charset=utf-8"
    response.headers["Content-Disposition"] = "inline"
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response
