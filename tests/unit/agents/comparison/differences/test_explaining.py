import pytest

from sanbo.agents.comparison.differences.explanations import Happened, explain
from sanbo.agents.comparison.differences.segments import difference
from sanbo.agents.comparison.model import Flag, FlagDetail, Kind
from sanbo.kernel.messages import Language


def explained(
    kind: Kind,
    *details: tuple[Flag, str, str],
    texts: tuple[str, str] = ("", ""),
    labels: tuple[str, str] = ("", ""),
    doubtful: bool = False,
    language: Language = "ja",
) -> str:
    found = [FlagDetail(flag=flag, old=old, new=new) for flag, old, new in details]
    happened = Happened(kind, difference(*texts), found, doubtful, *labels)
    return explain(happened, language)


@pytest.mark.parametrize(
    ("detail", "ja", "en"),
    [
        (
            ("amount", "100万円", "120万円"),
            "金額が「100万円」から「120万円」に変わりました。",
            "The amount changed from “100万円” to “120万円”.",
        ),
        (
            ("amount", "10%", "15%"),
            "割合が「10%」から「15%」に変わりました。",
            "The share changed from “10%” to “15%”.",
        ),
        (
            ("deadline", "", "30日以内"),
            "期限・期間「30日以内」が加わりました。",
            "The deadline or period “30日以内” was added.",
        ),
        (
            ("negation", "除く", ""),
            "否定・除外の表現「除く」がなくなりました。",
            "The negation “除く” is gone.",
        ),
        (
            ("amount", "税別", "税込"),
            "税の扱いが「税別」から「税込」に変わりました。",
            "The treatment of tax changed from “税別” to “税込”.",
        ),
        (
            ("amount", "", "1日につき"),
            "計算の単位「1日につき」が加わりました。",
            "The unit of reckoning “1日につき” was added.",
        ),
        (
            ("termination", "相手方", "乙"),
            "解除・終了に関する定めで、「相手方」が「乙」に変わりました。",
            "In the rule on termination, “相手方” became “乙”.",
        ),
    ],
)
def test_what_was_flagged_is_told(detail: tuple[Flag, str, str], ja: str, en: str) -> None:
    assert explained("changed", detail) == ja
    assert explained("changed", detail, language="en") == en


def test_words_are_not_told_again_for_what_their_sentence_is_about() -> None:
    told = explained("changed", ("party", "乙", "甲及び乙"), ("data", "", "甲及び"))
    assert told == "当事者が「乙」から「甲及び乙」に変わりました。"


def test_the_most_important_is_told_first_and_what_is_left_out_is_counted() -> None:
    told = explained(
        "changed",
        ("obligation", "する", "できる"),
        ("amount", "1万円", "2万円"),
        ("deadline", "1日", "2日"),
    )
    assert told.startswith("金額が")
    assert told.count("。") == 3
    many: list[tuple[Flag, str, str]] = [
        ("amount", f"{number}万円", f"{number + 1}万円") for number in range(1, 6)
    ]
    more = explained("changed", *many)
    assert more.count("に変わりました。") == 3
    assert more.endswith("このほかにも2件の変更があります。")


def test_a_new_number_is_told() -> None:
    told = explained("renumbered", labels=("第8条", "第9条"))
    assert told == "第8条から第9条に番号が変わりました。"


def test_another_word_is_quoted() -> None:
    assert explained("changed", texts=("書面で送る。", "電子で送る。")) == (
        "「書面」が「電子」に変わりました。"
    )
    assert (
        explained("changed", texts=("甲は払う。", "甲は乙に払う。")) == "「乙に」が加わりました。"
    )


def test_long_words_are_not_quoted_whole() -> None:
    told = explained("changed", ("amount", "1" * 100, "2" * 100))
    assert "…" in told
    assert len(told) < 120
    assert explained("changed", texts=("甲。", "甲。" + "乙丙" * 50)) == "文言が加わりました。"


def test_what_was_added_tells_what_it_brings() -> None:
    assert explained("added") == "新たに追加されました。"
    assert explained("added", ("amount", "", "1万円"), ("amount", "", "2万円")) == (
        "新たに追加されました。金額「1万円」「2万円」を含みます。"
    )


def test_a_doubt_is_always_told() -> None:
    told = explained("changed", ("amount", "1円", "2円"), ("date", "1日", "2日"), doubtful=True)
    assert told.endswith("原文をご確認ください。")
    assert told.count("。") == 3


def test_braces_in_a_text_are_only_text() -> None:
    assert "{old}" in explained("changed", texts=("甲", "{old}"))


def test_nothing_is_said_of_what_is_unchanged() -> None:
    assert explained("unchanged") == ""


def test_the_numbers_of_halves_are_no_words_that_changed() -> None:
    told = explained(
        "split", texts=("第2条　甲とする。また、乙とする。", "第2条　甲とする。\n第3条　乙とする。")
    )
    assert told.endswith("「また、」が削られました。")
