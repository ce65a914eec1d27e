import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.kernel.messages import use_language
from sanbo.kernel.personal_data import masked, masked_private, parts_of
from tests.cpu_time import timed

PHONES = [
    "03-1234-5678",
    "０３－１２３４－５６７８",
    "(03)1234-5678",
    "03（1234）5678",
    "03(1234)5678",
    "(0466) 12-3456",
    "045-123-4567",
    "0466-12-3456",
    "04992-2-1234",
    "090-1234-5678",
    "090 1234 5678",
    "09012345678",
    "０９０１２３４５６７８",
    "0312345678",
    "0120-123-456",
    "0120-12-3456",
    "0120123456",
    "0800-123-4567",
    "08001234567",
    "0570-012-345",
    "050-1234-5678",
    "03ー1234ー5678",
    "03‐1234‐5678",
    "03━1234━5678",
    "090・1234・5678",
    "03⸺1234⸺5678",
    "03.1234.5678",
    "03 - 1234 - 5678",
    "090\\-1234\\-5678",
    "+81-3-1234-5678",
    "+81 90 1234 5678",
    "+81 (0)3-1234-5678",
    "+819012345678",
    "0081-3-1234-5678",
    "010-81-3-1234-5678",
    "+1 (555) 123-4567",
    "+1.555.123.4567",
    "+44 20 7946 0958",
    "+33 6 12 34 56 78",
    "+86 138 0013 8000",
    "(212) 555-0187",
    "212-555-0187",
]
LOOKALIKES = [
    "2024-01-15",
    "2024年1月15日 10:30",
    "20240115",
    "202401151230",
    "01-15-2024",
    "05/01/2024 12:00",
    "1,234,567,890円",
    "1234567890円",
    "123456789012円",
    "¥123456789012",
    "USD 123456789012",
    "+12,345,678円",
    "+1234567",
    "+10 000 000",
    "+10 -20 -30 -40",
    "第12条の3第2項",
    "平成15年法律第57号",
    "〒100-0001",
    "100-0001",
    "v1.2.3",
    "10.0.19045.3930",
    "ISBN 978-4-06-512345-6",
    "ISBN 0-306-40615-2",
    "ISBN 0306406152",
    "9784065123456",
    "1234567890123",
    "T1234567890123",
    "1-2345-6789-0123",
    "1234-5678-9012-3456",
    "1234 5678 9012 3456",
    "0.123456789012",
    "3.14159265358979",
    "192.168.100.200",
    "run_0199a812345678901234",
    "2024/01/01-2024/12/31",
    "09:00-17:00",
    "電話料金は1200000円",
    "電話 2台",
    "03-1234",
    "4月・5月・6月",
    "1000〜2000",
    "#0123456",
    "12345678901",
    "(2024) 123-4567",
    "第300-200-1000号",
    "@example",
    "a@b",
    "2024-01-15 10:30:00+09:00",
    "昭和22年法律第49号（労働基準法）第39条",
]
EMAIL, PHONE, NUMBER = "[メールアドレス]", "[電話番号]", "[個人番号]"


@pytest.mark.parametrize(
    "address",
    [
        "tanaka@example.com",
        "tanaka @ example.com",
        "tanaka.taro+x@mail.example.co.jp",
        "ｔａｎａｋａ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        "09012345678@example.ne.jp",
        "tanaka(at)example.com",
        "tanaka [at] example.com",
        "tanaka@日本.jp",
        "tanaka@xn--wgv71a.xn--q9jyb4c",
        "tanaka@\u200bexample.com",
        "tanaka\\_taro@\u200bexample\\.com",
    ],
)
def test_an_email_address_is_masked(address: str) -> None:
    assert masked(f"連絡先は{address}です。") == f"連絡先は{EMAIL}です。"
    assert masked(f"<{address}>") == f"<{EMAIL}>"


@pytest.mark.parametrize(
    "number",
    PHONES,
)
def test_a_phone_number_is_masked(number: str) -> None:
    assert masked(f"電話は{number}まで") == f"電話は{PHONE}まで"
    assert masked(f"{number}、担当") == f"{PHONE}、担当"


@pytest.mark.parametrize(
    "text", ["TEL 1234-5678", "Tel:1234-5678", "電話：555-1234", "FAX 1234-5678"]
)
def test_a_number_without_its_area_is_masked_after_a_word_that_names_it(text: str) -> None:
    assert re.search("[0-9]", masked(text)) is None
    assert masked(text).endswith(PHONE)


