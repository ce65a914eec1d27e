"""Which part each named column plays: computed with, grouped by, coloured by, cut into classes."""

import re
from dataclasses import dataclass
from typing import Literal

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.mentions import ColumnMention
from sanbo.agents.analysis.rules.reading import Axis, Doubt, Measure
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import bare
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit

Part = Literal["measure", "versus", "group", "color", "facet", "per", "date", "seen", "filter"]
"""`versus`: a number that another one is set against; `seen`: words that nothing is said of."""


@dataclass(frozen=True, slots=True)
class Played:
    mention: ColumnMention
    column: str
    part: Part
    is_marked: bool
    """Whether words around it say so, and not just its kind."""


_THE = (
    r"(?:the |a |an |its |their |his |each |every |different |various |all |car |"
    r"movie |film |product |of |major |number of |place of |country of |type of |"
    r"types of ){0,6}"
)
_GROUP_AFTER = re.compile(
    r"(?:名|の種類)?(?:別|ごと|毎|単位|による|間で|間の(?:差|違い|比較)|によって|"
    r"で(?:分け|グループ|比較|集計|区切)|に(?:分け|集計|見た)|-?wise)"
)
_GROUP_BEFORE = re.compile(
    rf"(?<![a-z])(?:by|per|each|every|across|among|amongst|within|for(?= each| "
    rf"every| different| all)|in each|grouped? (?:by|on|together by)|split (?:by|"
    rf"on|out by)|broken (?:down|out|up) (?:by|into)|break ?down (?:by|of)|divided "
    rf"(?:by|into)|separated? (?:by|on|into)|segregated by|partitioned by|"
    rf"categori[sz]ed by|segmented by|based on|according to|different|various|"
    rf"which|what|between|aggregated by|for all|over different|in different|from "
    rf"different|organi[sz]ed by|depending on|depend on|in terms of|with respect "
    rf"to)\s{{1,20}}+{_THE}$|(?:各|どの|何の|全)$"
)
_COLOR_BEFORE = re.compile(
    rf"(?<![a-z])(?:colou?r(?:ed|ing|s|ize|-?coded?)?(?: it| them| the bars| the "
    rf"points| the lines| points| bars| lines)?(?: out)?(?: coded?)?(?: (?:by|on|"
    rf"for|using|based on|according to|with|from|representing|is|=))?|legend(?: "
    rf"(?:by|for|of|is|=))?|hue(?: by|=)?|distinguish(?:ed)? by|stack(?:ed|"
    rf"ing)?(?: it| them| the bars)? (?:by|on|with)|shaded by|shape[sd]? by|"
    rf"different colou?rs? (?:by|for|per|representing)|different(?: colou?red)? "
    rf"lines? (?:for|by|per)|(?:one|a) line (?:for|per)|lines? (?:for|"
    rf"per))\s?[:=]?\s*{_THE}$"
)
_COLOR_AFTER = re.compile(
    r"(?:別|ごと)?(?:に|で|の)?(?:色|カラー)(?:分け|を|で|別)|を?(?:凡例|色)に|"
    r"(?:別|ごと)?(?:に|で|の)?積み?上げ|\s?(?:as|in|to) (?:a |the )?(?:legend|"
    r"colou?r)|\s?(?:is|are|as|with|in) (?:different |the )?colou?r|"
    r"\s?colou?r(?:ed|s)?(?![a-z])(?! ?(?:by|on|it|coded|code|with|based|for|the|"
    r":|=))|\s?legend|\s?labels"
)
_FACET_BEFORE = re.compile(
    rf"(?<![a-z])(?:facet(?:ed|ing|s)?(?: by| on| with| for)?|small multiples(?: "
    rf"by| on| for| of| per| with)?|trellis(?:ed)?(?: by| on)?|(?:one|a|an|"
    rf"separate|separated|individual|multiple|different|several|many|new|"
    rf"divide[d]?|split|break|broken)[a-z ]{{0,35}}(?:charts?|plots?|graphs?|"
    rf"scatterplots?|scatters?|histograms?|panels?|bar charts?)[a-z "
    rf"]{{0,16}}(?:for|by|per|based on|on)(?: each| every)?|columns? (?:are|is|by|"
    rf"for) (?:each )?|scatterplot matrix (?:of|by)|(?:charts|plots|graphs|"
    rf"scatterplots) (?:for|per|by) (?:each|every|different)|side[- ]by[- ]side "
    rf"(?:by|for))\s+{_THE}$"
)
_FACET_AFTER = re.compile(
    r"(?:別|ごと)?(?:に|で|の)?(?:グラフ|図|チャート|パネル)(?:を|に)(?:分け|並べ|"
    r"分割)|(?:別|ごと)(?:に|の)(?:小さな|個別の|別々の)(?:グラフ|図)|(?:別|"
    r"ごと)に(?:個別|別々|並べ)|(?:別|ごと)に分けて(?:並べ|グラフ|図)"
)
_PER_AFTER = re.compile(r"(?:1|一)?(?:人|社|件|店舗?|名|個|台|回)?(?:あたり|当たり|当り)")
_PER_BEFORE = re.compile(r"(?:1|一)$")
_LIST = re.compile(
    r"(?:別|ごと)?(?:\s|・|、|,|×|x|と|及び|および|/|&|\+|and|then|by|の|かつ|"
    r"そして|また|each|the|for|per|vs)*"
)
_JA_LIST = re.compile(r"(?:・|、|,|×|x|と|及び|および|/|&|\+|\s)+")
_AXIS_BEFORE = re.compile(
    r"(?<![a-z])(?:x[- ]?axis|horizontal axis|x)(?: (?:is|as|=|being|representing|"
    r"the|shows?|showing|represents|depicting|has|of|field))*\s?[=:]?\s*(?:the "
    r")?$|横軸(?:は|に|を|が)$"
)
_AXIS_AFTER = re.compile(
    r"\s?(?:on|as|along|in|to|for)(?: the| an?)? (?:x|horizontal)[- ]?axis|を横軸|が横軸"
)
_HOW_MANY = re.compile(
    r"(?:how many|number of|count of|count the)(?: the)? (?:different|unique|"
    r"distinct|various)\s+(?:[a-z]+ )?$"
)
_NOT_GROUP = re.compile(r"順|が|を|は")
_DATE_ALONE = re.compile(r"順")


