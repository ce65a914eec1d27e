"""The files that a plan has made, in a folder: never over another, and never outside of it."""

import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path, PurePath

from sanbo.cli.bench import Bench
from sanbo.cli.plan_values import file_ids
from sanbo.cli.screen import say
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, PermissionDenied
from sanbo.runs.model import Artifact, Run

_FORBIDDEN = frozenset('<>:"/\\|?*')
"""In names on Windows."""


def prepare_folder(folder: Path) -> None:
    """Before the work: nobody waits for files that can't be written."""
    if folder.exists() and not folder.is_dir():
        raise Conflict("output_exists", path=str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("path_refused", path=str(folder), reason=reason) from None


def save_files(bench: Bench, run: Run, folder: Path) -> list[Path]:
    """What the plan gives out; all that it has made, where it gives out no file."""
    saved: list[Path] = []
    given_out = set(file_ids((run.result or {}).get("exports")))
    made = list(_each_once(run))
    wanted = [each for each in made if each.artifact_id in given_out] or made
    for artifact in wanted:
        _, content = bench.artifact(run.run_id, artifact.artifact_id)
        target = _free(folder, _plain(artifact.name))
        with (
            BytesIO(content) if isinstance(content, bytes) else content.open("rb") as reader,
            target.open("xb") as writer,
        ):
            shutil.copyfileobj(reader, writer)
        saved.append(target)
        say(tell("cli.saved", path=target))
    if len(wanted) < len(made):
        say(tell("cli.plan.more_files", count=len(made) - len(wanted), run_id=run.run_id), "dim")
    return saved


def _each_once(run: Run) -> Iterator[Artifact]:
    """The same file may have passed several nodes."""
    seen: set[tuple[str, str]] = set()
    for artifact in run.artifacts:
        if (key := (artifact.name, artifact.artifact_id)) not in seen:
            seen.add(key)
            yield artifact


def _plain(name: str) -> str:
    """A name that came from a plan or a file is only ever a name."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join("_" if letter in _FORBIDDEN or ord(letter) < 32 else letter for letter in last)
    return kept.strip(" .") or "file"


def _free(folder: Path, name: str) -> Path:
    stem, ending = PurePath(name).stem, PurePath(name).suffix
    target, number = folder / name, 2
    while target.exists():
        target = folder / f"{stem} ({number}){ending}"
        number += 1
    return target