@pytest.mark.parametrize(
    "number",
    [
        "123456789018",
        "1234-5678-9018",
        "１２３４　５６７８　９０１８",
        "1234 5678 9012",
        "987654321098",
    ],
)
def test_a_number_like_my_number_is_masked(number: str) -> None:
    assert masked(f"個人番号は{number}です") == f"個人番号は{NUMBER}です"


@pytest.mark.parametrize(
    "text",
    LOOKALIKES,
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert masked(text) == text


def test_several_are_masked_each_in_its_place() -> None:
    text = "佐藤（sato@example.com、090-1234-5678）の1234-5678-9018、5,000円、第3条"
    assert masked(text) == f"佐藤（{EMAIL}、{PHONE}）の{NUMBER}、5,000円、第3条"


def test_the_marks_are_in_the_current_language() -> None:
    with use_language("en"):
        assert masked("a@example.com 090-1234-5678 123456789018") == (
            "[e-mail address] [phone number] [personal number]"
        )


def test_what_a_search_takes_out_of_an_address_is_masked_too() -> None:
    parts = parts_of("手当は？ Sato.Hanako@example.co.jp 03 1234 5678 へ")
    told = masked("手当 sato.hanako HANAKO example.co.jp 1234 5678 12345 satoru co", parts)
    assert told == f"手当 {EMAIL} {EMAIL} {EMAIL} {PHONE} {PHONE} 12345 satoru co"
    assert parts_of("在宅勤務手当は月5,000円ですか") == {}


_words = st.text(alphabet="abcxyz", min_size=1, max_size=8)
_digits = st.text(alphabet="0123456789", min_size=4, max_size=4)


@given(_words, _words, st.text(max_size=30), st.text(max_size=30))
def test_no_address_is_left_whatever_stands_around_it(
    name: str, host: str, before: str, after: str
) -> None:
    assert f"{name}@{host}.example" not in masked(f"{before} {name}@{host}.example {after}")


@given(_digits, _digits, st.sampled_from("-‐－ー ("))
def test_every_mobile_number_is_masked_in_any_width(first: str, second: str, mark: str) -> None:
    text = f"090{mark}{first}{')' if mark == '(' else mark}{second}"
    wide = text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    assert masked(text) == masked(wide) == PHONE


@given(st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    once = masked(text)
    assert masked(once) == once


@given(
    st.text(
        alphabet=st.characters(exclude_categories=["Nd", "Nl", "No"], exclude_characters="@＠﹫")
    )
)
def test_a_text_without_digits_and_addresses_stays_as_it_is(text: str) -> None:
    if "at" not in text and "アット" not in text:
        assert masked(text) == text


@pytest.mark.parametrize(
    "text", ["a", "0", "1 ", "a.a@", "+1 ", "a.", "(", "0-", "1234-", "090 ", "a@b."]
)
def test_a_long_text_of_any_kind_takes_no_long_time(text: str) -> None:
    assert timed(lambda: masked(f"a@{text * 20_000}"))[1] < 5


PRIVATE = {
    "みずほ銀行 本店 普通 1234567": "みずほ銀行 本店 普通 ****",
    "口座番号：０１２３４５６（当座）": "口座番号：****（当座）",
    "記号 12345 番号 1234567": "記号 ****",
    "IBAN GB82 WEST 1234 5698 7654 32 まで": "IBAN **** まで",
    "Account No. 12345678": "Account No. ****",
    "TEL 03-1234-5678、a.b@example.co.jp": "TEL ****、****",
    "〒100-0001 東京都千代田区千代田1-1 御中": "**** 御中",
    "神奈川県横浜市西区みなとみらい2丁目3番1号": "****",
    "221 Baker Street": "****",
    # Left alone:
    "東京都の売上は3,000円、前年比 101%": "東京都の売上は3,000円、前年比 101%",
    "請求書番号 INV-2026-001234、金額 1234567 円": "請求書番号 INV-2026-001234、金額 1234567 円",
    "2026-11-17T03:00:00Z 第3条第2項": "2026-11-17T03:00:00Z 第3条第2項",
    "T1234567890123": "T1234567890123",
}


def test_in_logs_accounts_phones_mail_and_addresses_are_masked() -> None:
    for text, expected in PRIVATE.items():
        assert masked_private(text) == expected
    labelled: JsonValue = {
        "口座番号": 1234567,
        "電話": "内線 12",
        "email": "x",
        "住所": "港区",
        "金額": 1234567,
        "口座名義": "アオバ",
        "tel": None,
    }
    assert masked_private([labelled]) == [
        {
            "口座番号": "****",
            "電話": "****",
            "email": "****",
            "住所": "****",
            "金額": 1234567,
            "口座名義": "アオバ",
            "tel": None,
        }
    ]
