"""The OpenAPI document and its page: complete, in both languages, without outside hosts."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.api.serving import Server

REFERENCE = Path(__file__).parents[3] / "docs/reference/api.md"


def _document(server: Server, language: str = "en") -> dict[str, Any]:
    with server.client(**{"Accept-Language": language}) as client:
        return client.get("/api/openapi.json").json()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_operation_has_a_summary_a_tag_and_problems(local: Server, language: str) -> None:
    document = _document(local, language)
    assert document["servers"] == [{"url": "/api"}]
    tags = {tag["name"] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        assert path.startswith("/v1/")
        for operation in methods.values():
            assert bool(re.search("[ぁ-ん一-龠]", operation["summary"])) == (language == "ja")
            assert set(operation["tags"]) <= tags
            problem = operation["responses"]["default"]["content"]["application/problem+json"]
            assert problem["schema"]["$ref"].endswith("/ProblemDocument")


def test_the_document_describes_streams_and_resolves_in_itself(local: Server) -> None:
    document = _document(local)
    events = document["paths"]["/v1/runs/{run_id}/events"]["get"]
    assert "text/event-stream" in events["responses"]["200"]["content"]
    parameters = {parameter["name"] for parameter in events["parameters"]}
    assert {"after", "last-event-id"} <= parameters
    schemas = document["components"]["schemas"]
    referred = set(re.findall(r"'#/components/schemas/([^']+)'", repr(document)))
    assert {"Run", "Event", "ProblemDocument"} <= referred <= schemas.keys()
    assert "HTTPValidationError" not in repr(document)


def test_the_docs_page_refers_to_no_outside_host(local: Server) -> None:
    with local.client() as client:
        page = client.get("/api/docs")
    assert page.status_code == 200
    assert "//" not in page.text.replace("// Renders", "")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_every_endpoint_is_in_the_reference(local: Server) -> None:
    reference = REFERENCE.read_text("utf-8")
    for path, methods in _document(local)["paths"].items():
        for method in methods:
            assert f"`{method.upper()} /api{path}`" in reference
