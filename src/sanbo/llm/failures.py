"""What a provider's exception means: a problem with its own text, and whether to try again.

The exceptions of the SDKs hold the request with its key, so nothing of them is kept or chained:
only a status, and the provider's words, redacted and cut to a readable length.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage

from sanbo.kernel.problems import (
    LimitExceeded,
    MissingDependency,
    PermissionDenied,
    Problem,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.llm.engine import Engine
from sanbo.llm.vendor import Answer, ErrorInStream, Finding, NoConnection, Unfinished

_TRY_AGAIN = frozenset({408, 409, 425})
_OF_THE_REPLY = frozenset(
    {
        "llm_refused",
        "llm_output_limit",
        "llm_malformed_reply",
        "llm_output_mismatch",
        "llm_empty_reply",
        "llm_cut_off",
        "llm_context_exceeded",
    }
)


def concerns_the_reply(error: SanboError) -> bool:
    """Whether another request may do better; all else (no key, no network) would fail them all."""
    return error.problem.text_id in _OF_THE_REPLY


_NO_REPLY = frozenset({"llm_timed_out", "llm_fell_silent", "llm_unreachable"})


def came_to_nothing(error: SanboError) -> bool:
    """Whether no reply came that could be judged: waiting longer may help, another wording not."""
    return error.problem.text_id in _NO_REPLY


@dataclass(frozen=True)
class Failure:
    """One failed attempt."""

    problem: SanboError
    outcome: str
    retryable: bool = False
    retry_after: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    refused_words: str = ""
    """What the provider said about a request that it would not accept (400, 422 …)."""


def explain(error: Exception, engine: Engine) -> Failure:
    """The failure that this exception stands for."""
    if any(isinstance(link, ContextOverflowError) for link in _chain(error)):
        return _final(_context_exceeded(engine))
    match _found(error, engine):
        case Answer() as answer:
            return _busy(answer, engine) or _rejected(answer, engine)
        case NoConnection():
            return _unreachable(engine)
        case ErrorInStream(words):
            return _server_error(engine, 200, words)
        case Unfinished() as early:
            return _stopped_early(early, engine)
        case None:
            details = {"kind": type(error).__name__}
            problem = ProviderFailed("llm_malformed_reply", **who(engine), details=details)
            return Failure(problem, "malformed_reply", retryable=True)


def _found(error: Exception, engine: Engine) -> Finding | None:
    for link in _chain(error):  # LangChain wraps some of the SDKs' exceptions in its own
        if found := engine.vendor.find(link):
            return found
        if isinstance(link, OSError):
            return NoConnection()
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__


def who(engine: Engine) -> dict[str, Any]:
    return {"provider": engine.provider, "model": engine.model}


def refused(engine: Engine) -> ProviderFailed:
    return ProviderFailed("llm_refused", **who(engine), recoverable=False)


def output_limit(engine: Engine) -> LimitExceeded:
    return LimitExceeded("llm_output_limit", **who(engine))


def timed_out(engine: Engine, seconds: float) -> Failure:
    return _final(TimedOut("llm_timed_out", **who(engine), seconds=seconds))


def fell_silent(engine: Engine, seconds: float) -> Failure:
    return _final(TimedOut("llm_fell_silent", **who(engine), seconds=seconds))


def cut_off(engine: Engine, outcome: str = "truncated") -> Failure:
    problem = ProviderFailed("llm_cut_off", **who(engine), details={"outcome": outcome})
    return Failure(problem, outcome, retryable=True)


def _final(problem: SanboError) -> Failure:
    return Failure(problem, outcome=problem.code)


def _busy(answer: Answer, engine: Engine) -> Failure | None:
    """What may go better in a while."""
    if answer.status == 429 and not answer.says("insufficient_quota"):
        return Failure(
            ProviderFailed("llm_rate_limited", **who(engine)),
            outcome="rate_limited",
            retryable=True,
            retry_after=answer.retry_after,
        )
    if answer.status in _TRY_AGAIN or answer.status >= 500:
        return _server_error(engine, answer.status, answer.words, answer.retry_after)
    return None


def _rejected(answer: Answer, engine: Engine) -> Failure:
    """What will not go better by itself."""
    if answer.status in (401, 403) or answer.says("API_KEY_INVALID"):  # Gemini: 400 for a wrong key
        key = engine.vendor.key_place._asdict()
        return _final(
            PermissionDenied("llm_key_refused", **who(engine), status=answer.status, **key)
        )
    if answer.status == 429:
        problem = ProviderFailed("llm_quota_used_up", **who(engine), recoverable=False)
        return Failure(problem, "quota_used_up")
    if answer.status == 404:
        address = engine.vendor.address_place.setting
        return _final(MissingDependency("llm_model_not_found", **who(engine), address=address))
    if answer.says("context_length_exceeded", "exceed_context_size"):
        return _final(_context_exceeded(engine))
    if answer.says("content_filter", "content_policy", "ResponsibleAI"):
        return Failure(refused(engine), "content_filter")
    problem = ProviderFailed(
        "llm_request_refused",
        **who(engine),
        status=answer.status,
        reason=answer.words,
        recoverable=False,
    )
    return Failure(problem, "request_refused", refused_words=answer.everything or answer.words)


def refuses_pictures(problem: Problem) -> bool:
    """Whether it may be about the picture in the request: a 4xx, or a server that says so."""
    told = str(problem.params.get("reason", "")).casefold()
    is_said = problem.text_id == "llm_server_error" and "image" in told
    return problem.text_id == "llm_request_refused" or is_said


def _server_error(
    engine: Engine, status: int, words: str, retry_after: float | None = None
) -> Failure:
    problem = ProviderFailed("llm_server_error", **who(engine), status=status, reason=words)
    return Failure(problem, "server_error", retryable=True, retry_after=retry_after)


def _unreachable(engine: Engine) -> Failure:
    address = engine.vendor.address_place._asdict()
    host = engine.base_url_host or engine.provider
    problem = ProviderFailed("llm_unreachable", **who(engine), host=host, **address)
    return Failure(problem, "connection_failed", retryable=True)


def _context_exceeded(engine: Engine) -> LimitExceeded:
    return LimitExceeded("llm_context_exceeded", **who(engine))


def _stopped_early(early: Unfinished, engine: Engine) -> Failure:
    length = early.reason == "length"
    problem = output_limit(engine) if length else refused(engine)
    outcome = problem.code if length else "content_filter"
    return Failure(
        problem, outcome, input_tokens=early.input_tokens, output_tokens=early.output_tokens
    )


# ---- how a reply ended: one that was cut, withheld or empty is a problem, never a short text ----

_CUT = frozenset({"length", "MAX_TOKENS"})
_WITHHELD = frozenset(
    {
        "content_filter",
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "MODEL_ARMOR",
    }
)
_BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"})


def finish_reason(message: AIMessage) -> str | None:
    metadata = cast("dict[str, Any]", message.response_metadata)
    reason = metadata.get("finish_reason")
    if reason:
        return str(reason)
    # Gemini answers a prompt that it blocks with no candidate at all.
    feedback = cast("dict[str, Any]", metadata.get("prompt_feedback") or {})
    return "content_filter" if feedback.get("block_reason") else None


def check_ending(reason: str | None, engine: Engine) -> None:
    """Raises unless the reply ended by itself; servers have many names of their own for `stop`."""
    if reason in _CUT:
        raise output_limit(engine)
    if reason in _WITHHELD:
        raise refused(engine)
    if reason in _BROKEN:
        raise ProviderFailed("llm_malformed_reply", **who(engine))


def text_of(message: AIMessage, engine: Engine) -> str:
    """The whole text of a reply that ended well."""
    check_ending(finish_reason(message), engine)
    if message.additional_kwargs.get("refusal"):
        raise refused(engine)
    return str(message.text)


def require_text(text: str, engine: Engine) -> str:
    if not text.strip():
        raise ProviderFailed("llm_empty_reply", **who(engine))
    return text
