import pytest

from sanbo.agents.comparison.differences.flags import (
    flags_of_change,
    flags_of_one_side,
    in_order,
    is_notation,
)
from sanbo.agents.comparison.differences.segments import segments
from sanbo.agents.comparison.differences.tokens import read
from sanbo.agents.comparison.model import ATTENTION


def flagged(old: str, new: str) -> list[tuple[str, str, str]]:
    before, after = read(old), read(new)
    details = flags_of_change(before, after, segments(before, after))
    return [(detail.flag, detail.old, detail.new) for detail in details]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("100万円を払う。", "120万円を払う。", ("amount", "100万円", "120万円")),
        ("100万円以上", "100万円以下", ("amount", "100万円以上", "100万円以下")),
        ("30日以内に払う。", "60日以内に払う。", ("deadline", "30日以内", "60日以内")),
        ("直ちに通知する。", "速やかに通知する。", ("deadline", "直ちに", "速やかに")),
        (
            "令和7年4月1日から施行する。",
            "令和7年10月1日から施行する。",
            ("date", "令和7年4月1日", "令和7年10月1日"),
        ),
        ("within 30 days.", "within 45 days.", ("deadline", "within 30 days", "within 45 days")),
        ("会員に通知する。", "会員に通知しない。", ("negation", "", "しない")),
        ("役員を除く従業員", "役員を含む従業員", ("negation", "除く", "")),
        ("変更は可とする。", "変更は不可とする。", ("negation", "", "不可")),
        (
            "通知することができる。",
            "通知しなければならない。",
            ("obligation", "することができる", "しなければならない"),
        ),
        (
            "通知しなければならない。",
            "通知するものとする。",
            ("obligation", "しなければならない", "するものとする"),
        ),
        (
            "保存するものとする。",
            "保存に努めるものとする。",
            ("obligation", "するものとする", "努めるものとする"),
        ),
        ("The Customer shall pay.", "The Customer may pay.", ("obligation", "shall", "may")),
        ("pay, except for taxes", "pay, including taxes", ("negation", "except", "")),
        ("２　１０万円以上は", "２　１０万円未満は", ("amount", "１０万円以上", "１０万円未満")),
        ("金壱百萬円", "金参百萬円", ("amount", "壱百萬円", "参百萬円")),
        ("10名以上", "10名超", ("amount", "10名以上", "10名超")),
        ("8コア以上", "8コア未満", ("amount", "8コア以上", "8コア未満")),
        ("別表の額以上を", "別表の額未満を", ("amount", "以上", "未満")),
        ("半数以上の賛成", "過半数の賛成", ("amount", "半数以上", "過半数")),
        ("10万円（税別）", "10万円（税込）", ("amount", "税別", "税込")),
        ("実費とする。", "1日につき実費とする。", ("amount", "", "1日につき")),
        ("増減は-5%", "増減は5%", ("amount", "-5%", "5%")),
        ("月曜日に", "火曜日に", ("date", "月曜日", "火曜日")),
        ("R7.4.1施行", "R8.4.1施行", ("date", "R7.4.1", "R8.4.1")),
        ("第1四半期に", "第2四半期に", ("date", "1四半期", "2四半期")),
        ("毎週報告", "毎月報告", ("deadline", "毎週", "毎月")),
        ("17:30まで", "18:00まで", ("deadline", "17:30", "18:00")),
        ("通知する。", "通知しないものとする。", ("negation", "", "しないものとする")),
        ("掲示する。", "掲示してもよい。", ("obligation", "", "してもよい")),
        (
            "use best efforts to",
            "use reasonable efforts to",
            ("obligation", "use best efforts", "use reasonable efforts"),
        ),
        ("an exclusive license", "a non-exclusive license", ("negation", "", "non-exclusive")),
        ("paid monthly", "paid quarterly", ("deadline", "monthly", "quarterly")),
    ],
)
def test_what_changed_is_flagged_once_with_its_words(
    old: str, new: str, expected: tuple[str, str, str]
) -> None:
    assert flagged(old, new) == [expected]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("通知しなければならない。", "必ず通知しなければならない。"),
        ("The Customer shall pay.", "The Customer must pay."),
        ("第八条　届け出る。", "第九条　届け出る。"),
        ("1. Fees", "2. Fees"),
        ("第三条の規定により", "第四条の規定により"),
        ("役員を除く従業員", "役員を除いた従業員"),
        ("生ずる損害", "応ずる損害"),
        ("少なくとも甲は", "まず甲は"),
        ("通知するものとする。", "通知することとする。"),
        ("前項の規定に関わらず", "前項の規定にかかわらず"),
        ("施錠できる場所に置く。", "施錠した場所に置く。"),
        ("参加人は全員とする。", "参加者は全員とする。"),
        ("東京都に行くときは", "東京23区に行くときは"),
        ("0001 社員01", "0002 社員02"),
        ("拾得物は届け出る。", "落とし物は届け出る。"),
        ("株式会社甲（以下「甲」という。）", "株式会社甲（以下「委託者」という。）"),
    ],
)
def test_what_binds_as_before_is_not_flagged(old: str, new: str) -> None:
    assert flagged(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("100万円", "1,000,000円"),
        ("30日以内", "三十日以内"),
        ("令和7年4月1日", "2025年4月1日"),
        ("10%", "10パーセント"),
        ("ＡＢＣ株式会社", "abc株式会社"),
        ("甲、乙。", "甲，乙．"),
    ],
)
def test_the_same_in_another_writing_is_notation(old: str, new: str) -> None:
    assert {flag for flag, _, _ in flagged(old, new)} == {"notation"}


