"""OpenAI, and every server that speaks OpenAI's protocol."""

import re
import ssl
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import BaseModel, SecretStr

from sanbo.llm.vendor import (
    Answer,
    ErrorInStream,
    Finding,
    ModelSettings,
    NoConnection,
    Unfinished,
    Vendor,
    readable,
)

if TYPE_CHECKING:
    import openai
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

ADDRESS = "https://api.openai.com/v1"
CONNECT_SECONDS = 10.0
THOUGHTS = 8000
"""Tokens beyond a reply's own: what a model thinks before it writes counts too."""

Schema = dict[str, Any]

# Understood by OpenAI's strict mode neither as a rule nor as a remark; pydantic checks them later.
_DROPPED = frozenset(
    {"default", "examples", "minLength", "maxLength", "uniqueItems", "discriminator"}
)
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_NAMED = ("properties", "$defs")  # keywords whose keys are names, not keywords


class OpenAiSettings(ModelSettings):
    base_url: str | None = None
    """Any OpenAI-compatible server (Ollama, vLLM, llama.cpp …)."""
    openai_api_key: SecretStr | None = None

    usual_variables: ClassVar = {
        "OPENAI_API_KEY": "openai_api_key",
        "OPENAI_BASE_URL": "base_url",
    }


def chat_model(model: str, key: SecretStr, settings: OpenAiSettings) -> "BaseChatModel":
    return speaking(settings.base_url or ADDRESS, model, key, settings)


def speaking(address: str, model: str, key: SecretStr, settings: ModelSettings) -> "BaseChatModel":
    """A model at any server that speaks OpenAI's protocol."""
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    return ChatOpenAI(
        model=model,
        base_url=address,
        api_key=key,
        temperature=settings.temperature,
        **chat_options(),
        openai_proxy=None,  # OPENAI_PROXY would be an error here; HTTPS_PROXY holds
    )


def embedding_model(model: str, key: SecretStr, settings: OpenAiSettings) -> "Embeddings":
    return embedding_at(settings.base_url or ADDRESS, model, key)


def embedding_at(address: str, model: str, key: SecretStr) -> "Embeddings":
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415

    return OpenAIEmbeddings(
        model=model,
        base_url=address,
        api_key=key,
        openai_api_type=None,  # OPENAI_API_TYPE=azure would be an error here
        openai_proxy=None,
        **embedding_options(),
    )


def chat_options() -> dict[str, Any]:
    return {
        **_connection(),
        "stream_usage": True,
        "stream_chunk_timeout": None,
        "use_responses_api": False,
    }


def embedding_options() -> dict[str, Any]:
    return {
        **_connection(),
        # Otherwise LangChain counts tokens with tables that it loads from the network, and sends
        # the numbers of tokens instead of the text, which other servers do not understand.
        "check_embedding_ctx_length": False,
        # Vectors as numbers: not every compatible server knows base64.
        "model_kwargs": {"encoding_format": "float"},
    }


def _connection() -> dict[str, Any]:
    import openai  # noqa: PLC0415

    return {
        "max_retries": 0,
        "timeout": openai.Timeout(None, connect=CONNECT_SECONDS),
        "http_client": _unused_client(),
        "http_async_client": _client(),
    }


def reply_format(schema: type[BaseModel] | None, is_lookalike: bool) -> dict[str, Any]:
    if schema is None:
        return {"response_format": {"type": "json_object"}}
    loose = schema.model_json_schema()
    # Lookalikes make a grammar of it, which knows lengths, and fields that may be left out.
    strict = None if is_lookalike else strict_schema(loose)
    described: dict[str, Any] = {
        "name": re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64],
        "schema": strict or loose,
        "strict": strict is not None,
    }
    return {"response_format": {"type": "json_schema", "json_schema": described}}


def strict_schema(schema: Schema) -> Schema | None:
    """The schema in the form of OpenAI's strict mode, or None where it can't be said so.

    Strict mode wants every property required and nothing besides; a free map, a tuple or an
    `Any` has no such form. Fields with a default become required: the model states them.
    """
    try:
        return _strict(schema)
    except _NotStrict:
        return None


class _NotStrict(Exception):
    pass


