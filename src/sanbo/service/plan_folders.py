"""The folders that plans stand in: the workspace's own, the shipped samples, and beside a file."""

import os
import tempfile
from pathlib import Path

from typing_extensions import override

from sanbo.blocks.contract.yaml_tree import MOST_CHARACTERS
from sanbo.kernel.problems import Conflict, InvalidInput, LimitExceeded, NotFound, PermissionDenied
from sanbo.plans.store import ENDINGS, Design, Designs

DESIGNS = "designs"
SHIPPED = Path(__file__).parent / "samples" / "plans"


def designs_of(workspace: Path) -> Designs:
    """A plan of the workspace goes before a sample of the same id."""
    return Designs([workspace / DESIGNS, SHIPPED])


class DesignsBeside(Designs):
    """Also those beside a file, and in the tree of `designs/` that it stands in."""

    def __init__(self, file: Path, others: Designs) -> None:
        folder = file.absolute().parent
        trees = [parent for parent in folder.parents if parent.name == DESIGNS]
        super().__init__([folder, *trees, *others.folders])
        self._others = others

    @override
    def list(self) -> tuple[Design, ...]:
        """Without the file's own folder: it may be somebody's whole home."""
        return self._others.list()


def save_text(workspace: Path, plan_id: str, text: str, *, replace: bool) -> Path:
    """Writes a plan's file, whole or not at all; never outside `designs/`."""
    if len(text) > MOST_CHARACTERS:
        raise LimitExceeded("plan_too_long", limit=MOST_CHARACTERS)
    folder = workspace / DESIGNS
    if _is_there(Designs([folder]), plan_id) and not replace:
        raise Conflict("plan_exists", plan_id=plan_id)
    file = _file_of(folder, plan_id)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.parent.resolve().is_relative_to(folder.resolve()):
            raise InvalidInput("plan_id_refused", plan_id=plan_id)
        _write(file, text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("path_refused", path=str(file), reason=reason) from None
    return file


def is_design(workspace: Path, plan_id: str) -> bool:
    """Whether it would hide a plan or a sample that is there."""
    return _is_there(designs_of(workspace), plan_id)


def _is_there(designs: Designs, plan_id: str) -> bool:
    """An id that can't be one is refused here."""
    try:
        _ = designs.read(plan_id, but=plan_id)  # by its file: one of another name is not hidden
    except NotFound:
        return False
    return True


def _file_of(folder: Path, plan_id: str) -> Path:
    files = [folder / f"{plan_id}{ending}" for ending in ENDINGS]
    return next((file for file in files if file.is_file()), files[0])


def _write(file: Path, text: str) -> None:
    """By a new file in its place: whoever reads at this moment sees the old one or the new one."""
    number, made = tempfile.mkstemp(dir=file.parent, prefix=".saving-")
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
        os.replace(made, file)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
