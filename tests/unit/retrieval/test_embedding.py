"""Which embedder the settings lead to."""

from collections.abc import Iterator
from typing import Any

import pytest

from sanbo.kernel.problems import InvalidSettings, MissingDependency
from sanbo.llm.settings import LlmSettings
from sanbo.retrieval.embedding import embedder_from
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.settings import Settings
from tests.scripted_model import Reply, Request, ScriptedModel, Vectors
from tests.scripted_model.requests import Protocol


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


def settings(llm: LlmSettings, model: str | None = "meaning-1") -> Settings:
    return Settings(llm=llm, retrieval=RetrievalSettings(embedding_model=model))


def by_length(request: Request) -> Reply:
    return Vectors([[float(len(text)), 0.0, 1.0] for text in request.texts])


@pytest.mark.parametrize("model", [None, ""])
def test_without_the_setting_there_is_none(script: ScriptedModel, model: str | None) -> None:
    assert embedder_from(settings(script.settings(), model)) is None
    assert script.requests == []


@pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])
def test_it_goes_through_the_provider_of_the_language_model(
    script: ScriptedModel, provider: Protocol
) -> None:
    script.otherwise(by_length)
    embedder = embedder_from(settings(script.settings(provider)))
    assert embedder is not None
    assert embedder.model == "meaning-1"
    assert script.requests == []  # nothing is asked before it is needed
    assert embedder.embed(["契約", "検収書"]) == [[2.0, 0.0, 1.0], [3.0, 0.0, 1.0]]
    assert script.requests[0].protocol == provider


def test_its_size_is_asked_once(script: ScriptedModel) -> None:
    script.otherwise(by_length)
    embedder = embedder_from(settings(script.settings()))
    assert embedder is not None
    assert [embedder.size, embedder.size] == [3, 3]
    assert len(script.requests) == 1


def test_a_local_server_needs_no_name_of_a_language_model(script: ScriptedModel) -> None:
    script.otherwise(by_length)
    embedder = embedder_from(settings(script.settings(model=None)))
    assert embedder is not None
    assert embedder.size == 3


@pytest.mark.parametrize("given", [{"provider": "rules"}, {"provider": "auto"}])
def test_without_a_provider_the_setting_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings) as caught:
        embedder_from(settings(LlmSettings.model_validate(given)))
    problem = caught.value.problem
    assert "meaning-1" in problem.message
    assert "retrieval.embedding_model" in problem.hint
    assert "llm.provider" in problem.hint


def test_a_provider_without_a_key_is_told_as_for_the_language_model() -> None:
    with pytest.raises(MissingDependency) as caught:
        embedder_from(settings(LlmSettings(provider="openai")))
    assert "OPENAI_API_KEY" in caught.value.problem.hint
