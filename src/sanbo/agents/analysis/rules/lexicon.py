"""The words of questions in Japanese and English, by what they ask for. Data only."""

import re
from collections.abc import Mapping
from typing import Final

from sanbo.agents.analysis.rules.reading import Test
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit


def pattern(japanese: str = "", english: str = "") -> re.Pattern[str]:
    """Japanese words stand anywhere, English ones between word boundaries."""
    parts = [japanese] if japanese else []
    if english:
        parts.append(rf"(?<![a-z])(?:{english})(?![a-z])")
    return re.compile("|".join(parts))


AGGREGATES: Mapping[Aggregate, re.Pattern[str]] = {
    "sum": pattern(
        "合計|総計|総額|総和|総数|トータル|(?<![集設統])計(?=[をはが順]|$)|総(?=■)",
        "totals?|sum(?:med|ming|s)?|overall|altogether|combined",
    ),
    "mean": pattern(
        "平均",
        "averaged?|averages|averaging|avg|means?(?! (?:lower|higher|more|less|"
        "that))|typical(?:ly)?",
    ),
    "median": pattern("中央値|メジアン|中央の値|真ん中の値", "medians?"),
    "max": pattern("最大|最高|最長|マックス", "max(?:imum)?"),
    "min": pattern("最小|最低|最短|最安", "min(?:imum)?"),
    "std": pattern("標準偏差", "standard deviations?|std(?:dev)?|stdev"),
    "var": pattern("分散(?!投資)", "variances?"),
    "q25": pattern(
        "第1四分位|第一四分位|25パーセンタイル", "first quartile|lower quartile|25th percentile"
    ),
    "q75": pattern(
        "第3四分位|第三四分位|75パーセンタイル", "third quartile|upper quartile|75th percentile"
    ),
}

_EACH = "別|ごと|毎|単位|ベース"
UNITS: tuple[tuple[TimeUnit, re.Pattern[str]], ...] = (
    # The first that is found counts, so the longer words stand first.
    (
        "fiscal_quarter",
        pattern(rf"年度の?四半期(?:{_EACH})|会計四半期", "fiscal quarters?|by fiscal quarter"),
    ),
    (
        "fiscal_year",
        pattern(
            rf"年度(?:{_EACH}|推移|の推移|間の推移|比較)|(?:各|毎)年度|会計年度",
            "(?:by|per|each|every|across|over)(?: the)? (?:japanese )?(?:fiscal|"
            "financial) years?|(?:fiscal|financial) year(?:ly| totals?)|fiscal "
            "years?",
        ),
    ),
    (
        "half",
        pattern(
            rf"(?:(?<!四)半期|上半?期・?下半?期|半年)(?:{_EACH})|上半?期と下半?期",
            "half[- ]year(?:ly|s)?|semi[- ]?annual(?:ly)?",
        ),
    ),
    (
        "quarter",
        pattern(
            rf"四半期(?:{_EACH}|推移|の推移|で|ベース)|クォーター(?:{_EACH})|各四半期",
            "quarterly|(?:by|per|each|every|across|in each) (?:calendar "
            ")?quarters?|which quarter|quarter (?:by|over) quarter",
        ),
    ),
    (
        "month_of_year",
        pattern(
            "季節|月ごとの傾向|何月ごろ|暦月",
            "month of (?:the )?year|calendar month|seasonal(?:ity|ly)?",
        ),
    ),
    (
        "weekday",
        pattern(
            "曜日", "weekdays?(?! only)|days? of (?:the )?week|week ?day|by day name|which day of"
        ),
    ),
    (
        "hour_of_day",
        pattern(
            rf"時間帯|時刻(?:{_EACH})|時間(?:{_EACH})|何時",
            "hours? of (?:the )?day|time of (?:the )?day|hourly|by hour|per hour of",
        ),
    ),
    ("day_of_month", pattern(rf"日にち(?:{_EACH})|何日ごろ", "days? of (?:the )?month")),
    (
        "month",
        pattern(
            rf"(?<![かヶヵ\d])月(?:{_EACH}|次|間|々)|月ごと|毎月|各月|ひと月ごと|"
            rf"何月|どの月|(?<=[いたる])月(?=は|が|を|って|[?]|$)|年月(?:{_EACH})|"
            rf"月(?:の)?推移",
            "monthly|months?(?: by month)|(?:by|per|each|every|across|in each|"
            "for each)(?: the)? months?|which months?|what months?|month[- "
            "]over[- ]month|month[- ]on[- ]month|mom",
        ),
    ),
    (
        "week",
        pattern(
            rf"週(?:{_EACH}|次|間)|毎週|各週",
            "weekly|(?:by|per|each|every|across|in each) weeks?|which week|week (?:by|over) week",
        ),
    ),
    (
        "day",
        pattern(
            rf"(?<![一-龠平休祝\d])日(?:{_EACH}|次)|毎日|各日|日々|何日(?!間)|"
            rf"どの日|(?<=[いたる])日(?=は|が|を|って|[?]|$)",
            "daily|(?:by|per|each|every|across) (?:calendar )?days?(?! of)|day "
            "by day|which day(?! of)|what day(?! of)",
        ),
    ),
    (
        "year",
        pattern(
            rf"(?<!\d)年(?:{_EACH}|次|間推移)|毎年|各年|何年(?!間|度)|どの年|暦年|"
            rf"西暦|(?<=[いたる])年(?=は|が|を|って|[?]|$)",
            "yearly|annual(?:ly)?|(?:by|per|each|every|across|in each|over|over "
            "the|different|various|through the)(?: calendar)? years?|which year|"
            "what year|years? (?:by|over|on) years?",
        ),
    ),
)

