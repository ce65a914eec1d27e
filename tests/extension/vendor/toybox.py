"""Toybox: a vendor of models that speaks OpenAI's protocol at an address of its own."""

from typing import TYPE_CHECKING, ClassVar

from pydantic import SecretStr

from sanbo.llm.vendor import ModelSettings, Vendor
from sanbo.llm.vendors.openai import (
    embedding_at,
    find,
    length_limit,
    reply_format,
    speaking,
)

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

ADDRESS = "https://toybox.example/v1"


class ToyboxSettings(ModelSettings):
    toybox_url: str | None = None
    toybox_api_key: SecretStr | None = None

    usual_variables: ClassVar = {"TOYBOX_KEY": "toybox_api_key"}


def chat_model(model: str, key: SecretStr, settings: ToyboxSettings) -> "BaseChatModel":
    return speaking(settings.toybox_url or ADDRESS, model, key, settings)


def embedding_model(model: str, key: SecretStr, settings: ToyboxSettings) -> "Embeddings":
    return embedding_at(settings.toybox_url or ADDRESS, model, key)


VENDOR = Vendor(
    name="toybox",
    title="Toybox",
    order=9,
    settings=ToyboxSettings,
    key="toybox_api_key",
    address="toybox_url",
    default_model="teddy-1",
    prices={"teddy-1": (1000, 2000)},
    reply_format=reply_format,
    length_limit=length_limit,
    chat_model=chat_model,
    embedding_model=embedding_model,
    find=find,
)
