"""Research by REST: notes by session, and where a citation stands, then and now."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.unit.api.researching import COLLECTION, QUESTION, researched
from tests.unit.api.serving import Server, settled, start
from tests.unit.api.test_problems import check


@pytest.fixture
def client(researching: Server) -> Generator[httpx.Client]:
    with researching.client("aoki") as opened:
        yield opened


@pytest.fixture(scope="module")
def run(researching: Server) -> dict[str, Any]:
    with researching.client("aoki") as client:
        return researched(client)


def _notes(client: httpx.Client, session: str) -> list[dict[str, Any]]:
    response = client.get("/api/v1/research/notes", params={"session": session})
    assert response.status_code == 200, response.text
    return response.json()["notes"]


def test_the_notes_of_a_session_tell_what_each_step_did(
    client: httpx.Client, run: dict[str, Any]
) -> None:
    notes = _notes(client, run["conversation_id"])
    assert [note["node_name"] for note in notes][:2] == ["retrieve", "decide"]
    assert notes[-1]["node_name"] == "answer"
    assert {note["run_id"] for note in notes} == {run["run_id"]}
    assert QUESTION in notes[0]["queries"]
    assert {"chunk_id", "document", "score", "relevance"} == notes[0]["retrieved_docs"][0].keys()
    assert notes[1]["decision_reason"]
    assert notes[-1]["final_report"] == run["result"]["report_md"]


def test_notes_hold_no_personal_data_of_the_question(client: httpx.Client) -> None:
    question = "在宅勤務手当はいくらですか。返事は sato@example.com か 090-1234-5678 へ"
    run = researched(client, question)
    text = str(_notes(client, run["conversation_id"]))
    assert "sato" not in text
    assert "1234" not in text
    assert "[phone number]" in text


def test_a_session_is_its_owners_alone(
    researching: Server, client: httpx.Client, run: dict[str, Any]
) -> None:
    session = run["conversation_id"]
    citation = f"/api/v1/research/{run['run_id']}/citations/1"
    with researching.client("baba") as other:
        refused = check(
            other.get("/api/v1/research/notes", params={"session": session}), 404, "NOT_FOUND"
        )
        none = check(
            other.get("/api/v1/research/notes", params={"session": "conv_x"}), 404, "NOT_FOUND"
        )
        assert refused["message"].replace(session, "") == none["message"].replace("conv_x", "")
        check(other.delete(f"/api/v1/research/notes/{session}"), 404, "NOT_FOUND")
        check(other.get(citation), 404, "NOT_FOUND")
    assert _notes(client, session)


def test_a_sessions_notes_are_deleted_at_once_and_its_runs_stay(client: httpx.Client) -> None:
    first = researched(client)
    session = first["conversation_id"]
    given = {"question": "国内出張の日当はいくらですか", "collection": COLLECTION}
    asked = {"workflow": "research", "input": given, "conversation_id": session}
    second = client.post("/api/v1/runs", json=asked).json()
    settled(client, second["run_id"])
    before = _notes(client, session)
    assert {note["run_id"] for note in before} == {first["run_id"], second["run_id"]}
    deleted = client.delete(f"/api/v1/research/notes/{session}")
    assert deleted.json() == {"deleted": len(before)}
    assert _notes(client, session) == []
    kept = client.get(f"/api/v1/runs/{first['run_id']}").json()
    assert kept["result"]["report_md"]


def test_notes_go_with_the_runs_of_their_session(client: httpx.Client) -> None:
    run = researched(client)
    assert client.delete(f"/api/v1/runs/{run['run_id']}").status_code == 204
    gone = client.get("/api/v1/research/notes", params={"session": run["conversation_id"]})
    check(gone, 404, "NOT_FOUND")


def test_a_citation_is_shown_where_it_stands(client: httpx.Client, run: dict[str, Any]) -> None:
    place = client.get(f"/api/v1/research/{run['run_id']}/citations/1").json()
    quote = run["result"]["citations"][0]["quote"]
    assert "5,000円" in quote
    assert place["text"][place["start"] : place["end"]] == quote == place["citation"]["quote"]
    assert "第4条" in place["after"]
    assert place["problem"] is None


@pytest.mark.parametrize("number", ["99", "0", "x"])
def test_a_number_that_is_not_in_the_report_is_a_problem(
    client: httpx.Client, run: dict[str, Any], number: str
) -> None:
    response = client.get(f"/api/v1/research/{run['run_id']}/citations/{number}")
    code = "NOT_FOUND" if number == "99" else "INPUT_VALIDATION_FAILED"
    check(response, 404 if number == "99" else 422, code)


def test_a_run_of_another_workflow_has_no_citations(client: httpx.Client) -> None:
    run = settled(client, start(client, "papers")["run_id"])
    check(client.get(f"/api/v1/research/{run['run_id']}/citations/1"), 404, "NOT_FOUND")


def test_a_quote_is_still_shown_after_its_document_was_changed_moved_or_deleted(
    researching: Server, client: httpx.Client, tmp_path: Path
) -> None:
    source = tmp_path / "休暇規程.txt"
    line = "夏季休暇は、7月から9月までの間に5日を与える。"
    collections = researching.workbench.collections

    def index(text: str) -> None:
        source.write_text(text, "utf-8")
        outcomes = list(collections.index_paths("休暇", [source]))
        assert [outcome.status for outcome in outcomes] in (["added"], ["replaced"])

    index(f"{line}\n")
    asked = start(client, "research", question="夏季休暇は何日ですか", collection="休暇")
    run = settled(client, asked["run_id"])
    address = f"/api/v1/research/{run['run_id']}/citations/1"
    quote = client.get(address).json()["citation"]["quote"]
    assert "5日" in quote

    index(f"この規程は、休暇について定める。\n\n附則は別に定める。\n\n{line}\n")
    moved = client.get(address).json()
    assert moved["problem"] is None
    assert moved["text"][moved["start"] : moved["end"]] == quote
    assert moved["position"]["start"] + moved["start"] > 0

    index("夏季休暇は廃止する。\n")
    changed = client.get(address).json()
    assert changed["problem"]["text_id"] == "citation_document_changed"
    assert "休暇規程.txt" in changed["problem"]["message"]
    assert changed["text"][changed["start"] : changed["end"]] == quote
    assert changed["position"] is None

    collections.delete("休暇")
    gone = client.get(address, headers={"Accept-Language": "ja"}).json()
    assert gone["problem"]["text_id"] == "citation_document_gone"
    assert "削除されています" in gone["problem"]["message"]
    assert gone["text"] == quote
