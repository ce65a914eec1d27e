"""GRACE by REST: verdicts, where a source stands, calibration."""

from collections.abc import Generator
from typing import Any

import httpx
import pytest

from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_problems import check
from tests.unit.api.workflows import WORKFLOWS
from tests.workflows.answers import Answers

CALIBRATION = "/api/v1/grace/calibration"


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    folder = tmp_path_factory.mktemp("answering") / "workspace"
    with serving(folder, requires_token=True, workflows=(Answers(), *WORKFLOWS)) as server:
        yield server


@pytest.fixture
def client(answering: Server) -> Generator[httpx.Client]:
    with answering.client("aoki") as opened:
        yield opened


def _asked(client: httpx.Client, **given: Any) -> str:
    run = settled(client, start(client, "grace", **given)["run_id"])
    assert run["status"] == "succeeded", run["problem"]
    return run["run_id"]


def test_a_verdict_is_given_changed_and_taken_back(client: httpx.Client) -> None:
    address = f"/api/v1/grace/{_asked(client)}/feedback"
    assert client.get(address).json() == {"feedback": None}
    first = client.post(address, json={"verdict": "bad", "comment": "金額が違います"}).json()
    assert first["before"]["silent"] < first["after"]["silent"]
    assert "feedback" in first["after"]["told"]
    second = client.post(address, json={"verdict": "good"}).json()
    assert second["after"]["silent"] == first["before"]["silent"]
    kept = client.get(address).json()["feedback"]
    assert kept["verdict"] == "good"
    assert [each["comment"] for each in kept["earlier"]] == ["金額が違います"]
    gone = client.delete(address)
    assert (gone.status_code, gone.json()["feedback"]) == (200, None)
    check(client.delete(address), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"verdict": "perfect"},
        {"verdict": "good", "comment": "x" * 2_001},
        {"verdict": "good", "actor": "baba"},
    ],
)
def test_what_is_no_verdict_is_refused(client: httpx.Client, body: dict[str, Any]) -> None:
    address = f"/api/v1/grace/{_asked(client)}/feedback"
    check(client.post(address, json=body), 422, "INPUT_VALIDATION_FAILED")
    assert client.get(address).json() == {"feedback": None}


def test_a_question_without_an_answer_can_not_be_judged(client: httpx.Client) -> None:
    waiting = settled(client, start(client, "grace", asks=True)["run_id"])["run_id"]
    refused = client.post(f"/api/v1/grace/{waiting}/feedback", json={"verdict": "good"})
    check(refused, 409, "CONFLICT")


def test_a_source_is_shown_by_its_number(client: httpx.Client) -> None:
    address = f"/api/v1/grace/{_asked(client, kind='person')}/sources"
    place = client.get(f"{address}/1").json()
    assert place["problem"]["text_id"] == "grace_source_of_person"
    assert place["text"] == place["citation"]["quote"]
    check(client.get(f"{address}/2"), 404, "NOT_FOUND")
    check(client.get(f"{address}/0"), 422, "INPUT_VALIDATION_FAILED")


def test_other_thresholds_are_tried_and_nothing_is_set(
    answering: Server, client: httpx.Client
) -> None:
    _asked(client, score=0.85, question="試す質問")
    with answering.client("baba") as other:
        _asked(other, score=0.85, question="他人の質問")
    proposed = {"silent": 0.8, "notify": 0.6, "confirm": 0.3}
    tried = client.post(f"{CALIBRATION}/what-if", json=proposed)
    assert tried.status_code == 200, tried.text
    newest = tried.json()["questions"][0]
    assert (newest["question"], newest["level_then"], newest["level"]) == (
        "試す質問",
        "notify",
        "silent",
    )
    assert "他人の質問" not in tried.text
    assert client.get(CALIBRATION).json()["configured"]["silent"] == 0.9
    for wrong in (
        {"silent": 0.5, "notify": 0.6, "confirm": 0.3},
        {"silent": 2, "notify": 0.6, "confirm": 0.3},
        {"silent": 0.9, "notify": 0.6},
    ):
        refused = client.post(f"{CALIBRATION}/what-if", json=wrong)
        check(refused, 422, "INPUT_VALIDATION_FAILED")
    no_number = b'{"silent": NaN, "notify": 0.6, "confirm": 0.3}'
    headers = {"Content-Type": "application/json"}
    refused = client.post(f"{CALIBRATION}/what-if", content=no_number, headers=headers)
    check(refused, 422, "INPUT_VALIDATION_FAILED")


@pytest.mark.parametrize("comment", [r"\ud800", r"\u0000", "'; DROP TABLE runs; --", "<b>太字</b>"])
def test_whatever_a_comment_says_it_is_kept_as_text(client: httpx.Client, comment: str) -> None:
    address = f"/api/v1/grace/{_asked(client)}/feedback"
    body = f'{{"verdict": "good", "comment": "理由{comment}"}}'.encode()
    given = client.post(address, content=body, headers={"Content-Type": "application/json"})
    assert given.status_code in (200, 422), given.text
    if given.status_code == 200:
        assert client.get(address).json()["feedback"]["comment"].startswith("理由")


def test_a_token_reads_the_calibration_and_changes_nothing(client: httpx.Client) -> None:
    report = client.get(CALIBRATION).json()
    assert not report["may_change"]
    assert report["versions"][-1]["in_use"]
    refused = client.post(f"{CALIBRATION}/fit", json={"kind": "logistic"})
    assert "sanbo calibration fit" in check(refused, 403, "PERMISSION_DENIED")["hint"]
    used = client.post(f"{CALIBRATION}/use", json={"version": report["version"]})
    check(used, 403, "PERMISSION_DENIED")


def test_the_person_at_the_machine_is_told_what_is_missing(local: Server) -> None:
    with local.client() as client:
        assert client.get(CALIBRATION).json()["may_change"]
        check(client.post(f"{CALIBRATION}/fit", json={}), 409, "CONFLICT")
        unknown = client.post(f"{CALIBRATION}/use", json={"version": "x"})
        check(unknown, 404, "NOT_FOUND")
        check(
            client.post(f"{CALIBRATION}/fit", json={"kind": "cubic"}),
            422,
            "INPUT_VALIDATION_FAILED",
        )
