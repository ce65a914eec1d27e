"""The words that only make a question a question, in Japanese and English."""

import re

_COUNTER = (
    "年度|年間|年生|年|か月|ヶ月|カ月|ヵ月|箇月|月|日間|日|週間|曜日|時間|時|分|秒|人|名|円|万円|億円|%|％|パーセント"
    "|割|回|件|個|社|台|枚|冊|本|歳|才|階|章|条|番|位|倍|度|メートル|キロメートル|キロ|m|km|kg|グラム|トン|平方メートル"
    "|ページ|頁|種類|種|カ国|か国|ヶ国|箇所|か所|ヶ所|カ所|点|話|巻|世紀|世|代|号|文字|通り|つ|泊|食|校|店舗|店|作|戸"
)
INTERROGATIVE = re.compile(
    rf"(?>何(?:{_COUNTER})?|なん(?:で|と|の)|なに|いつ|どこ|だれ|誰|どなた|どれほど|どれくらい|どれ|どのくらい|どの程度"
    r"|(?<!な)どの|どちら|どう|どんな|いくら|いくつ|なぜ|いかに|いかなる|いずれ)(?!も(?![のらっ])|でも)"
)
COUNTED = re.compile(rf"(?:何|なん)({_COUNTER})")
_POLITE = re.compile(
    r"(?:について|に関して)?(?:、)?(?:詳しく|簡単に|具体的に)?"
    r"(?:(?:を|も)?(?:お?教え(?:て|下さい|ください|ていただけますか)|お?知らせ(?:て)?|お?聞かせ(?:て)?|説明して|述べ(?:よ|て)"
    r"|挙げ(?:よ|て)|まとめて|調べて|お?示し(?:て)?|知りたい(?:です)?|お?願いし(?:ます|たい))"
    r"(?:ください|下さい|ほしい|欲しい|もらえますか|いただけますか|くれますか)?)"
)
_ENDING = re.compile(
    r"(?:の|ん)?(?:です|でしょう|でした|だろう|である|であります)か|(?:です|ます|でしょう)(?=[。？?！!、\s]|$)"
)
_HOW = re.compile(
    r"どのよう(?:な|に)|どういう|どういった|どうやって|どうすれば|どうして|とは(?=[、。？?\s]|$)"
)
_MARKS = re.compile(r"[。？?！!]+")
_CASUAL = re.compile(
    r"(?:お世話になっております|いつもお世話になります|よろしくお願い(?:いた)?します|よろしく)"
)


def has_interrogative(text: str) -> bool:
    return INTERROGATIVE.search(text) is not None


def without_asking(question: str) -> str:
    """The question without its interrogatives, politeness and marks; blanks in their place."""
    rest = question
    for pattern in (_CASUAL, _HOW, _POLITE, _ENDING, INTERROGATIVE, _MARKS):
        rest = pattern.sub(" ", rest)
    return rest if rest.strip() else question