def play(scene: Scene, columns: Columns, used: set[int]) -> tuple[list[Played], list[Doubt]]:
    played: list[Played] = []
    doubts: list[Doubt] = []
    for mention in scene.columns:
        before, after = scene.masked[: mention.start], scene.masked[mention.end :]
        if mention.start in used:
            played.append(Played(mention, mention.column, "filter", True))
            continue
        part = _marked(before, after)
        if part is None and scene.text[: mention.end].endswith("別") and _LISTED.match(after):
            part = "group"  # 性別の, which says both the column and how
        if part is None and _PEOPLE_OF.match(after) and _is_kind_of_people(mention, columns):
            part = "group"  # 評価ランクの人数: the people of each, not how many ranks
        column, doubt = _settle(mention, part, scene, columns, played)
        if doubt:
            doubts.append(doubt)
        if part in ("color", "facet") and column and not columns.can_group(column):
            part = None
        if part == "group" and column and not columns.can_group(column):
            # "sales by profit": two numbers, nothing to group by.
            played.append(Played(mention, column, "versus", False))
            continue
        if part and column:
            played.append(Played(mention, column, part, True))
        elif column:
            played.append(Played(mention, column, _by_kind(column, columns), False))
    return _located(_of_rows(_spread(played, scene, columns), scene, columns), scene), doubts


_PEOPLE_OF = re.compile(r"の(?:人数|社員数)")


def _is_kind_of_people(mention: ColumnMention, columns: Columns) -> bool:
    name = mention.column
    return columns.roles[name] == "category" and columns[name].distinct <= FEW_KINDS


FEW_KINDS = 30


def _of_rows(played: list[Played], scene: Scene, columns: Columns) -> list[Played]:
    """ad spend per lead for each channel: a lead is a row, the channels are the groups."""
    groups = [one for one in played if one.part == "group"]
    rows = [
        one
        for one in groups
        if columns.roles[one.column] == "id"
        and columns.is_unique(one.column)
        and re.search(r"(?<![a-z])per (?:each )?$", scene.masked[: one.mention.start])
    ]
    if not rows or len(rows) == len(groups):
        return played
    return [Played(one.mention, one.column, "per", True) if one in rows else one for one in played]


_LISTED = re.compile(r"[のにで・、×と]")
_WHERE = re.compile(r"(?:の中|のうち)?で(?!分|グル|色|比|集|区|見|、?各)")


def _located(played: list[Played], scene: Scene) -> list[Played]:
    """関西の店舗で一番売れたカテゴリ: the category is asked for, the stores only say where."""
    if not (lexicon.MOST.search(scene.text) or lexicon.LEAST.search(scene.text)):
        return played
    seen = [one for one in played if one.part == "seen"]
    where = [one for one in seen if _WHERE.match(scene.masked[one.mention.end :])]
    if not where or len(where) == len(seen):
        return played
    return [
        Played(one.mention, one.column, "filter", True) if one in where else one for one in played
    ]


