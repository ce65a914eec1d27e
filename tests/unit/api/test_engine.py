"""Who thinks is chosen and tried here; a key lives in memory and stands in no file or answer."""

from pathlib import Path

import pytest

from tests.scripted_model import ScriptedModel, Text, UnknownModel
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_problems import check

KEY = "typed-here-and-nowhere-kept-4711"


def test_a_model_is_tried_chosen_and_used_and_its_key_is_written_nowhere(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    with (
        ScriptedModel(KEY) as model,
        serving(workspace, requires_token=False) as server,
        server.client() as client,
    ):
        address = model.environment()["OPENAI_BASE_URL"]
        choice = {"provider": "openai", "model": "mine", "address": address, "key": KEY}
        model.replies(UnknownModel(), Text("ok"))
        refused = client.post("/api/v1/engine/test", json=choice).json()
        assert not refused["works"]
        assert refused["problem"]["hint"]
        assert client.post("/api/v1/engine/test", json=choice).json()["works"]
        assert client.get("/api/v1/engine").json()["engine"]["provider"] == "rules"

        chosen = client.put("/api/v1/engine", json=choice)
        assert chosen.json()["engine"]["model"] == "mine"
        again = client.put("/api/v1/engine", json=choice | {"model": "other", "key": None})
        assert again.json()["engine"]["model"] == "other"  # with the key that is there
        run = settled(client, start(client, "papers")["run_id"])
        assert run["engine"]["model"] == "other"
        for answer in (chosen.text, again.text, client.get("/api/v1/engine").text, str(run)):
            assert KEY not in answer
    for file in workspace.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("verb", ["put", "post"])
def test_bearers_of_tokens_choose_nobody(guarded: Server, verb: str) -> None:
    with guarded.client("aoki") as client:
        path = "/api/v1/engine" if verb == "put" else "/api/v1/engine/test"
        check(client.request(verb, path, json={"provider": "rules"}), 403, "PERMISSION_DENIED")
        assert not client.get("/api/v1/engine").json()["may_change"]
        assert client.get("/api/v1/about/checks").json() == {"checks": []}


def test_what_does_not_suffice_is_refused_and_nothing_changes(local: Server) -> None:
    with local.client() as client:
        before = client.get("/api/v1/engine").json()
        check(
            client.put("/api/v1/engine", json={"provider": "nobody"}),
            422,
            "INPUT_VALIDATION_FAILED",
        )
        assert client.put("/api/v1/engine", json={"provider": "openai"}).status_code >= 400
        assert client.get("/api/v1/engine").json() == before
        names = {each["name"] for each in client.get("/api/v1/about/checks").json()["checks"]}
        assert {"python", "database", "sandbox"} <= names
