"""Collections over HTTP: files in, hits with their places out, and nothing of the machine."""

import asyncio
import io
import json
import signal
import subprocess
import sys
import time
import unicodedata
import zipfile
from collections.abc import Generator, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.api.collections import WORKERS, folder_name
from sanbo.kernel.problems import Conflict
from sanbo.service.access import LOCAL
from sanbo.service.collections import Outcome
from tests.unit.api.serving import PATIENCE, Server, wait_until
from tests.unit.api.test_problems import check

MINUTES = """営業会議 議事録

第1 出席者
青木部長、馬場課長、千葉

第2 決定事項
大阪支店の移転は来年4月とする。移転費用の見積は馬場課長が取りまとめる。
"""
SALES = "支店,品目,金額\n東京,机,120000\n大阪,椅子,64000\n札幌,書棚,88000\n"
NOT_A_PDF = b"%PDF-1.7\nthis is where it broke off"
NAME = "営業部の資料（2025年）"
ADDRESS = f"/api/v1/collections/{quote(NAME)}"
ANOTHER = f"/api/v1/collections/{quote('別の資料')}"
"""For those who change it; they delete it, too."""


def _upload(client: httpx.Client, name: str, data: bytes) -> dict[str, Any]:
    response = client.post("/api/v1/files", files={"file": (name, data)})
    assert response.status_code == 201, response.text
    return response.json()


def _sent(client: httpx.Client) -> list[dict[str, Any]]:
    return [
        _upload(client, "議事録.txt", MINUTES.encode()),
        _upload(client, "売上.csv", SALES.encode("cp932")),
        _upload(client, "壊れた.pdf", NOT_A_PDF),
    ]


@pytest.fixture(scope="module")
def indexed(local: Server) -> dict[str, dict[str, Any]]:
    """Outcomes by name."""
    with local.client() as client:
        # Tests may come to this process in two portions: then the server has it already.
        client.delete(ADDRESS)
        response = client.post(f"{ADDRESS}/documents", json={"files": _sent(client)})
        assert response.status_code == 200, response.text
        return {outcome["name"]: outcome for outcome in response.json()["outcomes"]}


@pytest.fixture
def another(local: Server) -> Generator[httpx.Client]:
    with local.client() as client:
        yield client
        client.delete(ANOTHER)


def _search(server: Server, q: str, at: str = ADDRESS, **params: Any) -> list[dict[str, Any]]:
    with server.client() as client:
        response = client.get(f"{at}/search", params={"q": q, **params})
    assert response.status_code == 200, response.text
    return response.json()["hits"]


# ---- files in ----


def test_what_was_read_and_what_was_not_is_told_file_by_file(
    indexed: dict[str, dict[str, Any]],
) -> None:
    assert {name: outcome["status"] for name, outcome in indexed.items()} == {
        "議事録.txt": "added",
        "売上.csv": "added",
        "壊れた.pdf": "failed",
    }
    assert indexed["売上.csv"]["format"] == "csv"
    problem = indexed["壊れた.pdf"]["problem"]
    assert "壊れた.pdf" in problem["message"]
    assert problem["hint"].isascii()


def test_reasons_are_in_the_language_of_the_caller(
    local: Server, indexed: dict[str, dict[str, Any]]
) -> None:
    assert indexed
    with local.client(**{"Accept-Language": "ja"}) as client:
        files = _sent(client)
        again = client.post(f"{ADDRESS}/documents", json={"files": files}).json()["outcomes"]
    assert {outcome["name"]: outcome["status"] for outcome in again} == {
        "議事録.txt": "unchanged",
        "売上.csv": "unchanged",
        "壊れた.pdf": "failed",
    }
    reason = next(outcome["problem"] for outcome in again if outcome["problem"])
    assert "ください" in reason["hint"]


def test_outcomes_are_streamed_to_whoever_accepts_a_stream(another: httpx.Client) -> None:
    body, accept = {"files": _sent(another)}, {"Accept": "text/event-stream"}
    response = another.post(f"{ANOTHER}/documents", json=body, headers=accept)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = _events(response.text)
    assert [name for name, _ in events] == ["outcome", "outcome", "outcome", "done"]
    assert {data["name"] for name, data in events if name == "outcome"} == {
        "議事録.txt",
        "売上.csv",
        "壊れた.pdf",
    }
    assert events[-1][1] == {"added": 2, "failed": 1}


def _events(text: str) -> list[tuple[str, dict[str, Any]]]:
    names = [line[7:] for line in text.splitlines() if line.startswith("event: ")]
    data = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    return list(zip(names, data, strict=True))