def test_a_right_that_one_party_lost_is_told_of_the_parties() -> None:
    old = "甲又は乙は、相手方が違反したときは、本契約を解除することができる。"
    new = "甲は、乙が違反したときは、本契約を解除することができる。"
    assert ("party", "甲又は乙", "甲") in flagged(old, new)


def test_amounts_that_changed_places_are_flagged() -> None:
    old, new = "甲は100万円、乙は200万円を払う。", "甲は200万円、乙は100万円を払う。"
    assert flagged(old, new) == [("amount", "100万円", "200万円"), ("amount", "200万円", "100万円")]


def test_a_phrase_that_only_moved_in_its_sentence_is_not_flagged() -> None:
    old = "会員は、30日以内に、当社所定の書面による方法で届け出る。"
    new = "会員は、当社所定の書面による方法で、30日以内に、届け出る。"
    assert flagged(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "退会することができる。",
            "退会することができない。",
            ("することができる", "することができない"),
        ),
        (
            "公開しなければならない。",
            "公開してはならない。",
            ("しなければならない", "してはならない"),
        ),
        ("The Customer may pay.", "The Customer may not pay.", ("may", "may not")),
        ("You can't assign.", "You can assign.", ("can't", "can")),
    ],
)
def test_what_was_allowed_or_due_and_is_forbidden_binds_and_denies(
    old: str, new: str, words: tuple[str, str]
) -> None:
    assert flagged(old, new) == [("obligation", *words), ("negation", *words)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("最終更新日：2023年10月1日", "最終更新日：2024年10月1日"),
        (
            "制定：2019年6月1日　最終改定：2022年4月1日",
            "制定：2019年6月1日　最終改定：2024年7月1日",
        ),
        ("業務委託契約書　1／4ページ", "業務委託契約書　1／5ページ"),
        ("last_updated: 2024-03-15", "last_updated: 2024-09-02"),
        ("Lease - draft 3 - page 1 of 2", "Lease - draft 4 - page 1 of 3"),
    ],
)
def test_what_a_document_tells_of_itself_is_no_date_and_no_amount(old: str, new: str) -> None:
    assert [flag for flag, _, _ in flagged(old, new)] == ["furniture"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Supplier shall send it to Customer.", "It shall be sent to Customer by Supplier."),
        ("複製物についても秘密情報として扱うものとする。", "複製物は、秘密情報として扱う。"),
    ],
)
def test_a_duty_that_only_moved_or_is_only_said_is_none(old: str, new: str) -> None:
    assert not [flag for flag, _, _ in flagged(old, new) if flag == "obligation"]


def test_an_added_text_is_flagged_for_what_it_brings() -> None:
    reading = read("会員は、30日以内に100万円を支払わなければならない。ただし、退会しない。")
    details = flags_of_one_side(reading, added=True)
    assert [(detail.flag, detail.old, detail.new) for detail in details] == [
        ("deadline", "", "30日以内"),
        ("amount", "", "100万円"),
        ("obligation", "", "支払わなければならない"),
        ("negation", "", "しない"),
    ]
    assert in_order(details) == ("negation", "amount", "obligation", "deadline")
    assert all(not detail.new for detail in flags_of_one_side(reading, added=False))


def test_numbers_of_several_paragraphs_are_no_amounts() -> None:
    before = read("２　甲は乙に通知する。", "３　丙は丁に通知する。")
    after = read("４　甲は乙に通知する。５　丙は丁に通知する。")
    assert before.values == ()
    assert after.marks == ((0, 1),)


