"""Charts and diagrams of Office files as text: the numbers behind the picture."""

from dataclasses import dataclass

from sanbo.documents.ooxml.xml import DGM, A, C, Element, texts_of

_MAX_CELLS = 200_000


@dataclass(frozen=True)
class ChartTable:
    title: str | None
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class _Series:
    name: str
    values: dict[int, str]


def chart_tables(root: Element) -> list[ChartTable]:
    """One table for all series over the same categories; a scatter chart may give several."""
    title = texts_of(root.findall(f"{C}chart/{C}title//{A}t")) or None
    groups: dict[tuple[tuple[int, str], ...], list[_Series]] = {}
    for series in root.iter(f"{C}ser"):
        values = _points(series, "val") or _points(series, "yVal")
        if values:
            name = texts_of(series.findall(f"{C}tx//{C}v"))
            groups.setdefault(_categories(series), []).append(_Series(name, values))
    return [
        table
        for categories, series in groups.items()
        for table in _tables(title, dict(categories), series)
    ]


def _tables(
    title: str | None, categories: dict[int, str], series: list[_Series]
) -> list[ChartTable]:
    """Only points that are there: a file of a few bytes may number one 200,000."""
    places = sorted(categories.keys() | {at for entry in series for at in entry.values})
    if len(series) > 1 and len(places) * len(series) > _MAX_CELLS:  # mostly empty side by side
        return [table for one in series for table in _tables(title, categories, [one])]
    rows = [
        [
            categories.get(at, "") if categories else str(at + 1),
            *(entry.values.get(at, "") for entry in series),
        ]
        for at in places
    ]
    return [ChartTable(title, ["", *(entry.name for entry in series)], rows)]


def _categories(series: Element) -> tuple[tuple[int, str], ...]:
    """Categories of several levels (quarter within year) are joined, outermost first."""
    levels = series.findall(f"{C}cat//{C}lvl") or series.findall(f"{C}cat") + series.findall(
        f"{C}xVal"
    )
    read = [_points_of(level) for level in levels]
    joined: list[tuple[int, str]] = []
    seen = [""] * len(read)
    for at in sorted({place for points in read for place in points}):
        for level, points in enumerate(read):
            # An outer category is stored once, at the first of its inner ones.
            seen[level] = points.get(at, seen[level] if level else "")
        joined.append((at, " ".join(text for text in reversed(seen) if text)))
    return tuple(joined)


def _points(series: Element, kind: str) -> dict[int, str]:
    values = series.find(f"{C}{kind}")
    return {} if values is None else _points_of(values)


def _points_of(element: Element) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in element.iter(f"{C}pt"):
        index = point.get("idx") or ""
        if index.isascii() and index.isdigit() and len(index) < 9:
            points[int(index)] = _short(texts_of(point.findall(f"{C}v")))
    return points


def _short(value: str) -> str:
    """12.300000000000001 as a person sees it: 12.3."""
    try:
        return f"{float(value):.12g}" if "." in value and len(value) > 12 else value
    except ValueError:
        return value


def diagram_texts(root: Element) -> list[str]:
    """The texts of a SmartArt diagram, one a shape, in the order of its outline."""
    texts: list[str] = []
    for point in root.iter(f"{DGM}pt"):
        if point.get("type") in ("pres", "parTrans", "sibTrans"):
            continue
        lines = [texts_of(paragraph.iter(f"{A}t")) for paragraph in point.iter(f"{A}p")]
        texts.append("\n".join(line for line in lines if line.strip()))
    return [text for text in texts if text]
