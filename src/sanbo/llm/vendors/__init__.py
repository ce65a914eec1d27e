"""The vendors of models: each file here has one record, `VENDOR`. Nothing else imports an SDK.

Addresses are always given: otherwise LangChain takes them from `LANGSMITH_GATEWAY`,
`OPENAI_API_BASE` and others, and prompts would go where the run does not say. The SDKs' own
retries and time limits are off: Sanbo counts every attempt and limits the whole.

A connection for each request: a pool would belong to the event loop that filled it, outlive the
run and hand out connections that the server has closed. Next to a model's seconds, one more
handshake does not show.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from sanbo.llm.vendor import Vendor


def _records() -> list[Vendor]:
    names = [f"{__name__}.{module.name}" for module in iter_modules(__path__)]
    return sorted((import_module(name).VENDOR for name in names), key=lambda each: each.order)


VENDORS: Mapping[str, Vendor] = {each.name: each for each in _records()}
"""In the order in which `auto` looks for credentials."""
