"""How likely a decoded text is one that an office wrote: what tells encodings apart.

The same bytes often decode in several encodings without an error, so the readings are compared.
Each character costs the information it carries (-log p) by the class it belongs to; half-width
kana also by their spelling, since EUC-JP reads as rows of them in CP932, and European letters by
their neighbours.
"""

import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

# 学年別漢字配当表: the 1,026 kanji taught in primary school, most of what offices write with.
_TAUGHT = frozenset(
    "一右雨円王音下火花貝学気九休玉金空月犬見五口校左三山子四糸字耳七車手十出女小上森人水正生"
    "青夕石赤千川先早草足村大男竹中虫町天田土二日入年白八百文木本名目立力林六引羽雲園遠何科夏"
    "家歌画回会海絵外角楽活間丸岩顔汽記帰弓牛魚京強教近兄形計元言原戸古午後語工公広交光考行高"
    "黄合谷国黒今才細作算止市矢姉思紙寺自時室社弱首秋週春書少場色食心新親図数西声星晴切雪船線"
    "前組走多太体台地池知茶昼長鳥朝直通弟店点電刀冬当東答頭同道読内南肉馬売買麦半番父風分聞米"
    "歩母方北毎妹万明鳴毛門夜野友用曜来里理話悪安暗医委意育員院飲運泳駅央横屋温化荷界開階寒感"
    "漢館岸起期客究急級宮球去橋業曲局銀区苦具君係軽血決研県庫湖向幸港号根祭皿仕死使始指歯詩次"
    "事持式実写者主守取酒受州拾終習集住重宿所暑助昭消商章勝乗植申身神真深進世整昔全相送想息速"
    "族他打対待代第題炭短談着注柱丁帳調追定庭笛鉄転都度投豆島湯登等動童農波配倍箱畑発反坂板皮"
    "悲美鼻筆氷表秒病品負部服福物平返勉放味命面問役薬由油有遊予羊洋葉陽様落流旅両緑礼列練路和"
    "愛案以衣位茨印英栄媛塩岡億加果貨課芽賀改械害街各覚潟完官管関観願岐希季旗器機議求泣給挙漁"
    "共協鏡競極熊訓軍郡群径景芸欠結建健験固功好香候康佐差菜最埼材崎昨札刷察参産散残氏司試児治"
    "滋辞鹿失借種周祝順初松笑唱焼照城縄臣信井成省清静席積折節説浅戦選然争倉巣束側続卒孫帯隊達"
    "単置仲沖兆低底的典伝徒努灯働特徳栃奈梨熱念敗梅博阪飯飛必票標不夫付府阜富副兵別辺変便包法"
    "望牧末満未民無約勇要養浴利陸良料量輪類令冷例連老労録圧囲移因永営衛易益液演応往桜可仮価河"
    "過快解格確額刊幹慣眼紀基寄規喜技義逆久旧救居許境均禁句型経潔件険検限現減故個護効厚耕航鉱"
    "構興講告混査再災妻採際在財罪殺雑酸賛士支史志枝師資飼示似識質舎謝授修述術準序招証象賞条状"
    "常情織職制性政勢精製税責績接設絶祖素総造像増則測属率損貸態団断築貯張停提程適統堂銅導得毒"
    "独任燃能破犯判版比肥非費備評貧布婦武復複仏粉編弁保墓報豊防貿暴脈務夢迷綿輸余容略留領歴胃"
    "異遺域宇映延沿恩我灰拡革閣割株干巻看簡危机揮貴疑吸供胸郷勤筋系敬警劇激穴券絹権憲源厳己呼"
    "誤后孝皇紅降鋼刻穀骨困砂座済裁策冊蚕至私姿視詞誌磁射捨尺若樹収宗就衆従縦縮熟純処署諸除承"
    "将傷障蒸針仁垂推寸盛聖誠舌宣専泉洗染銭善奏窓創装層操蔵臓存尊退宅担探誕段暖値宙忠著庁頂腸"
    "潮賃痛敵展討党糖届難乳認納脳派拝背肺俳班晩否批秘俵腹奮並陛閉片補暮宝訪亡忘棒枚幕密盟模訳"
    "郵優預幼欲翌乱卵覧裏律臨朗論"
)
# What surnames, places and business papers add to them.
_OFFICE = frozenset(
    "払込請渡伊藤斎宛御浜沢辻塚越尾淵郎之彦弘哲違締伺替控殿販繰欄択抜斉瀬岳幅了弊頼致舗沼杉稲"
    "須監督症響影訟訴載項範箇概添抽募債償却戻振更継雇般菓靴袋缶卸購徴扶搬封筒押鑑稼怠暇契甲乙"
    "維邦企拠促顧攻隣距離巡粋罰免執壁被避震伴双互即旬併泊煙環壊狭郊峰津湾滝鶴柳桃菊芝柏笠麻那"
    "奥駐駆到陥陣随需雷霊鉛銘鋭錯鎖闘隔隠雰露頻飾飢驚騒髪鬼魅魔麗黙"
)
_PUNCTUATION = frozenset(
    "、。・「」（）ー～：／　％－＋＝【】『』〒※○●◎×△▲▼□■◆◇→←↑↓①②③④⑤々〆…？！＆＊．，"
)

