"""OpenAI, Azure OpenAI, and every server that speaks OpenAI's protocol."""

import ssl
from functools import cache
from typing import Any

import httpx2
import openai
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_openai import (
    AzureChatOpenAI,
    AzureOpenAIEmbeddings,
    ChatOpenAI,
    OpenAIEmbeddings,
)
from pydantic import SecretStr

from sanbo.llm.answers import Answer, ErrorInStream, Finding, NoConnection, Unfinished, readable
from sanbo.llm.engine import Engine
from sanbo.llm.settings import LlmSettings

ADDRESS = "https://api.openai.com/v1"
CONNECT_SECONDS = 10.0
# Otherwise LangChain counts tokens with tables that it loads from the network, and sends the
# numbers of tokens instead of the text, which other servers than OpenAI's do not understand.
# Vectors as numbers: not every compatible server knows base64.
_AS_IT_IS: dict[str, Any] = {
    "check_embedding_ctx_length": False,
    "model_kwargs": {"encoding_format": "float"},
}


def chat_model(engine: Engine, model: str, key: SecretStr, settings: LlmSettings) -> BaseChatModel:
    limit = openai.Timeout(None, connect=CONNECT_SECONDS)
    if engine.provider == "azure_openai":
        return AzureChatOpenAI(
            azure_deployment=model,
            azure_endpoint=settings.azure_endpoint,
            api_version=settings.azure_api_version,
            api_key=key,
            temperature=settings.temperature,
            max_retries=0,
            timeout=limit,
            stream_usage=True,
            stream_chunk_timeout=None,
            use_responses_api=False,
            openai_proxy=None,
            http_client=_unused_client(),
            http_async_client=_client(),
        )
    return ChatOpenAI(
        model=model,
        base_url=settings.base_url or ADDRESS,
        api_key=key,
        temperature=settings.temperature,
        max_retries=0,
        timeout=limit,
        stream_usage=True,
        stream_chunk_timeout=None,
        use_responses_api=False,
        openai_proxy=None,  # OPENAI_PROXY would be an error here; HTTPS_PROXY holds
        http_client=_unused_client(),
        http_async_client=_client(),
    )


def embedding_model(
    engine: Engine, model: str, key: SecretStr, settings: LlmSettings
) -> Embeddings:
    limit = openai.Timeout(None, connect=CONNECT_SECONDS)
    if engine.provider == "azure_openai":
        return AzureOpenAIEmbeddings(
            model=model,
            azure_deployment=model,
            azure_endpoint=settings.azure_endpoint,
            api_version=settings.azure_api_version,
            api_key=key,
            max_retries=0,
            timeout=limit,
            openai_proxy=None,
            base_url=None,  # OPENAI_API_BASE would be an error here
            azure_ad_token=None,  # AZURE_OPENAI_AD_TOKEN would take the key's place
            http_client=_unused_client(),
            http_async_client=_client(),
            **_AS_IT_IS,
        )
    return OpenAIEmbeddings(
        model=model,
        base_url=settings.base_url or ADDRESS,
        api_key=key,
        max_retries=0,
        timeout=limit,
        openai_api_type=None,  # OPENAI_API_TYPE=azure would be an error here
        openai_proxy=None,
        http_client=_unused_client(),
        http_async_client=_client(),
        **_AS_IT_IS,
    )


def find(error: BaseException) -> Finding | None:
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
    return httpx2.create_ssl_context()  # reads all the world's root certificates


def _client() -> openai.DefaultAsyncHttpxClient:
    limits = httpx2.Limits(max_keepalive_connections=0)
    return openai.DefaultAsyncHttpxClient(limits=limits, verify=_tls())


@cache
def _unused_client() -> openai.DefaultHttpxClient:
    """LangChain sets one up for calls that block; there are none."""
    return openai.DefaultHttpxClient(verify=_tls())
