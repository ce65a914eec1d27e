"""Words that name columns and fields, by which a row of words shows to be a header."""

import re

from sanbo.language.eras import NAMES

_JAPANESE = """
    氏名 名前 名称 住所 電話 メール 性別 年齢 部署 所属 役職 担当 会社 店舗 支店 部門 拠点 地域
    都道府県 日付 期限 期日 納期 期間 年月 年度 時刻 時間 曜日 品名 品番 型番 商品 製品 品目 項目
    科目 摘要 単価 価格 金額 数 数量 個数 単位 合計 小計 税率 税抜 税込 消費税 売上 原価 仕入 利益
    予算 実績 差異 残高 在庫 区分 分類 種類 種別 状態 状況 ステータス 結果 評価 備考 メモ 内容 説明
    定義 意味 用語 詳細 概要 件名 題名 タイトル 値 対応 回答 質問 理由 条件 基準 用途 目的 方法 場所
    コード 番号 色 サイズ フリガナ ふりがな カナ 新 旧 改正前 改正後 変更前 変更後 修正前 修正後
    改定前 改定後 内訳 通貨 国 県 市区町村 順位 優先度 連絡先
"""
_ENGLISH = """
    name names id no no. number code date time day month year amount price cost total quantity qty
    unit value type kind status state category description definition meaning term content contents
    detail details note notes remark remarks comment comments owner result answer question reason
    before after old new address phone email mail department title item product customer company
    country city currency rank priority start end from to key
"""
_WORDS = frozenset((*_JAPANESE.split(), *_ENGLISH.split()))
_ENDINGS = re.compile(
    r".+(?:名|者|額|数|率|費|料|欄|別|区分|番号|コード|先|元|内容|項目|日時|年月日|期限|期日|時刻|合計"
    r"|(?:発行|作成|登録|更新|受付|注文|納品|請求|支払|入金|出荷|売上|開始|終了|申請|締切|契約)日"
    r"|[ _](?:id|no|name|date|code))"
    rf"|(?:(?:19|20)\d\d|(?:{NAMES})(?:元|\d{{1,2}}))年度?|\d{{1,2}}月|第\d(?:四半)?期"
)
_LONGEST = 12
_AT_THE_END = re.compile(r"(?<!\s)\s*+(?:[(（\[].{1,10}[)）\]]|\d{1,2})$")  # 金額（円）, 住所2


def names_a_column(text: str) -> bool:
    """金額, 担当者, 納品日, 2024年度, Amount."""
    word = _AT_THE_END.sub("", text.strip()).lower().replace("\u3000", "")
    return word in _WORDS or (len(word) <= _LONGEST and bool(_ENDINGS.fullmatch(word)))
