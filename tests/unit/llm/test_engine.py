"""Who thinks: the table of choices, and settings that can't work."""

from typing import Any

import pytest

from sanbo.kernel.problems import InvalidSettings, MissingDependency, SanboError
from sanbo.llm.engine import Engine, choose_engine
from sanbo.llm.model import connect
from sanbo.llm.settings import LlmSettings

KEY = "a-key-of-no-shape"
OPENAI = {"openai_api_key": KEY}
LOCAL = {"base_url": "http://127.0.0.1:11434/v1", "model": "qwen"}
AZURE = {"azure_api_key": KEY, "azure_endpoint": "https://x.openai.azure.com", "model": "keiri"}
GOOGLE = {"google_api_key": KEY}


def choose(**values: Any) -> Engine:
    return choose_engine(LlmSettings.model_validate(values))


@pytest.mark.parametrize(
    ("values", "provider", "model", "host"),
    [
        ({}, "rules", None, None),
        ({"model": "gpt-4o"}, "rules", None, None),
        ({"provider": "rules", **OPENAI}, "rules", None, None),
        (OPENAI, "openai", "gpt-5.4-mini", None),
        (LOCAL, "openai", "qwen", "127.0.0.1:11434"),
        (AZURE, "azure_openai", "keiri", "x.openai.azure.com"),
        (GOOGLE, "google_genai", "gemini-3.5-flash", None),
        ({**GOOGLE, **OPENAI}, "openai", "gpt-5.4-mini", None),
        ({**GOOGLE, **AZURE}, "azure_openai", "keiri", "x.openai.azure.com"),
        ({**GOOGLE, "azure_api_key": KEY}, "google_genai", "gemini-3.5-flash", None),
        ({**GOOGLE, "openai_api_key": ""}, "google_genai", "gemini-3.5-flash", None),
        ({**OPENAI, **GOOGLE, "provider": "google_genai", "model": "m"}, "google_genai", "m", None),
    ],
)
def test_auto_takes_the_first_that_has_credentials(
    values: dict[str, Any], provider: str, model: str | None, host: str | None
) -> None:
    engine = choose(**values)
    assert (engine.provider, engine.model, engine.base_url_host) == (provider, model, host)


@pytest.mark.parametrize(
    ("values", "error", "named"),
    [
        ({"provider": "openai"}, MissingDependency, "OPENAI_API_KEY"),
        ({"provider": "google_genai"}, MissingDependency, "GOOGLE_API_KEY"),
        ({"provider": "azure_openai"}, MissingDependency, "AZURE_OPENAI_API_KEY"),
        (
            {"provider": "azure_openai", "azure_api_key": KEY, "model": "m"},
            MissingDependency,
            "AZURE_OPENAI_ENDPOINT",
        ),
        ({**AZURE, "model": None}, InvalidSettings, "llm.model"),
        ({**LOCAL, "model": None}, InvalidSettings, "SANBO_LLM__MODEL"),
        ({"base_url": "127.0.0.1:11434", "model": "m"}, InvalidSettings, "http://"),
        ({"base_url": "http://h:port/v1", "model": "m"}, InvalidSettings, "http://"),
        ({"base_url": "http://u:p@h/v1", "model": "m"}, InvalidSettings, "OPENAI_API_KEY"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_what_to_set(
    values: dict[str, Any], error: type[SanboError], named: str
) -> None:
    with pytest.raises(error) as caught:
        choose(**values)
    assert named in caught.value.problem.hint


def test_rules_have_no_model_to_connect_to() -> None:
    def record(_: object) -> None: ...

    with pytest.raises(MissingDependency) as caught:
        connect(choose(), LlmSettings(), record)
    assert "llm.provider" in caught.value.problem.hint
