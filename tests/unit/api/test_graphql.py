"""GraphQL: what it gives and what it refuses; nothing is let in that REST would not let in."""

import logging
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import build_schema, get_introspection_query

from sanbo.api.security import STRICT_POLICY
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


def asked(client: httpx.Client, query: str, **variables: object) -> dict[str, Any]:
    """The answer; errors too come with status 200."""
    response = client.post("/graphql", json={"query": query, "variables": variables})
    assert response.status_code == 200, response.text
    return response.json()


def given(client: httpx.Client, query: str, **variables: object) -> dict[str, Any]:
    answer = asked(client, query, **variables)
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


def refused(client: httpx.Client, query: str, **variables: object) -> dict[str, Any]:
    """The problem of the one error."""
    (error,) = asked(client, query, **variables)["errors"]
    problem = error["extensions"]
    assert {"code", "message", "hint"} <= problem.keys()
    assert error["message"] == problem["message"]
    return problem


ASK = """mutation ($question: String!, $collection: String!, $session: ID) {
  deepResearch(question: $question, collection: $collection, session: $session) {
    id session status question collection language engine result { reportMd } problem { code }
  }
}"""


def test_a_question_returns_its_run_at_once_and_the_run_its_report(client: httpx.Client) -> None:
    run = given(client, ASK, question=QUESTION, collection=COLLECTION)["deepResearch"]
    assert (run["status"], run["question"], run["collection"]) == ("QUEUED", QUESTION, COLLECTION)
    assert run["language"] == "en"
    settled(client, run["id"])
    query = """query ($id: ID!) { run(id: $id) { status lastSeq reportUrl problem { code } result {
      reportMd answered partial stopReason cycles citations { id document quote verified }
      findings { subQuestion sentences { text citations } } queries { text hits } } } }"""
    ended = given(client, query, id=run["id"])["run"]
    assert ended["status"] == "SUCCEEDED"
    assert "5,000円" in ended["result"]["citations"][0]["quote"]
    assert ended["result"]["findings"][0]["sentences"][0]["citations"] == [1]
    assert client.get(ended["reportUrl"]).text == ended["result"]["reportMd"]


def test_a_question_alone_is_looked_up_in_the_only_collection_or_as_in_its_session(
    client: httpx.Client, researching: Server, tmp_path: Path
) -> None:
    alone = """mutation ($question: String!, $session: ID) {
      deepResearch(question: $question, session: $session) { id session collection } }"""
    run = given(client, alone, question=QUESTION)["deepResearch"]
    assert run["collection"] == COLLECTION
    settled(client, run["id"])
    collections = researching.workbench.collections
    (tmp_path / "メモ.md").write_text("別のコレクションのメモ", "utf-8")
    list(collections.index_paths("もう一つ", [tmp_path]))
    try:
        refusal = refused(client, alone, question=QUESTION)
        assert COLLECTION in refusal["hint"]
        assert "もう一つ" in refusal["hint"]
        again = given(client, alone, question=QUESTION, session=run["session"])["deepResearch"]
        assert again["collection"] == COLLECTION
        settled(client, again["id"])
    finally:
        collections.delete("もう一つ")


def test_a_second_question_joins_its_session(client: httpx.Client, run: dict[str, Any]) -> None:
    session = run["conversation_id"]
    further = {"question": "国内出張の日当はいくらですか", "collection": COLLECTION}
    second = given(client, ASK, **further, session=session)["deepResearch"]
    assert second["session"] == session
    settled(client, second["id"])
    notes = given(
        client,
        "query ($session: ID!) { notes(session: $session) { runId nodeName cycleNo queries"
        " retrievedDocs { chunkId relevance } decisionReason finalReport time } }",
        session=session,
    )["notes"]
    assert {note["runId"] for note in notes} == {run["run_id"], second["id"]}
    assert notes[0]["nodeName"] == "retrieve"


