"""Before the server listens: who may, where, and with which page."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sanbo.kernel.problems import Conflict, MissingDependency, PermissionDenied
from sanbo.server import serve
from sanbo.settings import Settings, load_settings
from sanbo.ui.page_setup import index_page

WITHOUT_STREAMLIT = """
import sys
sys.modules["streamlit"] = None  # as where it is not installed
from fastapi.testclient import TestClient
from sanbo.server import unbuilt_models
from sanbo.server import create_app
from sanbo.settings import load_settings

with TestClient(create_app(load_settings()), base_url="http://127.0.0.1") as client:
    print("to be built in the first request:", *unbuilt_models())
    for path in ("/api/v1/health", "/streamlit", "/streamlit/", "/streamlit/a/b"):
        answer = client.get(path, headers={"Accept-Language": "ja"})
        print(path, answer.status_code, "sanbo[streamlit]" in answer.text.replace("&#x27;", ""))
    print("/streamlined", "sanbo[streamlit]" in client.get("/streamlined").text)
"""


def _settings(tmp_path: Path, **environment: str) -> Settings:
    return load_settings(tmp_path / "workspace", environment)


def test_port_in_use_is_a_problem_that_names_another(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Conflict) as refusal:
            serve(_settings(tmp_path, SANBO_SERVER__PORT=str(port)))
    assert str(port) in refusal.value.problem.message
    assert f"--port {port + 1}" in refusal.value.problem.hint


def test_address_that_is_not_ours_is_a_problem(tmp_path: Path) -> None:
    settings = _settings(tmp_path, SANBO_SERVER__HOST="localhost.invalid")
    with pytest.raises((MissingDependency, PermissionDenied)):
        serve(settings)


def test_host_that_others_can_reach_is_refused_without_a_token(tmp_path: Path) -> None:
    with pytest.raises(PermissionDenied) as refusal:
        serve(_settings(tmp_path, SANBO_SERVER__HOST="0.0.0.0"))
    assert refusal.value.problem.text_id == "token_required_to_bind"


def test_a_server_without_streamlit_serves_all_else_and_says_how_to_get_it(tmp_path: Path) -> None:
    known = {**os.environ, "SANBO_WORKSPACE": str(tmp_path / "workspace")}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_STREAMLIT],
        capture_output=True,
        text=True,
        env=known,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "to be built in the first request:",
        "/api/v1/health 200 False",
        "/streamlit 404 True",
        "/streamlit/ 404 True",
        "/streamlit/a/b 404 True",
        "/streamlined False",
    ]


def test_page_runs_no_inline_script_and_names_no_outside_host() -> None:
    page = index_page("ja")
    assert '<html lang="ja">' in page
    assert "<title>参謀 Sanbo</title>" in page
    assert not re.search(r"<script>|https?://", page)
    assert "./sanbo/start.js" in page


def test_what_fails_while_the_server_starts_is_raised_and_no_exit_code_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = _settings(tmp_path, SANBO_SERVER__PORT="0")
    settings.workspace.mkdir()
    (settings.workspace / "checkpoints.db").write_bytes(b"no database " * 100)
    with pytest.raises(MissingDependency) as refusal:
        serve(settings)
    assert refusal.value.problem.text_id == "database_damaged"
    assert "Traceback" not in capfd.readouterr().err


def test_workspace_that_is_a_file_is_a_problem(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    settings.workspace.write_text("a file")
    with pytest.raises(PermissionDenied) as refusal:
        serve(settings)
    assert refusal.value.problem.text_id == "workspace_unusable"
