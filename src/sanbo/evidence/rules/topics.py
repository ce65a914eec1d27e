"""What a Japanese question is about, and how it is carried over to a half that does not name it."""

import re
from dataclasses import dataclass

from sanbo.language.questions import has_interrogative

_TOPIC = re.compile(r"^(?P<words>.{1,60}?)(?:とは|では|には|は)(?![ぁ-ん]?ず)(?P<rest>.*)$")
_QUALITIES = """
高さ 長さ 広さ 重さ 大きさ 深さ 速さ 幅 面積 人口 距離 標高 日数 期間 期限 期日 締切 締め切り 納期
金額 上限 下限 料金 費用 価格 単価 代金 場所 会場 住所 所在地 目的 理由 原因 対象 対象者 条件 要件
資格 手続き 手続 手順 方法 提出先 申請先 連絡先 問い合わせ先 窓口 担当 担当者 責任者 定員 人数
回数 時間 時刻 日時 日程 開始 終了 開催日 完成年 設立 本社 首都 名称 略称 通称 別名 読み 意味 由来
作者 著者 設計者 監督 主演 代表 社長 会長 委員長 議長 率 割合 税率 予算 売上 利益 結果 効果 影響
内容 概要 範囲 種類 特徴 罰則 例外 注意点 必要書類 書類 支払方法 支払期限 支払日 支給日 支給額
申請方法 申請期限 有効期限
"""
_QUALITY = frozenset(_QUALITIES.split())
_QUALITY_END = re.compile(
    r"(?:さ|者|日|先|額|数|率|費|年|地|名|料|金|点|法|期限|方法|期間|時間|時期|場所|理由|条件|窓口|上限|下限|書類|年齢|番号)$"
)

# A cost has qualities of its own: its limit, who bears it.
_IS_PAID = re.compile("[費料額金]$")


@dataclass(frozen=True)
class Topic:
    thing: str
    """東京タワー"""
    quality: str = ""
    """高さ, in 東京タワーの高さは."""


def topic_of(text: str) -> Topic | None:
    """None where a question names nothing that it is about: いつまでに申請しますか."""
    found = _TOPIC.match(text.strip())
    if found is None:
        return None
    words = found["words"].strip("、 　")
    if not words or has_interrogative(words):
        return None
    thing, of, quality = words.rpartition("の")
    if of and thing and is_quality(quality) and not _IS_PAID.search(quality):
        return Topic(thing, quality)
    return Topic(words)


def is_quality(words: str) -> bool:
    """Something of something else: a height, a deadline, a person in charge."""
    return words in _QUALITY or (len(words) <= 6 and _QUALITY_END.search(words) is not None)


def carried(subject: Topic, text: str) -> str:
    """The text with the subject where it names none, or only a quality of it."""
    own = topic_of(text)
    if own is None:
        return f"{subject.thing}は{text}"
    whole = own.thing + own.quality
    named = re.sub("^(?:主な|具体的な|必要な)", "", whole)
    if not own.quality and "の" not in whole and is_quality(named) and whole != subject.thing:
        return f"{subject.thing}の{text}"
    return text
