"""A long contract, and the same with every paragraph edited; always the same for a size."""

import random

from .numerals import to_kanji, to_wide


def _listed(words: str) -> list[str]:
    return words.split()


_PARTIES = _listed("甲 乙 甲及び乙 受託者 委託者 再委託先 連帯保証人 監査人 保守員")
_THINGS = _listed(
    "本件業務 納入物 仕様書 検収書 秘密情報 個人データ 成果物 試験環境 予備部品 作業報告書"
    " 障害記録 設計図 議事録 保守用端末 請求書 見積書 教育資料 引継書 監査証跡"
    " バックアップ媒体 入退室記録 鍵 輸送用容器 倉庫"
)
_DEEDS = _listed(
    "提出し 保管し 検査し 返還し 廃棄し 更新し 複製し 開示し 引き渡し 記録し 確認し 修補し"
    " 交換し 梱包し 搬入し 点検し 登録し 照合し"
)
_REASONS = _listed(
    "相手方の書面による請求があったとき 契約が終了したとき 災害その他やむを得ない事由があるとき"
    " 法令の改正により必要となったとき 第三者から異議の申立てを受けたとき 検査に合格しないとき"
    " 予定した期日に遅れるおそれがあるとき 料金の支払を二回以上怠ったとき 事故が発生したとき"
)
_PLACES = _listed(
    "東京事業所 大阪倉庫 指定の作業場所 共用サーバー 耐火書庫 名古屋工場 福岡支店 検査室"
    " 受付窓口 相手方の本店 仙台研究所 輸送業者の集配所"
)
_ENDS = _listed(
    "支払わなければならない 支払うものとする 支払うことができる 支払う義務を負う 支払ってはならない"
)


def contract(paragraphs: int) -> str:
    """Articles of five paragraphs each."""
    return "\n\n".join(_numbered(at, _paragraph(at)) for at in range(paragraphs)) + "\n"


def edited_contract(paragraphs: int) -> str:
    """Every paragraph has other words, most in one place, a fifth in several."""
    return (
        "\n\n".join(_numbered(at, _edited(_paragraph(at), at)) for at in range(paragraphs)) + "\n"
    )


def _numbered(at: int, text: str) -> str:
    article, paragraph = divmod(at, 5)
    if paragraph == 0:
        return f"**第{to_kanji(article + 1)}条（{_THINGS[article % len(_THINGS)]}）**　{text}"
    return f"**{to_wide(paragraph + 1)}**　{text}"


def _paragraph(at: int) -> str:
    chance = random.Random(at)
    sentences = [_sentence(chance) for _ in range(chance.randint(1, 3))]
    return "".join(sentences)


def _sentence(chance: random.Random) -> str:
    days, amount = chance.randint(2, 90), chance.randint(1, 400)
    first, second = chance.sample(_THINGS, k=2)
    return (
        f"{chance.choice(_PARTIES)}は、{chance.choice(_REASONS)}は、"
        f"{to_wide(days)}日以内に{chance.choice(_PLACES)}において{first}を{chance.choice(_DEEDS)}、"
        f"{second}に係る費用として{to_wide(amount)}万円を{chance.choice(_PARTIES)}に"
        f"{chance.choice(_ENDS)}。"
    )


def _edited(text: str, at: int) -> str:
    chance = random.Random(-1 - at)
    edits = 3 if chance.random() < 0.2 else 1
    for _ in range(edits):
        text = _one_edit(text, chance)
    return text


def _one_edit(text: str, chance: random.Random) -> str:
    words = [word for word in (*_THINGS, *_PLACES, *_REASONS) if word in text]
    way = chance.randrange(3)
    if way == 0:
        old = chance.choice(words)
        others = _THINGS if old in _THINGS else _PLACES if old in _PLACES else _REASONS
        new = chance.choice([word for word in others if word != old])
        return text.replace(old, new, 1)
    if way == 1:
        return text + f"ただし、{chance.choice(_REASONS)}は、この限りでない。"
    return text.replace("日以内に", f"日以内（休日を除く。）に{chance.choice(_PLACES)}又は", 1)
