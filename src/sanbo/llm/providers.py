"""From an engine to a model: LangChain's chat models, set up so that nothing surprises.

Addresses are always given: otherwise LangChain takes them from `LANGSMITH_GATEWAY`,
`OPENAI_API_BASE` and others, and prompts would go where the run does not say. The SDKs' own
retries and time limits are off: Sanbo counts every attempt and limits the whole.
"""

from collections.abc import Callable

import httpx
import httpx2
import openai
from langchain_core.language_models import BaseChatModel
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from pydantic import SecretStr

from sanbo.kernel.problems import MissingDependency
from sanbo.kernel.secrets import protect
from sanbo.kernel.settings import LlmSettings
from sanbo.llm.engine import Engine, address_of, choose_engine, key_of
from sanbo.llm.exchange import Exchange
from sanbo.llm.model import Model
from sanbo.llm.retries import Pace
from sanbo.llm.tracing import forbid_tracing
from sanbo.llm.usage import Call

__all__ = ["Engine", "choose_engine", "connect"]

OPENAI_ADDRESS = "https://api.openai.com/v1"
GOOGLE_ADDRESS = "https://generativelanguage.googleapis.com"
CONNECT_SECONDS = 10.0
NO_KEY = SecretStr("none")


def connect(
    engine: Engine,
    settings: LlmSettings,
    record: Callable[[Call], None],
    *,
    pace: Pace | None = None,
) -> Model:
    """The model of this engine; `record` gets a `Call` for each request that is sent."""
    if engine.provider == "rules" or engine.model is None:
        raise MissingDependency("llm_rules_have_no_model")
    forbid_tracing()
    key = key_of(engine.provider, settings) or NO_KEY
    protect(key.get_secret_value())
    chat = _chat_model(engine, engine.model, key, settings)
    return Model(Exchange(chat, engine, settings, record, pace or Pace()))


def _chat_model(engine: Engine, model: str, key: SecretStr, settings: LlmSettings) -> BaseChatModel:
    match engine.provider:
        case "openai":
            return ChatOpenAI(
                model=model,
                base_url=address_of("openai", settings) or OPENAI_ADDRESS,
                api_key=key,
                temperature=settings.temperature,
                max_retries=0,
                timeout=openai.Timeout(None, connect=CONNECT_SECONDS),
                stream_usage=True,
                stream_chunk_timeout=None,
                use_responses_api=False if engine.openai_compatible else None,
                http_async_client=_async_client(),
            )
        case "azure_openai":
            return AzureChatOpenAI(
                azure_deployment=model,
                azure_endpoint=settings.azure_endpoint,
                api_version=settings.azure_api_version,
                api_key=key,
                temperature=settings.temperature,
                max_retries=0,
                timeout=openai.Timeout(None, connect=CONNECT_SECONDS),
                stream_usage=True,
                stream_chunk_timeout=None,
                use_responses_api=False,
                http_async_client=_async_client(),
            )
        case _:
            return ChatGoogleGenerativeAI(
                model=model,
                base_url=address_of("google_genai", settings) or GOOGLE_ADDRESS,
                api_key=key,
                vertexai=False,
                temperature=settings.temperature,
                max_retries=1,  # of attempts; 0 would mean the SDK's default
                client_args={"limits": httpx.Limits(max_keepalive_connections=0)},
            )


# A connection for each request: a pool would belong to the event loop that filled it, outlive the
# run and hand out connections that the server has closed. Next to a model's seconds, one more
# handshake does not show.
def _async_client() -> openai.DefaultAsyncHttpxClient:
    return openai.DefaultAsyncHttpxClient(limits=httpx2.Limits(max_keepalive_connections=0))
