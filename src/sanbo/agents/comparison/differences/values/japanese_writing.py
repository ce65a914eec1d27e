"""How dates, deadlines and amounts are written in Japanese, as one pattern."""

import re

from sanbo.language.eras import LETTERS, NAMES
from sanbo.language.numerals import DIGIT, FORMAL, KANJI, KANJI_DIGITS, KANJI_LARGE

KANJI_DIGIT = f"[{KANJI}]"
# Of money alone: 参 and 拾 are words elsewhere.
_FORMAL = f"[{KANJI_LARGE}{FORMAL}]{{1,12}}"
# Every repetition is bounded: a page of digits must not be read again from each of them.
_DIGITS = (
    rf"(?:{DIGIT}{{1,3}}(?:[,，]{DIGIT}{{3}}){{1,6}}|{DIGIT}{{1,20}})(?:[.．]{DIGIT}{{1,10}})?"
)
_LARGE = rf"(?:[千百]?[万億兆](?:(?:{_DIGITS})千?|{KANJI_DIGIT}{{1,9}})?)"
_NUMBER = rf"(?:(?:{_DIGITS})(?:{_LARGE}{{1,3}}|千)?|{KANJI_DIGIT}{{1,9}}{_LARGE}{{0,3}})"
_SMALL = rf"(?:{DIGIT}{{1,2}}|[{KANJI_DIGITS}十]{{1,3}})"
_ERA = rf"(?:{NAMES}|(?<![A-Za-z])[{LETTERS}]\.?(?=[0-9０-９元]))"
_OVER = "を[超越]え(?:る|て|ない)?|超(?![過え])"
_BOUND = f"(?P<bound_{{}}>以上|以下|未満|以内|{_OVER}|を上回る|を下回る|程度)?"
_DURATION = (
    "(?:営業日|銀行営業日|暦日|日間|日(?![市町本])|週間|週|[かヶカ箇ヵケ]月間?|[かヶカ箇ヵ]年|年間|年|時間"
    r"|[分秒]間|(?<=[0-9０-９])[分秒](?![のか割担配け])|月間)"
)
_DURATION_END = f"(?:以内|前まで|後まで|までに|まで|以上|以下|未満|前|後|{_OVER}|を経過|を限度)?"
_OFTEN = rf"毎(?:営業)?[日週月年](?!度|曜|{_SMALL}月)|隔[日週月年]|各月|四半期ごと"
_NEXT = "翌々?(?:営業)?日(?![付本])|当日(?!付)|即日"
_COUNT_WORDS = (
    "人|名|件|社|個(?!人)|回|歳|才|株|票|種類|[かヶカ箇ヵ]所|[かヶカ箇ヵ]国|世帯|単元|単位|倍|坪"
)
_DIGIT_COUNT_WORDS = (
    "部(?!分|門|署|長)|本(?!社|店|人)|台|枚|通|棟|戸|口|点|度(?!目)|階|頁|ページ|行|字|文字|時|桁"
    "|トン|グラム|メートル|平方メートル|㎡|リットル"
    "|[kKMGTmcμ]?(?:B|g|m|m2|W|Wh|L|bps|Hz|V|VA|A|Ah|Pa|N|Ω|s)(?![A-Za-z0-9])|dB|px|dpi|rpm|ppm|℃"
)

