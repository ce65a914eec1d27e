"""From settings to a model: which engine it is, and the SDK behind it."""

from collections.abc import Callable

from pydantic import SecretStr

from sanbo.kernel.problems import MissingDependency
from sanbo.kernel.secrets import protect
from sanbo.llm.answers import Vendor
from sanbo.llm.engine import Engine, ModelProvider, choose_engine, key_of
from sanbo.llm.exchange import Exchange
from sanbo.llm.model import Model
from sanbo.llm.retries import Pace
from sanbo.llm.settings import LlmSettings
from sanbo.llm.tracing import forbid_tracing
from sanbo.llm.usage import Call

__all__ = ["Engine", "choose_engine", "connect"]

NO_KEY = SecretStr("none")
"""Local servers want no key, but the SDK wants to send one."""


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
    vendor = _vendor(engine.provider)
    chat = vendor.chat_model(engine, engine.model, key, settings)
    return Model(
        Exchange(
            chat,
            vendor=vendor,
            engine=engine,
            settings=settings,
            record=record,
            pace=pace or Pace(),
        )
    )


def _vendor(provider: ModelProvider) -> Vendor:
    # An SDK takes seconds to import, and a run needs one of them at most; by rules, none.
    if provider == "google_genai":
        from sanbo.llm.vendors import google  # noqa: PLC0415

        return google
    from sanbo.llm.vendors import openai  # noqa: PLC0415

    return openai
