"""How every chart looks: its size, its colours, its lines, its fonts; and its PNG."""

import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import Any

import matplotlib as mpl
import matplotlib_fontja
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.ft2font import FT2Font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

from sanbo.kernel.messages import current_language

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false


JAPANESE = "IPAexGothic"
FALLBACK = "DejaVu Sans"
"""Ships with Matplotlib; has signs that the Japanese font lacks."""

NOT_SHOWN = "〓"
"""What Japanese printers set for a letter they don't have."""

_LONGEST_NAME = 24


def register() -> None:
    """Makes the Japanese font known to Matplotlib; the file lies in the library's own folder."""
    known = {entry.name for entry in font_manager.fontManager.ttflist}
    if JAPANESE not in known:
        font_manager.fontManager.addfont(matplotlib_fontja.get_font_ttf_path())


@cache
def _letters() -> frozenset[int]:
    fallback = font_manager.findfont(FALLBACK, fallback_to_default=False)
    paths = (matplotlib_fontja.get_font_ttf_path(), fallback)
    return frozenset(code for path in paths for code in FT2Font(path).get_charmap())


def has_letter(letter: str) -> bool:
    return ord(letter) in _letters()


def one_line(text: str) -> str:
    """Without line breaks, control characters, direction marks and other letters unseen."""
    return " ".join("".join(map(_seen, text)).split())


def drawable(text: str) -> str:
    """One line that the fonts can show: letters without a glyph are replaced."""
    return " ".join("".join(_shown(letter) for letter in one_line(text)).split())


@cache
def _seen(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter.isspace() or category == "Cc":
        return " "
    if category in {"Cf", "Cs"} or unicodedata.name(letter, "").startswith("VARIATION SELECTOR"):
        return ""
    return letter


@cache
def _shown(letter: str) -> str:
    category = unicodedata.category(letter)
    if has_letter(letter):
        return letter
    simpler = unicodedata.normalize("NFKC", letter)
    if simpler != letter and all(map(has_letter, simpler)):
        return simpler
    # Signs and emoji have names that tell them apart; letters of other scripts do not.
    name = unicodedata.name(letter, "").lower() if category == "So" else ""
    return f"[{name}]" if 0 < len(name) <= _LONGEST_NAME else NOT_SHOWN


def is_drawable(text: str) -> bool:
    """Whether nothing had to be replaced by a sign that stands for it."""
    return all(_shown(letter) == letter for letter in one_line(text))


def width(text: str) -> int:
    """In half-width letters: 売上 is 4 wide, ABC is 3."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WFA" else 1 for letter in text)


def shortened(text: str, most: int) -> str:
    """At most `most` half-width letters wide, with … where something was left out."""
    if width(text) <= most:
        return text
    return _start(text, most - 2) + "…"


def shortened_apart(texts: list[str], most: int) -> list[str]:
    """Like `shortened`, but texts that differ stay different."""
    short = [shortened(text, most) for text in texts]
    if len(set(short)) == len(set(texts)):
        return short
    counts: dict[str, set[str]] = {}
    for text, cut in zip(texts, short, strict=True):
        counts.setdefault(cut, set()).add(text)
    apart = [
        _without_middle(text, most) if len(counts[cut]) > 1 else cut
        for text, cut in zip(texts, short, strict=True)
    ]
    if len(set(apart)) == len(set(texts)):
        return apart
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts), 1)}
    return [
        f"{_start(cut, most - 5)}({numbers[text]})" if len(counts[first]) > 1 else cut
        for text, cut, first in zip(texts, apart, short, strict=True)
    ]


def _without_middle(text: str, most: int) -> str:
    if width(text) <= most:
        return text
    half = (most - 2) // 2
    return _start(text, half) + "…" + _start(text[::-1], half)[::-1]


def _start(text: str, most: int) -> str:
    used = 0
    for index, letter in enumerate(text):
        used += width(letter)
        if used > most:
            return text[:index].rstrip()
    return text


# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false


WIDTH, HEIGHT, DPI = 1200, 700, 150
TALLEST = 1500
TICK_SIZE = 8.5
PAD = 0.1
"""Inches around everything."""

# Okabe and Ito's colours, which the colour-blind can tell apart; without yellow, which is hard
# to see on white, and with a dark grey for black.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#4D4D4D")
REST = "#A6A6A6"
"""Of what is drawn as その他."""
INK, FAINT, GRID = "#262626", "#666666", "#E3E3E3"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")

_LARGEST_FILE = 250_000

_LOOK: dict[str, Any] = {
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,  # a cell such as $x$ is text, never a formula
    "text.usetex": False,
    "axes.titlesize": 10,
    "axes.titlecolor": INK,
    "axes.labelcolor": FAINT,
    "axes.labelsize": 9,
    "axes.edgecolor": "#B0B0B0",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": False,
    "axes.formatter.use_mathtext": False,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": "#B0B0B0",
    "ytick.color": "#B0B0B0",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": TICK_SIZE,
    "ytick.labelsize": TICK_SIZE,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8.5,
    "lines.linewidth": 2.0,
    "lines.solid_capstyle": "round",
    "patch.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "agg.path.chunksize": 10_000,
}


@contextmanager
def house_style() -> Generator[None]:
    """Ours alone, whatever a theme of another library has set before."""
    register()
    with mpl.rc_context():
        settings = dict(mpl.rcParamsDefault)
        settings.pop("backend", None)
        # Latin letters of the Japanese font are wide; quotation marks take a whole square.
        families = [JAPANESE, FALLBACK]
        settings |= {
            **_LOOK,
            "font.family": families if current_language() == "ja" else families[::-1],
        }
        mpl.rcParams.update(settings)  # pyright: ignore[reportCallIssue, reportArgumentType]
        yield


def new_figure(height: int = HEIGHT) -> Figure:
    size = (WIDTH / DPI, min(height, TALLEST) / DPI)
    layout = ConstrainedLayoutEngine(w_pad=PAD, h_pad=PAD, wspace=0.03, hspace=0.03)
    figure = Figure(figsize=size, dpi=DPI, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def colours(count: int, *, rest_is_last: bool = False) -> list[str]:
    """The palette, then lighter and darker shades of it; grey for the rest."""
    named = count - 1 if rest_is_last else count
    made = [_shade(PALETTE[i % len(PALETTE)], i // len(PALETTE)) for i in range(named)]
    return [*made, REST] if rest_is_last else made


def _shade(colour: str, round_: int) -> str:
    mixed_with, share = (("white", 0.0), ("white", 0.5), ("black", 0.35))[round_ % 3]
    return mixed(colour, mixed_with, share)


def mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(to_rgb(colour), to_rgb(other), strict=True)
    red, green, blue = ((1 - share) * one + share * two for one, two in pairs)
    return to_hex((red, green, blue))


def png(figure: Figure) -> bytes:
    """Without the versions and dates that would make two of the same chart differ."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    made = buffer.getvalue()
    return made if len(made) <= _LARGEST_FILE else _with_fewer_colours(made)


def _with_fewer_colours(made: bytes) -> bytes:
    buffer = BytesIO()
    with Image.open(BytesIO(made)) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(buffer, format="png", optimize=True, dpi=(DPI, DPI))
    return buffer.getvalue()