PERIOD_MEAN: tuple[tuple[TimeUnit, re.Pattern[str]], ...] = (
    ("fiscal_year", pattern("年度平均|年度あたり", "average (?:per|fiscal) fiscal year")),
    (
        "month",
        pattern(
            "月平均|(?:1|一|ひと)(?:か)?月(?:あたり|当たり|平均|ごとの平均)|"
            "月(?:あたり|当たり)|月間平均|平均月間|平均月商|平均的?な月",
            "monthly (?:average|mean)|average (?:per|by|of each|a|for each) "
            "month|average (?:of (?:the )?)?monthly|mean (?:of (?:the "
            ")?)?monthly|mean per month|(?:on average|average)[^.?!]{0,40}(?:per|"
            "each|a|every) month|(?:per|each|a|every) month[^.?!]{0,25}on average",
        ),
    ),
    (
        "week",
        pattern(
            "週平均|(?:1|一)週(?:間)?(?:あたり|当たり|平均)|週(?:あたり|当たり)|週間平均",
            "weekly (?:average|mean)|average (?:per|a) week|average (?:of (?:the "
            ")?)?weekly|(?:on average|average)[^.?!]{0,40}(?:per|each|a|every) "
            "week",
        ),
    ),
    (
        "day",
        pattern(
            "日平均|(?:1|一)日(?:あたり|当たり|平均)|日(?:あたり|当たり)|平均日商",
            "daily (?:average|mean)|average (?:per|a) day|average (?:of (?:the "
            ")?)?daily|(?:on average|average)[^.?!]{0,40}(?:per|each|a|every) "
            "day|(?:per|each|a|every) day[^.?!]{0,25}on average",
        ),
    ),
    (
        "quarter",
        pattern(
            "四半期平均|四半期(?:あたり|当たり)",
            "quarterly (?:average|mean)|average (?:of (?:the )?)?quarterly|"
            "average (?:per|a) quarter",
        ),
    ),
    (
        "year",
        pattern(
            "年平均|(?:1|一)年(?:あたり|当たり|平均)|年(?:あたり|当たり)|年間平均",
            "(?:yearly|annual) (?:average|mean)|average (?:per|a) year|average "
            "(?:of (?:the )?)?(?:yearly|annual)",
        ),
    ),
)

# ---- what is asked ----