def test_width_case_and_punctuation_are_notation() -> None:
    assert is_notation("ＡＢＣ「甲」", "abc『甲』")
    assert not is_notation("甲", "乙")


def test_a_duty_that_only_describes_something_added_is_not_flagged() -> None:
    assert flags_of_one_side(read("文書は、施錠できる場所に保管する。"), added=True) == ()


def test_numbers_in_full_width_are_not_run_together() -> None:
    assert flagged("定員　１０　２０", "定員　１０　３０") == [("amount", "２０", "３０")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("費用は甲の負担とする。", "費用は乙の負担とする。", [("甲", "乙")]),
        ("甲は乙に報告する。", "乙は甲に報告する。", [("甲", "乙"), ("乙", "甲")]),
        ("部長の承認を受ける。", "課長の承認を受ける。", [("部長", "課長")]),
        ("甲及び乙は、損害を賠償する。", "乙は、損害を賠償する。", [("甲及び乙", "乙")]),
        ("委託者が賠償する。", "受託者が賠償する。", [("委託者", "受託者")]),
        ("The Buyer pays the tax.", "The Seller pays the tax.", [("Buyer", "Seller")]),
        (
            "甲は乙に対し、費用を支払い、乙は甲から受領する。",
            "乙は甲に対し、費用を支払い、甲は乙から受領する。",
            [("甲", "乙"), ("乙", "甲")],
        ),
        (
            "The Supplier shall pay the Customer's costs to the Customer.",
            "The Customer shall pay the Supplier's costs to the Supplier.",
            [("Supplier", "Customer"), ("Customer", "Supplier")],
        ),
        # Two sentences that have nothing to do with each other.
        (
            "乙は、甲の書面による承諾を得て、再委託することができる。この場合において、乙は、再委託先"
            "の行為について一切の責任を負う。",
            "乙は、再委託することができない。ただし、甲の書面による事前の承諾を得た場合は、この限りで"
            "ない。",
            [],
        ),
        ("甲種の免許を要する。", "乙種の免許を要する。", []),
        ("甲は報告する。", "委託者は報告する。", []),
        ("乙は報告する。", "乙は、甲の求めにより報告する。", []),
    ],
)
def test_whoever_has_the_duty_in_anothers_place_is_flagged(
    old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    parties = [(one, other) for flag, one, other in flagged(old, new) if flag == "party"]
    assert parties == expected


@pytest.mark.parametrize(
    ("old", "new", "flag"),
    [
        ("東京地方裁判所を管轄裁判所とする。", "大阪地方裁判所を管轄裁判所とする。", "law"),
        ("It is governed by the laws of England.", "It is governed by the laws of Japan.", "law"),
        ("過失による損害を賠償する。", "重大な過失による損害を賠償する。", "liability"),
        ("Your data is stored in France.", "Your data is stored in Brazil.", "data"),
        ("検収は、購買部が行う。", "検収は、依頼した部門が行う。", "party"),
        ("It shall be removed by the Council.", "It shall be removed by each trader.", "party"),
        ("敷金は賃料の六か月分とする。", "敷金は賃料の三か月分とする。", "amount"),
        ("The fee is inclusive of VAT.", "The fee is exclusive of VAT.", "amount"),
        ("The permit expires on 31 December.", "The permit expires on 31 March.", "date"),
        ("on three or more occasions", "on two or more occasions", "amount"),
    ],
)  # fmt: skip
def test_what_weighs_is_flagged_whatever_its_words(old: str, new: str, flag: str) -> None:
    assert flag in {found for found, _, _ in flagged(old, new)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The courts shall decide on it.", "The courts shall then decide on it."),
        ("A charge of ten percent applies.", "A 10% charge applies."),
        ("open from 8 a.m. to 4 p.m.", "open from 08:00 to 16:00"),
        ("（案）1/3頁", "（確定）1/2頁"),
        ("港区芝浦1丁目2番3号", "品川区東五反田4丁目5番6号"),
        ("参加人は、責任者に届け出る。", "参加者は、責任者に届け出る。"),
    ],
)
def test_what_says_the_same_or_only_names_is_not(old: str, new: str) -> None:
    assert not {flag for flag, _, _ in flagged(old, new)} & set(ATTENTION)


def test_an_amount_becomes_one_of_its_own_unit() -> None:
    told = flagged(
        "宿泊費は1泊12,000円を上限とする。", "ホテルの代金は一晩につき15,000円までとする。"
    )
    assert ("amount", "12,000円", "15,000円") in told
    assert not [each for each in told if each[1] == "1" and each[2]]
