"""Requests to a Qdrant server: attempts, one time limit, and what failures mean."""

import json
import time
from collections.abc import Callable
from typing import TypeVar

import httpx
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from sanbo.kernel.problems import SanboError
from sanbo.llm.retries import Pace
from sanbo.retrieval.engines.service import Place, Service

T = TypeVar("T")

QDRANT = Service(
    "Qdrant",
    address=Place("retrieval.qdrant_url", "QDRANT_URL"),
    key=Place("retrieval.qdrant_api_key", "QDRANT_API_KEY"),
)
_ATTEMPTS = 3
_TRY_AGAIN = frozenset({429, 502, 503, 504})


class NoCollection(Exception):
    """The server knows no collection of this name."""


class Requests:
    """Raises SanboErrors and `NoCollection`, and nothing of the client's."""

    def __init__(self, host: str, timeout_seconds: float) -> None:
        self._host = host
        self._timeout = timeout_seconds
        self._pace = Pace()

    def send(self, work: Callable[[], T]) -> T:
        """What the server answers. All of Sanbo's requests may be repeated."""
        deadline = time.monotonic() + self._timeout
        number = 1
        while True:
            try:
                return work()
            except Exception as error:  # noqa: BLE001 - whatever a client raises becomes a problem
                problem = self._explain(error)
                delay = self._pace.delay(number, _retry_after(error))
                may_pass = _may_pass(error) and number < _ATTEMPTS
            if not may_pass or time.monotonic() + delay > deadline:
                raise problem  # here, where no exception of the client can be its context
            time.sleep(delay)
            number += 1

    def _explain(self, error: Exception) -> SanboError | NoCollection:
        if _is_no_collection(error):
            return NoCollection()
        match error:
            case UnexpectedResponse():
                return QDRANT.refused(error.status_code or 0, _words(error.content))
            case ResourceExhaustedResponse():
                return QDRANT.refused(429, error.message)
            case ResponseHandlingException(source=httpx.TimeoutException()):
                return QDRANT.timed_out(self._timeout)
            case ResponseHandlingException(source=httpx.TransportError()):
                return QDRANT.unreachable(self._host)
            case _:
                return QDRANT.malformed(type(error).__name__)


def _is_no_collection(error: Exception) -> bool:
    if isinstance(error, UnexpectedResponse):
        # Any web server says 404; this one says of what.
        return error.status_code == 404 and "collection" in _words(error.content).lower()
    # So says the client's own local mode.
    return isinstance(error, ValueError) and str(error).endswith("not found")


def _may_pass(error: Exception) -> bool:
    if isinstance(error, ResponseHandlingException):
        return isinstance(error.source, (httpx.RemoteProtocolError, httpx.ReadError))
    if isinstance(error, UnexpectedResponse):
        return error.status_code in _TRY_AGAIN
    return isinstance(error, ResourceExhaustedResponse)


def _retry_after(error: Exception) -> float | None:
    return error.retry_after_s if isinstance(error, ResourceExhaustedResponse) else None


def _words(body: bytes) -> str:
    """`{"status": {"error": "…"}}`; anything else did not come from Qdrant."""
    try:
        return str(json.loads(body)["status"]["error"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
