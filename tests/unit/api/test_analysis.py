"""Tables through the API: they stay in memory, are looked at, and are asked about."""

from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.unit.agents.analysis.conversation import AnotherAnalysis
from tests.unit.api.serving import Server, serving
from tests.unit.api.test_problems import check

SALES = "日付,店舗,売上\n2025-01-05,新宿店,1200\n2025-01-09,渋谷店,800\n2025-02-03,新宿店,\n"
MB = 1 << 20
PATIENCE = 120


@pytest.fixture(scope="module")
def analysing(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("analysing") / "workspace"
    with serving(workspace, requires_token=True, workflows=(AnotherAnalysis(),)) as server:
        yield server


@pytest.fixture
def client(analysing: Server) -> Generator[httpx.Client]:
    with analysing.client("aoki") as opened:
        opened.timeout = PATIENCE
        yield opened


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def _holds(folder: Path, words: bytes) -> list[Path]:
    return [path for path in _files(folder) if words in path.read_bytes()]


def test_a_table_is_uploaded_without_touching_the_disk(
    analysing: Server, client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = analysing.workbench.settings.workspace
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    secret = "極秘の取引先".encode()
    form = {"file": ("売上.csv", SALES.encode() + b"2025-02-04," + secret + b",1\n", "text/csv")}
    sent = client.post("/api/v1/files?workflow=analysis", files=form)
    raw = client.post(
        "/api/v1/files", params={"workflow": "analysis", "name": "b.csv"}, content=secret
    )
    assert (sent.status_code, raw.status_code) == (201, 201)
    assert sent.json()["name"] == "売上.csv"
    assert _files(tmp_path) == set()
    assert _holds(workspace, secret) == []
    stored = client.post("/api/v1/files", files=form)
    assert stored.json()["file_id"] == sent.json()["file_id"]
    assert _holds(workspace, secret) != []


def test_a_table_over_the_limit_is_refused_while_it_is_read(client: httpx.Client) -> None:
    def pieces() -> Generator[bytes]:
        for _ in range(3 * MB // 65_536):
            yield b"x" * 65_536

    sent = client.post("/api/v1/files?workflow=analysis&name=big.csv", content=pieces())
    assert "1 MB" in check(sent, 413, "RESOURCE_LIMIT")["message"]


def test_a_file_for_a_workflow_that_is_not_there_is_refused(client: httpx.Client) -> None:
    sent = client.post("/api/v1/files?workflow=nothing&name=a.csv", content=b"a,b\n1,2\n")
    check(sent, 404, "NOT_FOUND")


def test_a_table_is_looked_at_before_it_is_asked_about(
    analysing: Server, client: httpx.Client
) -> None:
    form = {"file": ("売上.csv", SALES.encode(), "text/csv")}
    file = client.post("/api/v1/files?workflow=analysis", files=form).json()
    shown = client.post("/api/v1/analysis/preview", json={"file": file})
    assert shown.status_code == 200, shown.text
    preview = shown.json()
    assert (preview["name"], preview["rows"]) == ("売上.csv", 3)
    assert [column["name"] for column in preview["columns"]] == ["日付", "店舗", "売上"]
    assert [column["missing"] for column in preview["columns"]] == [0, 0, 1]
    assert preview["sample"][0][1] == "新宿店"
    assert preview["suggestions"]
    with analysing.client("baba") as other:
        other.timeout = PATIENCE
        check(other.post("/api/v1/analysis/preview", json={"file": file}), 404, "NOT_FOUND")


@pytest.mark.parametrize("body", [{}, {"file": "x"}, {"file": {"file_id": "../../etc/passwd"}}])
def test_a_preview_of_nothing_is_a_problem(client: httpx.Client, body: dict[str, object]) -> None:
    check(client.post("/api/v1/analysis/preview", json=body), 422, "INPUT_VALIDATION_FAILED")


def test_where_there_is_no_analysis_a_preview_is_not_found(local: Server) -> None:
    file = {"file_id": "0" * 64, "name": "a.csv", "size": 1}
    with local.client() as client:
        check(client.post("/api/v1/analysis/preview", json={"file": file}), 404, "NOT_FOUND")