def _strict(node: Schema) -> Schema:
    if not node or "prefixItems" in node or "patternProperties" in node or "allOf" in node:
        raise _NotStrict
    kept: Schema = {}
    for key, value in node.items():
        if key in _DROPPED or (key == "format" and value not in _FORMATS):
            continue
        name = "anyOf" if key == "oneOf" else key
        if key in _NAMED:
            kept[name] = {inner: _strict(_schema(child)) for inner, child in value.items()}
        elif name == "anyOf":
            kept[name] = [_strict(_schema(child)) for child in value]
        elif key == "items":
            kept[name] = _strict(_schema(value))
        else:
            kept[name] = value
    if kept.get("type") == "object":
        if not kept.get("properties") or kept.get("additionalProperties") not in (None, False):
            raise _NotStrict
        kept["additionalProperties"] = False
        kept["required"] = list(kept["properties"])
    elif (kept.get("type") == "array" and "items" not in kept) or not kept.keys() & {
        "type",
        "anyOf",
        "$ref",
        "enum",
        "const",
    }:
        raise _NotStrict
    if "$ref" in kept:  # no other keyword may stand beside it
        if "$defs" in kept:  # the root refers to itself, but must be an object
            raise _NotStrict
        return {"$ref": kept["$ref"]}
    return kept


def _schema(value: object) -> Schema:
    if not isinstance(value, dict):
        raise _NotStrict
    return cast("Schema", value)


def length_limit(tokens: int, is_lookalike: bool) -> dict[str, Any]:
    if is_lookalike:  # not all of them know the newer word, and LangChain would put it in place
        return {"extra_body": {"max_tokens": tokens}}
    return {"max_completion_tokens": tokens + THOUGHTS}


def find(error: BaseException) -> Finding | None:
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    if isinstance(error, openai.APIStatusError):
        headers = dict(error.response.headers.items())
        return Answer.of(error.status_code, error.body, error.message, headers)
    if isinstance(error, (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError)):
        length = isinstance(error, openai.LengthFinishReasonError)
        usage = error.completion.usage if error.completion else None
        return Unfinished(
            "length" if length else "content_filter",
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
        )
    if isinstance(error, (openai.APIConnectionError, httpx2.TransportError)):
        return NoConnection()
    if isinstance(error, openai.APIError):
        return ErrorInStream(readable(error.message))
    if isinstance(error, ValueError) and "content filter" in str(error):
        return Unfinished("content_filter")  # AzureChatOpenAI raises no type of its own
    return None


@cache
def _tls() -> ssl.SSLContext:
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()  # reads all the world's root certificates


def _client() -> "openai.DefaultAsyncHttpxClient":
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    limits = httpx2.Limits(max_keepalive_connections=0)
    return openai.DefaultAsyncHttpxClient(limits=limits, verify=_tls())


@cache
def _unused_client() -> "openai.DefaultHttpxClient":
    """LangChain sets one up for calls that block; there are none."""
    import openai  # noqa: PLC0415

    return openai.DefaultHttpxClient(verify=_tls())


VENDOR = Vendor(
    name="openai",
    title="OpenAI",
    order=1,
    settings=OpenAiSettings,
    key="openai_api_key",
    address="base_url",
    has_lookalikes=True,
    default_model="gpt-5.4-mini",
    reply_format=reply_format,
    length_limit=length_limit,
    chat_model=chat_model,
    embedding_model=embedding_model,
    find=find,
    # Gathered in November 2026.
    prices={
        "gpt-4o": (2.5, 10),
        "gpt-4o-mini": (0.15, 0.6),
        "gpt-4.1": (2, 8),
        "gpt-4.1-mini": (0.4, 1.6),
        "gpt-4.1-nano": (0.1, 0.4),
        "o3": (2, 8),
        "o4-mini": (1.1, 4.4),
        "gpt-5": (1.25, 10),
        "gpt-5-mini": (0.25, 2),
        "gpt-5-nano": (0.05, 0.4),
        "gpt-5.1": (1.25, 10),
        "gpt-5.2": (1.75, 14),
        "gpt-5.4": (2.5, 15),
        "gpt-5.4-mini": (0.75, 4.5),
        "gpt-5.4-nano": (0.2, 1.25),
        "gpt-5.5": (5, 30),
        "gpt-5.6-luna": (0.2, 1.2),
        "gpt-5.6-terra": (2, 12),
    },
)
