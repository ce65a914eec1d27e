"""Azure OpenAI: OpenAI's models and protocol, at an address and under names of one's own."""

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import SecretStr

from sanbo.llm.vendor import ModelSettings, Vendor
from sanbo.llm.vendors.openai import (
    THOUGHTS,
    chat_options,
    embedding_options,
    find,
    reply_format,
)

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel


class AzureSettings(ModelSettings):
    azure_endpoint: str | None = None
    azure_api_version: str = "2024-10-21"
    azure_api_key: SecretStr | None = None

    usual_variables: ClassVar = {
        "AZURE_OPENAI_API_KEY": "azure_api_key",
        "AZURE_OPENAI_ENDPOINT": "azure_endpoint",
    }


def chat_model(model: str, key: SecretStr, settings: AzureSettings) -> "BaseChatModel":
    from langchain_openai import AzureChatOpenAI  # noqa: PLC0415

    return AzureChatOpenAI(
        azure_deployment=model,
        azure_endpoint=settings.azure_endpoint,
        api_version=settings.azure_api_version,
        api_key=key,
        temperature=settings.temperature,
        openai_proxy=None,
        **chat_options(),
    )


def embedding_model(model: str, key: SecretStr, settings: AzureSettings) -> "Embeddings":
    from langchain_openai import AzureOpenAIEmbeddings  # noqa: PLC0415

    return AzureOpenAIEmbeddings(
        model=model,
        azure_deployment=model,
        azure_endpoint=settings.azure_endpoint,
        api_version=settings.azure_api_version,
        api_key=key,
        openai_proxy=None,
        base_url=None,  # OPENAI_API_BASE would be an error here
        azure_ad_token=None,  # AZURE_OPENAI_AD_TOKEN would take the key's place
        **embedding_options(),
    )


def length_limit(tokens: int, is_lookalike: bool) -> dict[str, Any]:
    _ = is_lookalike  # there are none
    return {"max_tokens": tokens + THOUGHTS}


VENDOR = Vendor(
    name="azure_openai",
    title="Azure OpenAI",
    order=2,
    settings=AzureSettings,
    key="azure_api_key",
    address="azure_endpoint",
    needs_address=True,
    reply_format=reply_format,
    length_limit=length_limit,
    chat_model=chat_model,
    embedding_model=embedding_model,
    find=find,
)
