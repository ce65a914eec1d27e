"""Japanese as offices write it, and the bytes that Windows and older systems save it as."""

import codecs
from collections.abc import Callable

from hypothesis import strategies as st


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WORDS = _words(
    """
    売上 店舗 日付 商品分類 備考 金額 数量 単価 合計 小計 消費税 請求書 見積書 納品書 領収書 契約書
    担当者 部署 営業部 総務部 経理部 人事部 株式会社 有限会社 取引先 支払期限 振込先 口座番号
    普通預金 当座預金 郵便番号 住所 電話番号 氏名 生年月日 令和七年 平成三十年 四月 第一四半期
    前年同月比 予算 実績 差異 承認 否認 確認済 未確認 至急 以上 以下 未満 件名 会議 議事録 出席者
    議題 決定事項 北海道 青森県 東京都 神奈川県 大阪府 京都府 福岡県 沖縄県 茨城県 埼玉県 静岡県
    愛知県 佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 齋藤 渡邉 山﨑 髙島
    お客様 ご担当者様 よろしくお願いします ありがとうございます について および または すべて
    オンライン システム サーバー データ ファイル メール セキュリティ プロジェクト スケジュール
    キャンセル クレジットカード ボールペン コピー用紙 ノートパソコン アルバイト 契約社員 正社員
    ①売上 ②原価 ㈱三和 ㈲山田商店 １２３ ＡＢＣ 〒１００ 午前９時～午後６時 －５％ ～ ※注意
    【重要】 「見積」 Ⅲ期 ㎡ №１
    """
)

HALF_WIDTH_WORDS = _words(
    """
    ﾔﾏﾀﾞ ﾀﾛｳ ｽｽﾞｷ ﾊﾅｺ ｶﾌﾞｼｷｶﾞｲｼｬ ﾄｳｷﾖｳ ｵｵｻｶ ﾌﾘｺﾐ ﾃｽｳﾘﾖｳ ﾃﾞｰﾀ ｺｰﾄﾞ ｼｽﾃﾑ ﾐﾂｲ ｻﾝﾌﾟﾙ
    """
)

PLAIN = ("2026-04-01", "128000", "A-01", "12", "3.5", "OK", "Excel", "", "-500", "info@example.jp")


def words() -> st.SearchStrategy[str]:
    return st.sampled_from((*WORDS, *HALF_WIDTH_WORDS, *WORDS))


def cells() -> st.SearchStrategy[str]:
    return st.one_of(words(), words(), st.sampled_from(PLAIN))


def as_euc_jp(text: str) -> bytes:
    """As Windows writes it (code page 51932, with the rows of NEC and IBM)."""
    return b"".join(_euc_character(character) for character in text)


def _euc_character(character: str) -> bytes:
    windows = character.encode("cp932")
    if len(windows) == 1:
        return windows if windows < b"\x80" else b"\x8e" + windows
    lead, trail = _nec_selected(windows)
    row = (lead - (0x80 if lead < 0xA0 else 0xC0)) * 2
    if trail >= 0x9F:
        return bytes((row + 0xA0, trail + 2))
    return bytes((row + 0x9F, trail + (0x61 if trail < 0x7F else 0x60)))


def _nec_selected(windows: bytes) -> bytes:
    """Python writes some characters with IBM's codes, beyond the 94 rows of JIS."""
    if windows < b"\xf0":
        return windows
    character = windows.decode("cp932")
    for lead in (0xED, 0xEE):
        for trail in (*range(0x40, 0x7F), *range(0x80, 0xFD)):
            other = bytes((lead, trail))
            if other.decode("cp932", "replace") == character:
                return other
    raise AssertionError(f"{character} has no row in JIS")


def as_iso_2022_jp(text: str) -> bytes:
    """As Windows writes it (code page 50221: half-width kana, NEC and IBM characters)."""
    pieces: list[bytes] = []
    current = b"\x1b(B"
    for character in text:
        euc = _euc_character(character)
        escape = b"\x1b(B" if len(euc) == 1 else b"\x1b(I" if euc[0] == 0x8E else b"\x1b$B"
        if escape != current:
            pieces.append(escape)
            current = escape
        pieces.append(bytes(code & 0x7F for code in euc if code != 0x8E))
    if current != b"\x1b(B":
        pieces.append(b"\x1b(B")
    return b"".join(pieces)


def as_utf_16_le(text: str) -> bytes:
    """As Excel saves “Unicode text”: with the mark."""
    return codecs.BOM_UTF16_LE + text.encode("utf-16-le")


def _plain(encoding: str) -> Callable[[str], bytes]:
    return lambda text: text.encode(encoding)


ENCODERS: dict[str, Callable[[str], bytes]] = {
    "utf-8": _plain("utf-8"),
    "utf-8-sig": _plain("utf-8-sig"),
    "cp932": _plain("cp932"),
    "euc_jp": as_euc_jp,
    "utf-16": as_utf_16_le,
    "iso2022_jp": as_iso_2022_jp,
}
