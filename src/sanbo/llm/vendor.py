"""What a vendor of models is: one record in one file of `vendors/` says all of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, Field, SecretStr

from sanbo.kernel.settings import Section
from sanbo.llm.answers import Finding

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel


_NONE = dict[str, tuple[float, float]]


class Price(Section):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ModelSettings(Section):
    """What can be set of every vendor's models."""

    model: str | None = None
    """The model's name; with Azure the deployment's. Without it, the provider's default."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Without it, the model's own default: some models accept no other."""
    timeout_seconds: float = Field(default=120, gt=0)
    """The limit of one call, with all its attempts."""
    idle_seconds: float = Field(default=60, gt=0)
    """How long a reply that is streamed may stand still, its beginning included."""
    max_attempts: int = Field(default=4, ge=1, le=20)
    """How often one request is sent, when the service is busy or fails."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """Prices by model name, for models that Sanbo does not know or contracts with other prices."""


class Place(NamedTuple):
    """Where a person sets something: in `sanbo.yaml`, and in the environment."""

    setting: str
    variable: str


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """The functions load the vendor's SDK when they are called: that takes seconds."""

    name: str
    """As `llm.provider` names it."""
    title: str
    """As people know it, in every language."""
    order: int
    """`auto` takes the vendor of the lowest order that has credentials."""
    settings: type[ModelSettings]
    """Its own keys in `llm`, and the variables in which people already have them."""
    key: str
    address: str
    needs_address: bool = False
    has_lookalikes: bool = False
    """Others' servers speak its protocol: with their address, no key is needed; which models they
    have, at what price, and what more than the protocol they can do, nobody knows."""
    default_model: str | None = None
    prices: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    """US dollars per million tokens read and written, by model."""
    reply_format: Callable[[type[BaseModel] | None, bool], dict[str, Any]]
    """The options of a request that ask for JSON: of this schema, or any; of a lookalike?"""
    length_limit: Callable[[int, bool], dict[str, Any]]
    """The options of a request whose reply has at most so many tokens; of a lookalike?"""
    chat_model: Callable[[str, SecretStr, Any], "BaseChatModel"]
    """By the model's name, the key and the settings."""
    embedding_model: Callable[[str, SecretStr, Any], "Embeddings"]
    find: Callable[[BaseException], Finding | None]
    """What one exception of the SDK says; None for one that it does not know."""

    def key_of(self, settings: ModelSettings) -> SecretStr | None:
        key: SecretStr | None = getattr(settings, self.key)
        return key if key is not None and key.get_secret_value() else None

    def address_of(self, settings: ModelSettings) -> str | None:
        return getattr(settings, self.address)

    @property
    def key_place(self) -> Place:
        return self._place(self.key)

    @property
    def address_place(self) -> Place:
        return self._place(self.address)

    def _place(self, name: str) -> Place:
        usual = (each for each, key in self.settings.usual_variables.items() if key == name)
        return Place(f"llm.{name}", next(usual, f"SANBO_LLM__{name.upper()}"))
