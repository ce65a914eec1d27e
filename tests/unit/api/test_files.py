"""Uploads and artifacts: limits, names that are only data, bytes under safe headers."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.api.uploads import MAX_NAME_BYTES, safe_name
from tests.unit.api.serving import Server, settled, start, wait_until
from tests.unit.api.test_problems import check

MB = 1 << 20


def _left_behind(server: Server) -> list[Path]:
    folder = server.workbench.settings.workspace / "blobs" / "incoming"
    return [each for each in folder.rglob("*") if each.is_file() and each.suffix != ".lock"]


def test_a_form_uploads_a_file_with_a_japanese_name(local: Server) -> None:
    with local.client() as client:
        sent = {"file": ("売上 2024年 上期.csv", "支店,金額\n".encode(), "text/csv")}
        response = client.post("/api/v1/files", files=sent, data={"note": "ほかの項目"})
    assert response.status_code == 201
    file = response.json()
    assert file["name"] == "売上 2024年 上期.csv"
    assert file["media_type"] == "text/csv"
    assert file["size"] == len("支店,金額\n".encode())
    assert _left_behind(local) == []


def test_a_raw_body_is_named_in_the_query_or_in_a_header(local: Server) -> None:
    with local.client() as client:
        by_query = client.post("/api/v1/files?name=契約書.pdf", content=b"%PDF")
        header = {"X-File-Name": quote("見積 書.xlsx"), "Content-Type": "application/octet-stream"}
        by_header = client.post("/api/v1/files", content=b"PK", headers=header)
        unnamed = client.post("/api/v1/files", content=b"x")
    assert (by_query.json()["name"], by_query.json()["media_type"]) == (
        "契約書.pdf",
        "application/pdf",
    )
    assert by_header.json()["name"] == "見積 書.xlsx"
    assert "spreadsheet" in by_header.json()["media_type"]
    check(unnamed, 422, "INPUT_VALIDATION_FAILED")


def test_an_empty_file_is_a_file(local: Server) -> None:
    with local.client() as client:
        assert client.post("/api/v1/files", files={"file": ("空.txt", b"")}).json()["size"] == 0
        assert client.post("/api/v1/files?name=empty.txt", content=b"").json()["size"] == 0


@pytest.mark.parametrize("size", [MB + 1, 3 * MB, 40 * MB])
@pytest.mark.parametrize("way", ["form", "raw", "unannounced"])
def test_a_file_over_the_limit_is_refused_and_leaves_nothing(
    local: Server, way: str, size: int
) -> None:
    def pieces() -> Any:
        for _ in range(0, size, 65_536):
            yield b"x" * 65_537

    with local.client() as client:
        if way == "form":
            response = client.post("/api/v1/files", files={"file": ("big.bin", b"x" * size)})
        else:
            content = pieces() if way == "unannounced" else b"x" * size
            response = client.post("/api/v1/files?name=big.bin", content=content)
    problem = check(response, 413, "RESOURCE_LIMIT")
    assert "1 MB" in problem["message"]
    wait_until(lambda: _left_behind(local) == [])


def test_a_file_at_the_limit_is_taken(local: Server) -> None:
    with local.client() as client:
        response = client.post("/api/v1/files", files={"file": ("full.bin", b"x" * MB)})
    assert response.json()["size"] == MB


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"--x"),
        ("multipart/form-data; boundary=x", b"no form"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="file"'
         b'; filename="a.txt"\r\n\r\nbroken off'),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="other"'
         b'\r\n\r\ntext\r\n--x--\r\n'),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\ntext\r\n--x--\r\n"),
    ],
)  # fmt: skip
def test_a_form_without_a_whole_file_is_a_problem(
    local: Server, content_type: str, body: bytes
) -> None:
    with local.client() as client:
        response = client.post(
            "/api/v1/files", content=body, headers={"Content-Type": content_type}
        )
    check(response, 422, "INPUT_VALIDATION_FAILED")
    assert _left_behind(local) == []


def test_two_files_at_once_are_a_problem(local: Server) -> None:
    with local.client() as client:
        files = [("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))]
        check(client.post("/api/v1/files", files=files), 422, "INPUT_VALIDATION_FAILED")


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\system.ini", "system.ini"),
        ("C:\\Users\\aoki\\経費.xlsx", "経費.xlsx"),
        ("/", "file"),
        ("..", "file"),
        ("", "file"),
        ("a\x00b\r\nc.txt", "abc.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("　稟議書 第3号.docx ", "稟議書 第3号.docx"),
        ("か\u3099.txt", "が.txt"),
    ],
)
def test_a_file_name_is_only_data(given_name: str, kept: str) -> None:
    assert safe_name(given_name) == kept


@given(st.text(max_size=500))
def test_any_name_becomes_one_that_any_disk_takes(given_name: str) -> None:
    name = safe_name(given_name)
    assert 0 < len(name.encode()) <= MAX_NAME_BYTES
    assert name not in (".", "..")
    assert not set(name) & set("/\\\0\r\n")
    assert safe_name(name) == name


def test_a_long_name_keeps_its_ending() -> None:
    assert safe_name("長" * 300 + ".xlsx").endswith("長.xlsx")


def test_traversal_in_an_uploaded_name_goes_nowhere(local: Server) -> None:
    with local.client() as client:
        sent = {"file": ("../../../逃げる.txt", b"x")}
        assert client.post("/api/v1/files", files=sent).json()["name"] == "逃げる.txt"
        raw = client.post("/api/v1/files", params={"name": "..\\..\\a.txt"}, content=b"x")
        assert raw.json()["name"] == "a.txt"


def test_an_uploaded_file_is_used_in_a_run(local: Server) -> None:
    with local.client() as client:
        file = client.post("/api/v1/files", files={"file": ("元.txt", b"x")}).json()
        run = settled(client, start(client, "papers", source=file)["run_id"])
    assert run["status"] == "succeeded"
    assert run["input"]["source"] == file


def _artifact(client: Any, **given: str) -> tuple[dict[str, Any], str]:
    run = settled(client, start(client, "papers", **given)["run_id"])
    (artifact,) = client.get(f"/api/v1/runs/{run['run_id']}/artifacts").json()["artifacts"]
    return artifact, f"/api/v1/runs/{run['run_id']}/artifacts/{artifact['artifact_id']}"


def test_an_artifact_is_downloaded_under_its_japanese_name(local: Server) -> None:
    with local.client() as client:
        _, address = _artifact(client, name='報告 "最終"/版.md', text="# 結果")
        response = client.get(address)
        with_range = client.get(address, headers={"Range": "bytes=nonsense"})
    assert response.text == with_range.text == "# 結果"
    encoded = quote('報告 "最終"/版.md', safe="")
    assert response.headers["content-disposition"] == (
        f"attachment; filename=\"__ ______.md\"; filename*=UTF-8''{encoded}"
    )
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("media_type", "shown_as"),
    [
        ("image/png", "image/png"),
        ("application/json", "application/json"),
        ("text/markdown", "text/plain; charset=utf-8"),
        ("text/html", None),
        ("image/svg+xml", None),
        ("application/xhtml+xml", None),
        ("application/pdf", None),
        ("text/html; charset=utf-8", None),
    ],
)
def test_only_harmless_artifacts_are_shown_in_the_browser(
    local: Server, media_type: str, shown_as: str | None
) -> None:
    with local.client() as client:
        _, address = _artifact(client, media_type=media_type, text="<script>alert(1)</script>")
        response = client.get(address, params={"inline": "true"})
        assert client.get(address).headers["content-disposition"].startswith("attachment")
    kind = "inline" if shown_as else "attachment"
    assert response.headers["content-disposition"].startswith(kind)
    if shown_as:
        assert response.headers["content-type"] == shown_as


def test_a_media_type_that_is_none_is_served_as_bytes(local: Server) -> None:
    with local.client() as client:
        _, address = _artifact(client, media_type="nonsense\r\nX-Evil: 1")
        response = client.get(address)
    assert response.headers["content-type"] == "application/octet-stream"
    assert "x-evil" not in response.headers


def test_an_artifact_that_is_not_the_runs_is_not_found(local: Server) -> None:
    with local.client() as client:
        artifact, _ = _artifact(client, text="ある実行の成果物")
        other = settled(client, start(client, "papers", text="別の成果物")["run_id"])["run_id"]
        for artifact_id in (artifact["artifact_id"], "0" * 64, "..%2F..%2Fsanbo.db", "nothing"):
            response = client.get(f"/api/v1/runs/{other}/artifacts/{artifact_id}")
            check(response, 404, "NOT_FOUND")


def test_a_form_of_very_many_parts_is_refused(local: Server) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'
    with local.client() as client:
        response = client.post(
            "/api/v1/files",
            content=part * 101 + b"--b--\r\n",
            headers={"Content-Type": "multipart/form-data; boundary=b"},
        )
    check(response, 413, "RESOURCE_LIMIT")


@pytest.mark.parametrize(
    ("asked", "given"),
    [("bytes=0-3", "0123"), ("bytes=4-", "456789"), ("bytes=-2", "89"), ("bytes=8-99", "89")],
)
def test_a_part_of_an_artifact_is_given_to_who_has_the_rest(
    local: Server, asked: str, given: str
) -> None:
    with local.client() as client:
        artifact, address = _artifact(client, text="0123456789")
        part = client.get(address, headers={"Range": asked})
        other = client.get(address, headers={"Range": asked, "If-Range": '"other"'})
        same = client.get(address, headers={"Range": asked, "If-Range": part.headers["etag"]})
    assert (part.status_code, part.text) == (206, given)
    first = "0123456789".index(given)
    assert part.headers["content-range"] == f"bytes {first}-{first + len(given) - 1}/10"
    assert part.headers["etag"] == f'"{artifact["artifact_id"]}"'
    assert (other.status_code, other.text) == (200, "0123456789")
    assert (same.status_code, same.text) == (206, given)


def test_a_part_beyond_the_end_is_a_problem_and_several_are_given_as_a_whole(
    local: Server,
) -> None:
    with local.client() as client:
        _, address = _artifact(client, text="0123456789")
        beyond = client.get(address, headers={"Range": "bytes=10-"})
        several = client.get(address, headers={"Range": "bytes=0-1,4-5"})
    check(beyond, 416, "INPUT_VALIDATION_FAILED")
    assert beyond.headers["content-range"] == "bytes */10"
    assert (several.status_code, several.text) == (200, "0123456789")


def test_an_artifact_that_was_overwritten_is_not_served(local: Server) -> None:
    with local.client() as client:
        artifact, address = _artifact(client, name="請求.md", text="請求 1,000円")
        stored = local.workbench.settings.workspace / "blobs"
        [file] = stored.rglob(artifact["artifact_id"])
        for false in ("請求 9,000円".encode(), b""):
            file.write_bytes(false)
            problem = check(client.get(address), 404, "NOT_FOUND")
            assert "請求.md" in problem["message"]
            assert "Replay the run" in problem["hint"]
        _artifact(client, name="請求.md", text="請求 1,000円")  # made anew, it is whole again
        assert client.get(address).text == "請求 1,000円"
