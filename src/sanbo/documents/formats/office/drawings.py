"""Charts and diagrams of Office files as text: the numbers behind the picture."""

from dataclasses import dataclass

from sanbo.documents.formats.office.xml import DGM, A, C, Element, texts_of

_MAX_CELLS = 200_000


@dataclass(frozen=True)
class ChartTable:
    title: str | None
    columns: list[str]
    rows: list[list[str]]


def chart_tables(root: Element) -> list[ChartTable]:
    """One table for all series over the same categories; a scatter chart may give several."""
    title = texts_of(root.findall(f"{C}chart/{C}title//{A}t")) or None
    groups: dict[tuple[str, ...], list[tuple[str, dict[int, str]]]] = {}
    for series in root.iter(f"{C}ser"):
        categories = _categories(series)
        name = texts_of(series.findall(f"{C}tx//{C}v"))
        values = _points(series, "val") or _points(series, "yVal")
        if not values:
            continue
        last = max(*values, len(categories) - 1)
        if last >= _MAX_CELLS:
            continue
        if not categories:
            categories = tuple(str(number) for number in range(1, last + 2))
        groups.setdefault(categories, []).append((name, values))
    return [_table(title, categories, series) for categories, series in groups.items()]


def _table(
    title: str | None, categories: tuple[str, ...], series: list[tuple[str, dict[int, str]]]
) -> ChartTable:
    columns = ["", *(name for name, _ in series)]
    rows = [
        [category, *(values.get(at, "") for _, values in series)]
        for at, category in enumerate(categories)
    ]
    return ChartTable(title, columns, rows)


def _categories(series: Element) -> tuple[str, ...]:
    """Categories of several levels (quarter within year) are joined, outermost first."""
    levels = series.findall(f"{C}cat//{C}lvl") or series.findall(f"{C}cat") + series.findall(
        f"{C}xVal"
    )
    read = [_points_of(level) for level in levels]
    count = 1 + max((max(points, default=-1) for points in read), default=-1)
    if not 0 < count <= _MAX_CELLS:
        return ()
    joined: list[str] = []
    seen = [""] * len(read)
    for at in range(count):
        for level, points in enumerate(read):
            # An outer category is stored once, at the first of its inner ones.
            seen[level] = points.get(at, seen[level] if level else "")
        joined.append(" ".join(text for text in reversed(seen) if text))
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