def _marked(before: str, after: str) -> Part | None:  # noqa: PLR0911 - in order of precedence
    if _FACET_BEFORE.search(before) or _FACET_AFTER.match(after):
        return "facet"
    if _COLOR_BEFORE.search(before) or _COLOR_AFTER.match(after):
        return "color"
    if _PER_AFTER.match(after) or (
        _PER_BEFORE.search(before) and re.match("(?:あたり|当たり)", after)
    ):
        return "per"
    if _AXIS_AFTER.match(after):
        return "group"
    if _HOW_MANY.search(before):
        return None
    if _GROUP_AFTER.match(after) or _GROUP_BEFORE.search(before) or _AXIS_BEFORE.search(before):
        return "group"
    return None


def _by_kind(column: str, columns: Columns) -> Part:
    match columns.roles[column]:
        case "amount" | "level" | "clock":
            return "measure"
        case "time" | "year" | "cycle":
            return "date"
        case _:
            return "seen"


def _settle(
    mention: ColumnMention, part: Part | None, scene: Scene, columns: Columns, played: list[Played]
) -> tuple[str | None, Doubt | None]:
    """One column of those that the words fit: by the part it plays, else there is a doubt."""
    fitting = list(mention.columns)
    if len(fitting) == 1:
        return fitting[0], None
    if part in ("group", "color", "facet", "per"):
        order = ("category", "cycle", "year", "time", "id")
        fitting = [one for one in fitting if columns.can_group(one)] or fitting
        best = min((_rank(columns.roles[one], order) for one in fitting), default=0)
        fitting = [one for one in fitting if _rank(columns.roles[one], order) == best]
    else:
        taken = {one.column for one in played}
        measures = [one for one in fitting if columns.is_measure(one)]
        fitting = measures or [one for one in fitting if columns.roles[one] != "id"] or fitting
        if len(fitting) > 1:
            fitting = [one for one in fitting if one not in taken] or fitting
    if len(fitting) == 1:
        return fitting[0], None
    return fitting[0], Doubt(scene.text[mention.start : mention.end], tuple(fitting))


def _rank(role: str, order: tuple[str, ...]) -> int:
    return order.index(role) if role in order else len(order)


def _spread(played: list[Played], scene: Scene, columns: Columns) -> list[Played]:
    """店舗・カテゴリ別, by region and category: what is said of one goes for its neighbour."""
    result = list(played)
    for place in range(len(result) - 2, -1, -1):
        one, following = result[place], result[place + 1]
        between = scene.masked[one.mention.end : following.mention.start]
        if one.is_marked or following.part != "group" or not following.is_marked:
            continue
        if (
            _JA_LIST.fullmatch(between)
            and columns.can_group(one.column)
            and one.part != "measure"
            and "別" not in between
        ):
            result[place] = Played(one.mention, one.column, "group", True)
    for place in range(1, len(result)):
        before, one = result[place - 1], result[place]
        between = scene.masked[before.mention.end : one.mention.start]
        if one.is_marked or not before.is_marked or before.part not in ("group", "facet", "color"):
            continue
        is_list = re.fullmatch(
            r"\s?(?:,|and|&|\+|/|then|by|along with|as well as|\s)+(?:the )?(?:by )?(?:each )?",
            between,
        )
        if is_list and columns.can_group(one.column) and not columns.is_measure(one.column):
            result[place] = Played(one.mention, one.column, "group", True)
    return result


def aggregates_in(masked: str, period_mean: TimeUnit | None) -> list[tuple[int, Aggregate]]:
    """Where each stands; words inside of a mean of periods are not theirs."""
    hidden = masked
    if period_mean:
        words = next(words for unit, words in lexicon.PERIOD_MEAN if unit == period_mean)
        hidden = words.sub(lambda found: "　" * len(found.group()), masked)
    found: list[tuple[int, Aggregate]] = []
    for name, words in lexicon.AGGREGATES.items():
        for match in words.finditer(hidden):
            found.append((match.start(), name))
    return sorted(found)