MISSING: Final = pattern(
    "欠損|欠け|空欄|空白|未入力|未回答|未設定|未記入|記入漏れ|入力漏れ|抜け漏れ|抜けている|ヌル",
    "missing(?:ness)?|blanks?|nulls?|nans?|empty|incomplete|not filled|unfilled",
)
DUPLICATES: Final = pattern(
    "重複|ダブ[りっ]|二重|だぶ[りっ]|被って", "duplicat(?:e|es|ed|ion)|repeated rows|same row"
)
DISTINCT: Final = pattern(
    "何種類|種類数|何通り|ユニーク|重複なし|重複を除いた|異なる|種類の?数|種類はいくつ|種類ある",
    "distinct|unique|how many (?:different|kinds of|types of)|number of "
    "(?:different|unique|distinct)",
)
COUNT: Final = pattern(
    "件数|何件|いくつ|何人|何名|何個|何回|何店舗?|何社|何台|何枚|何行|何本|"
    "個数は|人数|行数|レコード数|データ数|回数|頻度|の数(?:[はをが。?]|$)|台数|"
    "(?<=■)数|数えて|カウント|(?:顧客|社員|商品|会員|者|店舗|取引|注文|案件|申請|"
    "問い合わせ|チケット|物件)数|日数|社数|店舗数|品目数",
    "how many|counts?|counting|number of|numbers of|frequenc(?:y|ies)|tally|"
    "no\\. of|most common|head ?counts?|amount of (?:rows|records)|(?:most|"
    "fewest|more|fewer) (?!sales|likely)[a-z]{2,}s(?![a-z])",
)
SUMMARY: Final = pattern(
    "基本統計|統計量|要約統計|記述統計|代表値|統計的?な?要約|統計情報",
    "summary stat(?:istic)?s?|descriptive stat(?:istic)?s?|describe|basic "
    "stat(?:istic)?s|statistics|stats|summari[sz]e",
)
OVERVIEW: Final = pattern(
    "概要|要約|全体像|どんなデータ|どのようなデータ|中身|何が入って|何のデータ|"
    "サマリ|列の一覧|項目一覧|列は何|カラム|全体の様子|ざっと|(?:どんな|どういう|"
    "何の)(?:列|項目)|データについて|データを(?:説明|教えて|見せて)",
    "overview|what(?:'s| is) in|what columns|which columns|columns? (?:list|"
    "names)|about (?:the|this) (?:data|table|file|dataset)|summary of (?:the|"
    "this) (?:data|table|file|dataset)|look at (?:the|this) data|(?:data|dataset|"
    "table) summary|what (?:does|is) (?:this|the) (?:data|table|dataset)|"
    "summari[sz]e (?:the|this) (?:data|table|file|dataset)|describe (?:the|this) "
    "(?:data|table|file|dataset)|first look",
)
DISTRIBUTION: Final = pattern(
    "分布|ばらつき|バラつき|散らばり|歪度|尖度|正規|度数|四分位(?!範囲)|パーセンタイル",
    "distribut(?:ion|ions|ed)|spread|skew(?:ness|ed)?|kurtosis|normal(?:ity|ly)?|"
    "histogram|variability|quartiles?|quantiles?|percentiles?",
)
OUTLIERS: Final = pattern(
    "外れ値|はずれ値|異常値|異常な(?:値|数)|極端(?:な|に)|飛び抜け|とびぬけ|突出",
    "outliers?|anomal(?:y|ies|ous)|unusual(?:ly)?|extreme values?|abnormal",
)
CORRELATION: Final = pattern(
    "相関(?:係数|関係)?|関係(?!なく)|関連性?|連動|比例",
    "correlat(?:e|es|ed|ion|ions)|relationships?|relat(?:e|es|ed|ion)|"
    "associat(?:ed|ion)|depend(?:s|ence)? on|connection",
)
VERSUS: Final = pattern("", "vs\\.?|versus|v\\.|against|compared? (?:to|with)")
SHARE: Final = pattern(
    "構成比|構成割合|割合|比率|シェア|占め|占有|内訳|何(?:%|パーセント|割)|"
    "百分率|構成(?:を|は)|配分|率(?:を|は)|(?<=■)比(?![べ較例])",
    "shares?|proportions?|percent(?:age|ages)?|composition|what (?:%|fraction)|"
    "make-?up|fraction|portion|% of",
)
PARETO: Final = pattern(
    "パレート|abc分析|abcランク|累積構成比|累計構成比|上位.{0,8}(?:で|が).{0,10}(?:80|8割)|重点",
    "pareto|abc (?:analysis|class(?:es|ification)?)|80[/-]20|cumulative share",
)
PIVOT: Final = pattern(
    "クロス集計|クロス表|ピボット|マトリクス|マトリックス|縦横|行に.{0,200}列に|ヒートマップ|掛け合わせ",
    "pivot|cross[- ]?tab(?:ulat(?:e|ion))?s?|heat ?map|matrix (?:of|by)|contingency",
)
CUMULATIVE: Final = pattern(
    "累計|累積(?!構成)|積算|積み上がり",
    "cumulative(?! share)|running total|cumulated|year[- ]to[- ]date|ytd|accumulated",
)
MOVING: Final = pattern("移動平均", "moving average|rolling (?:average|mean|sum)|rolling window")
TREND: Final = pattern(
    "推移|トレンド|変遷|時系列|移り変わり|動き|経過|変化(?!率)|伸びて|増えて|減って|傾向",
    "over time|trends?|time ?series|timeline|across time|through time|over the "
    "(?:years|months|weeks|days)|throughout|evol(?:ve|ved|ution|ving)|changed? "
    "(?:over|by|each|through)|ha(?:s|ve) .{0,40}changed|histor(?:y|ical)|"
    "progress(?:ion|ed)?|development|with time|(?:by|per|each|every|for each) "
    "dates?",
)
TEST: Final = pattern(
    "有意|検定|p値|統計的に差|差があると言え|違いがあると言え|差がある(?:か|の)|独立(?:か|性)",
    "significan(?:t|tly|ce)|t[- ]?tests?|anova|chi[- ]?squared?|hypothesis|p[- "
    "]?values?|mann[- ]?whitney|kruskal|statistically|differs?(?= between| "
    "across| among| by)",
)
COMPARE: Final = pattern(
    "比較|比べ|くらべ|違い|の差(?:[はをが額。?]|$)|どちら|どっち|対比|との差",
    "compar(?:e|es|ed|ing|ison)|difference|differ|which is (?:higher|larger|"
    "bigger|better|more)|gap|vs\\.?|versus",
)
DIFFERENCE: Final = pattern(
    "の差(?:[はをが額。?]|$)|差額|差分|との差", "difference|gap|how much (?:more|less|higher|lower)"
)
TOP_PERCENT: Final = re.compile(
    r"(?:上位|下位|トップ|ワースト|(?<![a-z])(?:top|bottom)) ?"
    r"\d+(?:\.\d+)? ?(?:%|割|パーセント|percent)"
)
FROM_MEAN: Final = pattern(
    "平均(?:値|点|額)?(?:と|から)の?(?:差|乖離|開き|違い|ずれ|ズレ|距離)|平均と(?:比べ|比較)|平均差",
    "(?:differ(?:s|ence)?|deviat(?:es?|ion)|distance|gap|far) (?:from|to) (?:the )?(?:overall )?"
    "(?:average|mean)|compared? (?:to|with) (?:the )?(?:overall )?(?:average|mean)|"
    "(?:versus|vs\\.?) (?:the )?(?:overall )?(?:average|mean)",
)
ROWS: Final = pattern(
    "一覧|明細|レコード(?!数)|(?<!何)行(?:を|だけ)|リスト|データを表示|抽出|"
    "取り出|該当する|並べて|洗い出",
    "rows?|records?|list|entries|line items|details|transactions(?= (?:with|over|"
    "above|where))|extract",
)
WHICH: Final = pattern(
    "どの|どれ|どこ|誰|だれ|何が|どちら|どっち|いつ", "which|who(?:se)?|where|what(?= ■)|when"
)
TESTS: Mapping[Test, re.Pattern[str]] = {
    "t": pattern("(?<!の)t検定|スチューデント", "student'?s? t|t[- ]?test"),
    "welch": pattern("ウェルチ|welch", "welch"),
    "mann_whitney": pattern(
        "マン.?ホイットニー|ノンパラ|順位和", "mann[- ]?whitney|non-?parametric|rank[- ]sum"
    ),
    "anova": pattern("分散分析", "anova|analysis of variance"),
    "kruskal": pattern("クラスカル", "kruskal"),
    "ks": pattern("コルモゴロフ", "kolmogorov|ks test"),
    "chi2": pattern("カイ二乗|カイ2乗|χ2|χ二乗|独立性", "chi[- ]?squared?"),
}
SPEARMAN: Final = pattern("スピアマン|順位相関", "spearman|rank correlation")
KENDALL: Final = pattern("ケンドール", "kendall")
ZSCORE: Final = pattern("zスコア|標準偏差|z値|シグマ|σ", "z[- ]?scores?|standard deviations?|sigma")

