"""Numbers that a question names and the table does not have: made of its columns, ratios, times."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.mentions import concepts
from sanbo.agents.analysis.rules.reading import Duration, Formula
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import bare, form, name_words
from sanbo.kernel.messages import tell


@dataclass(frozen=True, slots=True)
class Known:
    words: re.Pattern[str]
    name: str
    fn: Literal["divide", "subtract", "multiply"]
    left: tuple[str, ...]
    """Concepts, any of which will do."""
    right: tuple[str, ...]
    less: tuple[str, ...] = ()


def _words(text: str) -> re.Pattern[str]:
    return re.compile(text)


_KNOWN: Final = (
    Known(
        _words("粗利率|粗利益率|gross (?:profit )?margin(?: (?:rate|ratio|percentage))"),
        "粗利率",
        "divide",
        ("gross_profit",),
        ("sales",),
    ),
    Known(
        _words(
            "粗利率|粗利益率|利益率|gross (?:profit )?margin (?:rate|ratio|"
            "percentage|%)|gross margin|profit margin|margin"
        ),
        "粗利率",
        "divide",
        ("sales", "price"),
        ("sales", "price"),
        ("cost",),
    ),
    Known(
        _words(
            "利益率|マージン|profit margin|profit (?:rate|ratio)|margin(?! of)|profitability ratio"
        ),
        "利益率",
        "divide",
        ("profit", "gross_profit"),
        ("sales",),
    ),
    Known(
        _words("粗利|利益|gross profit|gross margin|profit|margin"),
        "粗利",
        "subtract",
        ("sales", "price"),
        ("cost",),
    ),
    Known(_words("原価率|cost (?:rate|ratio)"), "原価率", "divide", ("cost",), ("sales", "price")),
    Known(
        _words("不良率|不良品率|defect rate|failure rate|defective rate"),
        "不良率",
        "divide",
        ("defects",),
        ("production", "inspection"),
    ),
    Known(
        _words("達成率|目標比|対目標|予算比|achievement|attainment"),
        "達成率",
        "divide",
        ("actual", "sales", "production", "quantity"),
        ("target", "budget"),
    ),
    Known(
        _words("予算消化率|消化率|budget (?:use|usage|consumption)"),
        "消化率",
        "divide",
        ("actual", "expense", "money"),
        ("budget",),
    ),
    Known(
        _words("客単価|(?:sales|spend|revenue) per (?:customer|visitor)"),
        "客単価",
        "divide",
        ("sales", "money"),
        ("visitors",),
    ),
    Known(
        _words("平均単価|平均販売単価|average (?:unit )?price|(?:sales|revenue) per unit"),
        "平均単価",
        "divide",
        ("sales", "money"),
        ("quantity",),
    ),
    Known(
        _words("値引率|割引率|discount rate"), "値引率", "divide", ("discount",), ("sales", "price")
    ),
    Known(
        _words("売上|販売金額|金額|sales|revenue|turnover"),
        "売上",
        "multiply",
        ("price",),
        ("quantity",),
    ),
    Known(
        _words("在庫金額|在庫額|在庫評価額|stock value|inventory value"),
        "在庫金額",
        "multiply",
        ("price", "cost"),
        ("stock", "quantity"),
    ),
)


def formula(text: str, columns: Columns, named: set[str]) -> Formula | None:
    """None where the table has such a column itself."""
    for known in _KNOWN:
        found = known.words.search(text)
        if found is None or _has_itself(known, found.group(), columns):
            continue
        is_plain = known.name == "売上"
        if is_plain and any(columns.is_numeric(column) for column in named):
            continue
        if known.fn == "divide" and any(
            bare(column) in found.group() and len(bare(column)) > 3
            for column in named
            if columns.is_numeric(column)
        ):
            continue
        left, right = _column(known.left, columns), _column(known.right, columns)
        less = _column(known.less, columns) if known.less else None
        if left is None or right is None or (known.less and less is None):
            continue
        if left == right and less is None:
            continue
        return Formula(found.group(), known.fn, left, right, less)
    return _per_unit(text, columns, named) or _written_out(text, columns, named)


_PER_UNIT = re.compile(
    r"(?:1|一)?\s?(?P<u>m2|平米|平方メートル|坪|時間|分|kg|km|g|人|個|台|"
    r"本)(?:あたり|当たり|当り|単価)|per (?P<e>square met(?:er|re)|m2|hour|minute|"
    r"kg|kilogram|km|person|unit|piece)(?![a-z])"
)
_UNIT_OF = {
    "平米": "m2",
    "平方メートル": "m2",
    "square meter": "m2",
    "square metre": "m2",
    "hour": "時間",
    "minute": "分",
    "kilogram": "kg",
    "person": "人",
    "unit": "個",
    "piece": "個",
}


def _per_unit(text: str, columns: Columns, named: set[str]) -> Formula | None:
    """1㎡あたりの家賃: the rent through the column that is in square metres."""
    own = {form(one.unit) for one in columns.table.columns if one.is_numeric and one.unit}
    either = "|".join(re.escape(one) for one in sorted(own, key=len, reverse=True))
    found = _PER_UNIT.search(text) or re.search(
        rf"(?<![a-z一-龠])(?P<u>{either})(?:あたり|当たり|当り)|"
        rf"(?<![a-z])per (?P<e>{either})(?![a-z])",
        text,
    )
    if found is None or not (found["u"] or found["e"]):
        return None
    word = found["u"] or found["e"]
    unit = _UNIT_OF.get(word, word)
    below = [
        one.name
        for one in columns.table.columns
        if one.is_numeric
        and (form(one.unit) == unit or (unit == "時間" and bare(one.name).endswith("時間")))
    ]
    above = [name for name in named if columns.is_numeric(name) and name not in below]
    if len(below) != 1 or len(above) != 1:
        return None
    return Formula(f"{above[0]} / {unit}", "divide", above[0], below[0])


def _has_itself(known: Known, words: str, columns: Columns) -> bool:
    names = [bare(name) for name in columns.roles if columns.is_numeric(name)]
    wanted = {"粗利": ("gross_profit", "profit"), "売上": ("sales",), "利益率": ()}.get(
        known.name, ()
    )
    if any(words in name or known.name in name for name in names):
        return True
    return any(
        concept in wanted and strength >= 2
        for name in columns.roles
        if columns.is_numeric(name)
        for concept, strength in concepts(name).items()
    )


def _column(wanted: tuple[str, ...], columns: Columns) -> str | None:
    best: tuple[int, str] | None = None
    for order, concept in enumerate(wanted):
        for name in columns.measures:
            strength = concepts(name).get(concept)
            if strength and columns.is_numeric(name):
                score = strength * 10 - order
                if best is None or score > best[0]:
                    best = (score, name)
    return best[1] if best else None


_ADDED = r"(?:を|の)?(?:足し|合わせ|合算|加え|合計し)| (?:added|combined|together)"
_SIGNS: tuple[tuple[Literal["multiply", "divide", "subtract", "add"], str], ...] = (
    ("add", r"[ の]*(?:\+|プラス|足す|plus)[ ]*"),
    ("add", r"(?:と|に|、| and )"),
    ("multiply", r"[ のを]*(?:×|✕|\*|掛ける|かける|に.{0,3}掛け|times|multiplied by)[ ]*"),
    ("divide", r"[ のを]*(?:÷|/|割る|divided by|as a (?:share|percentage|ratio) of)[ ]*"),
    ("subtract", r"[ の]*(?:-|−|マイナス|引く|minus|から)[ ]*"),
)
_SHOWN = {"add": "+", "multiply": "×", "divide": "÷", "subtract": "-"}


def _written_out(text: str, columns: Columns, named: set[str]) -> Formula | None:
    """単価×数量, sales divided by quantity: both columns stand beside the sign."""
    numeric = sorted(name for name in named if columns.is_numeric(name))
    for fn, sign in _SIGNS:
        for left in numeric:
            for right in numeric:
                expression = (
                    f"{re.escape(bare(left))}{sign}(?:the |total )?{re.escape(bare(right))}"
                )
                if sign.startswith("(?:と"):  # 基本給と賞与を足した
                    expression += f"(?={_ADDED})"
                if left == right or not re.search(expression, text):
                    continue
                if fn == "subtract" and "から" in text and not re.search("引い|差", text):
                    continue
                return Formula(f"{left} {_SHOWN[fn]} {right}", fn, left, right)
    return None


_RATE_AFTER = re.compile(r"の?[一-龠]{0,4}(?:比率|割合|率|比(?![べ較例]))")
_TO = re.compile(r"\s(?:to|over|and)\s(?:the |total )*")
_RATIO_BEFORE = re.compile(r"(?<![a-z])ratios? (?:of|between) (?:the |total )*$")
_OF = re.compile(
    r"\sas an? (?:share|percentage|percent|fraction|proportion|ratio|%) of (?:the |total )*"
    r"|\s?/\s?|\sper (?:total )?"
)


def ratio_named(scene: Scene, columns: Columns) -> Formula | None:
    """Both columns stand beside each other, with words that say what goes through what."""
    for one, other in zip(scene.columns, scene.columns[1:], strict=False):
        first, second = one.column, other.column
        if first == second or not (columns.is_measure(first) and columns.is_measure(second)):
            continue
        if not columns.is_numeric(first) or not columns.is_numeric(second):
            continue
        before, after = scene.masked[: one.start], scene.masked[other.end :]
        between = scene.masked[one.end : other.start]
        if (between in ("に対する", "に対しての") and _RATE_AFTER.match(after)) or re.fullmatch(
            r"1?(?:あたり|当たり|当り)の", between
        ):
            return _through(second, first)
        if (
            (between == "の" and re.match(r"に対する(?:比率|割合|率|比)", after))
            or (between in ("と", "対") and re.match(r"の(?:比率|割合|比(?![べ較例]))", after))
            or (_RATIO_BEFORE.search(before) and _TO.fullmatch(between))
            or (re.fullmatch(r"[-\s]to[-\s]", between) and re.match(r"\sratio", after))
            or (_OF.fullmatch(between) and not columns.is_few(second))
        ):
            return _through(first, second)
    return None


def _through(left: str, right: str) -> Formula:
    return Formula(f"{left} ÷ {right}", "divide", left, right)


_LENGTH = re.compile(
    r"日数|期間|時間|かか[っる]|何日|リードタイム|間隔|差|"
    r"(?<![a-z])(?:days|hours|time|duration|gap|interval|how long|lead time|take)(?![a-z])"
)
_BETWEEN = re.compile(r"(?:から|〜|と)|\s(?:and|to|until|till)\s(?:the )?")
_AFTER = re.compile(r"まで|の(?:差|間)|間の")
_BEFORE = re.compile(r"(?<![a-z])(?:between|from)\s(?:the )?$")
_HOURS = re.compile(r"時間|(?<![a-z])hours(?![a-z])")


def duration(scene: Scene, table: Table) -> Duration | None:
    found = _pair(scene.text, table)
    # 日数 also where it is taken for a part of a column's name, as of 延滞日数.
    if found is None or not _LENGTH.search(_without_dates(scene.text, table)):
        return None
    start, end = found
    have_hours = all(table.columns[name].type == "datetime" for name in found)
    unit = "hours" if have_hours and _HOURS.search(scene.masked) else "days"
    return Duration(start, end, unit, tell(f"analysis_rules.name.{unit}", start=start, end=end))


def _pair(text: str, table: Table) -> tuple[str, str] | None:
    """Dates that stand beside each other with from and to between them."""
    places = sorted(
        (found.start(), found.end(), name)
        for name in table.columns.times
        for found in re.finditer(written(name), text)
    )
    for (first, stop, start), (begin, last, end) in pairwise(places):
        if (
            start != end
            and _BETWEEN.fullmatch(text[stop:begin])
            and (_AFTER.match(text[last:]) or _BEFORE.search(text[:first]))
        ):
            return start, end
    return None


def _without_dates(text: str, table: Table) -> str:
    for name in table.columns.times:
        text = re.sub(written(name), "■", text)
    return text


def written(name: str) -> str:
    """出荷日 is also 出荷, ship_date also ship date and ship."""
    known = bare(name)
    if known.isascii():
        tokens = name_words(name)
        short = tokens[:-1] if len(tokens) > 1 and tokens[-1] in ("date", "at", "on") else tokens
        ways = {known, " ".join(tokens), " ".join(short)}
        return rf"(?<![a-z])(?:{_either(ways)})(?![a-z])"
    short = re.sub(r"(?:年月日|年月|日時|日付|時刻|日|月)$", "", known)
    return _either({known, short} if len(short) > 1 else {known})


def _either(ways: set[str]) -> str:
    return "|".join(re.escape(one) for one in sorted(ways, key=len, reverse=True))
