"""A real server process over a workspace: started, killed and started again."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests import honest_runs
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
START_SECONDS = 300  # five where nothing else runs


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class WorkbenchServer:
    command = ("-m", "tests.journeys.serve")

    def __init__(self, workspace: Path, host: str = "127.0.0.1", **environment: str) -> None:
        self.workspace = workspace
        self.host = host
        self.port = free_port()
        self.environment = environment
        self.log = workspace.with_suffix(".log")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **changed: str) -> None:
        """Returns once the server says where it is; on the same port as before."""
        # Without the developer's own settings: a key there would make a model answer.
        own = re.compile(r"(SANBO|GRACE|OPENAI|AZURE_OPENAI|GOOGLE|GEMINI|STREAMLIT)_")
        inherited = {name: value for name, value in os.environ.items() if not own.match(name)}
        settings = {
            "SANBO_WORKSPACE": str(self.workspace),
            "SANBO_SERVER__HOST": self.host,
            "SANBO_SERVER__PORT": str(self.port),
            "SANBO_LLM__PROVIDER": "rules",
        }
        before = len(self.said())
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.command],
                cwd=ROOT,
                env=inherited | settings | self.environment | changed,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + START_SECONDS
        while "/api/docs" not in self.said()[before:]:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the server did not start:\n{self.said()}")
            time.sleep(0.1)

    def said(self) -> str:
        return self.log.read_text("utf-8") if self.log.exists() else ""

    def kill(self) -> None:
        """Without a chance to say goodbye."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """As Ctrl-C does."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(2)
        ended = self.process.wait(timeout=PATIENCE_SECONDS)
        assert honest_runs.SAID not in self.said()
        return ended
