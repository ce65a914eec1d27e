"""By what number a part is cited, and under what it stands."""

from tests.unit.agents.comparison.chunking.made import labelled, parent_texts, side_of, texts

LAW = """# 駐輪場管理法

## 第一章　総則

**第一条（目的）**　この法律は、駐輪場の管理について定める。

**第二条**　この法律において「駐輪場」とは、次に掲げるものをいう。

- 一　公営の駐輪場

- 二　民営の駐輪場であって、次のいずれかに該当するもの

    - イ　屋根のあるもの

    - ロ　屋根のないもの

- 二の二　仮設の駐輪場

**２**　前項の駐輪場は、届け出なければならない。

- 一　設置の日

## 第二章　管理

### 第一節　通則

**第三条**　管理者は、次の帳簿を備える。

- 一　入庫の帳簿

## 附則

**第一条**　この法律は、公布の日から施行する。

別表第一

- 一　自転車
"""


def test_articles_paragraphs_and_items_of_a_law_are_cited_in_full() -> None:
    labels = labelled(side_of("法.md", LAW))
    assert labels["第一条"].startswith("第一条（目的）")
    assert labels["第二条第一項第一号"] == "一　公営の駐輪場"
    assert labels["第二条第一項第二号ロ"] == "ロ　屋根のないもの"
    assert labels["第二条第一項第二号の二"] == "二の二　仮設の駐輪場"
    assert labels["第二条第二項"].startswith("２　前項の")
    assert labels["第二条第二項第一号"] == "一　設置の日"


def test_items_of_an_article_with_one_paragraph_are_cited_without_it() -> None:
    assert "第三条第一号" in labelled(side_of("法.md", LAW))


def test_chapters_are_cited_with_what_contains_them_and_articles_without() -> None:
    labels = labelled(side_of("法.md", LAW))
    assert labels["第二章第一節"] == "第一節　通則"
    assert labels["第三条"].startswith("第三条")


def test_articles_of_a_supplement_are_cited_with_it_and_annexes_are_not() -> None:
    labels = labelled(side_of("法.md", LAW))
    assert labels["附則第一条"].startswith("第一条　この法律は、公布")
    assert labels["別表第一"] == "別表第一"


def test_items_stand_under_their_paragraph_and_articles_under_their_section() -> None:
    parents = parent_texts(side_of("法.md", LAW))
    assert parents["ロ　屋根のないもの"] == "二　民営の駐輪場であって、次のいずれかに該当するもの"
    assert parents["一　設置の日"] == "２　前項の駐輪場は、届け出なければならない。"
    assert parents["第三条　管理者は、次の帳簿を備える。"] == "第一節　通則"
    assert parents["第一節　通則"] == "第二章　管理"


def test_circled_numbers_in_an_article_are_paragraphs() -> None:
    text = "第一条　甲は払う。\n一　現金で\n②　乙は納める。\n③　丙は運ぶ。\n一　船で\n"
    assert list(labelled(side_of("法.txt", text))) == [
        "第一条",
        "第一条第一項第一号",
        "第一条第二項",
        "第一条第三項",
        "第一条第三項第一号",
    ]


def test_circled_numbers_that_begin_with_one_are_items() -> None:
    text = "第1条　甲は払う。\n2　乙は次の物を納める。\n①　机\n②　椅子\n3　丙は運ぶ。\n"
    assert list(labelled(side_of("契約.txt", text))) == [
        "第1条",
        "第1条第2項",
        "第1条第2項第1号",
        "第1条第2項第2号",
        "第1条第3項",
    ]


def test_a_contract_is_cited_in_its_own_numerals() -> None:
    text = (
        "第１条（委託）\n１．甲は乙に委託する。\n２．乙は次の業務を行う。\n（１）監視\n"
        "ア　昼間\nイ　夜間\n（２）報告\n第２条（期間）\n期間は一年とする。\n"
    )
    assert list(labelled(side_of("契約.txt", text))) == [
        "第１条",
        "第１条第１項",
        "第１条第２項",
        "第１条第２項第１号",
        "第１条第２項第１号ア",
        "第１条第２項第１号イ",
        "第１条第２項第２号",
        "第２条",
    ]