def test_runs_are_listed_newest_first_and_page_by_page(
    client: httpx.Client, run: dict[str, Any]
) -> None:
    newer = researched(client)["run_id"]
    other = settled(client, start(client, "papers")["run_id"])["run_id"]
    query = "query ($limit: Int!, $before: ID) { runs(limit: $limit, before: $before) { id } }"
    first = given(client, query, limit=1)["runs"]
    assert [each["id"] for each in first] == [newer]
    rest = [each["id"] for each in given(client, query, limit=50, before=newer)["runs"]]
    assert run["run_id"] in rest
    assert other not in rest
    assert rest == sorted(rest, reverse=True)


def test_a_citation_and_the_collections_are_given(
    client: httpx.Client, run: dict[str, Any]
) -> None:
    query = """query ($id: ID!) {
      citation(runId: $id, number: 1) {
        before text after start end citation { quote } problem { code } }
      collections { name documents chunks updatedAt } }"""
    data = given(client, query, id=run["run_id"])
    place = data["citation"]
    assert place["text"][place["start"] : place["end"]] == place["citation"]["quote"]
    assert {"name": COLLECTION, "documents": 3} in [
        {"name": each["name"], "documents": each["documents"]} for each in data["collections"]
    ]


def test_notes_are_deleted_and_a_research_is_stopped(
    researching: Server, client: httpx.Client
) -> None:
    session = researched(client)["conversation_id"]
    delete = "mutation ($session: ID!) { deleteNotes(session: $session) }"
    assert given(client, delete, session=session)["deleteNotes"] >= 3
    assert given(client, delete, session=session)["deleteNotes"] == 0
    stop = "mutation ($id: ID!) { cancelResearch(runId: $id) { status } }"
    ended = researched(client)["run_id"]
    assert refused(client, stop, id=ended)["code"] == "CONFLICT"
    others = settled(client, start(client, "expenses", title="出張")["run_id"])["run_id"]
    assert refused(client, stop, id=others)["code"] == "NOT_FOUND", "it is no research"
    # One that waits can be stopped for certain; so it is called a research for a moment.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sanbo.service.research.RESEARCH", "expenses")
        assert given(client, stop, id=others)["cancelResearch"] == {"status": "CANCELLED"}


# ---- whose ----


@pytest.mark.parametrize(
    "query",
    [
        'query { run(id: "RUN") { id } }',
        'query { citation(runId: "RUN", number: 1) { text } }',
        'query { notes(session: "SESSION") { queries } }',
        'mutation { cancelResearch(runId: "RUN") { id } }',
        'mutation { deleteNotes(session: "SESSION") }',
        'mutation { deepResearch(question: "q", collection: "c", session: "SESSION") { id } }',
    ],
)
def test_what_belongs_to_another_token_is_not_found(
    researching: Server, run: dict[str, Any], query: str
) -> None:
    named = query.replace("RUN", run["run_id"]).replace("SESSION", run["conversation_id"])
    with researching.client("baba") as other:
        problem = refused(other, named)
        assert problem["code"] == "NOT_FOUND"
        strange = refused(other, query)
        assert strange["code"] == "NOT_FOUND"
        told = problem["message"].replace(run["run_id"], "RUN")
        assert told.replace(run["conversation_id"], "SESSION") == strange["message"]
        listed = given(other, "{ runs { id } }")["runs"]
        assert run["run_id"] not in [each["id"] for each in listed]


def test_nothing_is_answered_without_a_token(researching: Server) -> None:
    with researching.client() as nobody:
        check(nobody.post("/graphql", json={"query": "{ runs { id } }"}), 401, "PERMISSION_DENIED")
        check(nobody.get("/graphql"), 401, "PERMISSION_DENIED")
        check(nobody.get("/graphql/schema"), 401, "PERMISSION_DENIED")


