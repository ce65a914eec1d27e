"""Errors of every kind have one shape, in both languages, and tell no internals."""

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sanbo.api.problems import STATUSES, ProblemDocument
from sanbo.kernel.messages import LANGUAGES, catalogue
from sanbo.kernel.problems import Code
from tests.unit.api.serving import Server, settled, start

JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龠]")
MEMBERS = "type title status detail instance code message hint details input_snapshot recoverable"


def check(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """That this is a problem document of ours; its content."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert list(problem) == MEMBERS.split()
    assert problem["status"] == status
    assert problem["code"] == code
    assert problem["detail"] == problem["message"]
    assert problem["instance"] == response.request.url.path
    assert problem["type"] == f"urn:sanbo:problem:{code.lower().replace('_', '-')}"
    assert problem["hint"]
    ProblemDocument.model_validate(problem)
    return problem


def test_every_code_has_a_status_and_a_title_in_both_languages() -> None:
    for code in Code:
        assert 400 <= STATUSES[code] < 600
        assert set(catalogue()[f"api_title.{code}"]) == set(LANGUAGES)


REQUESTS: dict[str, tuple[str, str, dict[str, Any], int, str]] = {
    "unknown route": ("GET", "/api/v1/nothing", {}, 404, "NOT_FOUND"),
    "trailing slash": ("GET", "/api/v1/runs/", {}, 404, "NOT_FOUND"),
    "wrong method": ("PUT", "/api/v1/runs", {}, 405, "INPUT_VALIDATION_FAILED"),
    "unknown run": ("GET", "/api/v1/runs/run_0", {}, 404, "NOT_FOUND"),
    "nul in path": ("GET", "/api/v1/runs/run_%00", {}, 400, "INPUT_VALIDATION_FAILED"),
    "nul in query": ("GET", "/api/v1/runs?workflow=%00", {}, 400, "INPUT_VALIDATION_FAILED"),
    "limit of zero": ("GET", "/api/v1/runs?limit=0", {}, 422, "INPUT_VALIDATION_FAILED"),
    "limit in words": ("GET", "/api/v1/runs?limit=ten", {}, 422, "INPUT_VALIDATION_FAILED"),
    "no body": ("POST", "/api/v1/runs", {}, 422, "INPUT_VALIDATION_FAILED"),
    "empty object": ("POST", "/api/v1/runs", {"json": {}}, 422, "INPUT_VALIDATION_FAILED"),
    "a list": ("POST", "/api/v1/runs", {"json": []}, 422, "INPUT_VALIDATION_FAILED"),
    "unknown field": (
        "POST", "/api/v1/runs", {"json": {"workflow": "ledger", "inputs": {}}},
        422, "INPUT_VALIDATION_FAILED",
    ),
    "unknown workflow": (
        "POST", "/api/v1/runs", {"json": {"workflow": "nothing"}}, 404, "NOT_FOUND",
    ),
    "input that does not fit": (
        "POST", "/api/v1/runs", {"json": {"workflow": "expenses", "input": {"title": ""}}},
        422, "INPUT_VALIDATION_FAILED",
    ),
    "unknown conversation": (
        "POST", "/api/v1/runs", {"json": {"workflow": "ledger", "conversation_id": "conv_0"}},
        404, "NOT_FOUND",
    ),
    "form in place of JSON": (
        "POST", "/api/v1/runs", {"data": {"workflow": "ledger"}}, 415, "UNSUPPORTED_FORMAT",
    ),
    "text in place of JSON": (
        "POST", "/api/v1/runs",
        {"content": b'{"workflow": "ledger"}', "headers": {"Content-Type": "text/plain"}},
        415, "UNSUPPORTED_FORMAT",
    ),
    "JSON without its type": (
        "POST", "/api/v1/runs", {"content": b'{"workflow": "ledger"}'}, 415, "UNSUPPORTED_FORMAT",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_a_refused_request_is_a_problem_in_both_languages(local: Server, name: str) -> None:
    method, path, given, status, code = REQUESTS[name]
    headers: dict[str, str] = given.get("headers", {})
    given = {key: value for key, value in given.items() if key != "headers"}
    with local.client(**headers) as client:
        english = check(client.request(method, path, **given), status, code)
        assert not JAPANESE.search(english["message"] + english["hint"] + english["title"])
    with local.client(**headers, **{"Accept-Language": "ja"}) as client:
        japanese = check(client.request(method, path, **given), status, code)
        for member in ("message", "hint", "title"):
            assert JAPANESE.search(japanese[member])


def test_without_a_language_the_workbench_speaks_its_own(local: Server) -> None:
    problem = httpx.get(f"{local.url}/api/v1/runs/run_0", headers={"Accept-Language": "fr"})
    assert JAPANESE.search(check(problem, 404, "NOT_FOUND")["message"])
    assert problem.headers["content-language"] == "ja"


@pytest.mark.parametrize(
    "body",
    [
        b'{"workflow": "ledger"',
        b"not json",
        b'{"workflow": "ledger", "input": {"entries": NaN}}',
        b'{"workflow": "\\ud800"}',
        b'{"workflow": "\xff"}',
        b"[" * 100_000,
    ],
)
def test_malformed_json_is_a_problem(local: Server, body: bytes) -> None:
    with local.client(**{"Content-Type": "application/json"}) as client:
        check(client.post("/api/v1/runs", content=body), 400, "INPUT_VALIDATION_FAILED")


def test_json_nested_deeply_is_a_problem(local: Server) -> None:
    body = b'{"workflow": "ledger", "input": ' + b'{"a":' * 900 + b"1" + b"}" * 901
    with local.client(**{"Content-Type": "application/json"}) as client:
        response = client.post("/api/v1/runs", content=body)
        check(response, 422, "INPUT_VALIDATION_FAILED")


def test_a_json_body_over_the_limit_is_refused_by_its_length_and_while_it_is_read(
    local: Server,
) -> None:
    with local.client(**{"Content-Type": "application/json"}) as client:
        declared = client.post("/api/v1/runs", content=b" " * (11 << 20))
        check(declared, 413, "RESOURCE_LIMIT")

        def unannounced() -> Any:
            for _ in range(11):
                yield b" " * (1 << 20)

        check(client.post("/api/v1/runs", content=unannounced()), 413, "RESOURCE_LIMIT")


def test_a_wrong_method_names_the_right_ones(local: Server) -> None:
    with local.client() as client:
        assert client.put("/api/v1/health").headers["allow"] == "GET"


def test_a_defect_shows_a_reference_and_no_internals(
    local: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "papers")["run_id"])["run_id"]
        with caplog.at_level(logging.ERROR):
            response = client.post(f"/api/v1/runs/{run_id}/replay", json={"step": ["x"]})
    problem = check(response, 500, "INTERNAL_ERROR")
    assert "secret detail" not in response.text
    assert "Traceback" not in response.text
    reference = re.search(r"[0-9a-f]{12}", problem["hint"])
    assert reference is not None
    assert reference[0] in caplog.text
    assert "secret detail" in caplog.text


def test_a_defect_outside_the_api_has_the_same_shape(local: Server) -> None:
    with local.client() as client:
        response = client.get("/broken")
    check(response, 500, "INTERNAL_ERROR")
    assert "secret detail" not in response.text


@pytest.mark.parametrize("path", ["/api", "/API", "/Api/v1/runs", "/api/V1/runs", "/api/"])
def test_what_looks_like_the_api_is_answered_by_it(local: Server, path: str) -> None:
    with local.client() as client:
        check(client.get(path), 404, "NOT_FOUND")


def _integers(client: httpx.Client) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every integer that a path or a query of the API takes: method, path, the parameter."""
    document = client.get("/api/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", []):
                if "integer" in json.dumps(parameter["schema"]):
                    yield method, path, parameter


def test_an_integer_beyond_all_databases_is_refused_everywhere(local: Server) -> None:
    with local.client() as client:
        asked = list(_integers(client))
        assert {("get", "/v1/runs/{run_id}/events"), ("get", "/v1/runs/{run_id}/journal")} <= {
            (method, path) for method, path, _ in asked
        }
        for method, path, parameter in asked:
            assert parameter["schema"]["maximum"] < 1 << 63, (path, parameter)
            assert "minimum" in parameter["schema"]
            for value in (1 << 63, -(1 << 63) - 1, 10**30, "9" * 5000):
                in_path = parameter["in"] == "path"
                given = {parameter["name"]: str(value)}
                here = path.replace(f"{{{parameter['name']}}}", str(value)) if in_path else path
                address = re.sub(r"{\w+}", "x", here)
                query = {"q": "x"} if in_path else {"q": "x", **given}
                check(
                    client.request(method, f"/api{address}", params=query),
                    400,
                    "INPUT_VALIDATION_FAILED",
                )
            beyond = {parameter["name"]: str(parameter["schema"]["maximum"] + 1), "q": "x"}
            if parameter["in"] == "query":
                address = re.sub(r"{\w+}", "x", path)
                refused = client.request(method, f"/api{address}", params=beyond)
                check(refused, 422, "INPUT_VALIDATION_FAILED")
