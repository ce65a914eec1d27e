"""Company names: many spellings, one company."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.matching.readings import company_reading
from sanbo.language.companies import company_key, has_company_form
from tests.examples import examples


@pytest.mark.parametrize(
    "name",
    [
        "㈱髙橋商事",
        "株式会社高橋商事",
        "高橋商事　株式会社　御中",
        "（株）高橋 商事",
        "高橋商事（カ",
        "ｶ)高橋商事",
        "高橋・商事(株)",
        "高橋商事㈲",
    ],
)
def test_spellings_of_one_company_have_one_key(name: str) -> None:
    assert company_key(name) == "高橋商事"


@pytest.mark.parametrize(
    "name", ["ABC Co., Ltd.", "ＡＢＣ株式会社", "ABC K.K.", "Abc Inc", "abc, LLC"]
)
def test_western_forms_are_forms_too(name: str) -> None:
    assert company_key(name) == "abc"


def test_a_bank_writes_names_as_they_are_read() -> None:
    assert company_key("ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ") == company_key("カ）ヤマダショウジ") == "ヤマダシヨウジ"
    assert company_reading("山田商事株式会社") == company_reading("ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ")
    assert company_key("ﾃﾞ-ﾀｼｽﾃﾑ(ｶ") == company_key("データシステム㈱")
    assert company_reading("ﾕ)ﾔﾏﾀﾞｼﾖｳｼﾞ") == company_reading("㈲山田商事")


def test_different_companies_stay_different() -> None:
    assert company_key("山田商事") != company_key("山本商事")
    assert company_key("カネコ商店") == "カネコ商店"
    assert company_key("Costco") == "costco"
    assert company_key("株式会社") == "株式会社"


def test_a_company_is_known_by_its_form() -> None:
    assert has_company_form("(有)山田")
    assert has_company_form("ｶ)ﾔﾏﾀﾞ")
    assert not has_company_form("山田 太郎 様")
    assert not has_company_form("会議費")


@settings(max_examples=examples(150))
@given(st.text(max_size=12))
def test_any_text_has_a_key_that_is_stable(name: str) -> None:
    key = company_key(name)
    assert bool(key) == bool(name.strip())
    company_reading(name)
    assert company_key(f"株式会社{name}") == key or not any(letter.isalnum() for letter in name)
