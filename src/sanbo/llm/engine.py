"""Which engine thinks in a run, chosen once: a provider and its model, or the rules."""

from typing import Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr

from sanbo.kernel.problems import InvalidSettings, MissingDependency
from sanbo.llm.settings import LlmSettings

ModelProvider = Literal["openai", "azure_openai", "google_genai"]
MODEL_PROVIDERS: tuple[ModelProvider, ...] = get_args(ModelProvider)  # in the order of `auto`

DEFAULT_MODELS: dict[ModelProvider, str] = {
    "openai": "gpt-5.4-mini",
    "google_genai": "gemini-3.5-flash",
}


class Place(NamedTuple):
    """Where a person sets something: in `sanbo.yaml`, and in the environment."""

    setting: str
    variable: str


KEYS: dict[ModelProvider, Place] = {
    "openai": Place("llm.openai_api_key", "OPENAI_API_KEY"),
    "azure_openai": Place("llm.azure_api_key", "AZURE_OPENAI_API_KEY"),
    "google_genai": Place("llm.google_api_key", "GOOGLE_API_KEY"),
}
ADDRESSES: dict[ModelProvider, Place] = {
    "openai": Place("llm.base_url", "OPENAI_BASE_URL"),
    "azure_openai": Place("llm.azure_endpoint", "AZURE_OPENAI_ENDPOINT"),
    "google_genai": Place("llm.google_base_url", "GOOGLE_GEMINI_BASE_URL"),
}


class Engine(BaseModel):
    """Recorded in the run and shown in every front end."""

    model_config = ConfigDict(frozen=True)

    provider: Literal["openai", "azure_openai", "google_genai", "rules"]
    model: str | None = None
    base_url_host: str | None = None
    """Host and port of a server that is not the provider's own; never a path or credentials."""

    @property
    def openai_compatible(self) -> bool:
        """A server that only speaks OpenAI's protocol (Ollama, vLLM, llama.cpp …)."""
        return self.provider == "openai" and self.base_url_host is not None


RULES = Engine(provider="rules")


def choose_engine(settings: LlmSettings) -> Engine:
    """The provider that was asked for; with `auto` the first that has credentials, else rules."""
    if settings.provider == "rules":
        return RULES
    if settings.provider == "auto":
        for provider in MODEL_PROVIDERS:
            if not _missing(provider, settings):
                return _engine(provider, settings)
        return RULES
    if missing := _missing(settings.provider, settings):
        raise MissingDependency(
            "llm_no_credentials",
            provider=settings.provider,
            setting=missing.setting,
            variable=missing.variable,
        )
    return _engine(settings.provider, settings)


def key_of(provider: ModelProvider, settings: LlmSettings) -> SecretStr | None:
    match provider:
        case "openai":
            return settings.openai_api_key
        case "azure_openai":
            return settings.azure_api_key
        case "google_genai":
            return settings.google_api_key


def address_of(provider: ModelProvider, settings: LlmSettings) -> str | None:
    match provider:
        case "openai":
            return settings.base_url
        case "azure_openai":
            return settings.azure_endpoint
        case "google_genai":
            return settings.google_base_url


def _missing(provider: ModelProvider, settings: LlmSettings) -> Place | None:
    key = key_of(provider, settings)
    # A local server needs no key: its address is enough.
    keyless = provider == "openai" and settings.base_url is not None
    if not keyless and (key is None or not key.get_secret_value()):
        return KEYS[provider]
    if provider == "azure_openai" and not settings.azure_endpoint:
        return ADDRESSES[provider]
    return None


def _engine(provider: ModelProvider, settings: LlmSettings) -> Engine:
    address = address_of(provider, settings)
    host = _host(address, ADDRESSES[provider]) if address else None
    default = None if provider == "openai" and address else DEFAULT_MODELS.get(provider)
    model = settings.model or default
    if model is None:  # nobody but the user knows the deployment's or the local server's name
        raise InvalidSettings("llm_no_model", provider=provider, host=host)
    return Engine(provider=provider, model=model, base_url_host=host)


def _host(address: str, place: Place) -> str:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidSettings("llm_address_invalid", setting=place.setting) from None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidSettings("llm_address_invalid", setting=place.setting)
    if parts.username or parts.password:  # HTTP clients write addresses into their logs
        raise InvalidSettings(
            "llm_address_with_password", setting=place.setting, variable=KEYS["openai"].variable
        )
    return f"{host}:{port}" if port else host
