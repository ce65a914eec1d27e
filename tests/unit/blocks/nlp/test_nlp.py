"""Texts in pieces, in short, and as vectors."""

from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.block import BlockContext, Given
from sanbo.blocks.contract.schemas import check_inputs, typed_inputs
from sanbo.blocks.nlp.chunk_texts import ChunkTexts
from sanbo.blocks.nlp.summarize_structured import SummarizeStructured
from sanbo.evidence.passages_given import tokens_of
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef, JsonObject, Run, Status
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.examples import examples
from tests.scripted_model import Json, ScriptedModel
from tests.scripted_model.replies import Vectors
from tests.unit.blocks.one_block import CATALOG, begin, by_rules, on_bench, outputs

MINUTES = """\
# 業務改善会議 議事録

会議では、来年度の予算案を承認した。予算案の総額は1,200万円である。
予算案のうち、教育費は前年より2割増やす。
天気がよかった。
次回の会議は10月15日に開き、予算案の執行状況を確認する。
"""


class OneFile:
    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    def read(self, file: FileRef) -> bytes:
        return self.data


def chunks_of(data: bytes = b"", **values: Any) -> list[dict[str, Any]]:
    context = BlockContext(language="ja", files=OneFile(data), node="n", idempotency_key="k")
    spec = CATALOG.resolve("nlp.chunk_texts")
    typed = typed_inputs(ChunkTexts, spec, check_inputs(spec, values))
    return ChunkTexts().run(cast("Given", typed), context)["chunks"]


@settings(max_examples=examples(40))
@given(
    st.text(alphabet="あ亜a1。、.\n \t", max_size=300),
    st.sampled_from(["structure", "sentence", "paragraph", "fixed"]),
    st.integers(20, 60),
    st.integers(0, 15),
)
def test_no_letter_is_lost_and_no_piece_is_too_long(
    text: str, strategy: str, most: int, overlap: int
) -> None:
    made = chunks_of(
        texts=[text],
        strategy=strategy,
        max_tokens=most,
        overlap_tokens=overlap,
        normalize_whitespace=False,
    )
    covered = {place for each in made for place in range(each["start"], each["end"])}
    for place, letter in enumerate(text):
        assert letter.isspace() or place in covered
    for each in made:
        assert each["text"] == text[each["start"] : each["end"]]
        assert tokens_of(each["text"]) <= most


def test_pieces_overlap_where_asked() -> None:
    text = "".join(f"これは{number}番目の文です。" for number in range(20))
    made = chunks_of(texts=[text], strategy="sentence", max_tokens=50, overlap_tokens=20)
    assert len(made) > 3
    for before, after in pairwise(made):
        assert after["start"] < before["end"]


def test_files_and_named_texts_keep_their_names(tmp_path: Path) -> None:
    file = {"file_id": "0" * 64, "name": "規程.md", "size": 1}
    made = chunks_of(
        MINUTES.encode(),
        files=[file],
        texts=[{"id": "t1", "text": "短い文。"}],
        strategy="structure",
        normalize_whitespace=False,
    )
    assert made[0]["source"] == "t1"
    assert made[1]["source"] == "規程.md"
    assert "業務改善会議 議事録" in made[1]["headings"]
    told = chunks_of(files=[{"path": "a/b.txt", "text_excerpt": "本文です。"}])
    assert (told[0]["source"], told[0]["text"]) == ("a/b.txt", "本文です。")


def test_needless_white_space_is_taken_out_where_asked() -> None:
    [made] = chunks_of(texts=["請求\u3000  金額\n\n\n\n 合計 "], normalize_whitespace=True)
    assert made["text"] == "請求 金額\n\n合計"


def test_an_overlap_as_long_as_a_piece_is_a_problem() -> None:
    with pytest.raises(InvalidInput) as refused:
        chunks_of(texts=["a"], max_tokens=20, overlap_tokens=20)
    assert "overlap_tokens" in refused.value.problem.message


def test_without_a_provider_vectors_are_of_terms_and_it_is_said(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> dict[str, Any]:
        texts: list[Any] = ["請求書の発行", "請求書の発行日", "社員旅行の写真"]
        return outputs(await begin(bench, "nlp.embed_texts", {"texts": texts}))

    made = on_bench(by_rules(tmp_path / "w"), work)
    assert made["summary"] == {
        "count": 3,
        "method": "sparse_terms",
        "model": None,
        "dimensions": None,
    }
    first, second, third = (
        dict(zip(each["indices"], each["values"], strict=True)) for each in made["vectors"]
    )

    def alike(one: dict[int, float], other: dict[int, float]) -> float:
        return sum(value * other.get(index, 0.0) for index, value in one.items())

    assert alike(first, first) == pytest.approx(1.0)
    assert alike(first, second) > 0.7
    assert alike(first, third) < 0.4
    assert made["items"][1]["embedding"] == made["vectors"][1]


def test_with_a_provider_vectors_are_of_meaning(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        script.otherwise(Vectors(([3.0, 4.0],)))
        llm = script.settings(max_attempts=1)
        chosen = load_settings(tmp_path / "w", {}).model_copy(update={"llm": llm})

        async def work(bench: Workbench) -> dict[str, Any]:
            given: JsonObject = {
                "chunks": [{"id": "c", "text": "請求書"}],
                "provider_model": "embed-1",
            }
            return outputs(await begin(bench, "nlp.embed_texts", given))

        made = on_bench(chosen, work)
    assert made["vectors"] == [[0.6, 0.8]]
    assert made["items"][0]["id"] == "c"
    assert made["summary"]["method"] == "embedding_model"
    assert made["summary"]["dimensions"] == 2


def test_an_empty_text_has_no_vector(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await begin(bench, "nlp.embed_texts", {"texts": ["a", " "]})

    run = on_bench(by_rules(tmp_path / "w"), work)
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert run.problem.hint


def test_a_summary_by_rules_is_made_of_the_documents_own_sentences(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> dict[str, Any]:
        given: JsonObject = {
            "evidence_data": MINUTES,
            "prompt": "要約してください。",
            "output_schema": {"title": "string", "summary": "string", "points": ["string"]},
        }
        return outputs(await begin(bench, "nlp.summarize_structured", given))

    made = on_bench(by_rules(tmp_path / "w"), work)
    results = made["results"]
    assert "議事録" in results["title"]
    assert "予算案を承認した" in results["summary"]
    assert "天気" not in results["summary"]
    assert len(results["points"]) >= 3
    assert all(point.rstrip("。") in MINUTES for point in results["points"])
    assert made["summary"]["method"] == "extractive"


def test_a_model_sums_up_in_the_plans_fields(tmp_path: Path) -> None:
    with ScriptedModel() as script:
        script.replies(Json({"records": [{"要約": "予算案を承認した。"}], "quotes": []}))
        llm = script.settings(max_attempts=1)
        chosen = load_settings(tmp_path / "w", {}).model_copy(update={"llm": llm})

        async def work(bench: Workbench) -> dict[str, Any]:
            given: JsonObject = {"evidence_data": MINUTES, "output_schema": {"要約": "string"}}
            return outputs(await begin(bench, "nlp.summarize_structured", given))

        made = on_bench(chosen, work)
    assert made["results"]["要約"] == "予算案を承認した。"
    assert made["summary"]["method"] == "model"


def test_the_outline_of_a_summary_has_its_fields() -> None:
    schema: Any = {"title": "string", "points": ["string"]}
    closer: Any = SummarizeStructured.outline({"output_schema": schema})["results"]
    assert set(closer["properties"]) == {"title", "points"}