# ---- growth ----

GROWTH: tuple[tuple[TimeUnit, int, re.Pattern[str]], ...] = (
    # Unit, how many units back, words.
    (
        "month",
        12,
        pattern(
            "前年同月|昨年同月|対前年同月",
            "same month (?:of )?(?:the )?(?:last|previous|prior) year|year[- "
            "](?:over|on)[- ]year (?:by|per|each|for each) month|monthly (?:yoy|"
            "year[- ](?:over|on)[- ]year)|month-?by-?month yoy",
        ),
    ),
    (
        "quarter",
        4,
        pattern(
            "前年同期|昨年同期",
            "same (?:quarter|period) (?:of )?(?:the )?(?:last|previous|prior) year",
        ),
    ),
    (
        "fiscal_year",
        1,
        pattern(
            "前年度比|対前年度|前年度から|前年度と",
            "fiscal[- ]year[- ]over[- ]fiscal[- ]year|(?:from|vs) (?:the )?previous fiscal year",
        ),
    ),
    (
        "month",
        1,
        pattern(
            "前月比|前月より|前月に比べ|先月より|前月から|対前月|前月と|先月比|月次成長|前月差",
            "month[- ](?:over|on|to)[- ]month|mom|(?:from|vs\\.?|compared? (?:to|"
            "with)|over) (?:the )?(?:previous|prior|last) month|monthly "
            "(?:growth|change|increase)",
        ),
    ),
    (
        "week",
        1,
        pattern("前週比|先週比|前週", "week[- ](?:over|on)[- ]week|wow|weekly (?:growth|change)"),
    ),
    ("day", 1, pattern("前日比|前日", "day[- ](?:over|on)[- ]day|daily (?:growth|change)")),
    (
        "quarter",
        1,
        pattern(
            "前四半期|前期比|四半期比",
            "quarter[- ](?:over|on)[- ]quarter|qoq|quarterly (?:growth|change)",
        ),
    ),
    (
        "year",
        1,
        pattern(
            "前年比|前年より|前年に比べ|前の年(?:より|と|に比べ|から|比)|去年より|昨年より|対前年|昨年比|昨対|"
            "前年から|前年と|去年比|去年と比|昨年と比|前年差",
            "year[- ](?:over|on|to)[- ]year|yoy|(?:from|vs\\.?|compared? (?:to|"
            "with)|over) (?:the )?(?:previous|prior|last) year|(?:annual|yearly) "
            "(?:growth|change|increase)",
        ),
    ),
)
GROWTH_ANY: Final = pattern(
    "伸び率|成長率|増減率?|増加率|減少率|変化率|伸び(?:は|を|が)|増加額|減少額",
    "growth|rate of change|percent(?:age)? change|increase(?:d)? (?:by|rate)|"
    "change rate|grew|grow(?:n|ing)?",
)

