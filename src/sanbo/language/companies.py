"""Company names in the form in which two spellings of one company are equal. Only compared."""

import re
import unicodedata
from functools import lru_cache

# Letters that registers write in one form and people, banks and printers in another. NFKC keeps
# them apart, since to Unicode they are different characters.
_VARIANTS = str.maketrans(
    "髙﨑嵜濵濱澤邊邉齋齊斉廣國眞嶋嶌櫻榮應龍壽惠德瀨黑靑淸增橫彌圓萬寶關區縣學會"
    "條假豐與淺藏鹽驛鐵禮靜獨釋緖瀧曾莊祐穗巖岡",
    "高崎崎浜浜沢辺辺斎斎斎広国真島島桜栄応竜寿恵徳瀬黒青清増横弥円万宝関区県学会"
    "条仮豊与浅蔵塩駅鉄礼静独釈緒滝曽荘祐穂巌岡",
)
# Transfers are written without small kana: ｼﾖｳｼﾞ is ショウジ.
_KANA = str.maketrans(
    {chr(code): chr(code + 0x60) for code in range(0x3041, 0x3097)}  # hiragana
    | {0x309D: "ヽ", 0x309E: "ヾ"}
)
_LARGE = str.maketrans("ァィゥェォッャュョヮヵヶ", "アイウエオツヤユヨワカケ")
_DASH_AFTER_KANA = re.compile(r"(?<=[ァ-ヺー])[-‐‑–—―−](?=[^-‐‑–—―−]|$)")

_FORMS = (
    "株式会社|有限会社|合同会社|合資会社|合名会社|相互会社|特定目的会社|有限責任事業組合|一般社団法人|公益社団法人|"
    "社団法人|一般財団法人|公益財団法人|財団法人|医療法人社団|医療法人財団|社会医療法人|医療法人|学校法人|"
    "社会福祉法人|宗教法人|特定非営利活動法人|npo法人|独立行政法人|地方独立行政法人|国立大学法人|公立大学法人|"
    "国立研究開発法人|更生保護法人|農事組合法人|管理組合法人|弁護士法人|税理士法人|司法書士法人|行政書士法人|"
    "社会保険労務士法人|特許業務法人|監査法人|土地家屋調査士法人"
)
_SHORT_FORMS = "株|有|同|資|名|相|特|一社|公社|一財|公財|社|財|医|学|福|宗|非|独|監|税|弁|司|行|農"
# As transfers shorten them, カ) before, (カ after and (カ) within a name, small kana made large.
_TRANSFER_FORMS = (
    "カ|ユ|ド|メ|シ|ソ|イ|ザイ|シヤ|ガク|フク|シユウ|トクヒ|ドク|チドク|ダイ|ベン|ゼイ|シホウ|ギヨ|"
    "ロウム|ノウ|ホゴ|カンリ|モク|シキヨウ|キヨウサイ|セイキヨウ|レン"
)
_SPOKEN_FORMS = r"(?:カブシキ|ユウゲン|ゴウドウ|ゴウシ|ゴウメイ)[カガ]イシヤ"
_WESTERN_FORMS = (
    r"co(?:mpany)?[., ]{0,3}l(?:imi)?te?d|company|co|inc(?:orporated)?|corp(?:oration)?|ltd|"
    r"limited|l\.? ?l\.? ?c|l\.? ?l\.? ?p|g\.? ?k|k\.? ?k|kabushiki[ -]?(?:gaisha|kaisha)|"
    r"plc|gmbh|ag|s\.? ?a|b\.? ?v|pte|pty"
)
_COURTESY = r"御中|様|殿|宛"


_BRACKETED = rf"\((?:{_SHORT_FORMS}|{_TRANSFER_FORMS}|{_FORMS})\)"
_AT_START = re.compile(rf"^(?:{_BRACKETED}|(?:{_TRANSFER_FORMS})\)|{_FORMS}|{_SPOKEN_FORMS})")
_AT_END = re.compile(
    rf"(?:{_BRACKETED}|\((?:{_TRANSFER_FORMS})|{_FORMS}|{_SPOKEN_FORMS}"
    rf"|(?<=[\s,.])(?:{_WESTERN_FORMS})\.?|{_COURTESY})$"
)
_WITHIN = re.compile(rf"\((?:{_TRANSFER_FORMS}|株|有|同|資|名)\)")
_KEPT = re.compile(r"[^\W_]+")
_EDGE = " \t\r\n,.、。・"
_LONGEST = 400
_REMEMBERED = 1 << 16


def company_key(name: str) -> str:
    """`㈱髙橋商事`, `高橋商事 株式会社` and `（株）高橋 商事 御中` are one; "" only for blanks."""
    return _key(name[:_LONGEST])


def company_name(name: str) -> str:
    """In one spelling, without 株式会社 and 御中; "" where nothing else is there."""
    bare = _without_form(folded(name[:_LONGEST]))
    return bare if _KEPT.search(bare) else ""


@lru_cache(_REMEMBERED)
def _key(name: str) -> str:
    text = folded(name)
    bare = _without_form(text)
    return letters_of(bare) or letters_of(text) or text


def letters_of(text: str) -> str:
    return "".join(_KEPT.findall(text))


def folded(name: str) -> str:
    """Letters in one width, case and form, all kana large katakana."""
    text = unicodedata.normalize("NFKC", name).casefold().translate(_VARIANTS)
    text = " ".join(text.translate(_KANA).translate(_LARGE).split())
    return _DASH_AFTER_KANA.sub("ー", text)


def _without_form(text: str) -> str:
    """Without 株式会社, (株), カ), Co., Ltd. and 御中; as written where nothing else is there."""
    while True:
        left = text.strip(_EDGE)
        shorter = _AT_START.sub("", left, count=1).strip(_EDGE)
        shorter = _AT_END.sub("", shorter).strip(_EDGE)
        if not shorter:
            return left
        if shorter == left:
            return _WITHIN.sub(" ", left)
        text = shorter


def has_company_form(name: str) -> bool:
    """Whether it says of itself that it is a company: 株式会社, (株), カ), Co., Ltd."""
    text = folded(name[:_LONGEST]).strip(_EDGE)
    found = _AT_START.search(text) or _AT_END.search(text) or _WITHIN.search(text)
    return found is not None and not re.fullmatch(_COURTESY, found[0])


def is_kana(text: str) -> bool:
    """Whether it is written without kanji, as in a transfer."""
    return all("ァ" <= letter <= "ー" or letter.isascii() for letter in text)
