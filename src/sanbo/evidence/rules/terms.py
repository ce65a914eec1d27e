"""What a question or a sentence is about: its content words, and the terms a person would name.

And office words that mean the same, in Japanese and English: what a document may call it instead.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from sanbo.kernel.text import matching_form
from sanbo.language.english import is_empty, stem
from sanbo.language.questions import VAGUE, without_asking
from sanbo.retrieval.tokens import query_words, words

# One group a line; the first is what rules and regulations mostly write.
_LATIN = re.compile(r"[a-z][a-z0-9]*(?:['’.&-][a-z0-9]+)*")
_JAPANESE = re.compile(r"[ぁ-ヿ㐀-鿿々〆]")
# Written in kanji, katakana, letters or digits without a gap: what names something.
_SOLID = re.compile(
    r"[^\W_ぁ-ゖ]+(?:[・&./-][^\W_ぁ-ゖ]+|[いえきけしせちびみめりれわ][一-鿿]+)*"
    r"(?:[さいえきけせみめりれ](?=[はがをのにとも、 ]|$))?"
)
_FIGURE = re.compile(r"(?<![\w.])[0-9][0-9,.]*")
_ONE_KANA = re.compile("[ぁ-ゖ]$")  # a particle that lost its interrogative
# Content words for the dictionary, but nothing that a passage must speak of.
_VAGUE_TEXT = """
よう 事 物 それ これ その この
此れ 其れ 有る 居る 為る 成る 言う 呼ぶ 教える 下さる 出来る 貰う 良い 無い 行く 来る 知る 場合 時
為 中 内 他 以下 以上 等 御 方 人 点 度 目 つ さ 的 間 内容 名前 それぞれ 其々 夫々 各々 各 違い
違う 相違 比較 比べる 関する 就く
"""
_VAGUE = frozenset((*VAGUE, *_VAGUE_TEXT.split()))


def is_japanese(text: str) -> bool:
    return _JAPANESE.search(text) is not None


@lru_cache(maxsize=8192)
def content_words(text: str) -> tuple[str, ...]:
    """In the order of the text: Japanese ones in the dictionary's normal form, English stems."""
    form = matching_form(text)
    if not is_japanese(form):
        return (*_stems(form), *_FIGURE.findall(form))
    return (*_stems(form), *words(_LATIN.sub(" ", form)))


def _stems(form: str) -> list[str]:
    """A single letter is a word in English, and in Japanese a name: プランA."""
    japanese = is_japanese(form)
    return [
        stem(word)
        for word in _LATIN.findall(form)
        if not is_empty(word) or (japanese and len(word) == 1)
    ]


@lru_cache(maxsize=1024)
def asked_words(question: str) -> tuple[str, ...]:
    """The content words a passage should speak of, each once."""
    form = matching_form(without_asking(question))
    rest = _LATIN.sub(" ", form)
    found = query_words(rest) if is_japanese(rest) else _FIGURE.findall(rest)
    telling = dict.fromkeys(
        (
            *_stems(form),
            *(word for word in found if word not in _VAGUE and not _ONE_KANA.match(word)),
        )
    )
    return tuple(telling) or tuple(dict.fromkeys(content_words(question)))


@lru_cache(maxsize=1024)
def key_terms(question: str) -> tuple[str, ...]:
    """Terms as they are written, compounds in one piece: 有給休暇, 東京タワー, travel allowance."""
    rest = without_asking(question)
    if not is_japanese(rest):
        return _english_terms(rest)
    terms = dict.fromkeys(
        term for term in _SOLID.findall(rest) if len(term) > 1 and not _only_vague(term)
    )
    return tuple(terms)


def _only_vague(term: str) -> bool:
    return all(word in _VAGUE or is_empty(word) for word in content_words(term))


def _english_terms(question: str) -> tuple[str, ...]:
    """Neighbouring words that are not function words stand together."""
    terms: dict[str, None] = {}
    run: list[str] = []
    for word in (*re.findall(r"[\w&'’.-]+|[,;:?!()]", question), "."):
        bare = word.strip(".'’").casefold()
        if bare and not is_empty(bare) and re.match(r"\w", bare):
            run.append(word.strip(".'’"))
        elif run:
            terms[" ".join(run)] = None
            run = []
    return tuple(terms)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in content_words(text))