_FIRST = (
    f"明大昭平令MTSHR毎隔各翌当即午直た速す遅半過全税四上下月火水木金土日以未超を{FORMAL}¥￥＄$€£"
)
_BEGINNING = (
    rf"{NAMES}|[{LETTERS}][.0-9０-９元]|毎|隔|各月|翌|当[日月]|即|午[前後]|直ち|ただ|速や|すみ"
    "|遅滞|半|過半|全額|税[込抜別]|四半|[上下]半?期|[月火水木金土日]曜|月[末初]|以[上下内]|未満|超|を[超越]"
    rf"|[{FORMAL}][{KANJI_LARGE}{FORMAL}円]|[¥￥＄$€£]"
)
VALUES = re.compile(
    # Tells at once that nothing begins here.
    rf"(?:(?=[{_FIRST}])(?={_BEGINNING})|(?<!{DIGIT})(?={DIGIT})|(?<!{KANJI_DIGIT})(?={KANJI_DIGIT}))(?:"
    # ---- dates ----
    rf"(?P<era>{_ERA})(?P<era_year>元|{DIGIT}{{1,2}}|{KANJI_DIGIT}{{1,3}})年(?P<era_fiscal>度)?"
    rf"(?:(?P<era_month>{_SMALL})月(?:(?P<era_day>{_SMALL}|末)日?)?)?"
    rf"|(?P<era2>{_ERA})(?P<era2_date>(?:元|{DIGIT}{{1,2}})(?:[-/.．／－]{DIGIT}{{1,2}}){{1,2}})(?!{DIGIT})"
    rf"|(?P<year>{DIGIT}{{4}}|[一二]〇?[〇{KANJI_DIGITS}]{{2,3}})年(?P<fiscal>度)?"
    rf"(?:(?P<month>{_SMALL})月(?:(?P<day>{_SMALL}|末)日?)?)?"
    rf"|(?<!{DIGIT})(?P<iso>{DIGIT}{{4}}[-/.．／－]{DIGIT}{{1,2}}[-/.．／－]{DIGIT}{{1,2}})(?!{DIGIT})"
    rf"|(?P<monthly>(?:毎月|翌々月|翌月|当月)(?:{_SMALL}日|末日?))"
    rf"|(?P<month_day>{_SMALL}月(?:{_SMALL}日|末日?))"
    r"|(?P<weekday>[月火水木金土日]曜)日?"
    rf"|(?P<quarter>{_SMALL}四半期(?!ごと)|[上下]半?期(?!間))"
    rf"|(?P<half_of_day>午[前後])(?P<hour>{_SMALL})時(?:(?P<minute>{_SMALL})分|(?P<half_hour>半))?"
    rf"|(?P<hour2>{DIGIT}{{1,2}})時(?![間点期])(?:(?P<minute2>{DIGIT}{{1,2}})分|(?P<half_hour2>半))?"
    rf"|(?<![:：.])(?P<hour3>{DIGIT}{{1,2}})[:：](?P<minute3>{DIGIT}{{2}})(?![:：0-9０-９])"
    # ---- deadlines and periods ----
    rf"|(?P<half>半)(?P<half_unit>年間?|月間?|日(?!付))(?P<half_end>{_DURATION_END})"
    rf"|(?P<often>{_OFTEN})|(?P<next>{_NEXT})|(?P<at_end>月[末初])"
    rf"|(?P<hours>{_SMALL})時間(?P<minutes>半|{_SMALL}分)(?P<hours_end>{_DURATION_END})"
    rf"|(?P<span>{_NUMBER})(?P<span_unit>{_DURATION})(?P<span_end>{_DURATION_END})"
    rf"|(?P<moon>{_SMALL})月(?P<moon_end>以内|前まで|前|後|{_OVER}|を経過|以上|間)"
    rf"|(?P<month_alone>{_SMALL})月(?![^\s、。）)「はにのから以より分まで])"
    r"|(?P<soon>直ちに|ただちに|速やかに|すみやかに|遅滞なく|即時に|即座に)"
    # ---- amounts ----
    rf"|(?P<sign>[¥￥＄$€£])(?P<signed>\s?(?:{_NUMBER})){_BOUND.format('signed')}"
    rf"|(?P<money>{_NUMBER}|{_FORMAL})(?P<currency>円|米ドル|ドル|ユーロ|ポンド|元(?!の)){_BOUND.format('money')}"
    rf"|(?P<tenths>{_NUMBER}割{_SMALL}分(?:{_SMALL}厘)?){_BOUND.format('tenths')}"
    rf"|(?<=年)(?P<hundredths>{_SMALL})分(?![の間以])"
    r"|(?P<most>過半数|半数(?:以上)?|半額|全額)"
    r"|(?P<tax>税[込抜別])"
    rf"|(?P<share>{_NUMBER})(?P<percent>\s?[%％]|パーセント|割(?![引増合当り])|ポイント){_BOUND.format('share')}"
    rf"|(?P<below>{DIGIT}{{1,6}}|{KANJI_DIGIT}{{1,9}})分の(?P<above>{DIGIT}{{1,6}}|{KANJI_DIGIT}{{1,9}}){_BOUND.format('part')}"
    rf"|(?<![0-9０-９/／])(?P<slash>{DIGIT}{{1,3}}[/／]{DIGIT}{{1,3}})(?![0-9０-９/／]){_BOUND.format('slash')}"
    rf"|(?P<count>{_NUMBER})(?P<counted>{_COUNT_WORDS}){_BOUND.format('count')}"
    rf"|(?P<digit_count>(?:{_DIGITS})(?:{_LARGE}){{0,3}})(?P<digit_counted>{_DIGIT_COUNT_WORDS}){_BOUND.format('digit_count')}"
    rf"|(?P<unit_limit>{_DIGITS})(?P<limited>[ァ-ヶー一-鿿]{{1,6}}?)(?P<unit_bound>以[上下内]|未満|{_OVER})"
    rf"|(?P<limit>{_NUMBER})(?P<limit_end>以上|以下|未満|{_OVER})"
    rf"|(?<![A-Za-zＡ-Ｚａ-ｚ第0-9０-９_.．\-－#/])(?P<plain>(?>(?:{_DIGITS})(?:{_LARGE}){{0,3}}))"
    r"(?![A-Za-zＡ-Ｚａ-ｚ_\-－/])"
    # Of what is told elsewhere: 別表に定める額以上.
    rf"|(?<=[数額率量値料金])(?P<bare_bound>以[上下内](?![「『同こ、の])|未満|{_OVER}))"
)
