"""A trace outside Sanbo: which work was really done, in which order, across killed processes."""

import json
import os
from pathlib import Path


def note(trace: str, step: str, key: str = "") -> None:
    """Appends a line at once; `trace` is a file's path, and empty for no trace."""
    if not trace:
        return
    line = json.dumps({"step": step, "key": key, "pid": os.getpid()})
    with Path(trace).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def read(trace: str) -> list[dict[str, str]]:
    path = Path(trace)
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )
