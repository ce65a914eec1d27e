"""Units that stand in brackets behind a column's name: 金額（千円）, not 診察料（税込）."""

import re

from sanbo.kernel.text import matching_form

# Without letters that tell columns apart, 予算(A) and 実績(B), and min, which is a minimum too.
_UNITS = """
    円 銭 ドル ユーロ ポンド ウォン $ ¥ € £ 米ドル yen JPY USD EUR GBP CNY KRW dollars euros
    % パーセント ‰ ppm bps pt pts ポイント 点 points
    人 名 件 個 本 枚 台 回 冊 箱 袋 缶 杯 足 着 組 セット 式 社 店 店舗 戸 棟 室 席 床 頭 匹 羽 株
    口 票 泊 食 種類 ケース ロット 文字 頁 ページ 世帯 人日 人月 人・日 人・月
    people persons items pcs units times
    年 か月 ヶ月 カ月 ヵ月 ケ月 箇月 週間 日 日間 時間 分 分間 秒 秒間 ミリ秒
    years months weeks days hours hour hrs hr h minutes minute mins seconds sec ms
    歳 才 度 ℃ °C °F 度C
    t トン kg キロ キログラム g グラム mg μg
    km キロメートル m メートル cm センチ mm ミリ μm 尺 坪 畳 ha ヘクタール アール
    ㎡ m² m^2 平米 平方メートル km² ㎢ 平方キロメートル 平方km cm² m³ 立米 立方メートル cm³ cc
    L リットル dL mL kL
    kW MW GW Wh kWh MWh GWh mA Hz kHz MHz GHz kJ MJ cal kcal Pa hPa kPa MPa dB lx ルクス
    KB MB GB TB bps kbps Mbps Gbps t-CO2 kg-CO2 tCO2 kgCO2
    mph rpm mmHg mg/dL g/dL IU/L U/L
"""
_SCALES = ["十", "百", "千", "万", "十万", "百万", "千万", "億", "十億", "百億", "千億", "兆"]
_PER = ["年", "月", "週", "日", "時", "時間", "分", "秒", "h", "s", "人", "月間", "年間"]
_KNOWN = frozenset(map(matching_form, _UNITS.split()))
_PER_KNOWN = _KNOWN | frozenset(map(matching_form, _PER))
_SCALE = re.compile(f"(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})")
_BRACKETS_AT_END = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{1,20})[)）\]］]\s*$")
_LABEL = re.compile(r"^(?:単位|units?)\s*[:：は]?\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[・、,，;；\s]+")
_MOST_BRACKETS = 3


def unit_in(name: str) -> str:
    """金額（千円） and 金額（単位：千円、税込） are in 千円; empty where the brackets say else."""
    for _ in range(_MOST_BRACKETS):
        found = _BRACKETS_AT_END.search(name)
        if found is None:
            return ""
        inside = _LABEL.sub("", found[1].strip())
        for part in (inside, *_BETWEEN.split(inside)):
            if _is_unit(part):
                return part
        name = name[: found.start()]
    return ""


def _is_unit(word: str) -> bool:
    form = matching_form(word)
    if form in _KNOWN or _SCALE.fullmatch(form):
        return True
    above, *below = form.split("/")
    counted = above in _KNOWN or _SCALE.sub("", above, count=1) in _KNOWN
    return counted and all(part in _PER_KNOWN for part in below)
