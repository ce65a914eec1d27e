"""Which plan of the workspace or of the samples a run was of."""

from pathlib import PurePosixPath

from sanbo.plans.progress import source_of
from sanbo.runs.model import Run

FOLDERS = ("designs", "plans")
"""The workspace's plans, and the shipped samples."""


def design_of(run: Run) -> str:
    """Its id; empty for a plan that was given as a text or a file from elsewhere."""
    parts = PurePosixPath(source_of(run).plan.file).with_suffix("").parts
    return "/".join(parts[1:]) if len(parts) > 1 and parts[0] in FOLDERS else ""
