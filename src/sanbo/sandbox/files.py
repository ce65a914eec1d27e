"""Nothing is written to disk by the zygote, nor by libraries that like to keep caches."""

import logging
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = frozenset(
    {
        "os.mkdir",
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "os.utime",
    }
)
_NOWHERE = os.path.join(os.devnull, "none")
_is_refusing = True


def refuse_writing() -> None:
    """From now on whatever Python does to change a file fails, as on a disk that is read-only."""
    sys.addaudithook(_judge)
    # matplotlib wants a folder for its caches and makes one, else it can't be imported: it is told
    # of one that can't exist, and goes on without.
    os.environ["MPLCONFIGDIR"] = _NOWHERE
    tempfile.mkdtemp = _no_folder
    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def leave_judging_to_the_kernel() -> None:
    """In an action under Landlock the kernel refuses, and more than Python can see."""
    global _is_refusing  # noqa: PLW0603 - a hook can't be taken away
    _is_refusing = False


def forget_fonts_outside(folders: list[str]) -> None:
    """An action can't read the system's fonts; and a chart must look the same on every machine."""
    fonts: ModuleType | None = sys.modules.get("matplotlib.font_manager")
    if fonts is None:
        return
    roots = [Path(folder).resolve() for folder in folders]
    manager: Any = fonts.fontManager
    for name in ("ttflist", "afmlist"):
        kept = [font for font in getattr(manager, name) if _is_beneath(font.fname, roots)]
        setattr(manager, name, kept)


def _is_beneath(name: str, roots: list[Path]) -> bool:
    path = Path(name).resolve()
    return any(path.is_relative_to(root) for root in roots)


def _judge(event: str, arguments: tuple[Any, ...]) -> None:
    if not _is_refusing:
        return
    if event in _CHANGING:
        _refuse()
    if event == "open":
        path, mode, flags = arguments
        # A number is a descriptor that is open already.
        if not isinstance(path, int) and path != os.devnull:
            writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
            if writes or (isinstance(flags, int) and flags & _WRITING):
                _refuse()


def _refuse() -> NoReturn:
    raise PermissionError("nothing is written to disk here")


def _no_folder(*_: object, **__: object) -> str:
    return _NOWHERE
