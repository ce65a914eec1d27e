"""How a reply ended. A reply that was cut, withheld or empty is a problem, never a short text."""

from typing import Any, cast

from langchain_core.messages import AIMessage

from sanbo.kernel.problems import ProviderFailed
from sanbo.llm.engine import Engine
from sanbo.llm.failures import output_limit, refused, who

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
    metadata = cast("dict[str, Any]", message.response_metadata)  # pyright: ignore[reportUnknownMemberType]
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
    if message.additional_kwargs.get("refusal"):  # pyright: ignore[reportUnknownMemberType]
        raise refused(engine)
    return str(message.text)


def require_text(text: str, engine: Engine) -> str:
    if not text.strip():
        raise ProviderFailed("llm_empty_reply", **who(engine))
    return text
