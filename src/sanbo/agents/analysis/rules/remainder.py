"""What a question says that nothing explained: names that the table does not have."""

import re
from dataclasses import dataclass

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.parts import WIDTH
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.synonyms import EVERYDAY
from sanbo.agents.analysis.rules.wording import words


@dataclass(frozen=True, slots=True)
class Unexplained:
    values: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    """Nouns for what a row is: 40点未満の生徒."""


_NOUN = "[一-龠々ァ-ヶー]"
_ONLY = re.compile(rf"(?P<w>{_NOUN}{{2,12}})(?:だけ|のみ|に限|に絞|以外|を除)")
_BY = re.compile(rf"(?P<w>{_NOUN}{{1,10}})(?:別|ごと|毎)(?!の?欠損)")
_BY_ENGLISH = re.compile(
    r"(?<![a-z])(?:by|per) (?:the )?(?P<w>[a-z]{3,20})(?![a-z])(?: "
    r"(?P<v>[a-z]{3,20}))?(?=[ ?.,]|$)(?![ ]?■)"
)
_ONLY_ENGLISH = re.compile(
    r"(?<![a-z])only (?:in|for|from|at)(?: the)? (?P<w>[a-z]{3,20})(?![a-z])|"
    r"(?:for|in|at) the (?P<v>[a-z]{3,20}) (?:store|branch|shop|office|region|"
    r"department)(?![a-z])"
)
_PLACE = re.compile(
    r"(?<![a-z])(?:in|from|at) (?!(?:terms|general|detail|particular|addition|relation|"
    r"comparison|common|colou?rs?|dollars|usd|yen|jpy|thousands?|millions?|same|given|end|"
    r"start|beginning|percent|reverse|alphabetical|chronological|which|other|stock|full|"
    r"charge|case|contrast|between|parallel|history|both|two|three|depth|short)(?![a-z]))"
    r"(?P<w>[a-z]{3,20})(?=[?.,]|$)"
)
_MOST_OF = re.compile(
    r"(?:多|高|大き|少な|低|小さ|長|短|早|遅|良|悪)(?:い|かった)"
    r"(?P<w>(?![人方者物日月年週行件品列順値時点])[一-龠])(?=は|って|を|が|[?？。]|$)"
)
_ROWS_ENGLISH = re.compile(
    r"(?<![a-z])(?:accounts|customers|users|orders|employees|products|contracts|subscribers|"
    r"members|tickets|patients|students|invoices|clients)(?![a-z])"
)
_VAGUE_WORDS = frozenset(["large", "big", "small", "old", "young", "expensive", "cheap", "heavy"])
_VERBS = frozenset(["rank", "identify", "bring", "are", "have", "placed", "five", "ten", "three"])
_NOT_GROUPS = re.compile(
    r"年代|年齢層|個別|区別|特別|性|月|週|日|年|四半期|半期|年度|曜日|時間帯|時間|"
    r"季節|価格帯|階級|層|それぞれ|種類|項目|列|カラム|全体|グループ|系列"
)
_COMMON = re.compile(
    r"データ|結果|表示|全体|場合|金額|合計|平均|以上|以下|未満|上位|下位|比較|"
    r"比率|割合|推移|分析|集計|一覧|内訳|作成|確認|変化|関係|傾向|一番|種類|"
    r"グラフ|チャート|ランキング|トップ|シェア|レポート|ヒストグラム|トレンド|"
    r"ピーク|サマリ|ください|お願|計算|分布|欠損|重複|相関|標準偏差|中央|統計|"
    r"有意|検定|累計|成長|構成|必要|弊社|当社|会社|実際|現在|状況|情報|条件|対象|"
    r"期間|範囲|基準|単位|問題|影響|件数|以降|以前|グループ|カテゴリ|ごと|ある|"
    r"散布|パレート|クロス|ピボット|マトリクス|ヒートマップ|要約|概要|基本|把握|"
    r"ほか|売上|程度|以外|以内|様子|感じ|具体|詳細|内容|項目|数字|数値|部分|最近|"
    r"最初|最後|毎回|全員|全社|全国|一部|一つ|用意|方法|手順|意味|言葉|予定|資料|"
    r"報告|会議|上司|部長|社長|皆様|全部|係数|早見|一緒|別々|順番|大体|合わせ|"
    r"結局|自分|理由|簡単|重要|主要|主力|代表|概算|内容|一般|通常|普段|普通|今回|"
    r"前回|過去|毎日|毎月|毎年|毎週|当日|本日|昨日|午前|午後|朝|夜"
)
_COMMON_LETTERS = frozenset(
    "教見出件数値順多少高低大小図表棒線円折月年日週今前期時間何知差違対位別毎各最番人回含除使求書並方率比全内中列行外伸増減占私特度点個台枚軸色同他系箱帯横縦積次先昨去来末初始終程用上下等社的分版例者品込済額"
)
_ENGLISH_KNOWN = EVERYDAY | frozenset(
    [
        "please",
        "tell",
        "me",
        "give",
        "want",
        "see",
        "would",
        "like",
        "could",
        "display",
        "let",
        "us",
        "our",
        "their",
        "any",
        "some",
        "there",
        "vary",
        "varies",
        "affect",
        "affects",
        "across",
        "based",
        "country",
        "model",
        "car",
        "movie",
        "film",
        "product",
        "order",
        "customer",
        "store",
        "region",
        "sale",
        "income",
        "money",
        "made",
        "make",
        "earn",
        "earned",
        "long",
        "much",
        "heavy",
        "fast",
        "size",
        "decade",
        "quarter",
        "week",
        "month",
        "day",
        "year",
        "hour",
        "fiscal",
        "weekday",
        "date",
        "period",
        "group",
        "category",
        "segment",
        "class",
        "kind",
        "way",
        "item",
        "people",
        "person",
        "employee",
        "staff",
        "total",
        "overall",
        "sold",
        "sell",
        "selling",
        "bought",
        "spent",
        "growth",
        "grow",
        "change",
        "cumulative",
        "running",
        "distribution",
        "pareto",
        "pivot",
        "cross",
        "table",
        "report",
        "composition",
        "half",
        "calendar",
        "financial",
        "semi",
        "annual",
        "point",
        "bar",
        "individual",
        "line",
        "circle",
        "dot",
        "element",
        "one",
        "each",
        "name",
        "value",
        "far",
        "default",
        "hand",
        "amount",
    ]
)


