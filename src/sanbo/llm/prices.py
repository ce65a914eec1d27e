"""What a call costs: prices from the settings first, then the dated list, else not known."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

from sanbo.llm.engine import Engine
from sanbo.llm.settings import Price

# Dated or numbered versions of one model: gpt-4o-2024-08-06, gemini-2.5-flash-001.
_VERSION = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{3})$")


@cache
def list_prices() -> dict[str, Price]:
    text = resources.files("sanbo.llm").joinpath("prices.yaml").read_text("utf-8")
    return {name: Price.model_validate(row) for name, row in yaml.safe_load(text)["models"].items()}


class Tariff:
    """The prices that hold for one engine."""

    def __init__(self, engine: Engine, own: Mapping[str, Price]) -> None:
        self._model = engine.model or ""
        self._own = own
        # What a compatible server calls `gpt-4o` need not be OpenAI's, nor cost the same.
        self._listed: Mapping[str, Price] = {} if engine.openai_compatible else list_prices()

    def cost(self, served_model: str | None, input_tokens: int, output_tokens: int) -> float | None:
        """`served_model` is the name in the reply: Azure's deployments have names of their own."""
        price = self._price(served_model or "")
        if price is None:
            return None
        return (input_tokens * price.input + output_tokens * price.output) / 1_000_000

    def _price(self, served_model: str) -> Price | None:
        for prices in (self._own, self._listed):
            for name in (self._model, served_model):
                plain = name.removeprefix("models/")
                for spelling in (name, plain, _VERSION.sub("", plain)):
                    if spelling in prices:
                        return prices[spelling]
        return None
