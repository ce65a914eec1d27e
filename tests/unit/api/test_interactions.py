"""Answers over HTTP: taken once, checked first; what does not fit changes nothing."""

from typing import Any

import pytest

from tests.unit.api.serving import Server, journal, settled, start

UNFIT: list[Any] = [
    {},
    {"approved": "maybe"},
    {"approved": True, "accountt": "旅費"},
    [],
    "yes",
    None,
]


def test_the_open_question_is_answered_by_its_id(local: Server, waiting_run: Any) -> None:
    run_id = waiting_run["run_id"]
    with local.client() as client:
        listed = client.get(f"/api/v1/runs/{run_id}/interactions").json()
        (question,) = listed["open"]
        address = f"/api/v1/runs/{run_id}/interactions/{question['interaction_id']}/answer"
        answered = client.post(address, json={"approved": True, "reason": "出張のため"})
        assert answered.status_code == 200
        assert settled(client, run_id)["result"]["approved"] is True
        listed = client.get(f"/api/v1/runs/{run_id}/interactions").json()
    assert listed["open"] == []
    (answer,) = listed["answered"]
    assert answer["by"] == "local"
    assert answer["answer"]["reason"] == "出張のため"
    assert answer["interaction"]["interaction_id"] == question["interaction_id"]


def test_an_answer_that_does_not_fit_changes_nothing(local: Server, waiting_run: Any) -> None:
    run_id = waiting_run["run_id"]
    with local.client() as client:
        before = journal(client, run_id)
        for answer in UNFIT:
            refused = client.post(f"/api/v1/runs/{run_id}/answer", json=answer)
            assert refused.status_code == 422, answer
            assert refused.json()["code"] == "INPUT_VALIDATION_FAILED"
        assert client.post(f"/api/v1/runs/{run_id}/answer").status_code == 422
        assert journal(client, run_id) == before
        assert client.get(f"/api/v1/runs/{run_id}").json()["status"] == "waiting"


def test_a_repeated_answer_is_refused(local: Server, waiting_run: Any) -> None:
    run_id = waiting_run["run_id"]
    (question,) = waiting_run["open_interactions"]
    address = f"/api/v1/runs/{run_id}/interactions/{question['interaction_id']}/answer"
    with local.client() as client:
        assert client.post(address, json={"approved": True}).status_code == 200
        settled(client, run_id)
        before = journal(client, run_id)
        for again in (address, f"/api/v1/runs/{run_id}/answer"):
            refused = client.post(again, json={"approved": False})
            assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")
        assert journal(client, run_id) == before


def test_a_stale_answer_is_not_taken_for_the_next_question(local: Server) -> None:
    with local.client() as client:
        run = settled(client, start(client, "approval", topic="備品")["run_id"])
        (first,) = run["open_interactions"]
        stale = f"/api/v1/runs/{run['run_id']}/interactions/{first['interaction_id']}/answer"
        client.post(stale, json={"approved": False})
        run = settled(client, run["run_id"])
        (second,) = run["open_interactions"]
        assert second["interaction_id"] != first["interaction_id"]
        before = journal(client, run["run_id"])
        assert client.post(stale, json={"approved": True}).status_code == 409
        assert journal(client, run["run_id"]) == before


@pytest.mark.parametrize("interaction_id", ["nothing", "a/b/c", "%2e%2e", "承認"])
def test_an_answer_to_a_foreign_question_is_refused(
    local: Server, waiting_run: Any, interaction_id: str
) -> None:
    run_id = waiting_run["run_id"]
    with local.client() as client:
        before = journal(client, run_id)
        address = f"/api/v1/runs/{run_id}/interactions/{interaction_id}/answer"
        refused = client.post(address, json={"approved": True})
        assert (refused.status_code, refused.json()["code"]) == (404, "NOT_FOUND")
        assert journal(client, run_id) == before
