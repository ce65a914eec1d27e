"""Which model thinks, and how it is reached: what holds for every vendor, and each one's own."""

from typing import TYPE_CHECKING, Literal

from pydantic import create_model

from sanbo.llm.vendor import ModelSettings
from sanbo.llm.vendors import VENDORS

if TYPE_CHECKING:

    class LlmSettings(ModelSettings):
        provider: str = "auto"
        """Who thinks: a vendor, `rules` (no model), or `auto`: the first that has credentials."""

else:
    LlmSettings = create_model(
        "LlmSettings",
        __base__=tuple(vendor.settings for vendor in VENDORS.values()),
        provider=(Literal[("auto", *VENDORS, "rules")], "auto"),
    )
    LlmSettings.usual_variables = {
        variable: key
        for vendor in VENDORS.values()
        for variable, key in vendor.settings.usual_variables.items()
    }
