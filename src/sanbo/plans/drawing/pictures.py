"""A plan drawn as SVG, PNG or Mermaid, with how far each node has come."""

from collections.abc import Mapping

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language
from sanbo.plans.drawing.figure import Mark, figure_of
from sanbo.plans.drawing.layout import Direction
from sanbo.plans.drawing.look import Theme
from sanbo.plans.drawing.mermaid import mermaid_of
from sanbo.plans.drawing.png import png_of
from sanbo.plans.drawing.svg import svg_of
from sanbo.plans.model import Graph, Plan
from sanbo.runs.model import Path


def draw(
    plan: Plan,
    statuses: Mapping[Path, Mark] | None = None,
    language: Language | None = None,
    *,
    called: Mapping[str, Graph] | None = None,
    direction: Direction = "down",
    theme: Theme = "auto",
) -> str:
    """SVG. `statuses` by path of node ids, loop items left out: `("each_file", "analyze")`."""
    figure = figure_of(plan, called, language)
    title = text_of(plan.title, language) or plan.id
    return svg_of(
        figure, statuses, title=title, language=language, direction=direction, theme=theme
    )


def draw_png(
    plan: Plan,
    statuses: Mapping[Path, Mark] | None = None,
    language: Language | None = None,
    *,
    called: Mapping[str, Graph] | None = None,
    direction: Direction = "down",
) -> bytes:
    svg = draw(plan, statuses, language, called=called, direction=direction, theme="light")
    return png_of(svg)


def draw_mermaid(
    plan: Plan,
    statuses: Mapping[Path, Mark] | None = None,
    language: Language | None = None,
    *,
    called: Mapping[str, Graph] | None = None,
    direction: Direction = "down",
) -> str:
    figure = figure_of(plan, called, language)
    return mermaid_of(figure, statuses, language=language, direction=direction)