# The share of a class in what offices write, and among how many characters it is divided.
_COSTS = {
    name: -math.log(share / size)
    for name, share, size in (
        ("ascii", 0.35, 95),
        ("line break", 0.05, 3),
        ("hiragana", 0.18, 83),
        ("katakana", 0.12, 86),
        ("taught kanji", 0.2, 1200),
        ("punctuation", 0.03, 55),
        ("full width", 0.02, 94),
        # Half-width kana inside a run of them; beginning a run costs more, below.
        ("frequent half-width kana", 0.62, 16),
        ("half-width kana", 0.28, 20),
        ("rare half-width kana", 0.09, 22),
        ("half-width punctuation", 0.003, 6),
        ("level 1 kanji", 0.015, 1900),
        ("level 2 kanji", 0.0015, 3390),
        ("vendor kanji", 0.0005, 360),
        ("european sign", 0.003, 20),
        ("symbol", 0.0015, 500),
        ("european letter", 0.0005, 400),
        ("other", 1e-6, 1000),
        ("nonsense", 1e-9, 1000),
    )
}

_HALF_WIDTH_RUN = re.compile("[｡-ﾟ]+")
_FIRST_RUN_COST = 3.5  # half-width kana are rare, and where there are some there are more
_RUN_COST = 1.5
_MISSPELT = re.compile(
    "(?<![ｳｶ-ﾄﾊ-ﾎ])ﾞ|(?<![ﾊ-ﾎ])ﾟ|(?<![ｱ-ﾝﾞﾟｧ-ｮ])[ｧ-ｯｰ]|(?<![ｷｼﾁﾆﾋﾐﾘﾃﾌﾞﾟ])[ｬ-ｮ]"
    "|(?<![ｳｷｸｼﾁﾂﾃﾄﾌﾞｯ])[ｧ-ｫ]|ｯ(?![ｶ-ﾄﾊ-ﾎ])|[｡､･｣][ｧ-ｯﾞﾟｰ]"
)
_MISSPELT_COST = 4.0
_FREQUENT_KANA = frozenset("ﾞﾝｰﾄｽﾙｼｲｳｸﾌｱﾗｶﾘﾊ")
_USUAL_KANA = frozenset("ﾟﾀﾛﾃｯｷﾏｺﾒﾅﾁｵﾋｮｻﾚﾆｴｨﾜ")

# What the European code page of Windows becomes in CP932: It痴, I値l, O達rien, ﾄpfel, MﾜLLER, 25ｰC.
# Japanese too puts kanji next to letters (Web版, p値, A社), though hardly into the midst of a word.
_OFTEN = "".join(_TAUGHT | _OFFICE)
_APOSTROPHES = "".join(
    bytes((0x92, letter)).decode("cp932") for letter in range(0x41, 0x7B) if chr(letter).isalpha()
)
_IN_ENGLISH = re.compile(
    "(?<=[A-Za-z])[痴稚壇](?![^\\x00-\\x7f])|(?<=\\bI)知(?![^\\x00-\\x7f])"
    "|(?<=[A-Za-z])(?:値(?=l(?![A-Za-z]))|[池致](?=e(?![A-Za-z])))"
    f"|(?<=[A-Za-z])[{_APOSTROPHES}](?=[a-z]{{3}})"
    f"|(?<=[a-z])(?![{_OFTEN}])[一-龠](?=[a-z])"
    "|(?<![^\\x00-\\x7f])[ｦ-ﾟ](?=[a-z])|(?<=[A-Z])[ｦ-ﾟ](?=[A-Z])"
    "|(?<![^\\x00-\\x7f])ｰ(?=[CF](?![A-Za-z]))"
)
_IN_ENGLISH_COST = 13.0

