"""How every chart looks: its size, its colours, its lines; and its PNG."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

from sanbo.agents.analysis.charts import fonts
from sanbo.kernel.messages import current_language

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
    fonts.register()
    with mpl.rc_context():
        settings = dict(mpl.rcParamsDefault)
        settings.pop("backend", None)
        # Latin letters of the Japanese font are wide; quotation marks take a whole square.
        families = [fonts.JAPANESE, fonts.FALLBACK]
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
