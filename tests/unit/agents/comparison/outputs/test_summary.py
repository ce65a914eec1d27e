"""What a person reads first says what was compared, what differs and what to look at."""

from sanbo.agents.comparison.model import ComparedPair
from sanbo.agents.comparison.outputs.report import MOST_LISTED, summarise
from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.agents.comparison.outputs.written_changes import (
    RELATED,
    Written,
    changes_of,
    document,
    result_of,
)


def _pair(outcome: str, name: str = "規程.docx") -> ComparedPair:
    return ComparedPair.model_validate(
        {
            "old": None if outcome == "only_new" else document(name),
            "new": None if outcome == "only_old" else document(name),
            "similarity": 0.0,
            "outcome": outcome,
        }
    )


def test_same_document_twice_is_said_to_be_the_same() -> None:
    changes = changes_of([Written("unchanged", "第１条　目的")])
    summary = result_of(changes, [_pair("identical")]).summary
    assert "2つの文書に違いはありません。" in summary.text_md
    english = summarise(changes, [_pair("identical")], language="en", doubtful_sent=0, chunks=1)
    assert "do not differ" in english.text_md


def test_unrelated_documents_are_said_to_be_unrelated() -> None:
    changes = changes_of([Written("deleted", "甲"), Written("added", "乙")])
    text = result_of(changes, [_pair("unrelated")]).summary.text_md
    assert "互いに関係のない文書と考えられます" in text
    assert "意味を持ちません" in text
    assert "見つかりませんでした" not in text


def test_every_kind_and_flag_is_counted_also_those_that_do_not_occur() -> None:
    summary = contract("ja").summary
    assert summary.counts == {
        "unchanged": 21,
        "changed": 5,
        "added": 3,
        "deleted": 2,
        "moved": 1,
        "moved_changed": 1,
        "renumbered": 2,
        "split": 1,
        "merged": 1,
    }
    assert summary.flags["amount"] == 1
    assert summary.flags["doubtful"] == 1
    assert summary.attention == 8
    assert set(result_of([]).summary.flags.values()) == {0}


def test_flagged_changes_are_listed_with_their_place_and_words() -> None:
    text = contract("ja").summary.text_md
    assert (
        "- **第３条**（金額・数量、期限）：金50万円 → 金60万円、翌月末日まで → 翌々月10日まで"
        in text
    )
    assert "- **第９条**（否定の表現）：「してはならない」を削除" in text
    assert "「要確認」の1件" in text
    assert "USD 5,000 → USD 6,000" in contract("en").summary.text_md


def test_at_most_ten_flagged_changes_are_listed_and_the_rest_is_counted() -> None:
    rows = [
        Written("changed", f"第{n}条　[[{n}円|{n + 1}円]]", f"第{n}条", f"第{n}条", ("amount",))
        for n in range(1, 15)
    ]
    text = result_of(changes_of(rows)).summary.text_md
    assert text.count("\n- ") + text.startswith("- ") == MOST_LISTED
    assert "ほかに4件あります。" in text


def test_several_pairs_are_counted_by_outcome_and_lonely_documents_are_named() -> None:
    pairs = [
        RELATED,
        _pair("identical"),
        _pair("only_old", "廃止.docx"),
        _pair("only_new", "新設.md"),
    ]
    text = result_of([], pairs).summary.text_md
    assert "4組の文書を比較しました。" in text
    assert "違いのあるもの1組" in text
    assert "旧だけにある文書：廃止.docx" in text
    assert "新だけにある文書：新設.md" in text


def test_what_was_put_to_the_model_is_told() -> None:
    summary = summarise([], [RELATED], language="ja", doubtful_sent=3, chunks=120)
    assert "段落3件（旧文書の全120件のうち）" in summary.text_md
    assert summary.doubtful_sent == 3


def test_warnings_of_the_documents_are_passed_on() -> None:
    warning = InvalidInput("run_not_found", run_id="7").problem
    pair = RELATED.model_copy(update={"warnings": (warning, warning)})
    text = result_of([], [pair]).summary.text_md
    assert text.count(warning.message.split("7")[0]) == 1


def test_names_and_texts_are_never_read_as_markdown() -> None:
    hostile = "[x](http://e.example)<img src=x>**b**$a$"
    pair = RELATED.model_copy(update={"old": document(hostile)})
    rows = [
        Written("changed", "[[a|b]]", hostile, hostile, ("amount",), (("amount", hostile, "1"),))
    ]
    text = result_of(changes_of(rows), [pair]).summary.text_md
    assert "[x](" not in text
    assert "<img" not in text.replace("\\<img", "")
    assert "http://" not in text