# ---- charts ----

CHARTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("heatmap", pattern("ヒートマップ", "heat ?maps?")),
    ("hist", pattern("ヒストグラム|度数分布|度数グラフ", "hist(?:ogram)?s?")),
    (
        "scatter",
        pattern(
            "散布図|散布|プロット図|分布図(?=.{0,200}と)",
            "scatter(?: ?plots?| ?charts?| ?graphs?| ?diagrams?)?|scatterplots?|"
            "xy (?:chart|plot|graph)|bubble(?: chart)?|dot plot|point (?:chart|"
            "plot)|cluster",
        ),
    ),
    (
        "box",
        pattern(
            "箱ひげ|箱髭|ボックスプロット|箱図",
            "box[- ]?(?:and[- ]?whiskers?|plots?|charts?)?|whiskers?|violin",
        ),
    ),
    (
        "pie",
        pattern(
            "円グラフ|パイチャート|ドーナツ|円チャート", "pies?(?: charts?)?|donuts?|doughnuts?"
        ),
    ),
    ("stacked", pattern("積み上げ|積上げ?|帯グラフ", "stack(?:ed|s|ing)?|100% bars?")),
    (
        "line",
        pattern(
            "折れ線|折線|ライングラフ|線グラフ|ラインチャート",
            "(?<!by )(?<!per )(?<!each )(?<!which )(?<!every )line ?(?:charts?|"
            "graphs?|plots?|diagrams?)?|lines|time ?series|timeline|linechart",
        ),
    ),
    (
        "bar",
        pattern(
            "棒グラフ|縦棒|横棒|バーチャート|棒",
            "bars?(?: ?charts?| ?graphs?| ?plots?)?|barcharts?|column (?:charts?|"
            "graphs?|plots?)|columns?(?= (?:chart|graph))|^columns of",
        ),
    ),
)
CHART: Final = pattern(
    "グラフ|チャート|可視化|図(?:に|で|を|示|表)|プロット|描いて|ビジュアル",
    "charts?|graphs?|plots?|plotting|visuali[sz](?:e|ed|ation|ing)s?|draw|diagram|figure|render",
)
PANELS: Final = pattern(
    "(?:グラフ|図)を(?:分け|並べ|別々)|別々のグラフ|個別のグラフ|小さなグラフ",
    "small multiples?|facet(?:s|ed|ing)?|trellis(?:ed)?|(?:separate|separated|"
    "multiple|individual|several|\\d{1,4}|different|split)(?: out)?(?: [a-z]+){0,2} "
    "(?:charts|plots|graphs|scatterplots|scatter plots|panels)|(?:one|a) "
    "(?:[a-z]+ ){0,2}(?:chart|plot|graph|scatterplot) (?:for|per) (?:each|every)|"
    "scatterplots (?:for|by|per)|scatterplot matrix|each in (?:its|a) own",
)
NO_CHART: Final = pattern(
    "グラフは(?:不要|いらない|なし)|表だけ|表のみ|グラフなし|表で(?!も)",
    "no charts?|without (?:a )?charts?|table only|just (?:the|a) table|as a table|in a table",
)
NORMALIZED: Final = pattern(
    "100%|百分率|帯グラフ|比率の積|割合の積", "100 ?%|normali[sz]ed|percent(?:age)? stacked"
)
HORIZONTAL: Final = pattern("横棒", "horizontal")
VERTICAL: Final = pattern("縦棒", "vertical|column chart|column graph")
BINS: Final = pattern(
    r"(?<!\d)(?P<n>\d+)(?:本の?|個の?|分割の?)?(?:ビン|階級|区間)|(?<!\d)(?P<k>\d+)本の(?:ヒストグラム|棒)",
    r"(?P<m>(?<!\d)\d+) bins",
)

