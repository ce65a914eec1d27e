"""One column against another, row by row: 在庫数が発注点を下回る, less … than."""

from collections.abc import Iterator

from sanbo.agents.analysis.rules.bounds import OPS, PERIODS
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.lexicon import set_of
from sanbo.agents.analysis.rules.scene import KnownColumn


def read_sides(items: Items) -> None:
    """在庫数が発注点を下回る, less on hand than the reorder level: in each row."""
    for at, op in _between_columns(items):
        if "against" in items.frame.options:
            return
        beside = items.before(at) if items.all[at].is_japanese else items.after(at)
        is_dated = items.is_kind(beside, "column") and items.known(beside or 0).is_date
        columns = [
            place
            for place in items.free("column")
            if _is_side(items.known(place), is_dated=is_dated) and abs(place - at) <= 6
        ]
        before = [place for place in columns if place < at]
        behind = [place for place in columns if place > at]
        is_japanese = items.all[at].is_japanese
        two = before[-2:] if is_japanese else [*before[-1:], *behind[:1]]
        names = [items.name(place) for place in two]
        if two == [beside] and (is_dated or items.text(at) not in _PARTICLES):
            other = _other_side(items, at, names[0])
            names = [other, *names] if other is not None else []
        if len(set(names)) != 2:
            continue
        left, right = names
        items.use("condition", *(one for one in columns if items.name(one) in names), at)
        part = items.before(at) if is_japanese else items.after(at)
        figure = items.figure(part)
        factor = None
        if figure is not None and figure.kind == "share" and figure.value is not None:
            items.use("condition", part)  # 原価が売価の8割を超える
            factor = float(figure.value / 100)
        items.frame.options["against"] = (left, op, right, factor)
        if items.is_word(items.after(at), *PERIODS):
            items.doubt(1.0)  # months: of their totals, or of rows


def _is_side(known: KnownColumn, *, is_dated: bool) -> bool:
    return known.is_date if is_dated else known.is_measure and not known.is_year


_PARTICLES = frozenset(("から", "より", "まで", "from", "over", "within", "through", "after"))


def _between_columns(items: Items) -> Iterator[tuple[int, str]]:
    """Where two are compared, and how; less … than is one word in two."""
    for at in items.words("gt", "lt", "ge", "le"):
        yield at, OPS[items.name(at)]
    for at in [one for one in items.words("comparative") if items.text(one) == "than"]:
        for ahead in range(at - 1, max(-1, at - 7), -1):
            if items.is_word(ahead, "comparative") and not items.is_used(ahead):
                is_less = items.text(ahead) in set_of("less")
                if is_less or items.text(ahead) in set_of("more"):
                    yield at, "<" if is_less else ">"
                    if items.roles.get(at) == "condition":
                        items.use("condition", ahead)
                    break


def _other_side(items: Items, at: int, named: str) -> str | None:
    """Below its reorder point: what is? Another number of the kind, and never at once."""
    if items.is_kind(items.after(at), "number", "when") or items.frame.having:
        return None
    known, columns = items.scene.columns[named], items.scene.columns
    alike = [
        name
        for name in (items.scene.dates if known.is_date else items.scene.measures)
        if name != named and columns[name].is_money == known.is_money
    ]
    if not alike:
        return None
    return items.choose(f"other:{at}", [(name, 1.0 + 0.2 * n) for n, name in enumerate(alike[:3])])