_JAPANESE_GROUPS = """
年次有給休暇 有給休暇 年休 有休 有給
旅費 出張費 出張旅費 交通費
宿泊費 宿泊料 ホテル代
日当 出張手当
期限 締切 締め切り 期日 納期
所属長 上司 上長 直属の上司
料金 費用 価格 代金 値段 金額 単価
給与 賃金 給料 報酬
賞与 ボーナス 一時金
給与の支給日 給料日 給与日
残業 時間外労働 時間外勤務 超過勤務
休日 休業日 定休日
在宅勤務 テレワーク リモートワーク 在宅
従業員 社員 職員 労働者
申請 届出 届け出 申し込み 申込 申込み
提出 届出 送付
承認 決裁 許可 認可
解約 解除 取消 キャンセル
委託 外注 アウトソーシング
取引先 顧客 お客様 得意先
見積 見積書 見積り 見積もり
請求書 インボイス 請求
領収書 レシート 領収証
支払 支払い 払込 振込
返金 払い戻し 払戻 返還
会議 ミーティング 打合せ 打ち合わせ
議事録 会議録
開始 スタート 着手
終了 完了 満了
開催 実施 開く
場所 会場 所在地 住所 位置
電話番号 連絡先 問い合わせ先 問合せ先
担当者 担当 責任者
規程 規則 ルール 規定
手順 方法 やり方 手続き 手続
目的 趣旨 狙い
理由 原因 要因 背景
問題 課題 不具合 トラブル
変更 改定 改正 修正
退職 離職 退社
退職金 退職手当
入社 採用 雇入れ
異動 転勤 配置転換
育児休業 育休 育児休暇
介護休業 介護休暇
健康診断 健診 定期健診
特別休暇 慶弔休暇 忌引休暇 忌引き 忌引
通勤手当 通勤費 交通費
住宅手当 家賃補助 住宅補助
始業 出勤 勤務開始
終業 退勤 勤務終了
勤務時間 労働時間 就業時間
休憩 休憩時間 昼休み
パソコン PC コンピュータ 端末
パスワード 暗証番号
情報漏えい 情報漏洩 漏えい
個人情報 パーソナルデータ
経費 費用
売上 売上高
人数 定員 員数
会社 企業 当社
本社 本店
設立 創立 創業 発足
代表者 社長 代表取締役
高さ 全高 標高
作者 著者 作家
誕生 出生 生まれ
死去 死亡 没
人工知能 AI
最高経営責任者 CEO
品質保証 QA
営業日 稼働日 平日
消費税 税 税率
納品 配達 配送 出荷
送料 配送料 運賃
保証期間 保証 補償
故障 不具合 破損
上限 最大 限度
下限 最低 最小
"""
_ENGLISH_GROUPS = """
fee, charge, price, cost, rate
annual leave, paid leave, vacation, paid time off, pto, holiday
deadline, due date, time limit, cut-off
manager, supervisor, line manager, boss
employee, staff, worker, team member
travel expenses, travel costs, business travel
allowance, per diem, stipend
reimbursement, refund, repayment
reimburse, refund, repay
salary, pay, wage, remuneration
bonus, incentive
overtime, extra hours
remote work, telework, work from home, home office
approval, authorisation, authorization, consent
request, application, submission
apply, submit, request
invoice, bill
receipt, proof of purchase
customer, client
supplier, vendor
contract, agreement
terminate, cancel, end
termination, cancellation
purchase, procurement, buy
meeting, session
minutes, meeting notes
purpose, aim, objective
policy, rule, regulation, guideline
procedure, process, steps
hotel, accommodation, lodging
limit, maximum, cap
minimum, at least
headquarters, head office
founded, established
ceo, chief executive officer
hr, human resources
nda, non-disclosure agreement
sla, service level agreement
password, passcode
laptop, computer, notebook
incident, breach
warranty, guarantee
shipping, delivery
working hours, office hours, business hours
resign, quit, leave the company
sick leave, illness
maternity leave, parental leave
"""
_MOST = 3
_IN_A_WORD = re.compile("[一-鿿々]{2}")


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    japanese = (line.split() for line in _JAPANESE_GROUPS.strip().splitlines())
    english = (line.split(", ") for line in _ENGLISH_GROUPS.strip().splitlines())
    return tuple(tuple(group) for group in (*japanese, *english))


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in _groups():
        for word in group:
            others = tuple(other for other in group if other != word)
            form = matching_form(word)
            found[form] = tuple(dict.fromkeys((*found.get(form, ()), *others)))
    return found


@cache
def _anywhere() -> re.Pattern[str]:
    """Longest first: 有給休暇 is not read as 有給; an English word only as a whole."""
    words = sorted(_by_word(), key=len, reverse=True)
    return re.compile(
        "|".join(
            rf"(?<![a-z0-9]){re.escape(word)}(?:e?s)?(?![a-z0-9])"
            if word.isascii()
            else re.escape(word)
            for word in words
        ),
        re.IGNORECASE,
    )


def synonyms(term: str) -> tuple[str, ...]:
    """Other words for exactly this term, of which an English one may be in the plural."""
    form = matching_form(term)
    for word in (form, form.removesuffix("s"), form.removesuffix("es")):
        if word in _by_word():
            return _by_word()[word]
    return ()


def reworded(text: str, *, whole: bool = False) -> Iterator[str]:
    """The text with one office word put in other words, most usual first.

    `whole` leaves longer words as they are: a 社員証 is no 職員証.
    """
    form = unicodedata.normalize("NFKC", " ".join(text.split()))
    found = [
        match for match in _anywhere().finditer(form) if not whole or _stands_alone(match, form)
    ]
    for nth in range(_MOST):
        for match in found:
            others = synonyms(match.group())
            if nth < len(others) and others[nth].casefold() not in form.casefold():
                yield form[: match.start()] + others[nth] + form[match.end() :]


def _stands_alone(match: re.Match[str], text: str) -> bool:
    edges = text[: match.start()][-1:] + match.group()[:1], match.group()[-1:] + text[match.end() :]
    return not any(_IN_A_WORD.match(edge) for edge in edges)


def other_words(text: str) -> tuple[tuple[str, str], ...]:
    """Every office word in a text with each that means the same."""
    return tuple(
        (found.group(), other)
        for found in _anywhere().finditer(matching_form(text))
        for other in synonyms(found.group())
    )
