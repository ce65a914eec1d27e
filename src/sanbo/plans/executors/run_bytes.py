"""The files that blocks of one run may read: that run's own, and no others."""

from pathlib import Path

from sanbo.kernel.problems import NotFound
from sanbo.runs.files import RunFiles
from sanbo.runs.model import FileRef


class RunBytes:
    """For threads that compute: each file is looked up once."""

    def __init__(self, files: RunFiles, run_id: str) -> None:
        self._files = files
        self._run_id = run_id
        self._known: set[str] = set()

    def read(self, file: FileRef) -> bytes:
        self._check(file)
        return self._files.read(file.file_id)

    def locate(self, file: FileRef) -> Path | bytes:
        self._check(file)
        return self._files.locate(file.file_id)

    def _check(self, file: FileRef) -> None:
        if file.file_id not in self._known:
            if not self._files.belongs(self._run_id, file.file_id):
                raise NotFound("file_not_found", name=file.name)
            self._known.add(file.file_id)
