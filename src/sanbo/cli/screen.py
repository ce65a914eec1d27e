"""Standard output and standard error: what can be shown there, and how.

Results go to standard output, everything else (progress, questions, problems) to standard error.
"""

import json
import os
import sys
import unicodedata
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.text import Text

from sanbo.kernel.text import TURNS

PIPED_WIDTH = 160

Mark = Literal["ok", "warning", "broken", "waiting", "skipped", "running"]
_MARKS: dict[Mark, tuple[str, str, str]] = {
    "ok": ("✓", "OK", "green"),
    "warning": ("!", "!", "yellow"),
    "broken": ("✗", "NG", "red"),
    "waiting": ("?", "?", "yellow"),
    "skipped": ("–", "-", "dim"),
    "running": ("…", "..", "cyan"),
}


def make_streams_safe() -> None:
    """A console that can't show a character (cp932 …) shows `?` instead of failing.

    What was closed (`>&-`) goes nowhere: a database must not be opened in its place.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _nowhere(mode: Literal["r", "w"]) -> TextIOWrapper:
    return Path(os.devnull).open(mode, encoding="utf-8")


def out() -> Console:
    return _console(stderr=False)


def err() -> Console:
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    # Markup is off: what people, files and models have written is never read as styles.
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = PIPED_WIDTH  # a file or a pipe has no edge at 80 columns
    return console


def is_live(console: Console) -> bool:
    """Whether a moving display is welcome there."""
    return console.is_terminal and not console.is_dumb_terminal


def can_ask() -> bool:
    """A person sits at both ends: keyboard and screen."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def say(text: str, style: str = "") -> None:
    """A sentence to the person; never broken up, so that a command in it can be copied."""
    err().print(words(text, style), soft_wrap=True)


def words(text: object, style: str = "") -> Text:
    """Text for the screen, without control characters that would act on the terminal."""
    return Text(harmless(str(text)), style=style)


def harmless(text: str) -> str:
    """Without what acts on the terminal or turns the direction in which a name is read."""
    return "".join(
        letter
        for letter in text
        if letter in "\n\t" or (unicodedata.category(letter) != "Cc" and letter not in TURNS)
    )


def mark(console: Console, kind: Mark) -> Text:
    symbol, plain, style = _MARKS[kind]
    try:
        symbol.encode(console.encoding)
    except UnicodeEncodeError:
        symbol = plain
    return Text(symbol, style=style)


def show_line(console: Console, kind: Mark, text: str) -> None:
    """A sentence with its mark; never broken up, so that a command in it can be copied."""
    line = mark(console, kind).append(" ").append_text(words(text, "default"))
    console.print(line, soft_wrap=True)


def print_json(value: object, *, on_one_line: bool = False) -> None:
    """The one thing on standard output; as pure ASCII where the encoding is not UTF-8."""
    escaped = not (sys.stdout.encoding or "").lower().startswith("utf")
    indent = None if on_one_line else 2
    sys.stdout.write(json.dumps(value, ensure_ascii=escaped, indent=indent) + "\n")
    sys.stdout.flush()


def local_time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