def unexplained(scene: Scene, table: Table) -> Unexplained:
    masked = scene.masked
    values = [found["w"] for found in _ONLY.finditer(masked) if not _is_known(found["w"])]
    groups = [found["w"] for found in _BY.finditer(masked) if not _NOT_GROUPS.search(found["w"])]
    for found in _ONLY_ENGLISH.finditer(masked):
        word = found["w"] or found["v"]
        if word not in EVERYDAY and word not in ("first", "second"):
            values.append(word)
    for found in _BY_ENGLISH.finditer(masked):
        groups += [
            word
            for word in (found["w"], _second(found))
            if word and (word in _GROUP_NOUNS or not _is_known_english(word))
        ]
    groups += [
        found["w"]
        for found in _WHICH_ENGLISH.finditer(masked)
        if (found["w"] in _GROUP_NOUNS or not _is_known_english(found["w"]))
        and not found["w"].endswith(("ed", "ing"))
        and not _names_a_group(found.end() + 1, scene, table)
    ]
    groups += [found["w"] for found in _MOST_OF.finditer(masked)]
    values += _named_like_values(masked, table)
    values += _kinds_of_rows(scene, table)
    values += [
        found["w"]
        for found in _PLACE.finditer(masked)
        if not _is_known_english(found["w"]) and not found["w"].endswith(("ing", "st"))
    ]
    plain = list(masked)
    for bound in scene.bounds:
        plain[bound.start : bound.end] = "▽" * (bound.end - bound.start)
    plain = "".join(plain)
    plain = _ROW_NOUNS.sub("＊", plain)
    for expression in _EXPLAINED:
        plain = expression.sub("　", plain)
    # What qualifies something is never left out; an object (係数を教えて) is the form of the
    # answer, unless it stands where the number should.
    names_number = any(table.columns.is_numeric(one.column) for one in scene.columns)
    follower = (
        "[のがでに付別だとや▽＊]" if names_number else "[のがをはもにでとや付別だ、。?？ 　▽＊]|$"
    )
    plain = _TITLES.sub(lambda found: "　" * len(found.group()), plain)
    nouns: list[str] = []
    heads: list[str] = []
    for found in re.finditer(rf"{_NOUN}{{2,12}}(?=み?(?:{follower})|[(]|{_DONE})", plain):
        if not _is_known(found.group()):
            is_head = _CLAUSE.search(plain[: found.start()]) and "■" in plain[: found.start()]
            (heads if is_head and len(found.group()) <= LONGEST_HEAD else nouns).append(
                found.group()
            )
    nouns += _vague_rates(scene)
    for found in _COMPUTED_ENGLISH.finditer(masked):
        if not _is_known_english(found["w"]):
            nouns.append(found["w"])
    return Unexplained(
        tuple(dict.fromkeys(values)),
        tuple(dict.fromkeys(groups)),
        tuple(dict.fromkeys(nouns)),
        tuple(dict.fromkeys(heads)),
    )


