"""Matplotlib kept to itself: no folder made, no cache written, no font or setting of the machine.

Imported before anything of Matplotlib is. A sandboxed analysis may create no file, and a chart
must look the same on every machine.
"""

import importlib.util
import logging
import os
from pathlib import Path


def _own_settings() -> str:
    """Those that Matplotlib ships, found without importing it."""
    found = importlib.util.find_spec("matplotlib")
    folder = Path(found.origin).parent if found and found.origin else Path()
    return str(folder / "mpl-data" / "matplotlibrc")


# Else the import makes ~/.config/matplotlib and looks there.
os.environ["MATPLOTLIBRC"] = _own_settings()
os.environ["MPLBACKEND"] = "Agg"

import matplotlib as mpl  # noqa: E402 - after its surroundings are set


def _no_folder() -> str:
    """Nothing can be read from here or written to it."""
    return os.path.join(os.devnull, "matplotlib")


mpl.get_cachedir = _no_folder
# It would warn that its list of fonts can't be kept: that is what is wanted.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
# Else it runs fc-list and opens every font there is, which takes seconds. Only while it loads:
# later on it would keep to its own folder, where the Japanese font is not.
os.environ["MPL_IGNORE_SYSTEM_FONTS"] = "1"

import matplotlib.font_manager  # noqa: E402, F401  # pyright: ignore[reportUnusedImport]

del os.environ["MPL_IGNORE_SYSTEM_FONTS"]
