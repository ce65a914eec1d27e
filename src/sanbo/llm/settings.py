"""Which model thinks, and how it is reached."""

from typing import ClassVar, Literal

from pydantic import Field, SecretStr

from sanbo.kernel.settings import Section

Provider = Literal["auto", "openai", "azure_openai", "google_genai", "rules"]


class Price(Section):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class LlmSettings(Section):
    provider: Provider = "auto"
    """Who thinks: a provider, `rules` (no model), or `auto`: the first that has credentials."""
    model: str | None = None
    """The model's name; with Azure the deployment's. Without it, the provider's default."""
    base_url: str | None = None
    """Any OpenAI-compatible server (Ollama, vLLM, llama.cpp …)."""
    azure_endpoint: str | None = None
    azure_api_version: str = "2024-10-21"
    google_base_url: str | None = None
    """A gateway in front of the Gemini API; without it, Google's own address."""
    openai_api_key: SecretStr | None = None
    azure_api_key: SecretStr | None = None
    google_api_key: SecretStr | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Without it, the model's own default: some models accept no other."""
    timeout_seconds: float = Field(default=120, gt=0)
    """The limit of one call, with all its attempts."""
    max_attempts: int = Field(default=4, ge=1, le=20)
    """How often one request is sent, when the service is busy or fails."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """Prices by model name, for models that Sanbo does not know or contracts with other prices."""

    usual_variables: ClassVar = {
        "OPENAI_API_KEY": "openai_api_key",
        "OPENAI_BASE_URL": "base_url",
        "AZURE_OPENAI_API_KEY": "azure_api_key",
        "AZURE_OPENAI_ENDPOINT": "azure_endpoint",
        "GOOGLE_API_KEY": "google_api_key",
        "GEMINI_API_KEY": "google_api_key",
        "GOOGLE_GEMINI_BASE_URL": "google_base_url",
    }