def test_a_cookie_alone_does_nothing_from_another_site(researching: Server) -> None:
    cookie = {"Cookie": f"sanbo_token={researching.tokens['aoki']}"}
    question = {"query": 'mutation { deleteNotes(session: "x") }'}
    with researching.client(**cookie) as browser:
        assert browser.post("/graphql", json=question).status_code == 200
        foreign = {"Origin": "https://evil.example"}
        check(browser.post("/graphql", json=question, headers=foreign), 403, "PERMISSION_DENIED")
        cross = {"Sec-Fetch-Site": "cross-site"}
        check(browser.post("/graphql", json=question, headers=cross), 403, "PERMISSION_DENIED")
        for media_type in (
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
        ):
            sent = {"Content-Type": media_type}
            response = browser.post(
                "/graphql", content=b'{"query": "{ __typename }"}', headers=sent
            )
            check(response, 415, "UNSUPPORTED_FORMAT")


def test_on_loopback_only_this_machines_names_are_answered(local: Server) -> None:
    with local.client(Host="evil.example") as client:
        check(client.post("/graphql", json={"query": "{ runs { id } }"}), 403, "PERMISSION_DENIED")


# ---- refusals ----


def test_problems_speak_the_callers_language(researching: Server) -> None:
    with researching.client("aoki", **{"Accept-Language": "ja"}) as client:
        problem = refused(client, '{ run(id: "run_x") { id } }')
        assert "見つかりません" in problem["message"]
        assert problem["hint"]
        assert "正しくありません" in refused(client, "{ nothing }")["message"]


def test_an_input_that_does_not_fit_is_a_problem_as_everywhere(client: httpx.Client) -> None:
    assert refused(client, ASK, question="？", collection=COLLECTION)["code"] == (
        "INPUT_VALIDATION_FAILED"
    )
    assert refused(client, ASK, question="q", collection="x" * 200)["code"] == (
        "INPUT_VALIDATION_FAILED"
    )
    assert "50" in refused(client, "{ runs(limit: 51) { id } }")["message"]
    assert refused(client, '{ notes(session: "a\\u0000b") { runId } }')["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    "query",
    [
        "{ nothing }",
        "{",
        "",
        '{ runs(limit: "x") { id } }',
        'subscription { report(runId: "x") { __typename } }',
    ],
)
def test_a_query_that_is_none_is_refused_in_words(client: httpx.Client, query: str) -> None:
    response = client.post("/graphql", json={"query": query})
    assert response.status_code in (200, 400, 422)
    problem = response.json()["errors"][0]["extensions"] if response.is_success else response.json()
    assert problem["code"] == "INPUT_VALIDATION_FAILED"
    assert "/graphql" in problem["hint"]


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "null",
        '"x"',
        "{",
        "1e999",
        '{"query": 1}',
        '{"query": "{ __typename }", "variables": []}',
        '{"query": "{ __typename }", "operationName": 5}',
        '[{"query": "{ __typename }"}]',
        '{"query": "\\ud800"}',
    ],
)
def test_a_body_that_is_no_request_is_refused(client: httpx.Client, body: str) -> None:
    sent = {"Content-Type": "application/json"}
    response = client.post("/graphql", content=body.encode(), headers=sent)
    check(response, 400, "INPUT_VALIDATION_FAILED")


def test_other_methods_and_queries_by_get_are_refused(client: httpx.Client) -> None:
    by_get = client.get("/graphql", params={"query": "{ runs { id } }"})
    check(by_get, 405, "INPUT_VALIDATION_FAILED")
    check(client.put("/graphql", json={"query": "{ __typename }"}), 405, "INPUT_VALIDATION_FAILED")


def test_a_defect_is_told_as_a_reference_alone(
    local: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_args: object, **_named: object) -> list[object]:
        raise RuntimeError("a defect, with a secret detail")

    monkeypatch.setattr(local.workbench, "list", broken)
    with local.client() as client, caplog.at_level(logging.ERROR):
        answer = asked(client, "{ runs { id } }")
    assert answer["errors"][0]["extensions"]["code"] == "INTERNAL_ERROR"
    assert "secret" not in str(answer)
    reference = answer["errors"][0]["extensions"]["hint"].split("reference ")[1].split(" ")[0]
    assert reference in caplog.text


# ---- limits ----


