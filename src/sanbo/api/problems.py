"""Errors as RFC 9457 problem documents: one shape for everything that can go wrong."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any, cast

import orjson
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, JsonValue
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from sanbo.kernel.messages import current_language, has_text, tell
from sanbo.kernel.problems import (
    Code,
    InvalidInput,
    LimitExceeded,
    NotFound,
    Problem,
    SanboError,
    StorageFailure,
    Unexpected,
)

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

STATUSES: dict[Code, int] = {
    Code.INPUT_VALIDATION_FAILED: 422,
    Code.OUTPUT_SCHEMA_MISMATCH: 502,
    Code.DEPENDENCY_NOT_FOUND: 503,
    Code.STORAGE_UNAVAILABLE: 503,
    Code.API_ERROR: 502,
    Code.TIMEOUT_ERROR: 504,
    Code.PERMISSION_DENIED: 403,
    Code.NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.RUN_BUSY: 409,
    Code.RESOURCE_LIMIT: 413,
    Code.UNSUPPORTED_FORMAT: 415,
    Code.SETTINGS_INVALID: 500,
    Code.INTERNAL_ERROR: 500,
}
NEEDS_TOKEN = frozenset({"token_missing", "token_wrong"})
_OUT_OF_RANGE = frozenset({"less_than_equal", "greater_than_equal", "int_parsing_size"})
STREAM_RETRY_SECONDS = 10
STORAGE_RETRY_SECONDS = 5


class ProblemDocument(BaseModel):
    """RFC 9457's members, then those of every problem of Sanbo."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: Code
    message: str
    hint: str
    details: dict[str, JsonValue]
    input_snapshot: dict[str, JsonValue]
    recoverable: bool


class Refused(HTTPException):
    """A problem raised where FastAPI would turn any other exception into a bare 400."""

    def __init__(
        self,
        error: SanboError,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status_code=status or status_of(error.problem), headers=headers)
        self.error = error


def status_of(problem: Problem) -> int:
    if problem.text_id in NEEDS_TOKEN:
        return 401
    is_for_now = problem.code is Code.RESOURCE_LIMIT and problem.recoverable
    return 429 if is_for_now else STATUSES[problem.code]


def problem_response(
    problem: Problem,
    scope: Scope,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The problem in the current language, as every endpoint reports it."""
    language = current_language()
    # Raised in another thread, it may have been worded in another language.
    problem = problem.in_language(language)
    status = status or status_of(problem)
    document = ProblemDocument(
        type=f"urn:sanbo:problem:{problem.code.lower().replace('_', '-')}",
        title=tell(f"api_title.{problem.code}"),
        status=status,
        detail=problem.message,
        instance=scope["path"],
        code=problem.code,
        message=problem.message,
        hint=problem.hint,
        details=problem.details,
        input_snapshot=problem.input_snapshot,
        recoverable=problem.recoverable,
    )
    extra = {"Content-Language": language, "Cache-Control": "no-store", **(headers or {})}
    if status == 401:
        extra["WWW-Authenticate"] = 'Bearer realm="sanbo"'
    if problem.code is Code.STORAGE_UNAVAILABLE:
        extra["Retry-After"] = str(STORAGE_RETRY_SECONDS)
    body = orjson.dumps(document.model_dump(mode="json"))
    return Response(body, status_code=status, headers=extra, media_type=MEDIA_TYPE)


def too_many_streams(limit: int, scope: Scope) -> Response:
    refusal = LimitExceeded("api_streams_too_many", limit=limit)
    wait = {"Retry-After": str(STREAM_RETRY_SECONDS)}
    return problem_response(refusal.problem, scope, status=429, headers=wait)


def unexpected_response(error: Exception, scope: Scope) -> Response:
    """A defect of ours: the caller gets a reference, the log everything else."""
    if isinstance(error, StorageFailure):
        return _storage_response(error, scope)
    reference = secrets.token_hex(6)
    logger.error("%s %s failed (reference %s)", scope["method"], scope["path"], reference,
                 exc_info=error)  # fmt: skip
    return problem_response(Unexpected("api_unexpected", reference=reference).problem, scope)


def _storage_response(error: StorageFailure, scope: Scope) -> Response:
    logger.error("%s %s: %s", scope["method"], scope["path"], error)
    return problem_response(error.problem, scope)


async def on_sanbo_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SanboError)
    if isinstance(error, StorageFailure):
        return _storage_response(error, request.scope)
    if isinstance(error, Unexpected):
        logger.error("%s %s: %s", request.method, request.url.path, error, exc_info=error)
    return problem_response(error.problem, request.scope)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """What routing itself refuses: unknown paths, wrong methods, unreadable bodies."""
    assert isinstance(error, HTTPException)
    path, status = request.url.path[:200], error.status_code
    match error:
        case Refused():
            refusal = error.error
        case HTTPException(status_code=404):
            refusal = NotFound("api_route_not_found", path=path)
        case HTTPException(status_code=405):
            refusal = InvalidInput("api_method_not_allowed", path=path, method=request.method)
        case _:
            refusal = InvalidInput("api_body_unreadable", status=status)
    return problem_response(
        refusal.problem, request.scope, status=status, headers=error.headers or {}
    )


async def on_invalid_request(request: Request, error: Exception) -> Response:
    """Parameters or a body that do not fit what the endpoint declares."""
    assert isinstance(error, RequestValidationError)
    failures = cast("list[dict[str, Any]]", error.errors())
    if failures[0]["type"] == "json_invalid":
        malformed = InvalidInput("api_json_malformed", position=int(failures[0]["loc"][-1]))
        return problem_response(malformed.problem, request.scope, status=400)
    fields = [{"field": _field(each["loc"]), "message": _reason(each)} for each in failures]
    reasons = " ".join(f"{each['field']}: {each['message']}" for each in fields)
    invalid = InvalidInput("api_request_invalid", reasons=reasons, details={"fields": fields})
    status = 400 if any(_is_no_number(each) for each in failures) else None
    return problem_response(invalid.problem, request.scope, status=status)


def is_beyond_numbers(digits: str) -> bool:
    """What no database holds as an integer: such a request can't be read, whatever it means."""
    digits = digits.strip().removeprefix("-").lstrip("0")
    return len(digits) > 19 or (digits.isdigit() and int(digits) >= 1 << 63)


def _is_no_number(failure: dict[str, Any]) -> bool:
    is_given_as_text = failure["loc"][0] in ("query", "path", "header")
    return (
        failure["type"] in _OUT_OF_RANGE
        and is_given_as_text
        and is_beyond_numbers(str(failure["input"]))
    )


def _field(location: tuple[str | int, ...]) -> str:
    """`body.step.0` as `step.0`: where FastAPI found it is not the caller's concern."""
    return ".".join(str(part) for part in location[1:]) or str(location[0])


def _reason(failure: dict[str, Any]) -> str:
    text_id = f"api_invalid.{failure['type']}"
    context: dict[str, Any] = failure.get("ctx") or {}
    if not has_text(text_id):
        return tell("api_invalid.other")
    return tell(text_id, None, **{name: str(value) for name, value in context.items()})
