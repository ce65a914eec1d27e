"""JSON and JSON Lines as lines and tables that a person can read."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats import json as json_text
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import InvalidInput, LimitExceeded, UnsupportedFormat
from tests.examples import examples
from tests.unit.documents.damage import damaged, read_or_problem


def _read(text: str | bytes, name: str = "設定.json") -> Document:
    data = text.encode() if isinstance(text, str) else text
    return json_text.read(Source(name=name, data=data))


def _texts(document: Document) -> list[str]:
    return [document.text_of(block) for block in document.blocks]


def test_an_object_reads_as_lines_with_their_paths() -> None:
    document = _read(
        '{"会社": "見本商事", "本社": {"住所": "東京都", "電話": ["03-1", "03-2"]},'
        ' "有効": true, "備考": null, "空": {}}'
    )
    assert _texts(document) == [
        "会社: 見本商事",
        "本社.住所: 東京都\n本社.電話: 03-1, 03-2",
        "有効: true\n備考: null\n空: {}",
    ]


def test_objects_that_are_alike_make_a_table() -> None:
    document = _read(
        '{"明細": [{"品名": "ペン", "数": 2}, {"品名": "紙", "税": ["8%"], "数": null}]}'
    )
    table = document.tables[0]
    assert table.title == "明細"
    assert table.columns == ("品名", "数", "税")
    assert table.rows == (("ペン", "2", ""), ("紙", "", "8%"))


def test_objects_that_hold_objects_are_read_one_by_one() -> None:
    document = _read('[{"名": "甲", "所属": {"部": "総務"}}, {"名": "乙"}]')
    assert _texts(document) == ["[0].名: 甲", "[0].所属.部: 総務", "[1].名: 乙"]


def test_long_texts_of_an_array_stand_each_on_its_own_line() -> None:
    text = "とても長い文です。" * 10
    assert _texts(_read(json.dumps({"文": [text, "短い"]}))) == [f"文[0]: {text}\n文[1]: 短い"]


def test_numbers_keep_every_digit() -> None:
    document = _read('{"id": 12345678901234567890123, "率": 0.10, "大": 1e400}')
    assert document.text == "id: 12345678901234567890123\n率: 0.10\n大: 1e400"


def test_a_number_of_ten_thousand_digits_is_read() -> None:
    assert _read('{"n": ' + "9" * 10_000 + "}").text == "n: " + "9" * 10_000


def test_names_that_occur_twice_are_both_read_and_mentioned() -> None:
    document = _read('{"価格": 100, "価格": 120}')
    assert document.text == "価格: 100\n価格: 120"
    assert [(w.text_id, w.params["count"]) for w in document.warnings] == [
        ("json_names_repeated", 1)
    ]


@pytest.mark.parametrize("name", ["記録.jsonl", "記録.ndjson", "記録.json"])
def test_json_lines_are_rows(name: str) -> None:
    document = _read('{"日": "4/1", "額": 5}\r\n\r\n{"日": "4/2", "額": 6}\n', name)
    assert document.tables[0].columns == ("日", "額")
    assert document.tables[0].rows == (("4/1", "5"), ("4/2", "6"))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"a": 1,\n "b" 2}', 2, 6),
        ('{"a": 1', 1, 8),
        ('{"a": 1}\n{"a": 2}\n{"a": x}', 3, 7),
        ("{'a': 1}", 1, 2),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, line: int, column: int) -> None:
    with pytest.raises(InvalidInput) as raised:
        _read(text)
    problem = raised.value.problem
    assert (problem.params["line"], problem.params["column"]) == (line, column)
    assert f"{line}行目" in problem.message


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 101 + "]" * 101])
def test_bombs_of_brackets_are_refused(text: str) -> None:
    with pytest.raises(LimitExceeded) as raised:
        _read(text)
    assert raised.value.problem.text_id == "json_too_deep"


def test_brackets_inside_texts_are_no_nesting() -> None:
    assert _read(json.dumps({"図": "[" * 500 + '"' + "{" * 500})).text.startswith("図: [[[")


def test_objects_that_share_no_names_do_not_make_a_giant_table() -> None:
    document = _read(json.dumps([{f"名{n}": n} for n in range(3000)]))
    assert document.tables == ()
    assert "[2999].名2999: 2999" in document.text


def test_text_that_grows_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_CHARACTERS", 1000)
    with pytest.raises(LimitExceeded) as raised:
        _read(json.dumps({"とても長い名前" * 20: [{"x": {"y": n}} for n in range(50)]}))
    assert raised.value.problem.text_id == "json_too_long"


@pytest.mark.parametrize("text", ["{}", "[]", "null", '""'])
def test_nothing_in_it_is_a_problem(text: str) -> None:
    with pytest.raises(UnsupportedFormat):
        _read(text)


def test_other_encodings_are_read() -> None:
    assert _read('{"会社": "見本商事株式会社"}'.encode("utf-16")).text == "会社: 見本商事株式会社"


def test_damaged_files_are_read_or_refused_never_a_crash() -> None:
    sound = json.dumps({"a": [{"b": "あ\n", "c": 1.5}, {"b": "い"}], "d": {"e": [1, None]}})
    for broken in damaged(sound.encode(), 60):
        read_or_problem(json_text.read, broken, "a.json")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=15,
)


@settings(max_examples=examples(150))
@given(_JSON)
def test_every_value_of_any_json_is_in_the_text(value: object) -> None:
    document = _read(json.dumps({"先頭": value, "末尾": "終端"}))
    assert document.text.endswith("末尾: 終端")
    if isinstance(value, int | float):
        assert f"先頭: {json.dumps(value)}" in document.text
