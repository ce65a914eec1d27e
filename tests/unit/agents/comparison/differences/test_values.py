import pytest

from sanbo.agents.comparison.differences.values import values


def found(text: str) -> list[tuple[str, str]]:
    return [(value.kind, text[value.start : value.end]) for value in values(text)]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("施行日は令和7年4月1日とする", "date", "令和7年4月1日"),
        ("平成元年から", "date", "平成元年"),
        ("令和七年度の予算", "date", "令和七年度"),
        ("2025年4月1日から", "date", "2025年4月1日"),
        ("２０２５年４月から", "date", "２０２５年４月"),
        ("2025/4/1 改定", "date", "2025/4/1"),
        ("毎年四月一日に", "date", "四月一日"),
        ("effective April 1, 2025.", "date", "April 1, 2025"),
        ("effective 1 April 2025.", "date", "1 April 2025"),
        ("受領後30日以内に", "deadline", "30日以内"),
        ("三十日以内に", "deadline", "三十日以内"),
        ("3か月前までに", "deadline", "3か月前まで"),
        ("一月以内に", "deadline", "一月以内"),
        ("翌月末日に支払う", "deadline", "翌月末日"),
        ("直ちに通知する", "deadline", "直ちに"),
        ("遅滞なく届け出る", "deadline", "遅滞なく"),
        ("有効期間は1年間とする", "deadline", "1年間"),
        ("within 30 days of receipt", "deadline", "within 30 days"),
        ("within thirty (30) days", "deadline", "within thirty (30) days"),
        ("a 12-month term", "deadline", "12-month"),
        ("100万円を支払う", "amount", "100万円"),
        ("1億2,000万円以上", "amount", "1億2,000万円以上"),
        ("￥1,000を", "amount", "￥1,000"),
        ("年10%の", "amount", "10%"),
        ("三分の二以上の", "amount", "三分の二以上"),
        ("従業員300人以下", "amount", "300人以下"),
        ("二以上の事業所", "amount", "二以上"),
        ("a fee of USD 5", "amount", "USD 5"),
        ("no more than 5 users", "amount", "no more than 5"),
        ("a rate of 1.5 percent", "amount", "1.5 percent"),
        ("5 free seats", "amount", "5"),
    ],
)
def test_a_value_is_found_whole(text: str, kind: str, words: str) -> None:
    assert found(text) == [(kind, words)]


@pytest.mark.parametrize(
    "text",
    [
        "一部の会員は、一般に一定の方法で",
        "十分な説明",
        "一個人として",
        "第三者と第2回の会議",
        "昭和二十二年法律第四十九号",
        "ISO9001 と v2.0 と COVID-19",
        "you may leave",
        "参加人の拾得物",
        "一時的な上下の動き",
        "月次の土木工事",
        "四日市の工場",
    ],
)
def test_what_only_looks_like_a_value_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "writings",
    [
        ("100万円", "1,000,000円", "￥1,000,000", "百万円", "JPY 1,000,000"),
        ("30日以内", "三十日以内", "３０日以内", "within 30 days", "within thirty days"),
        ("令和7年4月1日", "2025年4月1日", "2025/4/1", "April 1, 2025", "令和七年四月一日"),
        ("10%", "10パーセント", "１０％", "1割", "10 percent"),
        ("3か月", "三箇月", "3ヶ月間"),
        ("二分の一", "1/2"),
        ("金1,000,000円", "壱百萬円", "百万円"),
        ("令和7年4月1日", "R7.4.1", "令和7/4/1"),
        ("三分の二以上", "2/3以上"),
        ("10名超", "10人を超える"),
        ("500万円以下", "500万円を超えない"),
        ("14日以内", "2週間以内", "二週間以内"),
        ("1年間", "12か月", "12 months", "one year"),
        ("半年", "6か月"),
        ("90分", "1時間30分", "1時間半"),
        ("午後5時30分", "17:30", "17時30分", "5:30 p.m."),
        ("14.6%", "一割四分六厘"),
        ("at least 30 days", "not less than thirty (30) days"),
        ("not more than USD 5", "up to USD 5"),
        ("直ちに", "ただちに"),
    ],
)
def test_the_same_value_means_the_same_in_every_writing(writings: tuple[str, ...]) -> None:
    assert len({values(writing)[0].meaning for writing in writings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("100万円", "120万円"),
        ("100万円以上", "100万円以下"),
        ("30日以内", "30日前まで"),
        ("10日", "10営業日"),
        ("令和7年4月1日", "令和7年4月"),
        ("USD 5", "EUR 5"),
        ("thirty (30) days", "sixty (30) days"),
        ("30日", "1か月"),
        ("18歳以下", "18歳未満"),
        ("at least 5 seats", "no more than 5 seats"),
    ],
)
def test_another_value_means_something_else(one: str, other: str) -> None:
    assert values(one)[0].meaning != values(other)[0].meaning


def test_what_is_already_taken_is_no_value() -> None:
    assert values("30日以内", ((0, 3),)) == []
