"""Google's Gemini API."""

import ssl
from functools import cache
from typing import Any, cast

import httpx
from google.genai import Client, errors
from google.genai.types import HttpOptions
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings
from pydantic import SecretStr

from sanbo.llm.answers import Answer, Finding, NoConnection
from sanbo.llm.engine import Engine
from sanbo.llm.settings import LlmSettings

ADDRESS = "https://generativelanguage.googleapis.com"


def chat_model(engine: Engine, model: str, key: SecretStr, settings: LlmSettings) -> BaseChatModel:
    del engine  # there is but one
    return ChatGoogleGenerativeAI(
        model=model,
        base_url=settings.google_base_url or ADDRESS,
        api_key=key,
        vertexai=False,
        temperature=settings.temperature,
        max_retries=1,  # of attempts; 0 would mean the SDK's default
        client_args={"limits": httpx.Limits(max_keepalive_connections=0), "verify": _tls()},
    )


def embedding_model(
    engine: Engine, model: str, key: SecretStr, settings: LlmSettings
) -> Embeddings:
    del engine
    arguments = {"limits": httpx.Limits(max_keepalive_connections=0), "verify": _tls()}
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
            client_args=arguments,
            async_client_args=arguments,
        ),
    )
    return embeddings


def find(error: BaseException) -> Finding | None:
    if isinstance(error, errors.APIError):
        untyped = cast("Any", error)  # the SDK declares neither `details` nor its responses
        sent: dict[str, Any] = getattr(untyped.response, "headers", {})
        headers = {name.lower(): str(value) for name, value in sent.items()}
        return Answer.of(error.code, untyped.details, error.message or "", headers)
    if isinstance(error, httpx.TransportError):
        return NoConnection()
    return None


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()  # reads all the world's root certificates