def test_introspection_is_allowed_and_gives_the_schema(client: httpx.Client) -> None:
    described = given(client, get_introspection_query())["__schema"]
    assert {"ResearchRun", "Note", "ReportUpdate"} <= {each["name"] for each in described["types"]}
    schema = build_schema(client.get("/graphql/schema").text)
    assert schema.mutation_type is not None
    assert "deepResearch" in schema.mutation_type.fields


def test_too_many_aliases_are_refused(client: httpx.Client) -> None:
    runs = " ".join(f"a{number}: runs {{ id }}" for number in range(6))
    assert "5" in refused(client, f"{{ {runs} }}")["message"]
    spread = "query { ...F } fragment F on Query { " + runs + " }"
    assert "5" in refused(client, spread)["message"]


def test_a_query_too_deep_is_refused(client: httpx.Client) -> None:
    deep = "{ runs { " + "... on ResearchRun { " * 15 + "id" + " }" * 17
    assert given(client, deep)["runs"] is not None, "a fragment goes no deeper"
    nested = "{" + "a{" * 50_000
    response = client.post("/graphql", json={"query": nested})
    assert "nested" in check(response, 400, "INPUT_VALIDATION_FAILED")["message"]
    values = "{ runs(limit: " + "[" * 5_000
    check(client.post("/graphql", json={"query": values}), 400, "INPUT_VALIDATION_FAILED")


def test_a_query_too_long_is_refused(client: httpx.Client) -> None:
    long = "{ " + "__typename " * 3_000 + "}"
    assert "2000" in refused(client, long)["message"]
    larger = {"query": "#" * (2 << 20)}
    check(client.post("/graphql", json=larger), 413, "RESOURCE_LIMIT")
    largest = {"query": "#" * (11 << 20)}
    check(client.post("/graphql", json=largest), 413, "RESOURCE_LIMIT")


def test_fragments_that_multiply_each_other_take_no_long_time(client: httpx.Client) -> None:
    fragments = " ".join(
        f"fragment F{number} on Query {{ ...F{number + 1} ...F{number + 1} }}"
        for number in range(25)
    )
    query = f"query {{ ...F0 }} {fragments} fragment F25 on Query {{ a: __typename }}"
    assert refused(client, query)["code"] == "INPUT_VALIDATION_FAILED"


@pytest.mark.parametrize(
    "query",
    [
        "{ " + "runs { id } " * 480 + "}",
        "{ __schema { " + "types { fields { type { name } } } " * 150 + "} }",
        "{ "
        + " ".join(f"...F{number}" for number in range(150))
        + " }"
        + " ".join(f"fragment F{number} on Query {{ runs {{ id }} }}" for number in range(150)),
    ],
    ids=["fields", "introspection", "fragments"],
)
def test_repeating_the_same_does_not_keep_the_server_busy(client: httpx.Client, query: str) -> None:
    assert "60" in refused(client, query)["message"]


def test_fragments_in_a_circle_are_refused(client: httpx.Client) -> None:
    circle = "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A __typename }"
    (error, *_) = asked(client, circle)["errors"]
    assert error["extensions"]["code"] == "INPUT_VALIDATION_FAILED"


# ---- the page ----


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_browser_is_told_what_this_is(researching: Server, language: str) -> None:
    with researching.client("aoki", **{"Accept-Language": language}) as client:
        shown = client.get("/graphql", headers={"Accept": "text/html"})
    assert shown.status_code == 200
    assert "WebSocket" in shown.text
    assert ("購読" in shown.text) == (language == "ja")
    assert "deepResearch" in shown.text
    assert "//" not in shown.text, "nothing from outside"
    assert "<script" not in shown.text
    policy = shown.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_answers_have_the_strict_policy_and_are_not_kept(client: httpx.Client) -> None:
    response = client.post("/graphql", json={"query": "{ __typename }"})
    assert response.headers["content-security-policy"] == STRICT_POLICY
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_server_without_research_says_so(local: Server) -> None:
    with local.client() as client:
        assert client.get("/graphql").status_code == 200
        assert given(client, "{ runs { id } }")["runs"] == []
        problem = refused(client, ASK, question=QUESTION, collection="c")
        assert problem["code"] == "NOT_FOUND"