# ---- order ----

DESCENDING: Final = pattern(
    "(?:多|高|大き|良|長|古い?方?|新し)い?順|多いもの|降順|ランキング|順位|"
    "多いほう|多い方から|高い方から|大きい方から|売れ筋|売れた順|売れている順|"
    "人気順",
    "descending|desc|highest (?:to|first)|(?:high|large|big)(?:est)? to (?:low|"
    "small)(?:est)?|most to least|largest first|biggest first|best to worst|"
    "rank(?:ed|ing|s)?|in order of|order(?:ed)? by|sort(?:ed|ing)?(?: by)?|"
    "arrange|leaderboard",
)
ASCENDING: Final = pattern(
    "(?:少な|低|小さ|安|短|若)い(?:順|もの|■)|昇順|少ない方から|低い方から|小さい方から",
    "ascending|asc|lowest (?:to|first)|(?:low|small)(?:est)? to (?:high|large|"
    "big)(?:est)?|least to most|smallest first|worst to best|cheapest first",
)
MOST: Final = pattern(
    "(?:(?:一番|最も|もっとも|いちばん|1番)[^、。?]{0,14}?|最も?)(?:多|高|大き|"
    "売れ(?!て(?:い)?ない)|良|よく|長|人気|優|忙し|伸び|売上|稼)|トップ(?!\\d)|"
    "1位(?!から)|最多|最年長|首位|ピーク|売れ筋|最大(?=の■)|最高(?=の■)|ベスト(?!\\d)|"
    "最長の",
    "(?<!at )most|highest|oldest|heaviest|largest|biggest|greatest|best(?:[- ]selling)?|top(?! "
    "\\d)(?!-\\d)|longest|busiest|peak(?:ed)?|maximum|winner|leading|strongest",
)
LEAST: Final = pattern(
    "(?:(?:一番|最も|もっとも|いちばん|1番)[^、。?]{0,14}?|最も?)(?:少な|低|小さ|"
    "売れて(?:い)?な|悪|短|安|若|不人気|落ち)|最少|最年少|最下位|ワースト(?!\\d)|"
    "最小(?=の■)|最低(?=の■)",
    "(?<!at )least|lowest|youngest|lightest|smallest|fewest|worst|bottom(?! \\d)|"
    "shortest|cheapest|"
    "weakest|minimum|slowest",
)

