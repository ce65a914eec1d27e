"""A server that is told to stop lets its streams go, and stops."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx

from tests.unit.api.serving import PATIENCE, settled, start


def test_open_streams_end_when_the_server_is_told_to_stop(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.unit.api.process", str(tmp_path / "workspace")]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            run_id = settled(client, start(client, "expenses", title="出張")["run_id"])["run_id"]
            with client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
                lines = response.iter_lines()
                assert any(line == "event: interaction_open" for line in lines)
                server.send_signal(signal.SIGTERM)
                # Broken off, not ended: a client knows that there is more to come for.
                with suppress(httpx.RemoteProtocolError):
                    assert not any(line.startswith("event:") for line in lines)
        _, errors = server.communicate(timeout=PATIENCE)
        assert "Traceback" not in errors
    finally:
        server.kill()
        server.wait()
