"""A token's runs are invisible to other tokens, and nothing works without one."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from sanbo.api.app import create_api
from sanbo.service.triggers import NewTrigger
from tests.unit.api.serving import Server, journal, settled, start
from tests.unit.api.test_problems import check


@dataclass(frozen=True)
class Belongings:
    """What Aoki has: a run that waits, one with an artifact, a file; and what Aoki has indexed."""

    waiting: str
    question: str
    finished: str
    session: str
    artifact: str
    file: dict[str, Any]
    passage: str
    document: str
    trigger: str


@pytest.fixture(scope="module")
def belongings(guarded: Server) -> Belongings:
    with guarded.client("aoki") as client:
        waiting = settled(client, start(client, "expenses", title="出張")["run_id"])
        finished = settled(client, start(client, "papers")["run_id"])
        hits = _indexed(client, "規程") + _indexed(client, "不要")
        return Belongings(
            waiting=waiting["run_id"],
            question=waiting["open_interactions"][0]["interaction_id"],
            finished=finished["run_id"],
            session=finished["conversation_id"],
            artifact=finished["artifacts"][0]["artifact_id"],
            file=client.post("/api/v1/files", files={"file": ("秘.txt", b"x")}).json(),
            passage=hits[0]["chunk_id"],
            document=hits[1]["document_id"],
            trigger=_trigger(guarded),
        )


def _trigger(guarded: Server) -> str:
    """Of Aoki; this server has no plans that could be checked."""
    store = guarded.workbench.triggers._store
    return store.add(NewTrigger.model_validate(TRIGGER), "aoki", 0).trigger_id


def _indexed(client: httpx.Client, collection: str) -> list[dict[str, Any]]:
    sent = {"file": (f"{collection}.txt", "旅費の規程".encode())}
    files = [client.post("/api/v1/files", files=sent).json()]
    address = f"/api/v1/collections/{collection}"
    assert client.post(f"{address}/documents", json={"files": files}).status_code == 200
    return client.get(f"{address}/search?q=旅費").json()["hits"]


Call = Callable[[httpx.Client, Belongings], httpx.Response]

# Every operation of the API: who is not the owner gets 404, or, where nothing is named that
# could be somebody's, an answer with nothing of anybody else in it.
HIDDEN: dict[str, Call] = {
    "GET /v1/runs/{run_id}": lambda c, b: c.get(f"/api/v1/runs/{b.waiting}"),
    "DELETE /v1/runs/{run_id}": lambda c, b: c.delete(f"/api/v1/runs/{b.waiting}"),
    "GET /v1/runs/{run_id}/correction": lambda c, b: c.get(f"/api/v1/runs/{b.waiting}/correction"),
    "POST /v1/runs/{run_id}/cancel": lambda c, b: c.post(f"/api/v1/runs/{b.waiting}/cancel"),
    "POST /v1/runs/{run_id}/resume": lambda c, b: c.post(f"/api/v1/runs/{b.waiting}/resume"),
    "POST /v1/runs/{run_id}/replay": lambda c, b: c.post(
        f"/api/v1/runs/{b.waiting}/replay", json={"step": ["add"]}
    ),
    "GET /v1/runs/{run_id}/report": lambda c, b: c.get(f"/api/v1/runs/{b.waiting}/report"),
    "GET /v1/runs/{run_id}/parts": lambda c, b: c.get(f"/api/v1/runs/{b.waiting}/parts"),
    "GET /v1/runs/{run_id}/events": lambda c, b: c.get(f"/api/v1/runs/{b.waiting}/events"),
    "GET /v1/runs/{run_id}/journal": lambda c, b: c.get(f"/api/v1/runs/{b.waiting}/journal"),
    "GET /v1/runs/{run_id}/interactions": lambda c, b: c.get(
        f"/api/v1/runs/{b.waiting}/interactions"
    ),
    "POST /v1/runs/{run_id}/interactions/{interaction_id:path}/answer": lambda c, b: c.post(
        f"/api/v1/runs/{b.waiting}/interactions/{b.question}/answer", json={"approved": True}
    ),
    "POST /v1/runs/{run_id}/answer": lambda c, b: c.post(
        f"/api/v1/runs/{b.waiting}/answer", json={"approved": True}
    ),
    "GET /v1/runs/{run_id}/artifacts": lambda c, b: c.get(f"/api/v1/runs/{b.finished}/artifacts"),
    "GET /v1/runs/{run_id}/artifacts/{artifact_id}": lambda c, b: c.get(
        f"/api/v1/runs/{b.finished}/artifacts/{b.artifact}"
    ),
    "GET /v1/comparison/{run_id}/view": lambda c, b: c.get(f"/api/v1/comparison/{b.finished}/view"),
    "GET /v1/research/notes": lambda c, b: c.get(f"/api/v1/research/notes?session={b.session}"),
    "DELETE /v1/research/notes/{session}": lambda c, b: c.delete(
        f"/api/v1/research/notes/{b.session}"
    ),
    "GET /v1/research/{run_id}/citations/{number}": lambda c, b: c.get(
        f"/api/v1/research/{b.finished}/citations/1"
    ),
    "GET /v1/grace/{run_id}/feedback": lambda c, b: c.get(f"/api/v1/grace/{b.finished}/feedback"),
    "POST /v1/grace/{run_id}/feedback": lambda c, b: c.post(
        f"/api/v1/grace/{b.finished}/feedback", json={"verdict": "good"}
    ),
    "DELETE /v1/grace/{run_id}/feedback": lambda c, b: c.delete(
        f"/api/v1/grace/{b.finished}/feedback"
    ),
    "GET /v1/grace/{run_id}/sources/{number}": lambda c, b: c.get(
        f"/api/v1/grace/{b.finished}/sources/1"
    ),
    "GET /v1/plans/runs/{run_id}/graph": lambda c, b: c.get(
        f"/api/v1/plans/runs/{b.finished}/graph"
    ),
    "POST /v1/plans/presets": lambda c, b: c.post(
        "/api/v1/plans/presets", json={"run_id": b.waiting, "name": "月次"}
    ),
    "GET /v1/triggers/{trigger_id}": lambda c, b: c.get(f"/api/v1/triggers/{b.trigger}"),
    "PUT /v1/triggers/{trigger_id}": lambda c, b: c.put(
        f"/api/v1/triggers/{b.trigger}", json=TRIGGER
    ),
    "DELETE /v1/triggers/{trigger_id}": lambda c, b: c.delete(f"/api/v1/triggers/{b.trigger}"),
    "POST /v1/triggers/{trigger_id}/pause": lambda c, b: c.post(
        f"/api/v1/triggers/{b.trigger}/pause"
    ),
    "POST /v1/triggers/{trigger_id}/resume": lambda c, b: c.post(
        f"/api/v1/triggers/{b.trigger}/resume"
    ),
    "GET /v1/triggers/{trigger_id}/history": lambda c, b: c.get(
        f"/api/v1/triggers/{b.trigger}/history"
    ),
    # A file and a conversation of somebody else can't be used.
    "POST /v1/runs": lambda c, b: c.post(
        "/api/v1/runs", json={"workflow": "papers", "input": {"source": b.file}}
    ),
    "POST /v1/collections/{name}/documents": lambda c, b: c.post(
        "/api/v1/collections/規程/documents", json={"files": [b.file]}
    ),
    "POST /v1/analysis/preview": lambda c, b: c.post(
        "/api/v1/analysis/preview", json={"file": b.file}
    ),
}
# Collections belong to the workspace: whoever has a token sees and changes them.
COMMON: dict[str, Call] = {
    "GET /v1/collections": lambda c, _: c.get("/api/v1/collections"),
    "GET /v1/collections/{name}": lambda c, _: c.get("/api/v1/collections/規程"),
    "GET /v1/collections/{name}/documents": lambda c, _: c.get(
        "/api/v1/collections/規程/documents"
    ),
    "GET /v1/collections/{name}/search": lambda c, _: c.get(
        "/api/v1/collections/規程/search?q=旅費"
    ),
    "GET /v1/collections/{name}/places/{chunk_id}": lambda c, b: c.get(
        f"/api/v1/collections/規程/places/{b.passage}"
    ),
    "DELETE /v1/collections/{name}/documents/{document_id}": lambda c, b: c.delete(
        f"/api/v1/collections/不要/documents/{b.document}"
    ),
    "DELETE /v1/collections/{name}": lambda c, _: c.delete("/api/v1/collections/不要"),
}
READING = {"specs": [{"type": "plot", "kind": "bar", "x": "店"}], "step": 0, "path": ["/x"]}
TRIGGER = {"plan_id": "monthly_closing", "cause": {"kind": "webhook"}}
SAMPLE = {"plan_id": "monthly_closing"}
SHARED: dict[str, Call] = {
    "GET /v1/runs": lambda c, _: c.get("/api/v1/runs"),
    "POST /v1/runs/prune": lambda c, _: c.post("/api/v1/runs/prune", json={"days": 1}),
    "POST /v1/files": lambda c, _: c.post("/api/v1/files?name=a.txt", content=b"x"),
    "GET /v1/grace/calibration": lambda c, _: c.get("/api/v1/grace/calibration"),
    "POST /v1/grace/calibration/what-if": lambda c, _: c.post(
        "/api/v1/grace/calibration/what-if", json={"silent": 0.9, "notify": 0.7, "confirm": 0.4}
    ),
    "POST /v1/grace/calibration/fit": lambda c, _: c.post("/api/v1/grace/calibration/fit", json={}),
    "POST /v1/grace/calibration/use": lambda c, _: c.post(
        "/api/v1/grace/calibration/use", json={"version": "0"}
    ),
    # Plans belong to the workspace, too.
    "GET /v1/plans": lambda c, _: c.get("/api/v1/plans"),
    "POST /v1/plans": lambda c, _: c.post("/api/v1/plans", json={"text": "id: 試し"}),
    "POST /v1/plans/validate": lambda c, _: c.post("/api/v1/plans/validate", json=SAMPLE),
    "POST /v1/plans/dry-run": lambda c, _: c.post("/api/v1/plans/dry-run", json=SAMPLE),
    "GET /v1/plans/{plan_id:path}": lambda c, _: c.get("/api/v1/plans/monthly_closing"),
    "GET /v1/plans/{plan_id:path}/graph": lambda c, _: c.get("/api/v1/plans/monthly_closing/graph"),
    "GET /v1/plans/{plan_id:path}/parts": lambda c, _: c.get("/api/v1/plans/monthly_closing/parts"),
    "POST /v1/plans/{plan_id:path}/sample": lambda c, _: c.post("/api/v1/plans/nowhere/sample"),
    # Each token has triggers of its own; hooks have their own secrets.
    "GET /v1/triggers": lambda c, _: c.get("/api/v1/triggers"),
    "POST /v1/triggers": lambda c, _: c.post("/api/v1/triggers", json=TRIGGER),
    "POST /v1/plans/versions": lambda c, _: c.post("/api/v1/plans/versions", json=SAMPLE),
    "POST /v1/plans/versions/import": lambda c, _: c.post("/api/v1/plans/versions/import"),
    "POST /v1/plans/diff": lambda c, _: c.post(
        "/api/v1/plans/diff", json={"old": SAMPLE, "new": SAMPLE}
    ),
    "POST /v1/plans/diff/graph": lambda c, _: c.post(
        "/api/v1/plans/diff/graph", json={"old": SAMPLE, "new": SAMPLE}
    ),
    "GET /v1/plans/{plan_id:path}/versions": lambda c, _: c.get("/api/v1/plans/a/versions"),
    "GET /v1/plans/{plan_id:path}/versions/export": lambda c, _: c.get(
        "/api/v1/plans/a/versions/export"
    ),
    "POST /v1/plans/rename": lambda c, _: c.post(
        "/api/v1/plans/rename", json={"text": "id: a", "node": "a", "to": "b"}
    ),
    "POST /v1/plans/group": lambda c, _: c.post(
        "/api/v1/plans/group", json={"text": "id: a", "nodes": ["a"], "name": "b"}
    ),
    "POST /v1/plans/migrate": lambda c, _: c.post("/api/v1/plans/migrate", json={"text": "id: a"}),
    "GET /v1/plans/{plan_id:path}/presets": lambda c, _: c.get("/api/v1/plans/a/presets"),
    "DELETE /v1/plans/{plan_id:path}/presets/{name}": lambda c, _: c.delete(
        "/api/v1/plans/a/presets/b"
    ),
    "GET /v1/plans/{plan_id:path}/versions/{version}": lambda c, _: c.get(
        "/api/v1/plans/a/versions/1"
    ),
    "POST /v1/plans/{plan_id:path}/versions/{version}/decisions": lambda c, _: c.post(
        "/api/v1/plans/a/versions/1/decisions", json={"decision": "approve"}
    ),
    "GET /v1/cluster": lambda c, _: c.get("/api/v1/cluster"),
    "GET /v1/blocks": lambda c, _: c.get("/api/v1/blocks"),
    "GET /v1/workflows": lambda c, _: c.get("/api/v1/workflows"),
    "GET /v1/workflows/{name}": lambda c, _: c.get("/api/v1/workflows/papers"),
    "POST /v1/workflows/{name}/sample": lambda c, _: c.post("/api/v1/workflows/papers/sample"),
    "GET /v1/about/checks": lambda c, _: c.get("/api/v1/about/checks"),
    "GET /v1/engine": lambda c, _: c.get("/api/v1/engine"),
    "PUT /v1/engine": lambda c, _: c.put("/api/v1/engine", json={"provider": "rules"}),
    "POST /v1/engine/test": lambda c, _: c.post("/api/v1/engine/test", json={"provider": "rules"}),
    "GET /v1/about": lambda c, _: c.get("/api/v1/about"),
    "POST /v1/analysis/reading": lambda c, _: c.post("/api/v1/analysis/reading", json=READING),
    # Each token has drafts of its own, whatever their keys are.
    "GET /v1/drafts/{key:path}": lambda c, _: c.get("/api/v1/drafts/form"),
    "PUT /v1/drafts/{key:path}": lambda c, _: c.put("/api/v1/drafts/form", json={"a": 1}),
    "DELETE /v1/drafts/{key:path}": lambda c, _: c.delete("/api/v1/drafts/form"),
    "GET /openapi.json": lambda c, _: c.get("/api/openapi.json"),
    "GET /docs": lambda c, _: c.get("/api/docs"),
}
OPEN = {
    "POST /v1/hooks/{trigger_id}",
    "GET /v1/health",
    "HEAD /v1/health",
    "GET /v1/ready",
    "HEAD /v1/ready",
}


def test_every_route_of_the_api_is_in_the_table() -> None:
    api = create_api(lambda: pytest.fail("no workbench is needed for this"))
    routes = {
        f"{method} {context.path}"
        for context in iter_route_contexts(api.routes)
        for method in context.methods or ()
    }
    assert routes == HIDDEN.keys() | COMMON.keys() | SHARED.keys() | OPEN


@pytest.mark.parametrize("operation", HIDDEN)
def test_what_belongs_to_another_token_is_not_found(
    guarded: Server, belongings: Belongings, operation: str
) -> None:
    with guarded.client("aoki") as owner, guarded.client("baba") as other:
        before = journal(owner, belongings.waiting)
        response = HIDDEN[operation](other, belongings)
        check(response, 404, "NOT_FOUND")
        assert journal(owner, belongings.waiting) == before


@pytest.mark.parametrize("operation", [*HIDDEN, *COMMON, *SHARED])
def test_nothing_works_without_a_token(
    guarded: Server, belongings: Belongings, operation: str
) -> None:
    call = (HIDDEN | COMMON | SHARED)[operation]
    with guarded.client("aoki") as owner, guarded.client() as nobody:
        before = journal(owner, belongings.waiting)
        response = call(nobody, belongings)
        check(response, 401, "PERMISSION_DENIED")
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert journal(owner, belongings.waiting) == before


@pytest.mark.parametrize("operation", [*HIDDEN, *COMMON, *SHARED])
def test_nothing_works_with_a_wrong_token(
    guarded: Server, belongings: Belongings, operation: str
) -> None:
    with guarded.client(Authorization=f"Bearer sanbo_{'x' * 43}") as wrong:
        check((HIDDEN | COMMON | SHARED)[operation](wrong, belongings), 401, "PERMISSION_DENIED")


def test_collections_are_the_same_for_every_token(guarded: Server, belongings: Belongings) -> None:
    with guarded.client("aoki") as owner, guarded.client("baba") as other:
        for operation in (operation for operation in COMMON if operation.startswith("GET")):
            response = COMMON[operation](other, belongings)
            assert response.status_code == 200
            assert response.json() == COMMON[operation](owner, belongings).json()
        for operation in (operation for operation in COMMON if operation.startswith("DELETE")):
            assert COMMON[operation](other, belongings).status_code == 204
        left = owner.get("/api/v1/collections").json()["collections"]
        assert "不要" not in {collection["name"] for collection in left}


def test_a_list_holds_only_runs_of_its_own_token(guarded: Server, belongings: Belongings) -> None:
    with guarded.client("baba") as other, guarded.client("aoki") as owner:
        mine = start(other, "ledger", entries=1)["run_id"]
        listed = {run["run_id"] for run in other.get("/api/v1/runs").json()["runs"]}
        assert mine in listed
        assert not listed & {belongings.waiting, belongings.finished}
        theirs = {run["run_id"] for run in owner.get("/api/v1/runs").json()["runs"]}
        assert {belongings.waiting, belongings.finished} <= theirs
        conversation = owner.get(f"/api/v1/runs/{belongings.waiting}").json()["conversation_id"]
        joined = {"workflow": "ledger", "conversation_id": conversation}
        check(other.post("/api/v1/runs", json=joined), 404, "NOT_FOUND")


def test_a_file_of_another_token_answers_no_question(
    guarded: Server, belongings: Belongings
) -> None:
    with guarded.client("baba") as other:
        run_id = settled(other, start(other, "intake")["run_id"])["run_id"]
        before = journal(other, run_id)
        answer = {"quote": belongings.file, "reason": "備品が足りない", "kind": "new", "count": 1}
        address = f"/api/v1/runs/{run_id}/answer"
        check(other.post(address, json=answer), 404, "NOT_FOUND")
        assert journal(other, run_id) == before
        uploaded = other.post("/api/v1/files", files={"file": ("見積.txt", b"y")}).json()
        assert other.post(address, json=answer | {"quote": uploaded}).status_code == 200


def test_a_revoked_token_no_longer_works(guarded: Server) -> None:
    guarded.tokens["gone"] = guarded.workbench.access.create_token("gone")
    with guarded.client("gone") as client:
        assert client.get("/api/v1/runs").status_code == 200
        guarded.workbench.access.revoke_token("gone")
        check(client.get("/api/v1/runs"), 401, "PERMISSION_DENIED")


def test_a_token_in_the_address_is_not_accepted(guarded: Server) -> None:
    with guarded.client() as client:
        token = guarded.tokens["aoki"]
        for name in ("token", "access_token", "sanbo_token"):
            response = client.get("/api/v1/runs", params={name: token})
            check(response, 401, "PERMISSION_DENIED")


def test_on_loopback_a_token_decides_and_without_one_the_person_at_the_machine(
    local: Server,
) -> None:
    with local.client() as person, local.client("aoki") as bearer:
        assert start(person, "ledger", entries=1)["owner"] == "local"
        run = start(bearer, "ledger", entries=1)
        assert run["owner"] == "aoki"
        check(person.get(f"/api/v1/runs/{run['run_id']}"), 404, "NOT_FOUND")
    with local.client(Authorization="Bearer wrong") as wrong:
        check(wrong.get("/api/v1/runs"), 401, "PERMISSION_DENIED")
    with local.client(Cookie="sanbo_token=left-by-another-server") as person:
        assert person.get("/api/v1/runs").status_code == 200


def test_the_api_alone_lets_nobody_in(local: Server) -> None:
    """Mounted without its guard, it must not take everybody for the person at this machine."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(create_api(lambda: local.workbench))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/v1/runs")

    check(asyncio.run(ask()), 401, "PERMISSION_DENIED")