_EUROPEAN_SIGNS = frozenset("°±×÷¥£§©®µ²³½·€–—‘’“”•…™«»")
_IN_A_WORD = re.compile(
    "(?<=[A-Za-zÀ-ſ])[À-ſ](?=[a-z])|(?<=[a-z]{2})[À-ſ]|(?<![^\\W_])[À-ſ](?=[a-z]{2})"
    "|[Ͱ-Ͽ]{2,}|[Ѐ-ӿ]{2,}"
)
_IN_A_WORD_RELIEF = 7.5


@dataclass(frozen=True)
class Likelihood:
    cost: float
    """Information in nats: of two readings of the same bytes, the cheaper one is the right one."""
    kinds_beyond_ascii: int
    """How many different characters: one that is rare may just stand in every line."""
    mean: float
    """Of the characters beyond ASCII: 6 to 10 for Japanese, over 11 for most misread bytes."""


def judge(text: str) -> Likelihood:
    counts = Counter(text)
    ascii_cost = beyond_cost = 0.0
    beyond = kinds = 0
    for character, count in counts.items():
        if " " <= character <= "~" or character in "\n\r\t":
            ascii_cost += _cost_of(character) * count
        else:
            beyond_cost += _cost_of(character) * count
            beyond += count
            kinds += 1
    if any("｡" <= character <= "ﾟ" for character in counts):
        beyond_cost += _FIRST_RUN_COST + _RUN_COST * len(_HALF_WIDTH_RUN.findall(text))
        beyond_cost += _MISSPELT_COST * len(_MISSPELT.findall(text))
    if any("À" <= character <= "ӿ" for character in counts):
        beyond_cost -= _IN_A_WORD_RELIEF * sum(map(len, _IN_A_WORD.findall(text)))
    # A bracket that closes what none opened is the pound sign of 5£.
    in_english = len(_IN_ENGLISH.findall(text)) + max(0, counts["｣"] - counts["｢"])
    beyond_cost += _IN_ENGLISH_COST * in_english
    return Likelihood(ascii_cost + beyond_cost, kinds, beyond_cost / max(1, beyond))


@cache
def _cost_of(character: str) -> float:
    return _COSTS[_class_of(character)]


def _class_of(character: str) -> str:  # noqa: PLR0911 - a table of ranges
    if " " <= character <= "~":
        return "ascii"
    if character in "\n\r\t":
        return "line break"
    if "ぁ" <= character <= "ゖ":
        return "hiragana"
    if "ァ" <= character <= "ヶ":
        return "katakana"
    if character in _TAUGHT or character in _OFFICE:
        return "taught kanji"
    if character in _PUNCTUATION:
        return "punctuation"
    if "！" <= character <= "～":
        return "full width"
    if "｡" <= character <= "ﾟ":
        return _half_width_class(character)
    if "一" <= character <= "龠" or "豈" <= character <= "鶴":
        return _kanji_class(character)
    if character in _EUROPEAN_SIGNS:
        return "european sign"
    if not character.isprintable() or unicodedata.category(character) == "Co":
        return "nonsense"
    if "À" <= character <= "ſ" or "Ͱ" <= character <= "ӿ":
        return "european letter"
    return "symbol" if _in_windows_31j(character) else "other"


def _half_width_class(character: str) -> str:
    if character in _FREQUENT_KANA:
        return "frequent half-width kana"
    if character in _USUAL_KANA:
        return "half-width kana"
    return "half-width punctuation" if character <= "ｦ" else "rare half-width kana"


def _kanji_class(character: str) -> str:
    if not _in_windows_31j(character):
        return "other"
    code = int.from_bytes(character.encode("cp932"))
    if code <= 0x9872:
        return "level 1 kanji"
    return "level 2 kanji" if code <= 0xEAA4 else "vendor kanji"


def _in_windows_31j(character: str) -> bool:
    try:
        return bool(character.encode("cp932"))
    except UnicodeEncodeError:
        return False
