"""What was rewritten is found by what it says, and by what stands around it."""

from sanbo.agents.comparison.alignment.align import align
from tests.unit.agents.comparison.alignment.clauses import ENGLISH, JAPANESE, linked, side, table


def test_a_rewritten_clause_is_linked_and_less_sure_than_an_equal_one() -> None:
    new = list(JAPANESE)
    new[1] = "委託料は月額六十万円とし、翌月末日までに受託者の指定する銀行口座へ振り込む。"
    alignment = align(side("A", JAPANESE), side("B", new))
    confidence = {link.old[0]: link.confidence for link in alignment.links}
    assert ("A2", "B2") in linked(alignment)
    assert 0.6 < confidence["A2"] < confidence["A1"] == 1.0


def test_an_english_clause_in_other_word_order_is_linked_where_it_went() -> None:
    new = [
        "By the last day of each month a written report of progress goes to the client.",
        *ENGLISH[1:],
    ]
    new.append(new.pop(0))
    assert ("A1", "B5") in linked(align(side("A", ENGLISH), side("B", new)))


def test_what_is_new_and_what_is_gone_are_not_pressed_together() -> None:
    new = list(JAPANESE)
    new[3] = "消防設備の点検は、年に二回、資格を持つ業者に行わせなければならない。"
    alignment = align(side("A", JAPANESE), side("B", new))
    assert not {old for old, _ in linked(alignment)} & {"A4"}
    assert set(alignment.unlinked) == {"A4", "B4"}
    assert min(alignment.unlinked.values()) > 0.5


def test_a_word_replaced_everywhere_does_not_hide_what_corresponds() -> None:
    old = [f"{text}親会社は子会社にこれを通知する。" for text in JAPANESE]
    new = [f"{text}委託元事業者は委託先事業者にこれを通知する。" for text in JAPANESE]
    expected = {(f"A{place}", f"B{place}") for place in range(1, 8)}
    assert linked(align(side("A", old), side("B", new))) == expected


def test_unrelated_documents_share_nothing() -> None:
    alignment = align(side("A", JAPANESE), side("B", ENGLISH))
    assert not alignment.links
    assert alignment.similarity == 0
    assert not alignment.doubts


def test_an_empty_document_has_no_counterparts() -> None:
    alignment = align(side("A", JAPANESE), side("B", []))
    assert not alignment.links
    assert set(alignment.unlinked) == {f"A{place}" for place in range(1, 8)}
    assert not align(side("A", []), side("B", [])).links


def test_a_row_that_was_rewritten_is_the_row_with_its_id_where_ids_are_kept() -> None:
    old = table({f"P{place}": text for place, text in enumerate(JAPANESE)})
    new = table({f"P{place}": text for place, text in enumerate(JAPANESE)} | {"P2": "在庫なし"})
    assert ("P2", "P2") in linked(align(old, new))


def test_ids_that_were_given_out_anew_link_nothing() -> None:
    old = table({f"P{place}": text for place, text in enumerate(JAPANESE)})
    new = table({f"P{place}": text for place, text in enumerate(JAPANESE[3:] + JAPANESE[:3])})
    assert linked(align(old, new)) == {(f"P{place}", f"P{(place + 4) % 7}") for place in range(7)}


def test_where_ids_are_keys_a_new_row_is_not_what_became_of_one_that_is_gone() -> None:
    names = ("コピー用紙", "トナー", "封筒", "付箋", "クリップ")
    old = {f"P-{n}": f"商品名: {name}\n単価: {n}00\n数量: 5" for n, name in enumerate(names)}
    new = {key: text.replace("数量: 5", "数量: 6") for key, text in old.items() if key != "P-2"}
    new["P-9"] = "商品名: ラベルシール\n単価: 650\n数量: 3"
    alignment = align(table(old), table(new))
    assert linked(alignment) == {(key, key) for key in old if key != "P-2"}
    assert set(alignment.unlinked) == {"P-2", "P-9"}


def test_where_ids_are_keys_a_near_copy_has_got_another_id() -> None:
    old = {f"K-{place}": text for place, text in enumerate(JAPANESE)}
    new = {key: text for key, text in old.items() if key != "K-1"}
    new["K-9"] = old["K-1"].replace("。", "ものとする。")
    assert ("K-1", "K-9") in linked(align(table(old), table(new)))


def test_an_article_that_only_says_it_is_deleted_is_the_one_of_that_number() -> None:
    labels = [f"第{number}条" for number in range(1, 8)]
    new = [*JAPANESE[:3], "削除", *JAPANESE[4:]]
    alignment = align(side("A", JAPANESE, labels=labels), side("B", new, labels=labels))
    assert ("A4", "B4") in linked(alignment)
