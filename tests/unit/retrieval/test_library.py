"""Collections on servers, through the same front door as embedded ones."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sanbo.kernel.problems import Conflict, InvalidSettings, MissingDependency, NotFound
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.service.collections import Collections, open_collections
from sanbo.settings import load_settings
from tests.azure_search import AzureSearch
from tests.qdrant_server import QdrantServer
from tests.unit.retrieval.test_azure import MANUALS, MAPPING, manual


@contextmanager
def _shelf(workspace: Path, retrieval: RetrievalSettings) -> Generator[Collections]:
    settings = load_settings(workspace, {}).model_copy(update={"retrieval": retrieval})
    with open_collections(settings) as shelf:
        yield shelf


def _names(shelf: Collections, query: str) -> set[str]:
    return {hit.document_name for hit in shelf.search("社内", query, limit=50)}


@pytest.mark.parametrize("engine", ["qdrant", "azure"])
def test_a_server_keeps_a_collection_as_the_workspace_does(
    engine: str, tmp_path: Path, folder: Path
) -> None:
    with QdrantServer() as qdrant, AzureSearch() as azure:
        retrieval = (qdrant if engine == "qdrant" else azure).settings()
        with _shelf(tmp_path / "w", retrieval) as shelf:
            outcomes = list(shelf.index_paths("社内", [folder]))
            assert {outcome.status for outcome in outcomes} == {"added"}
            assert shelf.search("社内", "秘密情報を第三者に開示")[0].text.startswith("第二条")
            (folder / "契約" / "業務委託.md").write_text(
                "# 契約\n\n報酬は80万円とする。\n", "utf-8"
            )
            list(shelf.index_paths("社内", [folder]))
            texts = [hit.text for hit in shelf.search("社内", "報酬", limit=50)]
            assert any("80万円" in text for text in texts)
            assert not any("50万円" in text for text in texts)
        with _shelf(tmp_path / "w", retrieval) as shelf:
            assert shelf.info("社内").engine == engine
            assert "共有/売上.csv" in _names(shelf, "大阪の売上")
            shelf.delete("社内")
            assert shelf.all() == []


def test_two_workspaces_with_the_same_name_on_one_server_do_not_meet(
    tmp_path: Path, folder: Path
) -> None:
    with QdrantServer() as server:
        with _shelf(tmp_path / "a", server.settings()) as shelf:
            list(shelf.index_paths("社内", [folder / "売上.csv"]))
        with _shelf(tmp_path / "b", server.settings()) as shelf:
            list(shelf.index_paths("社内", [folder / "契約"]))
            assert "売上.csv" not in _names(shelf, "大阪 売上")
            shelf.delete("社内")
        with _shelf(tmp_path / "a", server.settings()) as shelf:
            assert _names(shelf, "大阪 売上") == {"売上.csv"}


def test_an_azure_index_that_others_keep_is_searched_and_never_changed(
    tmp_path: Path, folder: Path
) -> None:
    with AzureSearch() as azure:
        azure.create(MANUALS, [manual(1, "複合機の紙詰まりの直し方"), manual(2, "トナー交換")])
        with _shelf(tmp_path / "w", azure.settings(azure_fields=MAPPING)) as shelf:
            hit = shelf.search("manuals", "紙詰まり")[0]
            assert (hit.document_name, hit.position.page) == ("手引き.pdf", 1)
            with pytest.raises(Conflict) as caught:
                list(shelf.index_paths("manuals", [folder]))
            assert caught.value.problem.text_id == "collection_read_only"
            with pytest.raises(NotFound):
                shelf.search("manual", "紙詰まり")
            shelf.delete("manuals")
            assert shelf.search("manuals", "紙詰まり")


@pytest.mark.parametrize("engine", ["qdrant", "azure"])
def test_settings_that_do_not_suffice_make_no_collection(engine: str, tmp_path: Path) -> None:
    retrieval = RetrievalSettings.model_validate({"engine": engine})
    with _shelf(tmp_path / "w", retrieval) as shelf:
        with pytest.raises(MissingDependency):
            shelf.index_paths("社内", [])
        assert shelf.all() == []


def test_a_collection_made_with_another_embedding_model_says_so(
    tmp_path: Path, folder: Path
) -> None:
    workspace = tmp_path / "w"
    with _shelf(workspace, RetrievalSettings()) as shelf:
        list(shelf.index_paths("社内", [folder]))
    # Made without: a model that is set later changes nothing about it.
    with _shelf(workspace, RetrievalSettings(embedding_model="m")) as shelf:
        assert shelf.search("社内", "秘密保持")
        with pytest.raises(InvalidSettings):
            shelf.index_paths("新", [])  # no provider for the model
