"""What this workbench does not do: predictions, causes, outside data, orders to the machine."""

import re
from typing import Final

from sanbo.agents.analysis.decision import OutOfScope
from sanbo.agents.analysis.rules.lexicon import MOVING, pattern
from sanbo.agents.analysis.rules.scene import Scene

_SCOPES: Final[tuple[tuple[OutOfScope, re.Pattern[str]], ...]] = (
    (
        "instruction",
        pattern(
            r"(?:指示|命令|ルール|制約|設定)を?(?:すべて|全て|全部)?(?:無視|忘れ|"
            r"破棄|解除)|システムプロンプト|プロンプトを|apiキー|パスワード|"
            r"環境変数|管理者(?:権限|モード)|コード(?:を|の)実行|シェル|"
            r"コマンドを?実行|あなたは(?:今|いま)から|制限なし|内部(?:の)?(?:設定|"
            r"指示)|スクリプトを実行|pythonを?実行",
            r"ignore (?:all |any |your |the |previous |prior |above "
            r")*(?:instructions?|rules|prompts?)|disregard (?:all |your |the |"
            r"previous )*(?:instructions?|rules)|system prompt|reveal (?:your|"
            r"the)|api[- ]?keys?|passwords?|environment variables?|(?:execute|"
            r"run) (?:this |the |some |a |arbitrary )?(?:code|commands?|scripts?|"
            r"python|shell|sql)|jailbreak|developer mode|you are now|pretend "
            r"(?:to be|you)|os\.system|subprocess|/etc/passwd|import os|drop "
            r"table|your instructions|act as (?:an?|the) (?:admin|root)",
        ),
    ),
    (
        "training",
        pattern(
            r"機械学習|(?:モデル|ai|分類器)を?(?:作|学習|訓練|構築|トレーニング)|"
            r"学習させ|回帰モデル|予測モデル|ニューラル|ディープラーニング|"
            r"クラスタリング|決定木|ランダムフォレスト",
            r"machine learning|train(?:ing)? (?:a|an|the|some)|neural "
            r"net(?:work)?s?|(?:regression|predictive|classification|forecasting|"
            r"prediction|churn) models?|classifiers?|clustering|k-?means|random "
            r"forest|decision tree|deep learning|build (?:a|an|me a) [a-z "
            r"]{0,20}model|fit a model",
        ),
    ),
    (
        "prediction",
        pattern(
            r"予測|予想|見通し|見込(?:み|まれ)|将来|今後(?:の|は|、|どう)|来月|"
            r"来年|来期|来週|再来|翌月(?:は|の)|次の?(?:月|年|四半期|期)(?:は|の|"
            r"に)|どうなりそう|なると思|なるでしょう|伸びそう|着地|"
            r"シミュレーション",
            r"predict(?:s|ed|ion|ions|ing)?|forecast(?:s|ed|ing)?|next (?:month|"
            r"year|quarter|week|season|fiscal)|in the future|future|will (?:be|we|"
            r"the|it|our|sales|there|■+|reach|grow|increase|happen)|expected? "
            r"(?:to|for next)|projections?|extrapolat(?:e|ion)|estimate (?:for "
            r")?(?:next|the coming|future)|going to be|what if|coming (?:month|"
            r"year|quarter|week)",
        ),
    ),
    (
        "causal",
        pattern(
            r"なぜ|何故|どうして|原因|要因|理由(?:は|を|が)|なんで|のせい|おかげ|"
            r"影響で|効果があった|効いた|由来",
            r"why|causes?|caused|causing|reasons?|because of|due to|root cause|"
            r"explain what (?:made|drove)|(?:led|leads) to|drivers? of|what drove|"
            r"impact of [a-z ]{1,40} on|effect of [a-z ]{1,40} on|thanks to",
        ),
    ),
    (
        "outside_data",
        pattern(
            r"他社|競合|ライバル|amazon|アマゾン|楽天市場|メルカリ|価格コム|"
            r"業界(?:平均|標準|全体|の)|市場(?:平均|全体|規模|シェア|調査)|"
            r"全国平均|世間|相場|天気|気象|天候|株価|為替|ニュース|ネットで|"
            r"インターネット|ウェブで|webで|検索して|google|ググ|公式サイト|"
            r"ホームページ|物価|gdp|統計局|最新情報",
            r"competitors?|amazon|ebay|current (?:market )?prices?|market prices?|"
            r"rivals?|industry (?:average|standard|benchmark)|market (?:share|"
            r"average|size|research)|national average|weather|stock (?:price|"
            r"market)s?|share price|exchange rates?|news|on the (?:internet|web)|"
            r"search the (?:web|internet)|google|wikipedia|inflation|gdp|look up|"
            r"online sources?|other companies|from the (?:web|internet)|http",
        ),
    ),
    (
        "change_data",
        pattern(
            r"(?:元の?)?(?:ファイル|データベース|db|元データ|csv|エクセル|excel|"
            r"シート)(?:を|に|から)(?:書き換え|上書き|更新|保存|削除|消|変更|"
            r"書き込|追記|修正)|(?:行|データ|レコード|列)を(?:すべて|全て|"
            r"全部)?(?:削除して|消して|書き換えて|追加して|修正して|更新して|"
            r"変更して|入れ替えて)|上書き|に書き換え|(?:ファイル|結果|"
            r"変更)?を?保存して|(?<!未)承認して|登録して|送信して|メールで?送|"
            r"アップロードして|印刷して|値を[^。]{0,12}に(?:変更|書き換え|修正)",
            r"(?:overwrite|save|write|append) (?:it |this |the |them |to |back |"
            r"into |a )*(?:file|csv|database|disk|excel|sheet|original|workbook)|"
            r"(?:delete|remove|erase|update|modify|edit|change|replace) (?:all |"
            r"the |this |these |every |any )*(?:rows?|records?|files?|columns?|"
            r"cells?|data(?:set|base)?|values? (?:in|of)|table)(?: (?:from|in|"
            r"with|where|to)| permanently|$)|(?:email|mail|send|upload|post) "
            r"(?:it|this|the|them|me|a|to)|print it",
        ),
    ),
    (
        "other",
        pattern(
            r"翻訳して|俳句|詩を|小説|物語を|作文|冗談|ジョーク|雑談|歌を|レシピ|"
            r"占い|自己紹介|メール(?:文|の文面)?を?(?:書|作)|"
            r"プレゼン(?:資料)?を?作|スライドを?作|パワーポイント|コードを書いて|"
            r"プログラムを",
            r"translate|poems?|haiku|jokes?|story|essay|recipe|write (?:me "
            r")?(?:an?|some|the) (?:email|letter|code|program|script|function)|"
            r"sing|slides?|powerpoint|presentation",
        ),
    ),
)


def scope_of(scene: Scene) -> OutOfScope | None:
    """Names of columns and values are data: what they say is no request."""
    for scope, words in _SCOPES:
        if words.search(scene.masked):
            return scope
    return "other" if MOVING.search(scene.masked) else None
