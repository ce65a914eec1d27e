"""A copy of the house in which something can be added, and its command line in a process."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "sanbo"


@dataclass(frozen=True)
class House:
    """Files are linked, not copied, compiled ones too: only what is added is its own."""

    folder: Path

    @classmethod
    def built_in(cls, folder: Path) -> "House":
        shutil.copytree(SOURCE, folder / "sanbo", copy_function=_link)
        return cls(folder)

    def add(self, file: Path, place: str) -> None:
        """A file that the recipe says is new; one that is there already is a mistake."""
        target = self.folder / "sanbo" / place / file.name
        assert not target.exists()
        target.parent.mkdir(exist_ok=True)
        shutil.copy(file, target)

    def replace(self, place: str, words: str, by: str) -> None:
        """A line or two that the recipe says to write into a file that is there."""
        target = self.folder / "sanbo" / place
        text = target.read_text("utf-8")
        assert text.count(words) == 1
        target.unlink()  # the original is the same file
        target.write_text(text.replace(words, by), "utf-8")

    def sanbo(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "sanbo", *arguments, **environment)

    def python(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        given = {"PYTHONPATH": str(self.folder), "SANBO_WORKSPACE": str(self.folder / "work")}
        return subprocess.run(
            [sys.executable, *arguments],
            env=kept | given | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)  # of the same time: what is compiled fits
    return target
