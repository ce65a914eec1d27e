"""The same research over a Qdrant server, over Azure AI Search, and over an index of others."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from sanbo.agents.research.model import ResearchResult
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.service.access import LOCAL
from sanbo.service.collections import CitationPlace
from sanbo.service.research import citation_place
from sanbo.service.workbench import Workbench
from tests.azure_search import AzureSearch
from tests.qdrant_server import QdrantServer
from tests.unit.agents.research.researching import (
    ALLOWANCE,
    index,
    on_bench,
    research,
    researched,
    result_of,
    rules,
)
from tests.unit.retrieval.test_azure import MANUALS, MAPPING, manual


@contextmanager
def _qdrant() -> Generator[RetrievalSettings]:
    with QdrantServer() as server:
        yield server.settings()


@contextmanager
def _azure() -> Generator[RetrievalSettings]:
    with AzureSearch(visible_after=0.02) as azure:
        yield azure.settings()


@pytest.mark.parametrize("backend", [_qdrant, _azure], ids=["qdrant", "azure"])
def test_a_research_is_the_same_on_every_engine(
    backend: Callable[[], AbstractContextManager[RetrievalSettings]],
    tmp_path: Path,
    workspace: Path,
) -> None:
    here = researched(rules(workspace)).result
    with backend() as retrieval:
        settings = rules(tmp_path / "other").model_copy(update={"retrieval": retrieval})
        index(settings)
        outcome = researched(settings)
    result = outcome.result
    assert result["answered"]
    [citation] = result["citations"]
    assert (citation["quote"], citation["verified"]) == (ALLOWANCE, True)
    assert result["stop_reason"] == here["stop_reason"]
    # What is the engine's own is its score; a relevance means the same everywhere.
    relevance = here["citations"][0]["score"]
    assert citation["score"] == pytest.approx(relevance, abs=0.1)


def test_an_azure_index_that_others_keep_is_researched_too(tmp_path: Path) -> None:
    with AzureSearch() as azure:
        azure.create(MANUALS, [manual(1, f"手当について。{ALLOWANCE}"), manual(2, "トナー交換")])
        retrieval = azure.settings(azure_fields=MAPPING)
        settings = rules(tmp_path).model_copy(update={"retrieval": retrieval})
        result, place = on_bench(settings, _cited)
    [citation] = result.citations
    assert (citation.document, citation.page, citation.verified) == ("手引き.pdf", 1, True)
    assert citation.quote in ALLOWANCE
    assert place.problem is not None
    assert place.problem.text_id == "citation_document_elsewhere"
    assert place.text == citation.quote


async def _cited(bench: Workbench) -> tuple[ResearchResult, CitationPlace]:
    run = await research(bench, collection="manuals")
    return result_of(run), await citation_place(bench, LOCAL, run.run_id, 1)
