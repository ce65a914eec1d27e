"""HTML pages: what a visitor reads, whatever state the markup is in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats.html import reader as html
from sanbo.documents.formats.html.elements import BLOCKS
from sanbo.documents.model import Document, Heading, Paragraph, Source
from sanbo.kernel.problems import SanboError, UnsupportedFormat
from tests.cpu_time import timed
from tests.examples import examples
from tests.unit.documents.damage import damaged, read_or_problem


def _read(page: str | bytes) -> Document:
    data = page.encode() if isinstance(page, str) else page
    return html.read(Source(name="案内.html", data=data))


def _blocks(page: str) -> list[tuple[str, str]]:
    document = _read(page)
    found: list[tuple[str, str]] = []
    for block in document.blocks:
        kind = block.role if isinstance(block, Paragraph) else block.kind
        kind = f"h{block.level}" if isinstance(block, Heading) else kind
        found.append((kind, document.text_of(block)))
    return found


def test_a_page_gives_its_title_headings_and_paragraphs() -> None:
    page = (
        "<!doctype html><html><head><title>就業規則 &amp; 別表</title><style>p{color:red}</style>"
        "</head><body><h1>第1章　総則</h1><p>この規則は、<b>従業員</b>に適用する。</p>"
        "<h2>定義</h2><p>二行に<br>わたる文</p></body></html>"
    )
    document = _read(page)
    assert document.title == "就業規則 & 別表"
    assert _blocks(page) == [
        ("h1", "第1章　総則"),
        ("body", "この規則は、従業員に適用する。"),
        ("h2", "定義"),
        ("body", "二行に\nわたる文"),
    ]
    assert document.blocks[-1].position.headings == ("第1章　総則", "定義")


def test_japanese_that_was_wrapped_in_the_source_has_no_gaps() -> None:
    assert _blocks("<p>この規則は、\n   従業員に\n適用する。</p><p>two\n words</p>") == [
        ("body", "この規則は、従業員に適用する。"),
        ("body", "two words"),
    ]


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>document.write('<p>x</p>')</script>",
        "<style>.x{}</style>",
        "<template><p>x</p></template>",
        "<noscript>x</noscript>",
        "<nav><ul><li>ホーム</li><li>会社概要</li></ul></nav>",
        "<div role='navigation'>ホーム</div>",
        "<div hidden>x<div>y</div></div>",
        "<div style='color: red; DISPLAY : none'>x</div>",
        "<p hidden>x",
        "<!-- x --><!-->",
        "<svg><title>絵</title><text>x</text></svg>",
        "<select><option>東京<option>大阪</select>",
        "<dialog>閉じた窓</dialog>",
        "<iframe src='http://127.0.0.1:9/'>x</iframe>",
        "<textarea hidden>x</textarea><input hidden value=x>",
        "<input type=hidden value=x><input type=PASSWORD value=x><input type=submit value=送信>",
        "<select><option value='' selected>選択してください<option>大阪</select>",
        "<img src=a.png alt=''><img alt=image001.png><img alt=計測 width=1 height=1>",
    ],
)
def test_what_no_visitor_sees_is_left_out(unseen: str) -> None:
    assert _blocks(f"<p>前</p>{unseen}<p>後</p>") == [("body", "前"), ("body", "後")]


def test_struck_text_is_left_out_and_said_so() -> None:
    page = (
        "<p>日当は<del>3,000円</del><ins>5,000円</ins>、<s>部<b>長</b></s>課長。<strike></strike></p>"
        "<p><span style='color:red; text-decoration: line-through'>旧規程</span>新規程</p>"
        "<del><p>第1条</p><p>第2条</p></del><p><s>閉じない</p><p>第3条</p>"
    )
    assert _blocks(page) == [
        ("body", "日当は5,000円、課長。"),
        ("body", "新規程"),
        ("body", "第3条"),
    ]
    (warning,) = _read(page).warnings
    assert (warning.text_id, warning.params) == ("struck_text_left_out", {"count": 5})


def test_forms_say_what_was_filled_in() -> None:
    page = (
        "<p>申請日：<input value=2025/4/1><input type=number value=3>件"
        "<input type=checkbox checked>承認 <input type=radio>却下 "
        "所属<select><option>営業<option selected>総務</select>"
        "理由<textarea>出張の\nため</textarea></p>"
    )
    assert _blocks(page) == [
        ("body", "申請日： 2025/4/1 3 件 ☑承認 □却下 所属 総務 理由 出張の\nため")
    ]
    table = _read(
        "<table><tr><th>氏名<th>出席<tr><td><input value=山田><td><input type=checkbox></table>"
    ).tables[0]
    assert table.rows == (("山田", "□"),)


def test_pictures_say_what_stands_for_them() -> None:
    page = "<p>体制は<img src=a.png alt='組織図（2025年4月）'>のとおり。</p>"
    assert _blocks(page) == [("body", "体制は 組織図（2025年4月） のとおり。")]


def test_lists_have_their_numbers_and_inner_lists_stand_alone() -> None:
    page = (
        "<ul><li>甲<li>乙<ol start=3><li>三</li><li value=7>七<li>八</ol></ul>"
        "<ol type=i><li><p>一</p><p>続き</p></ol>"
    )
    assert _blocks(page) == [
        ("list_item", "甲"),
        ("list_item", "乙"),
        ("list_item", "3. 三"),
        ("list_item", "7. 七"),
        ("list_item", "8. 八"),
        ("list_item", "i. 一"),
        ("list_item", "続き"),
    ]


def test_a_term_stands_with_its_definition() -> None:
    assert _blocks("<dl><dt>甲<dd>委託者をいう。<dt>乙</dt><dd>受託者をいう。</dd></dl>") == [
        ("list_item", "甲\n委託者をいう。"),
        ("list_item", "乙\n受託者をいう。"),
    ]


def test_readings_over_kanji_are_left_out() -> None:
    page = "<p><ruby>氏名<rp>（</rp><rt>しめい</rt><rp>）</rp></ruby>と<ruby>印<rt>いん</ruby></p>"
    assert _blocks(page) == [("body", "氏名と印")]


def test_code_keeps_its_lines() -> None:
    assert _blocks("<pre>if x:\n    return 1\n</pre>") == [("code", "if x:\n    return 1")]


def test_entities_and_spaces_read_as_characters() -> None:
    assert _blocks("<p>&lt;甲&gt;&nbsp;&#x4e59; &copy;\u00ad</p>") == [("body", "<甲> 乙 ©")]


class TestTables:
    def test_spans_say_their_value_once_and_header_rows_name_the_columns(self) -> None:
        document = _read(
            "<table><caption>料金表</caption>"
            "<thead><tr><th rowspan=2>品名<th colspan=2>金額<tr><th>税抜<th>税込</thead>"
            "<tr><td rowspan=2>ペン<td>100<td>110<tr><td>90<td>99"
            "<tr><td colspan=3>送料別</table>"
        )
        table = document.tables[0]
        assert table.title == "料金表"
        assert table.columns == ("品名", "金額 税抜", "金額 税込")
        assert table.rows == (("ペン", "100", "110"), ("", "90", "99"), ("送料別", "", ""))

    def test_first_cells_that_are_headers_of_rows_stay_in_the_rows(self) -> None:
        table = _read("<table><tr><th>氏名<td>山田<tr><th>住所<td>東京</table>").tables[0]
        assert table.columns is None
        assert table.rows == (("氏名", "山田"), ("住所", "東京"))

    def test_labels_beside_dates_and_amounts_name_no_columns(self) -> None:
        table = _read("<table><tr><th>申請者<td>山田<tr><th>期限<td>4/1</table>").tables[0]
        assert table.columns is None
        pairs = "<tr><th>申請者<td>山田<th>部署<td>総務<tr><th>金額<td>100<th>期限<td>4/1"
        assert _read(f"<table>{pairs}</table>").tables[0].columns is None

    def test_lines_and_lists_in_a_cell_stay_in_it(self) -> None:
        table = _read(
            "<table><tr><th>項目<th>内容<tr><td>持参品<td><ul><li>印鑑<li>身分証</ul><p>以上</table>"
        ).tables[0]
        assert table.rows == (("持参品", "印鑑 身分証 以上"),)

    def test_tables_that_only_place_things_are_read_as_text(self) -> None:
        page = (
            "<table><tr><td><h1>お知らせ</h1>本文<td>"
            "<table><tr><th>日<th>時<tr><td>1<td>9:00</table>右の文</table>"
            "<table><tr><td>一列だけ<tr><td>の表</table>"
        )
        assert _blocks(page) == [
            ("h1", "お知らせ"),
            ("body", "本文"),
            ("table", "日\t時\n1\t9:00"),
            ("body", "右の文"),
            ("body", "一列だけ"),
            ("body", "の表"),
        ]

    def test_a_stray_end_tag_in_a_cell_does_not_end_the_table(self) -> None:
        table = _read("<div><table><tr><th>甲<th>乙<tr><td>1</div></p><td>2</table></div>").tables[
            0
        ]
        assert table.rows == (("1", "2"),)


class TestEncodings:
    TEXT = "<meta charset={}><p>株式会社①髙島の案内です。詳しくはお問い合わせください。</p>"

    @pytest.mark.parametrize(
        ("declared", "codec"),
        [("Shift_JIS", "cp932"), ("utf-8", "utf-8"), ("utf-8", "cp932"), ("x-none", "utf-8")],
    )
    def test_a_declared_encoding_counts_only_if_the_bytes_agree(
        self, declared: str, codec: str
    ) -> None:
        page = self.TEXT.format(declared).encode(codec)
        assert _read(page).text.startswith("株式会社①髙島の案内")

    def test_the_older_way_of_declaring_it_and_xml(self) -> None:
        meta = '<meta http-equiv="Content-Type" content="text/html; charset=EUC-JP">'
        assert _read(f"{meta}<p>株式会社の案内</p>".encode("euc_jp")).text == "株式会社の案内"
        xml = '<?xml version="1.0" encoding="Shift_JIS"?><html>'
        page = f'{xml}<p>株式会社<script src="x"/>の案内</p>'
        assert _read(page.encode("cp932")).text == "株式会社の案内"


def test_a_page_without_text_is_a_problem() -> None:
    with pytest.raises(UnsupportedFormat) as raised:
        _read("<title>題だけ</title><img src='http://127.0.0.1:9/x.png'><script>x</script>")
    assert raised.value.problem.text_id == "document_without_text"


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000 + "底",
        "<table><tr><td>" * 30_000 + "底",
        "<ul><li>" * 30_000 + "底",
        "<b><p>" * 30_000 + "底",
        "底<a " + " ".join(f"a{n}=1" for n in range(50_000)) + ">",
        "底" + "<" * 100_000,
        "底" + "&" * 100_000,
        "底" + "<a b='" * 30_000,
        "底" + "<!--" * 30_000,
        "底<p style='" + "text-decoration:" * 50_000 + "'>",
        "底" + "<select><option>" * 30_000,
        "<table><tr>" + "<td rowspan=65534 colspan=1000>底" * 300 + "<tr><td>x" * 3_000,
        "<table>" + "<tr><th colspan=999999999>底<th>x" * 2_000 + "<tr><td>y",
    ],
    ids=lambda page: page[:24],
)
def test_hostile_pages_take_seconds_not_minutes(page: str) -> None:
    document, seconds = timed(lambda: _read(page))
    assert "底" in document.text
    assert seconds < 8


def test_damaged_pages_are_read_or_refused_never_a_crash() -> None:
    sound = (
        "<html><title>題</title><body><h1>見出し</h1><ul><li>甲<li>乙</ul><table><tr><th>a<th>b"
        "<tr><td rowspan=2>1<td>2</table><pre>x</pre><p>終わり&amp;</html>"
    ).encode()
    for broken in damaged(sound, 60):
        read_or_problem(html.read, broken, "a.html")


_TAGS = st.sampled_from(sorted({*BLOCKS, "br", "ruby", "rt", "nav", "script", "b"} - {"dialog"}))
_PIECES = st.one_of(
    _TAGS.map(lambda name: f"<{name}>"),
    _TAGS.map(lambda name: f"</{name}>"),
    st.sampled_from(["<p hidden>", "<td colspan=2>", "<td rowspan=3>", "文", " \n", "<!--", "-->"]),
)


@settings(max_examples=examples(200))
@given(st.lists(_PIECES, max_size=40))
def test_tags_in_any_order_lose_no_text_that_follows_them(pieces: list[str]) -> None:
    page = "".join(pieces) + "--></script></p></pre>" + "</table></nav>" * 40 + "<hr><p>終端"
    try:
        document = _read(page)
    except SanboError:
        pytest.fail("the last paragraph is there to be read")
    assert document.text.endswith("終端")