def test_a_request_that_can_not_be_met_is_refused_before_anything_is_streamed(
    local: Server,
) -> None:
    with local.client("baba") as other, local.client(Accept="text/event-stream") as client:
        theirs = _upload(other, "給与.txt", "秘密".encode())
        response = client.post(f"{ANOTHER}/documents", json={"files": [theirs]})
        check(response, 404, "NOT_FOUND")
        check(client.get(ANOTHER), 404, "NOT_FOUND")
        ours = {"files": [_upload(client, "a.txt", b"a")]}
        unnamed = client.post("/api/v1/collections/%20/documents", json=ours)
        check(unnamed, 422, "INPUT_VALIDATION_FAILED")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"files": []},
        {"files": [{"name": "a.txt"}]},
        {"files": [], "folder": "/etc"},
        {"files": [{"file_id": "0" * 64, "name": "a", "size": 1}], "metadata": {"部署": "営\0業"}},
        {"files": [{"file_id": "0" * 64, "name": "a", "size": 1}], "metadata": {"部署": 3}},
    ],
)
def test_a_body_that_does_not_fit_names_its_fields(local: Server, body: dict[str, Any]) -> None:
    with local.client() as client:
        response = client.post(f"{ADDRESS}/documents", json=body)
    problem = check(response, 422, "INPUT_VALIDATION_FAILED")
    assert problem["details"]["fields"]


def test_folders_and_metadata_are_kept_and_searched_by(
    local: Server, another: httpx.Client
) -> None:
    lease = _upload(another, "賃貸借.txt", "大阪支店の賃料は月額40万円とする。".encode())
    memo = _upload(another, "覚書.txt", "大阪支店の賃料は改定しない。".encode())
    lease["name"] = "契約/2025/賃貸借.txt"
    memo["name"] = "../議事/覚書.txt"
    body = {"files": [lease, memo], "metadata": {"部署": "総務"}}
    another.post(f"{ANOTHER}/documents", json=body)
    documents = another.get(f"{ANOTHER}/documents").json()["documents"]
    assert [each["name"] for each in documents] == ["契約/2025/賃貸借.txt", "議事/覚書.txt"]
    assert documents[0]["metadata"] == {"部署": "総務"}
    found = _search(local, "賃料", ANOTHER, folder="契約/2025")
    assert [hit["document_name"] for hit in found] == ["契約/2025/賃貸借.txt"]
    assert len(_search(local, "賃料", ANOTHER, folder=["契約", "議事"])) == 2
    by_document = _search(local, "賃料", ANOTHER, document=documents[1]["document_id"])
    assert [hit["document_name"] for hit in by_document] == ["議事/覚書.txt"]


@given(st.text(max_size=200))
def test_a_name_with_folders_leads_nowhere(name: str) -> None:
    kept = folder_name(name)
    assert all(part not in ("", ".", "..") for part in kept.split("/"))
    assert not set(kept) & set("\\\0\r\n")


def test_a_name_of_very_many_folders_is_cut() -> None:
    assert folder_name("a/" * 100_000 + "b.txt").count("/") < 20


# ---- going away ----


def _archive(entries: int) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(entries):
            archive.writestr(f"{number:04}.txt", f"第{number}号 稟議書。" + "備品の購入。" * 200)
    return held.getvalue()


def _post(server: Server, body: dict[str, Any], at: str, accept: str) -> HTTPConnection:
    """A client that waits for its answer until it is closed."""
    client = HTTPConnection(server.host)
    headers = {"Content-Type": "application/json", "Accept": accept}
    client.request("POST", f"{at}/documents", json.dumps(body), headers)
    return client


@pytest.mark.parametrize(
    "accept", ["application/json", pytest.param("text/event-stream", marks=pytest.mark.thorough)]
)
def test_a_client_that_goes_away_ends_the_indexing(
    local: Server, another: httpx.Client, accept: str
) -> None:
    entries = 1500
    body = {"files": [_upload(another, "大量.zip", _archive(entries))]}
    impatient = _post(local, body, ANOTHER, accept)
    wait_until(lambda: another.get(ANOTHER).json().get("documents"))
    impatient.close()
    # Nothing is left behind that would keep the next one from its turn.
    again = {"files": [_upload(another, "後.txt", "後の文書".encode())]}
    assert another.post(f"{ANOTHER}/documents", json=again).status_code == 200
    read = another.get(ANOTHER).json()["documents"]
    assert 1 < read < entries
    assert _search(local, "稟議書", ANOTHER), "what was read stays"
    time.sleep(0.5)
    assert another.get(ANOTHER).json()["documents"] == read, "and nothing more is read"