def test_english_headings_and_lists_are_cited_through_their_section() -> None:
    text = (
        "### 2. Integrations\n\n#### a. Building\n\n1. Ask first.\n2. Then build.\n\n"
        "#### b. Using\n\nUse it.\n\n### 3. Support\n\n1. Call us.\n"
    )
    side = side_of("terms.md", text)
    assert list(labelled(side)) == ["2", "2.a", "2.a.1", "2.a.2", "2.b", "3", "3.1"]
    assert parent_texts(side)["b. Using"] == "2. Integrations"


def test_letters_and_roman_numbers_are_told_apart_by_what_comes_before() -> None:
    lettered = "".join(f"({letter}) part {letter}\n" for letter in "abcdefghij")
    text = f"Article 3 Duties\n{lettered}(i) first\n(ii) second\n(k) last\n"
    labels = list(labelled(side_of("terms.txt", text)))
    assert labels[9:] == [
        "Article 3(i)",
        "Article 3(j)",
        "Article 3(j)(i)",
        "Article 3(j)(ii)",
        "Article 3(k)",
    ]


def test_decimal_numbers_and_sections_name_their_place_alone() -> None:
    text = "Article 2 Fees\n\nSection 2.1 Rates\n\n2.1.1 Hourly\n\n(a) by day\n\nSection 2.2 Tax\n"
    side = side_of("terms.txt", text)
    assert list(labelled(side)) == ["Article 2", "Section 2.1", "2.1.1", "2.1.1(a)", "Section 2.2"]
    assert parent_texts(side)["Section 2.2 Tax"] == "Article 2 Fees"


def test_articles_may_stand_in_sections() -> None:
    lines = ["Section 1 General", "Article 1 Scope", "Article 2 Words", "Section 2 Duties"]
    text = "\n\n".join([*lines, "Article 3 Care"])
    parents = parent_texts(side_of("rules.txt", text))
    assert parents["Article 2 Words"] == "Section 1 General"
    assert parents["Article 3 Care"] == "Section 2 Duties"
    assert parents["Section 2 Duties"] is None


def test_bullets_stand_under_the_paragraph_that_introduces_them() -> None:
    side = side_of("terms.md", "## Use\n\nYou must:\n\n- pay\n- behave\n\nThank you.\n")
    parents = parent_texts(side)
    assert parents["pay"] == parents["behave"] == "You must:"
    assert parents["Thank you."] == "Use"


def test_rows_stand_under_the_header_of_their_table() -> None:
    side = side_of("表.md", "## 料金\n\n| 区分 | 額 |\n|---|---|\n| 昼 | 100円 |\n| 夜 | 200円 |\n")
    parents = parent_texts(side)
    assert parents["区分\t額"] == "料金"
    assert parents["昼\t100円"] == parents["夜\t200円"] == "区分\t額"
    assert texts(side, "row") == ["区分\t額", "昼\t100円", "夜\t200円"]


def test_front_matter_and_code_are_cut_by_lines() -> None:
    side = side_of(
        "文書.md", "---\ntitle: 手順\nversion: 2\n---\n\n本文。\n\n```\ncopy a b\nrun b\n```\n"
    )
    assert texts(side, "metadata") == ["title: 手順", "version: 2"]
    assert texts(side, "paragraph") == ["本文。", "copy a b", "run b"]


def test_circled_numbers_right_under_the_title_of_an_article_are_paragraphs() -> None:
    side = side_of(
        "契約.txt",
        "第2条（管理）\n① 乙は、記録を管理する。\n② 乙は、記録を複製しない。\n"
        "第3条（範囲）\n次のとおりとする。\n① 設計\n② 製造\n",
    )
    assert [chunk.label for chunk in side.chunks if chunk.text[0] in "①②"] == [
        "第2条第1項",
        "第2条第2項",
        "第3条第1号",
        "第3条第2号",
    ]


def test_the_text_under_the_title_of_an_article_is_cited_by_its_number() -> None:
    side = side_of("契約.txt", "契約書\n第3条（再委託）\n乙は、再委託をしない。\n別の話をする。\n")
    assert [chunk.label for chunk in side.chunks] == ["", "第3条", "第3条", ""]
