"""The real server for a benchmark: `sanbo up` in a process of its own, by rules."""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil


def sanbo(workspace: Path) -> list[str]:
    return [sys.executable, "-m", "sanbo", "--workspace", str(workspace)]


@contextmanager
def served(workspace: Path) -> Generator[tuple[psutil.Process, str]]:
    """The process, and its address."""
    rules = {**os.environ, "SANBO_LLM__PROVIDER": "rules"}
    with psutil.Popen(
        [*sanbo(workspace), "up", "--port", "0"], stdout=subprocess.PIPE, text=True, env=rules
    ) as process:
        try:
            lines = process.stdout or ()
            addresses = (re.search(r"http://[\d.]+:\d+", line) for line in lines)
            found = next((each for each in addresses if each), None)
            if found is None:
                sys.exit("sanbo up did not start")
            yield process, found[0]
        finally:
            process.terminate()