def _long_text(megabytes: int) -> bytes:
    line = "第{}条 乙は、甲の書面による承諾を得ないで、備品の購入を第三者に委託してはならない。\n\n"
    one = len(line.encode())
    return "".join(line.format(n) for n in range(megabytes * 1_000_000 // one)).encode()


def _stored(server: Server, folder: Path, name: str, data: bytes) -> dict[str, Any]:
    """Larger than the test server takes over HTTP."""
    source = folder / "upload"
    source.write_bytes(data)
    storing = server.workbench.upload(LOCAL, source, name, "text/plain")
    ref = asyncio.run_coroutine_threadsafe(storing, server.loop).result(PATIENCE)
    return ref.model_dump(mode="json")


@pytest.mark.parametrize(
    ("accept", "sizes"),
    [
        pytest.param("application/json", [5], marks=pytest.mark.thorough),
        ("text/event-stream", [1] * WORKERS),
    ],
)
def test_a_client_that_goes_away_within_one_long_file_ends_its_indexing(
    local: Server, another: httpx.Client, tmp_path: Path, accept: str, sizes: list[int]
) -> None:
    """Also when there are as many as can be served at a time: the next one gets its turn."""
    long = {"files": [_stored(local, tmp_path, "長い.txt", _long_text(sizes[0]))]}
    addresses = [f"{ANOTHER}{number}" for number in range(len(sizes))]
    impatient = [_post(local, long, address, accept) for address in addresses]
    wait_until(lambda: all(another.get(each).status_code == 200 for each in addresses))
    time.sleep(0.5)  # into the file
    for client in impatient:
        client.close()
    short = {"files": [_upload(another, "短い.txt", "短い文書".encode())]}
    answer = another.post(f"{ANOTHER}/documents", json=short)
    assert answer.json()["outcomes"][0]["status"] == "added"
    # Nothing was read to its end, and a new collection without documents is not left behind.
    wait_until(lambda: all(another.get(each).status_code == 404 for each in addresses))


@pytest.mark.thorough
def test_indexing_ends_when_the_server_is_told_to_stop(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.unit.api.process", str(tmp_path / "workspace")]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        host = f"127.0.0.1:{int(server.stdout.readline())}"
        with httpx.Client(base_url=f"http://{host}", timeout=PATIENCE) as client:
            body = {"files": [_upload(client, "大量.zip", _archive(1500))]}
            # pyrefly: ignore[bad-argument-type]
            running = Server(f"http://{host}", None, None)
            waiting = _post(running, body, ANOTHER, "application/json")
            wait_until(lambda: client.get(ANOTHER).json().get("documents"))
        server.send_signal(signal.SIGTERM)
        answer = waiting.getresponse()
        told = json.loads(answer.read())
        _, errors = server.communicate(timeout=PATIENCE)
        assert (answer.status, "同じファイル" in told["hint"]) == (503, True)
        assert "Traceback" not in errors
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (Conflict("collection_busy", collection="経理"), 409, "CONFLICT"),
        (RuntimeError("a defect, with a secret detail"), 500, "INTERNAL_ERROR"),
    ],
)
def test_what_goes_wrong_on_the_way_ends_the_answer_with_a_problem(
    local: Server, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, code: str
) -> None:
    def fails_after_one(*_args: object, **_kwargs: object) -> Iterator[Outcome]:
        yield Outcome(name="一.txt", status="added")
        raise failure

    monkeypatch.setattr(local.workbench.collections, "index_uploads", fails_after_one)
    with local.client() as client:
        body = {"files": [_upload(client, "a.txt", b"a")]}
        check(client.post(f"{ADDRESS}/documents", json=body), status, code)
        streamed = client.post(
            f"{ADDRESS}/documents", json=body, headers={"Accept": "text/event-stream"}
        )
    assert "secret" not in streamed.text
    (first, outcome), (last, problem) = _events(streamed.text)
    assert (first, outcome["name"], last) == ("outcome", "一.txt", "problem")
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["message"].isascii() or "経理" in problem["message"]


# ---- looking ----


@pytest.mark.usefixtures("indexed")
def test_a_hit_says_where_it_stands_and_what_it_met(local: Server) -> None:
    hit = _search(local, "椅子の売上")[0]
    assert hit["document_name"] == "売上.csv"
    position = hit["position"]
    assert position["row"] <= 3 <= position["last_row"]
    marked = [hit["text"][span["start"] : span["end"]] for span in hit["highlights"]]
    assert "椅子" in marked
    assert _search(local, "大阪支店の移転", format="text")[0]["document_name"] == "議事録.txt"
    assert _search(local, "大阪支店の移転", format=["pdf", "docx"]) == []
    assert len(_search(local, "大阪", limit=1)) == 1


def test_an_archive_is_no_format_to_search_by(local: Server) -> None:
    with local.client() as client:
        response = client.get(f"{ADDRESS}/search", params={"q": "a", "format": "zip"})
        described = client.get("/api/openapi.json").json()
    check(response, 422, "INPUT_VALIDATION_FAILED")
    assert "collections" in described["info"]["description"]
    answers = described["paths"]["/v1/collections/{name}/documents"]["post"]["responses"]
    assert "`outcome`" in str(answers["200"]["content"]["text/event-stream"])


@pytest.mark.usefixtures("indexed")
def test_a_place_shows_what_stands_around_a_hit(local: Server) -> None:
    hit = _search(local, "移転費用の見積")[0]
    with local.client() as client:
        place = client.get(f"{ADDRESS}/places/{hit['chunk_id']}").json()
    assert place["text"] == hit["text"]
    assert place["document"]["name"] == "議事録.txt"
    whole = place["before"] + place["text"] + place["after"]
    assert "営業会議 議事録" in whole
    assert "移転費用の見積は馬場課長が取りまとめる" in whole


@pytest.mark.usefixtures("indexed")
def test_a_name_is_found_in_either_spelling_of_its_characters(local: Server) -> None:
    with local.client() as client:
        composed = client.get(ADDRESS)
        decomposed = quote(unicodedata.normalize("NFD", NAME))
        assert client.get(f"/api/v1/collections/{decomposed}").json() == composed.json()
        assert composed.json()["name"] == NAME
        assert composed.json()["documents"] == 2
        listed = client.get("/api/v1/collections").json()["collections"]
        assert composed.json() in listed


@pytest.mark.usefixtures("indexed")
def test_documents_are_listed_by_name_page_by_page(local: Server) -> None:
    with local.client() as client:
        first = client.get(f"{ADDRESS}/documents", params={"limit": 1}).json()
        assert first["next"] == 1
        rest = client.get(f"{ADDRESS}/documents", params={"limit": 1, "offset": 1}).json()
        assert rest["next"] is None
        names = [each["name"] for page in (first, rest) for each in page["documents"]]
        assert sorted(names) == sorted(["売上.csv", "議事録.txt"])
        some = client.get(f"{ADDRESS}/documents", params={"containing": "議事"}).json()
        assert [each["name"] for each in some["documents"]] == ["議事録.txt"]


def test_where_a_file_lies_on_this_machine_is_not_told(
    local: Server, another: httpx.Client, tmp_path: Path
) -> None:
    folder = tmp_path / "内部資料"
    folder.mkdir()
    (folder / "規程.txt").write_text("旅費規程 第1条 この規程は旅費を定める。", "utf-8")
    list(local.workbench.collections.index_paths("別の資料", [folder]))
    hit = _search(local, "旅費規程", ANOTHER)[0]
    answers = [
        another.get(f"{ANOTHER}/{path}").text
        for path in ("documents", "search?q=旅費", f"places/{hit['chunk_id']}")
    ]
    assert "内部資料/規程.txt" in answers[0]
    for answer in answers:
        assert str(tmp_path) not in answer
        assert '"source"' not in answer


@pytest.mark.parametrize("q", ["", "   ", "　"])
@pytest.mark.usefixtures("indexed")
def test_searching_for_nothing_is_a_problem(local: Server, q: str) -> None:
    with local.client() as client:
        response = client.get(f"{ADDRESS}/search", params={"q": q})
    check(response, 422, "INPUT_VALIDATION_FAILED")


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "q"),
        ({"q": "a", "format": "exe"}, "format.0"),
        ({"q": "a", "limit": "0"}, "limit"),
        ({"q": "長" * 2001}, "q"),
    ],
)
def test_a_search_that_does_not_fit_names_the_parameter(
    local: Server, params: dict[str, str], field: str
) -> None:
    with local.client() as client:
        response = client.get(f"{ADDRESS}/search", params=params)
    problem = check(response, 422, "INPUT_VALIDATION_FAILED")
    assert [each["field"] for each in problem["details"]["fields"]] == [field]
    assert "is not valid." not in problem["details"]["fields"][0]["message"]


@pytest.mark.parametrize(
    "path", ["documents/ffff", "places/ffff.0", "places/ffff", "places/..%2Fx.0"]
)
@pytest.mark.usefixtures("indexed")
def test_what_is_not_there_is_not_found(local: Server, path: str) -> None:
    with local.client() as client:
        method = "DELETE" if path.startswith("documents") else "GET"
        check(client.request(method, f"{ADDRESS}/{path}"), 404, "NOT_FOUND")
        for each in ("", "/documents", "/search?q=a", "/places/a.0"):
            check(client.get(f"/api/v1/collections/nothing{each}"), 404, "NOT_FOUND")


def test_a_removed_document_is_no_longer_found(local: Server, another: httpx.Client) -> None:
    another.post(f"{ANOTHER}/documents", json={"files": _sent(another)[:2]})
    hit = _search(local, "椅子", ANOTHER)[0]
    address = f"{ANOTHER}/documents/{hit['document_id']}"
    assert another.delete(address).status_code == 204
    assert _search(local, "椅子", ANOTHER) == []
    check(another.delete(address), 404, "NOT_FOUND")
    assert another.delete(ANOTHER).status_code == 204
    check(another.get(ANOTHER), 404, "NOT_FOUND")
