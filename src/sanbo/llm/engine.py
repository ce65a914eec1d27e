"""Which engine thinks in a run, chosen once: a provider and its model, or the rules."""

from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr

from sanbo.kernel.problems import InvalidSettings, MissingDependency
from sanbo.kernel.secrets import protect
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendor import Place, Vendor
from sanbo.llm.vendors import VENDORS

NO_KEY = SecretStr("none")
"""Local servers want no key, but the SDK wants to send one."""

if TYPE_CHECKING:
    Provider = str
else:
    Provider = Literal[(*VENDORS, "rules")]


class Engine(BaseModel):
    """Recorded in the run and shown in every front end."""

    model_config = ConfigDict(frozen=True)

    provider: Provider
    model: str | None = None
    base_url_host: str | None = None
    """Host and port of a server that is not the provider's own; never a path or credentials."""

    @property
    def vendor(self) -> Vendor:
        """Not of the rules, which have none."""
        return VENDORS[self.provider]

    @property
    def title(self) -> str:
        """As people know the vendor; empty for the rules."""
        return self.vendor.title if self != RULES else ""

    @property
    def openai_compatible(self) -> bool:
        """A server that only speaks a vendor's protocol (Ollama, vLLM, llama.cpp …)."""
        return self != RULES and self.vendor.has_lookalikes and self.base_url_host is not None


RULES = Engine(provider="rules")


def choose_engine(settings: LlmSettings) -> Engine:
    """The provider that was asked for; with `auto` the first that has credentials, else rules."""
    if settings.provider == "rules":
        return RULES
    if settings.provider == "auto":
        ready = (each for each in VENDORS.values() if not _missing(each, settings))
        return next((_engine(each, settings) for each in ready), RULES)
    vendor = VENDORS[settings.provider]
    if missing := _missing(vendor, settings):
        raise MissingDependency("llm_no_credentials", provider=vendor.name, **missing._asdict())
    return _engine(vendor, settings)


def model_and_key(engine: Engine, settings: LlmSettings) -> tuple[str, SecretStr]:
    """What a vendor connects with; the key is masked in everything that is written."""
    if engine == RULES or engine.model is None:
        raise MissingDependency("llm_rules_have_no_model")
    key = engine.vendor.key_of(settings) or NO_KEY
    protect(key.get_secret_value())
    return engine.model, key


def _missing(vendor: Vendor, settings: LlmSettings) -> Place | None:
    address = vendor.address_of(settings)
    # A local server needs no key: its address is enough.
    keyless = vendor.has_lookalikes and address is not None
    if not keyless and vendor.key_of(settings) is None:
        return vendor.key_place
    return vendor.address_place if vendor.needs_address and not address else None


def _engine(vendor: Vendor, settings: LlmSettings) -> Engine:
    address = vendor.address_of(settings)
    host = _host(address, vendor) if address else None
    default = None if vendor.has_lookalikes and address else vendor.default_model
    model = settings.model or default
    if model is None:  # nobody but the user knows the deployment's or the local server's name
        raise InvalidSettings("llm_no_model", provider=vendor.name, host=host)
    return Engine(provider=vendor.name, model=model, base_url_host=host)


def _host(address: str, vendor: Vendor) -> str:
    setting = vendor.address_place.setting
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidSettings("llm_address_invalid", setting=setting) from None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidSettings("llm_address_invalid", setting=setting)
    if parts.username or parts.password:  # HTTP clients write addresses into their logs
        raise InvalidSettings(
            "llm_address_with_password", setting=setting, variable=vendor.key_place.variable
        )
    return f"{host}:{port}" if port else host
