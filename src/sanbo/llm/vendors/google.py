"""Google's Gemini API."""

import ssl
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import BaseModel, SecretStr

from sanbo.llm.vendor import Answer, Finding, ModelSettings, NoConnection, Vendor

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

THOUGHTS = 8000
"""Tokens beyond a reply's own: what a model thinks before it writes counts too."""
ADDRESS = "https://generativelanguage.googleapis.com"


class GoogleSettings(ModelSettings):
    google_base_url: str | None = None
    """A gateway in front of the Gemini API; without it, Google's own address."""
    google_api_key: SecretStr | None = None

    usual_variables: ClassVar = {
        "GOOGLE_API_KEY": "google_api_key",
        "GEMINI_API_KEY": "google_api_key",
        "GOOGLE_GEMINI_BASE_URL": "google_base_url",
    }


def chat_model(model: str, key: SecretStr, settings: GoogleSettings) -> "BaseChatModel":
    from langchain_google_genai import ChatGoogleGenerativeAI  # noqa: PLC0415

    return ChatGoogleGenerativeAI(
        model=model,
        base_url=settings.google_base_url or ADDRESS,
        api_key=key,
        vertexai=False,
        temperature=settings.temperature,
        max_retries=1,  # of attempts; 0 would mean the SDK's default
        client_args=_connection(),
    )


def embedding_model(model: str, key: SecretStr, settings: GoogleSettings) -> "Embeddings":
    from google.genai import Client  # noqa: PLC0415
    from google.genai.types import HttpOptions  # noqa: PLC0415
    from langchain_google_genai import GoogleGenerativeAIEmbeddings  # noqa: PLC0415

    embeddings = GoogleGenerativeAIEmbeddings(
        model=model,
        api_key=key,
        vertexai=False,
        # The same for questions and documents: one kind of vector serves both.
        task_type="SEMANTIC_SIMILARITY",
    )
    # The one that LangChain made does as GOOGLE_GENAI_USE_VERTEXAI says, whatever it was told.
    embeddings.client = Client(
        vertexai=False,
        api_key=key.get_secret_value(),
        http_options=HttpOptions(
            base_url=settings.google_base_url or ADDRESS,
            client_args=_connection(),
            async_client_args=_connection(),
        ),
    )
    return embeddings


def reply_format(schema: type[BaseModel] | None, is_lookalike: bool) -> dict[str, Any]:
    _ = is_lookalike  # there are none
    described = {} if schema is None else {"response_json_schema": schema.model_json_schema()}
    return {"response_mime_type": "application/json", **described}


def length_limit(tokens: int, is_lookalike: bool) -> dict[str, Any]:
    _ = is_lookalike
    return {"max_output_tokens": tokens + THOUGHTS}


def find(error: BaseException) -> Finding | None:
    import httpx  # noqa: PLC0415
    from google.genai import errors  # noqa: PLC0415

    if isinstance(error, errors.APIError):
        untyped = cast("Any", error)  # the SDK declares neither `details` nor its responses
        sent: dict[str, Any] = getattr(untyped.response, "headers", {})
        headers = {name.lower(): str(value) for name, value in sent.items()}
        return Answer.of(error.code, untyped.details, error.message or "", headers)
    if isinstance(error, httpx.TransportError):
        return NoConnection()
    return None


def _connection() -> dict[str, Any]:
    import httpx  # noqa: PLC0415

    return {"limits": httpx.Limits(max_keepalive_connections=0), "verify": _tls()}


@cache
def _tls() -> ssl.SSLContext:
    import httpx  # noqa: PLC0415

    return httpx.create_ssl_context()  # reads all the world's root certificates


VENDOR = Vendor(
    name="google_genai",
    title="Google Gemini",
    order=3,
    settings=GoogleSettings,
    key="google_api_key",
    address="google_base_url",
    default_model="gemini-3.5-flash",
    reply_format=reply_format,
    length_limit=length_limit,
    chat_model=chat_model,
    embedding_model=embedding_model,
    find=find,
    # Gathered in November 2026.
    prices={
        "gemini-2.5-pro": (1.25, 10),
        "gemini-2.5-flash": (0.3, 2.5),
        "gemini-2.5-flash-lite": (0.1, 0.4),
        "gemini-3-flash-preview": (0.5, 3),
        "gemini-3.1-pro-preview": (2, 12),
        "gemini-3.5-flash": (1.5, 9),
    },
)