NUMBER_WORDS: Mapping[str, int] = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "fifteen": 15,
    "twenty": 20,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
}
_N = r"(?:\d{1,4}|" + "|".join(word for word in NUMBER_WORDS if word.isascii()) + ")"
_K = r"(?:\d{1,4}|[一二三四五六七八九十])"
TOP: Final = re.compile(
    rf"(?:上位|トップ|ベスト|top|先頭)[ \-]?(?:の)?(?P<a>{_K})(?!\d|割| ?%|位から|年|月|"
    rf"円|万)|(?:多い|高い|大きい|良い)(?:順に|順で|もの|方から|"
    rf"ほうから)?(?:上位)?(?:から)?(?P<b>{_K})(?:件|つ|個|店|社|人|名|位|商品|カ所|"
    rf"か所|部署)"
    rf"|(?<![a-z])(?:top|best|first|highest|largest|biggest)[ "
    rf"\-](?P<c>{_N})(?![a-z\d%])|(?<![a-z\d])(?P<d>{_N}) (?:highest|largest|"
    rf"biggest|best|most|top|longest|oldest)(?![a-z])"
    rf"|順に(?:上位)?(?P<h>{_K})(?!割|%|年|月|円|万)|(?P<i>{_K})(?:件|つ|個|店舗?|"
    rf"社|人|名|品目|商品|か所)(?:だけ)?(?:を|、)?(?:挙げ|あげ|教え|見せ|出し|表示|"
    rf"抽出|リスト|ピックアップ)"
    rf"|(?P<e>{_K})位まで|(?:ランキング|順位)(?P<f>{_K})|(?<![a-z])(?P<g>{_N}) "
    rf"(?:■+|[a-z]+) with the (?:highest|most|largest|biggest|longest|greatest|best|oldest)"
)
BOTTOM: Final = re.compile(
    rf"(?:下位|ワースト|最下位から?|下から)[ \-]?(?:の)?(?P<a>{_K})(?!\d|割| ?%|年|月|"
    rf"円|万)|(?:少ない|低い|小さい|安い|悪い)(?:順に|順で|もの|方から|"
    rf"ほうから)?(?:から)?(?P<b>{_K})(?:件|つ|個|店|社|人|名|位|商品|カ所|か所|"
    rf"部署)"
    rf"|(?<![a-z])(?:bottom|worst|lowest|smallest|last)[ \-](?P<c>{_N})(?![a-z\d%]|"
    rf" ?(?:day|week|month|quarter|year))|(?<![a-z\d])(?P<d>{_N}) (?:lowest|"
    rf"smallest|worst|least|fewest|cheapest|shortest|slowest)(?![a-z])"
    rf"|(?<![a-z])(?P<g>{_N}) (?:■+|[a-z]+) with the (?:lowest|least|fewest|"
    rf"smallest|shortest|worst|cheapest)"
)

OLDEST: Final = re.compile(r"(?<!\d)(\d{1,3}) (?:oldest|heaviest|most expensive|priciest)")
YOUNGEST: Final = re.compile(r"(?<!\d)(\d{1,3}) (?:youngest|lightest|cheapest)")

# ---- conversation ----

FOLLOW_UP: Final = pattern(
    "にして|で(?:お願い|見せて|表示)|では[?？。]?$|だと[?？。]?$|に(?:変え|直し|"
    "変更)|だけ(?:で|に|を)|それ|これ|その|同じ|今度は|さらに|次に|じゃあ|では、|"
    "あと[、は]|加えて|追加|も[?？。!]?$|も(?:見せて|お願い|出して|教えて|"
    "知りたい|表示|追加|見たい|欲しい|ほしい|入れて|足して|付けて|つけて|調べて)|は[?？]$|ついでに|逆に|代わりに|なら[?？。]?$|の場合",
    "^and|^also|^now|^then|^only|^just|^as an?|^what about|^how about|instead|"
    "same|make (?:it|that|this)|change (?:it|that|this)|show (?:it|that|this|"
    "them)|turn (?:it|that|this)|those|them|that|it|^but|^without|^excluding|"
    "^sort|^for|^in|^by|^add|^colou?r|too$|as well|^with|^split|^group|^stack|"
    "^facet",
)
ADDITIVE: Final = pattern(
    "も(?:[?？。!]?$|見せて|お願い|出して|加えて|追加|分け|見たい|知りたい|教えて|欲しい|ほしい|"
    "入れて|足して|付けて|つけて|調べて|表示)|さらに|加えて|追加|に分け",
    "also|add|as well|too|additionally|further|broken (?:down|out)|split|separate",
)
