"""Which documents of two folders belong together."""

import random

import pytest

from sanbo.agents.comparison.preparation import pair_documents
from sanbo.documents.model import Document
from tests.cpu_time import timed

TEXTS = {
    "旅費": "出張する従業員には、交通費、日当及び宿泊料を支給する。日当は一日三千円とする。" * 3,
    "情報": "従業員は、業務で使う端末を施錠できる場所に保管し、持ち出すには所属長の許可を得る。"
    * 3,
    "休暇": "年次有給休暇は、勤続年数に応じて与える。申請は、三日前までに行うものとする。" * 3,
}


def document(name: str, text: str = "") -> Document:
    return Document(name=name, format="text", text=text or name, blocks=())


def paired(old: list[Document], new: list[Document]) -> list[tuple[str | None, str | None]]:
    return [
        (None if before is None else old[before].name, None if after is None else new[after].name)
        for before, after in pair_documents(old, new)
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("規程.docx", "規程.docx"),
        ("規程.docx", "規程.pdf"),
        ("人事/規程.docx", "人事/規程.pdf"),
        ("規程_v1.docx", "規程_v2.docx"),
        ("規程_2023.docx", "規程_2024.docx"),
        ("規程_20230401.docx", "規程（令和6年4月1日）.pdf"),
        ("旧規程.docx", "新規程.docx"),
        ("規程【旧】.docx", "規程【改定後】.docx"),
        ("規程.docx", "規程 (1).docx"),
        ("Contract-OLD.docx", "contract final v1.2.docx"),
        ("ＡＢＣ契約.docx", "abc契約.pdf"),
        ("旧/規程.docx", "総務/規程.docx"),
    ],
)
def test_names_that_differ_by_version_format_or_folder_are_one(old: str, new: str) -> None:
    assert paired([document(old)], [document(new)]) == [(old, new)]


def test_the_very_same_name_comes_first() -> None:
    old = [document("規程_v1.docx"), document("規程.docx")]
    new = [document("規程.docx"), document("規程_v2.docx")]
    assert paired(old, new) == [("規程.docx", "規程.docx"), ("規程_v1.docx", "規程_v2.docx")]


def test_of_several_versions_the_nearest_in_content_are_paired() -> None:
    old = [document("規程_v1.txt", TEXTS["旅費"]), document("規程_v2.txt", TEXTS["情報"])]
    new = [document("規程_v3.txt", TEXTS["情報"] + "以上"), document("規程_v4.txt", TEXTS["休暇"])]
    assert ("規程_v2.txt", "規程_v3.txt") in paired(old, new)


def test_files_with_new_names_are_paired_by_content() -> None:
    old = [document("a.txt", TEXTS["旅費"]), document("b.txt", TEXTS["情報"])]
    new = [
        document("x.txt", TEXTS["情報"].replace("所属長", "部長")),
        document("y.txt", TEXTS["旅費"]),
    ]
    assert paired(old, new) == [("b.txt", "x.txt"), ("a.txt", "y.txt")]


def test_what_has_no_partner_stays_alone_and_old_ones_come_last() -> None:
    old = [document("z.txt", TEXTS["旅費"]), document("共通.txt", TEXTS["情報"])]
    new = [document("新設.txt", TEXTS["休暇"]), document("共通.txt", TEXTS["情報"])]
    assert paired(old, new) == [("共通.txt", "共通.txt"), (None, "新設.txt"), ("z.txt", None)]


def test_empty_documents_and_folders_are_no_trouble() -> None:
    assert pair_documents([], []) == []
    empty = [Document(name="a.txt", format="text", text="", blocks=())]
    assert paired(empty, [document("b.txt", "本文")]) == [(None, "b.txt"), ("a.txt", None)]


def test_contracts_of_one_template_are_told_apart_by_what_is_their_own() -> None:
    names = ["青葉商事株式会社", "若草システム株式会社", "白波運輸株式会社", "若松製作所株式会社"]
    old = [
        document(f"a{n}.txt", f"{TEXTS['旅費']}委託先は{name}とする。")
        for n, name in enumerate(names)
    ]
    new = [
        document(f"b{n}.txt", f"{TEXTS['旅費']}別途定める。委託先は{name}とする。")
        for n, name in enumerate(reversed(names))
    ]
    assert pair_documents(old, new) == [(3, 0), (2, 1), (1, 2), (0, 3)]


def test_two_folders_of_two_hundred_files_are_paired_in_seconds() -> None:
    chance = random.Random(7)
    words = [chr(0x4E00 + 3 * n) + chr(0x4E80 + 5 * n) for n in range(300)]
    bodies = ["、".join(chance.choices(words, k=1_000)) for _ in range(200)]
    old = [document(f"old{n}x.txt", body) for n, body in enumerate(bodies)]
    new = [document(f"n{n}y.txt", f"前文。{body[600:]}") for n, body in enumerate(bodies)]
    pairs, seconds = timed(lambda: pair_documents(old, new))
    assert seconds < 20  # about two seconds
    assert all(before == after for before, after in pairs)
