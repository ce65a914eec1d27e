"""Installs what some tests drive, where that is possible: Debian's chromium and LibreOffice.

python tests/journeys/install_browser.py [office]
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    name: str
    """Of the command by which it is known to be there."""
    packages: tuple[str, ...]
    otherwise: str
    """What becomes of the tests that need it."""


PROGRAMS = {
    "browser": Program(
        "chromium-headless-shell",
        ("chromium-headless-shell", "fonts-noto-cjk"),
        "The browser journeys take the whole chromium; without that they are skipped.",
    ),
    "office": Program(
        "soffice",
        ("libreoffice-writer", "libreoffice-calc", "fonts-noto-cjk"),
        "The tests that open Word and Excel files in LibreOffice will be skipped.",
    ),
}


def main() -> int:
    wanted = [PROGRAMS[name] for name in ("browser", *sys.argv[1:])]
    missing = [program for program in wanted if not shutil.which(program.name)]
    for program in wanted:
        if program not in missing:
            print(f"{program.name} is there; nothing to install.")
    if not missing:
        return 0
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        _not_installed(missing, "this needs apt-get and root")
        return 0
    if not _run([apt, "update"]):
        _not_installed(missing, "apt-get failed")
        return 0
    for program in missing:
        print(f"Installing {', '.join(program.packages)} with apt-get …", flush=True)
        if _run([apt, "install", "-y", "--no-install-recommends", *program.packages]):
            print("Installed.")
        else:
            _not_installed([program], "apt-get failed")
    return 0


def _run(command: list[str]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, env=environment, check=False).returncode == 0


def _not_installed(programs: list[Program], reason: str) -> None:
    for program in programs:
        print(f"{program.name} is not installed: {reason}. {program.otherwise}")


if __name__ == "__main__":
    sys.exit(main())