def measures_in(
    played: list[Played], aggregates: list[tuple[int, Aggregate]], marked: Scene
) -> tuple[list[Measure], list[Aggregate]]:
    """Each aggregate goes to the column that it stands beside."""
    columns = [one for one in played if one.part in ("measure", "versus")]
    if not columns:
        return [], list(dict.fromkeys(name for _, name in aggregates))
    own: dict[str, list[Aggregate]] = {one.column: [] for one in columns}
    loose: list[Aggregate] = []
    for place, name in aggregates:
        target = _beside(place, columns, marked) if len(own) > 1 else columns[0]
        if target is None:
            loose.append(name)
        elif name not in own[target.column]:
            own[target.column].append(name)
    if len(own) > 1 and loose:
        for names in own.values():
            if not names:
                names.extend(name for name in loose)
        loose = []
    if len(own) > 1 and len({name for _, name in aggregates}) == 1 and aggregates:
        for names in own.values():  # 売上と数量の合計
            if not names:
                names.append(aggregates[0][1])
    measures = [
        Measure(column, name) for column, names in own.items() for name in (names or [None])
    ]
    return measures, loose


def _beside(place: int, columns: list[Played], marked: Scene) -> Played | None:
    text = marked.masked
    if text[place].isascii():  # average sales, average of sales
        following = next((one for one in columns if one.mention.start > place), None)
        if following and re.fullmatch(
            r"[a-z.]*[\s(]*(?:of |for |in )?(?:the |all |its )*",
            text[place : following.mention.start],
        ):
            return following
    for one in columns:  # 売上の合計
        if one.mention.end <= place and re.fullmatch(
            r"(?:の|\s|別の|ごとの)?", text[one.mention.end : place]
        ):
            return one
    for one in columns:  # 平均売上, average of sales
        if place < one.mention.start and re.fullmatch(
            r"[a-z.]*[\s(]*(?:of )?(?:the )?(?:all )?|(?:合計|平均|最大|最小|総)?の?",
            text[place : one.mention.start],
        ):
            return one
    earlier = [one for one in columns if one.mention.end <= place]
    if earlier and re.search("[ぁ-ん一-龠]", text[earlier[-1].mention.end : place] or "の"):
        return earlier[-1]
    return next((one for one in columns if one.mention.start > place), None)


WIDTH = re.compile(
    r"(?<!\d)(?P<n>\d[\d,]{0,30}+(?:\.\d{1,20}+)?+)\s?(?P<size>万|千|億)?(?:歳|円|個|件|点|分|時間|日|"
    r"kg|m2|平米|年)?(?:ごと|刻み|単位|おき|毎|幅)|(?:bins? of|in steps of|bin "
    r"(?:width|size) (?:of )?|every|intervals? of|buckets? of)\s?(?P<e>\d[\d,]*)|"
    r"(?P<b>\d[\d,]{0,30})[- ](?:year|minute|yen|dollar|point|unit|day)s?[- ](?:\w{1,40}[- "
    r"])?(?:bins?|buckets?|bands?|groups?|intervals?)"
)


_AGE_CLASSES = re.compile(
    r"年代|年齢層|(?<![a-z])(?:age (?:groups?|bands?|brackets?)|by decade)(?![a-z])"
)


_PRICE_CLASSES = re.compile(
    r"(?:価格|金額|家賃|年収|売上|(?<!■)■+)帯|階級別|層別|(?<![a-z])(?:price|salary|"
    r"rent|income|(?<!■)■+) (?:bands?|ranges?|brackets?|classes)(?![a-z])"
)


def classes_in(text: str, masked: str, played: list[Played], table: Table) -> Axis | None:
    """年代別, 10歳ごと, 5万円刻み: a number cut into classes."""
    columns = table.columns
    measures = [one.column for one in played if columns.is_numeric(one.column)]
    if _AGE_CLASSES.search(text):
        ages = [
            name
            for name in columns.of("level", "amount")
            if bare(name) in ("年齢", "age") or bare(name).endswith(("年齢", " age", "_age"))
        ]
        width = WIDTH.search(text)
        if ages:
            return Axis(ages[0], width=_wide(width) if width else 10.0)
    width = WIDTH.search(masked)
    if width and (name := _classed(width, measures, played, table)):
        return Axis(name, width=_wide(width))
    if _PRICE_CLASSES.search(masked) and measures:
        return Axis(measures[0], width=0.0)
    return None


def _classed(
    width: re.Match[str], measures: list[str], played: list[Played], table: Table
) -> str | None:
    unit = width.group()
    if "歳" in unit:
        ages = [name for name in table.columns.roles if "年齢" in name or name.lower() == "age"]
        if ages:
            return ages[0]
    before = [
        one.column
        for one in played
        if one.mention.end <= width.start() and table.columns.is_numeric(one.column)
    ]
    return before[-1] if before else measures[0] if measures else None


def _wide(found: re.Match[str]) -> float:
    number = float((found["n"] or found["e"] or found["b"]).replace(",", ""))
    return number * {"千": 1e3, "万": 1e4, "億": 1e8}.get(found["size"] or "", 1.0)
