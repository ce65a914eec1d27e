"""The web application as files: what is given out, under which policy, and where it is missing."""

import base64
import hashlib
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from sanbo.api.web_app import read_export, web_app_routes
from tests.unit.api.serving import Server

SCRIPT = "self.page = ['</b>', \"日本\"]"
PAGE = f"""<!DOCTYPE html><html><head><script src="/_next/static/a.js"></script>
<script>{SCRIPT}</script></head><body><p>調査</p></body></html>"""


@pytest.fixture
def export(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    (folder / "_next/static/chunks").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE, "utf-8")
    (folder / "research.html").write_text("<p>research</p>", "utf-8")
    (folder / "404.html").write_text("<p>nothing here</p>", "utf-8")
    (folder / "_next/static/chunks/a-1f2e.js").write_text("start()", "utf-8")
    (folder / ".built").touch()
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    return folder


def _visit(*folders: Path) -> TestClient:
    return TestClient(Starlette(routes=web_app_routes("ja", folders)))


def test_the_page_may_run_its_own_scripts_and_no_other(export: Path) -> None:
    answer = _visit(export).get("/")
    assert answer.text == PAGE
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "http" not in policy
    assert "unsafe" not in policy
    assert answer.headers["x-frame-options"] == "DENY"


def test_the_page_is_asked_for_each_time_and_its_hashed_parts_never_again(export: Path) -> None:
    client = _visit(export)
    first = client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    part = client.get("/_next/static/chunks/a-1f2e.js")
    assert part.text == "start()"
    assert part.headers["content-type"].startswith("text/javascript")
    assert "immutable" in part.headers["cache-control"]


@pytest.mark.parametrize(
    "address",
    [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2Fsecret.txt",
        "_next/../../secret.txt",
        "_next//secret.txt",
        ".built",
        "_next/static",
    ],
)
def test_an_address_leads_to_no_other_file(export: Path, address: str) -> None:
    answer = _visit(export).get(f"/{address}", headers={"Accept-Language": "en"})
    assert answer.status_code == 404
    assert "secret" not in answer.text.replace("secret.txt", "")


@pytest.mark.parametrize("address", ["/research", "/research/", "/research?run=run_1"])
def test_every_page_has_an_address_to_reload(export: Path, address: str) -> None:
    answer = _visit(export).get(address, follow_redirects=False)
    assert (answer.status_code, answer.text) == (200, "<p>research</p>")


def test_an_unknown_page_is_told_to_people_as_a_page(export: Path) -> None:
    answer = _visit(export).get("/nowhere", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.text) == (404, "<p>nothing here</p>")


def test_files_are_packed_for_browsers_that_ask_for_it(export: Path) -> None:
    client = _visit(export)
    packed = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == PAGE
    assert "content-encoding" not in client.get("/", headers={"Accept-Encoding": ""}).headers


def test_a_packaged_page_goes_before_one_of_the_source_tree(export: Path, tmp_path: Path) -> None:
    packaged = tmp_path / "packaged"
    packaged.mkdir()
    (packaged / "index.html").write_text("<p>packaged</p>", "utf-8")
    assert read_export(packaged, export)["index.html"].content == b"<p>packaged</p>"


def test_without_a_build_every_address_says_how_to_get_it(tmp_path: Path) -> None:
    client = _visit(tmp_path / "nothing")
    japanese = client.get("/research", headers={"Accept-Language": "ja"})
    english = client.get("/?lang=en", headers={"Accept-Language": "ja"})
    assert "組み立てる" in japanese.text
    assert "built once" in english.text
    for answer in (japanese, english):
        assert (answer.status_code, "make web" in answer.text) == (503, True)
    assert 'lang="en"' in english.text


def test_a_page_that_is_built_later_is_found_without_a_restart(tmp_path: Path) -> None:
    client = _visit(tmp_path)
    assert "make web" in client.get("/").text
    (tmp_path / "index.html").write_text("<p>built</p>", "utf-8")
    assert client.get("/").text == "<p>built</p>"


def test_who_has_no_token_is_sent_to_the_login_and_back(guarded: Server) -> None:
    with guarded.client(Accept="text/html") as client:
        answer = client.get("/research?run=run_1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=%2Fresearch%3Frun%3Drun_1"
    with guarded.client("aoki", Accept="text/html") as client:
        assert client.get("/").text == "<p>workbench</p>"