LONGEST_HEAD = 4
_DONE = "(?:した|された|してい[るた]|されてい[るた])[一-龠ァ-ヶー■]"
_CLAUSE = re.compile(r"(?:[　▽](?:の|な|である|だった)|[いたる])$")
_TITLES = re.compile(
    r"(?<=□)(?:先生|医師|様|氏|君)(?:の?担当分?)?|"
    rf"{_NOUN}{{1,8}}率(?=\s?[(:=]\s?□)"
)
_WHICH_ENGLISH = re.compile(r"(?<![a-z])which (?P<w>[a-z]{3,20})(?![a-z])(?= [a-z■])")
_GROUP_NOUNS = frozenset(
    ["region", "store", "country", "customer", "segment", "employee", "staff", "department"]
)


def _names_a_group(place: int, scene: Scene, table: Table) -> bool:
    """The line of `which production line` is a column of words."""
    return any(
        one.start == place and table.columns.roles[one.column] in ("category", "id", "year")
        for one in scene.columns
    )


def _vague_rates(scene: Scene) -> list[str]:
    """win rate, where the table's only rate is one of something else."""
    found: list[str] = []
    for one in scene.columns:
        word = scene.text[one.start : one.end]
        before = re.search(r"(?<![a-z])([a-z]{3,20}) $", scene.masked[: one.start])
        if word in ("rate", "rates", "ratio") and before and not _is_known_english(before[1]):
            found.append(f"{before[1]} {word}")
    return found


def _kinds_of_rows(scene: Scene, table: Table) -> list[str]:
    """paying accounts, large orders: not all of them are meant."""
    if lexicon.MOST.search(scene.masked) or lexicon.LEAST.search(scene.masked):
        return []
    places = [found.start() for found in _ROWS_ENGLISH.finditer(scene.masked)]
    places += [one.start for one in scene.columns if table.columns.roles[one.column] == "id"]
    before = [re.search(r"(?<![a-z])([a-z]{3,20}) $", scene.masked[:place]) for place in places]
    return [
        found[1]
        for found in before
        if found
        and (found[1] in _VAGUE_WORDS or not _is_known_english(found[1]))
        and found[1] not in _VERBS
        and found[1] not in lexicon.NUMBER_WORDS
    ]


