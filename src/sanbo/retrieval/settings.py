"""Where collections are kept, and how they are searched."""

from typing import ClassVar, Literal

from pydantic import Field, SecretStr

from sanbo.kernel.settings import Section


class RetrievalSettings(Section):
    engine: Literal["embedded", "qdrant", "azure"] = "embedded"
    """Where new collections are kept: in the workspace, on a Qdrant server, in Azure AI Search."""
    qdrant_url: str | None = None
    qdrant_api_key: SecretStr | None = None
    azure_endpoint: str | None = None
    azure_api_key: SecretStr | None = None
    azure_fields: dict[str, str] = Field(default_factory=dict[str, str])
    """Sanbo's field name → the index's own, to search an Azure index that others keep."""
    embedding_model: str | None = None
    """Adds meaning-based search, through the model provider of `llm`; without it, by words."""
    timeout_seconds: float = Field(default=30, gt=0)
    """The limit of one request to a server, and of waiting for another process to let go."""

    usual_variables: ClassVar = {
        "QDRANT_URL": "qdrant_url",
        "QDRANT_API_KEY": "qdrant_api_key",
        "AZURE_SEARCH_ENDPOINT": "azure_endpoint",
        "AZURE_SEARCH_API_KEY": "azure_api_key",
    }
