"""A comparison side by side: shown in our own frames only, and with none of our rights."""

import re
from collections.abc import Generator

import httpx
import pytest

from sanbo.agents.comparison.workflow import Comparison
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_problems import check
from tests.unit.api.workflows import Papers

OLD, NEW = "第1条 料金は100円とする。", "第1条 料金は<script>alert(1)</script>120円とする。"


@pytest.fixture(scope="module")
def comparing(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("comparing") / "workspace"
    with serving(workspace, requires_token=True, workflows=(Comparison(), Papers())) as server:
        yield server


@pytest.fixture
def client(comparing: Server) -> Generator[httpx.Client]:
    with comparing.client("aoki") as opened:
        yield opened


def test_the_view_runs_its_script_without_any_right_of_ours(
    comparing: Server, client: httpx.Client
) -> None:
    run = settled(client, start(client, "comparison", old_text=OLD, new_text=NEW)["run_id"])
    assert run["status"] == "succeeded", run["problem"]
    address = f"/api/v1/comparison/{run['run_id']}/view"
    shown = client.get(address)
    assert shown.status_code == 200
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    policy = [part.strip() for part in shown.headers["content-security-policy"].split(";")]
    assert "sandbox allow-scripts" in policy, "with our origin it could act as its reader"
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert shown.headers["x-frame-options"] == "SAMEORIGIN"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert "<script>alert" not in shown.text
    with comparing.client("baba") as other:
        check(other.get(address), 404, "NOT_FOUND")


def test_every_file_is_in_the_list_and_comes_when_it_is_asked_for(
    comparing: Server, client: httpx.Client
) -> None:
    run = settled(client, start(client, "comparison", old_text=OLD, new_text=NEW)["run_id"])
    address = f"/api/v1/runs/{run['run_id']}/artifacts"
    listed = client.get(address).json()["artifacts"]
    endings = {each["name"].rsplit(".", 1)[-1]: each for each in listed}
    assert endings.keys() == {"md", "json", "html", "docx", "xlsx"}
    stored = {each["artifact_id"] for each in listed if not each["made_of"]}
    for ending in ("html", "docx", "xlsx"):
        offered = endings[ending]
        assert set(offered["made_of"]) <= stored
        got = client.get(f"{address}/{offered['artifact_id']}")
        assert got.status_code == 200
        assert got.headers["content-type"].startswith(offered["media_type"])
        assert got.headers["content-disposition"].startswith("attachment")
        assert len(got.content) == int(got.headers["content-length"]) > 0
        with comparing.client("baba") as other:
            check(other.get(f"{address}/{offered['artifact_id']}"), 404, "NOT_FOUND")


def test_html_of_another_workflow_is_never_shown(client: httpx.Client) -> None:
    given = {"name": "comparison.html", "media_type": "text/html", "text": "<script>1</script>"}
    run = settled(client, start(client, "papers", **given)["run_id"])
    check(client.get(f"/api/v1/comparison/{run['run_id']}/view"), 404, "NOT_FOUND")
    artifact = run["artifacts"][0]["artifact_id"]
    kept = client.get(f"/api/v1/runs/{run['run_id']}/artifacts/{artifact}?inline=true")
    assert kept.headers["content-disposition"].startswith("attachment")


def test_a_report_is_named_after_its_subject_and_nothing_in_it_runs(
    comparing: Server, client: httpx.Client
) -> None:
    run = settled(client, start(client, "comparison", old_text=OLD, new_text=NEW)["run_id"])
    address = f"/api/v1/runs/{run['run_id']}/report"
    for form, begins in {"docx": b"PK", "xlsx": b"PK", "html": b"<!doctype", "md": b"# "}.items():
        got = client.get(address, params={"format": form}, headers={"Accept-Language": "en"})
        assert got.status_code == 200
        assert got.content.startswith(begins)
        assert got.headers["content-disposition"].startswith("attachment")
        name = got.headers["content-disposition"].partition("filename=")[2].partition(";")[0]
        assert re.fullmatch(rf'"Document_comparison[\w.]+\.{form}"', name, re.ASCII)
    page = client.get(address, params={"format": "html", "inline": "true"})
    assert page.headers["content-disposition"].startswith("inline")
    policy = [part.strip() for part in page.headers["content-security-policy"].split(";")]
    assert {"default-src 'none'", "sandbox", "img-src data:"} <= set(policy)
    assert "img-src 'self'" not in policy
    assert "<script>alert" not in page.text
    assert "<ins>" in page.text
    check(client.get(address, params={"format": "exe"}), 422, "INPUT_VALIDATION_FAILED")
    with comparing.client("baba") as other:
        check(other.get(address), 404, "NOT_FOUND")