def _second(found: re.Match[str]) -> str | None:
    """sales rep: the second word, when the first is a word of sales and not of the sentence."""
    return (
        found["v"]
        if found["w"] in ("sales", "sale", "order", "product", "customer", "store")
        else None
    )


def _is_known_english(word: str) -> bool:
    return word in _ENGLISH_KNOWN or words(word)[0].stem in _ENGLISH_KNOWN


def _is_known(word: str) -> bool:
    """Whether the words that questions are made of leave nothing of it."""
    rest = _COMMON.sub("", word)
    return len(rest) < 2 or set(rest) <= _COMMON_LETTERS


_COMPUTED_ENGLISH = re.compile(
    r"(?<![a-z])(?:average|total|mean|median|maximum|minimum|sum of)(?: of)?(?: "
    r"the)? (?P<w>[a-z]{3,20})(?![a-z])"
)
_EXPLAINED = (
    WIDTH,
    lexicon.MISSING,
    lexicon.DUPLICATES,
    lexicon.DISTINCT,
    lexicon.COUNT,
    lexicon.SUMMARY,
    lexicon.OVERVIEW,
    lexicon.DISTRIBUTION,
    lexicon.OUTLIERS,
    lexicon.CORRELATION,
    lexicon.SHARE,
    lexicon.PARETO,
    lexicon.PIVOT,
    lexicon.CUMULATIVE,
    lexicon.TREND,
    lexicon.TEST,
    lexicon.COMPARE,
    lexicon.ROWS,
    lexicon.GROWTH_ANY,
    lexicon.DESCENDING,
    lexicon.ASCENDING,
    lexicon.MOST,
    lexicon.LEAST,
    lexicon.CHART,
    lexicon.TOP,
    lexicon.BOTTOM,
    lexicon.NO_CHART,
    lexicon.PANELS,
    *(words for _, words in lexicon.UNITS),
    *(words for _, words in lexicon.PERIOD_MEAN),
    *(words for _, _, words in lexicon.GROWTH),
    *(words for _, words in lexicon.CHARTS),
    *lexicon.AGGREGATES.values(),
    *lexicon.TESTS.values(),
    re.compile(
        "申請|記録|取引|注文|案件|明細|伝票|物件|品目|商品|製品|社員|従業員|回答者?|"
        "顧客|会員|担当者?|チケット|依頼|契約|予約|購入|利用者?|参加者?|出勤|勤務|"
        "年代|価格帯|品番|店舗|部署|客|者|マイナス|ゼロ|プラス|赤字|黒字|登録|入力|"
        "記入|区切|粗利|原価|利益|単価|達成|消化"
    ),
)
_ROW_NOUNS = re.compile("社員|従業員|顧客|会員|商品|製品|契約|予約|物件|利用者|患者|生徒|学生")
"""新入社員 and 新規顧客 are not all of them."""
_ENDINGS = ("店", "支店", "県", "部", "課", "工場", "支社", "営業所", "倉庫")


def _named_like_values(masked: str, table: Table) -> list[str]:
    """札幌店, where the table has stores that end so, but not this one."""
    found: list[str] = []
    for column in table.columns.of("category"):
        profile = table.columns[column]
        if not profile.is_whole or profile.distinct > 200:
            continue
        for ending in _ENDINGS:
            alike = sum(value.endswith(ending) for value in profile.values)
            if alike < 2 or alike * 2 < len(profile.values):
                continue
            for match in re.finditer(
                rf"(?P<w>{_NOUN}{{1,8}}?{ending})(?=の|と|は|が|を|で|だけ|のみ|、|以外)", masked
            ):
                if not _is_known(match["w"].removesuffix(ending)) and match["w"] not in (
                    "各店",
                    "全店",
                    "支店",
                    "本店",
                    "来店",
                    "店",
                    "各部",
                    "全部",
                    "一部",
                ):
                    found.append(match["w"])
    return found
