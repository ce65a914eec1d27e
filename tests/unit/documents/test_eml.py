"""Mails as Japanese offices send them: every encoding, every kind of attachment."""

import base64
from email.message import EmailMessage

import pytest

from sanbo.documents.formats.eml import reader as eml
from sanbo.documents.model import Document, Paragraph, Source
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat
from tests.cpu_time import timed
from tests.unit.documents.damage import damaged, read_or_problem


def _source(data: bytes, name: str = "依頼.eml") -> Source:
    return Source(name=name, data=data)


def _read(data: bytes) -> Document:
    return eml.read(_source(data))


def _blocks(data: bytes) -> list[tuple[str, str]]:
    document = _read(data)
    return [
        (block.role if isinstance(block, Paragraph) else block.kind, document.text_of(block))
        for block in document.blocks
    ]


def _mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "山田太郎 <yamada@example.com>"
    mail["To"] = "佐藤花子 <sato@example.com>"
    mail["Cc"] = "kanri@example.com"
    mail["Date"] = "Mon, 01 Apr 2024 10:00:00 +0900"
    mail["Subject"] = (
        "見積書の送付について（四月分の事務用品と什器、および保守契約の更新に関するご相談）"
    )
    mail.set_content("お世話になっております。\n山田です。\n\n添付をご確認ください。\n")
    return mail


def test_a_mail_gives_its_headers_and_its_text() -> None:
    document = _read(_mail().as_bytes())
    assert document.title == (
        "見積書の送付について（四月分の事務用品と什器、および保守契約の更新に関するご相談）"
    )
    assert _blocks(_mail().as_bytes()) == [
        (
            "metadata",
            "From: 山田太郎 <yamada@example.com>\nTo: 佐藤花子 <sato@example.com>\n"
            "Cc: kanri@example.com\nDate: Mon, 01 Apr 2024 10:00:00 +0900\n"
            f"Subject: {document.title}",
        ),
        ("body", "お世話になっております。\n山田です。"),
        ("body", "添付をご確認ください。"),
    ]


def test_plain_text_is_preferred_and_html_read_where_there_is_no_other() -> None:
    both = _mail()
    both.add_alternative("<p>飾りのある本文</p>", subtype="html")
    assert "飾り" not in _read(both.as_bytes()).text
    only = EmailMessage()
    only["Subject"] = "通知"
    only.set_content("<h1>通知</h1><table><tr><td><p>本文です</table><script>x</script>", "html")
    assert _blocks(only.as_bytes())[1:] == [("heading", "通知"), ("body", "本文です")]
    empty = _mail()
    empty.set_content(" \n")
    empty.add_alternative("<p>こちらが本文</p>", subtype="html")
    assert "こちらが本文" in _read(empty.as_bytes()).text


@pytest.mark.parametrize(
    ("stub", "page"),
    [
        ("このメールはHTML形式です。", "<p>会議は4月1日の10時からです。</p>"),
        ("予約を受け付けました。", f"<p>予約番号：A-123</p><p>{'宿泊の条件です。' * 40}</p>"),
    ],
)
def test_a_plain_text_that_only_stands_in_for_the_page_gives_way_to_it(
    stub: str, page: str
) -> None:
    mail = _mail()
    mail.set_content(stub)
    mail.add_alternative(page, subtype="html")
    text = _read(mail.as_bytes()).text
    assert "会議は4月1日" in text or "予約番号：A-123" in text
    assert stub not in text


def test_decoration_does_not_make_a_page_the_longer_text() -> None:
    mail = _mail()
    style = "font-family:Meiryo;color:#333;" * 100
    mail.add_alternative(f"<p style='{style}'>飾りのある本文</p>", subtype="html")
    assert "添付をご確認ください。" in _read(mail.as_bytes()).text


@pytest.mark.parametrize("disposition", [b"", b"Content-Disposition: inline; filename=body.txt\n"])
def test_a_mail_of_one_named_text_has_it_as_its_body(disposition: bytes) -> None:
    named = b'From: a@x\nSubject: x\nContent-Type: text/plain; charset=utf-8; name="body.txt"\n'
    mail = _raw(named + disposition, "本文だけ".encode())
    assert _blocks(mail)[1:] == [("body", "本文だけ")]
    assert eml.attachments(_source(mail)) == []
    attached = _raw(named + b"Content-Disposition: attachment\n", "一覧".encode())
    assert [file.name for file in eml.attachments(_source(attached))] == ["依頼.eml/body.txt"]


def _raw(headers: bytes, body: bytes) -> bytes:
    return headers.replace(b"\n", b"\r\n") + b"\r\n" + body


JIS_WITH_VENDOR_CHARACTERS = b"\x1b$B-!-j9b66\x1b(B \x1b(I1234\x1b(B"  # ①㈱高橋 ｱｲｳｴ


class TestJapaneseEncodings:
    def test_bodies_in_iso_2022_jp_with_the_characters_of_windows(self) -> None:
        mail = _raw(
            b"From: a@example.com\nSubject: x\nContent-Type: text/plain; charset=ISO-2022-JP\n",
            JIS_WITH_VENDOR_CHARACTERS,
        )
        assert _blocks(mail)[1] == ("body", "①㈱高橋 ｱｲｳｴ")

    def test_subjects_in_encoded_words(self) -> None:
        word = base64.b64encode(JIS_WITH_VENDOR_CHARACTERS)
        mail = _raw(b"From: a@x\nSubject: =?ISO-2022-JP?B?" + word + b"?=\n", b"x")
        assert _read(mail).title == "①㈱高橋 ｱｲｳｴ"

    def test_a_character_cut_between_two_words_is_whole_again(self) -> None:
        data = "東京都千代田区".encode()
        words = b"\n ".join(
            b"=?UTF-8?B?" + base64.b64encode(part) + b"?=" for part in (data[:7], data[7:])
        )
        assert _read(_raw(b"From: a@x\nSubject: Re: " + words + b" (2)\n", b"x")).title == (
            "Re: 東京都千代田区 (2)"
        )

    @pytest.mark.parametrize("codec", ["cp932", "utf-8"])
    def test_raw_bytes_in_headers(self, codec: str) -> None:
        subject = "【重要】機能追加の予定表について"
        mail = _raw(b"From: a@x\nSubject: " + subject.encode(codec) + b"\n", b"x")
        assert _read(mail).title == subject

    def test_raw_escapes_in_headers(self) -> None:
        mail = _raw(b"From: a@x\nSubject: \x1b$B8+@Q=q\x1b(B\n", b"x")
        assert _read(mail).title == "見積書"

    @pytest.mark.parametrize("charset", [b"us-ascii", b"iso-8859-1", b"utf-8", b"x-none"])
    def test_quoted_printable_words_and_wrong_charsets(self, charset: bytes) -> None:
        mail = _raw(
            b"From: =?utf-8?Q?=E5=B1=B1=E7=94=B0_=E5=A4=AA=E9=83=8E?= <a@x>\nSubject: x\n"
            b"Content-Type: text/plain; charset=" + charset + b"\n",
            "本日の会議は中止になりました。".encode("cp932"),
        )
        assert _blocks(mail) == [
            ("metadata", "From: 山田 太郎 <a@x>\nSubject: x"),
            ("body", "本日の会議は中止になりました。"),
        ]


class TestAttachments:
    def test_they_are_listed_and_handed_over(self) -> None:
        mail = _mail()
        mail.add_attachment(
            b"%PDF-1.7", maintype="application", subtype="pdf", filename="見積書.pdf"
        )
        mail.add_attachment("a,b\n", subtype="csv", filename="見積書.pdf")
        data = mail.as_bytes()
        assert _blocks(data)[-1] == (
            "metadata",
            "Attachment: 見積書.pdf (8 bytes)\nAttachment: 見積書 (2).pdf (4 bytes)",
        )
        assert [(file.name, file.data) for file in eml.attachments(_source(data))] == [
            ("依頼.eml/見積書.pdf", b"%PDF-1.7"),
            ("依頼.eml/見積書 (2).pdf", b"a,b\n"),
        ]

    @pytest.mark.parametrize(
        ("header", "name"),
        [
            (b'Content-Type: a/b; name="' + "一覧表①.xlsx".encode("cp932") + b'"', "一覧表①.xlsx"),
            (
                b'Content-Disposition: attachment; filename="=?shift_jis?B?'
                + base64.b64encode("契約書.docx".encode("cp932"))
                + b'?="',
                "契約書.docx",
            ),
            (
                b"Content-Disposition: attachment;\r\n filename*0*=UTF-8''%E8%AB%8B%E6%B1%82;\r\n"
                b" filename*1*=%E6%9B%B8.pdf",
                "請求書.pdf",
            ),
            (
                b"Content-Disposition: attachment; filename*=iso-2022-jp''%1B$B8+@Q=q%1B%28B.pdf",
                "見積書.pdf",
            ),
            (
                b'Content-Disposition: attachment; filename="../../etc/pass\x00wd"',
                "_.._etc_pass_wd",
            ),
            (b"Content-Type: application/pdf", "attachment-1.pdf"),
        ],
    )
    def test_names_in_every_way_programs_write_them(self, header: bytes, name: str) -> None:
        mail = (
            b"From: a@x\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
            b"--b\r\nContent-Type: text/plain\r\n\r\ntext\r\n--b\r\n"
            + header
            + b"\r\n\r\ndata\r\n--b--"
        )
        assert [file.name for file in eml.attachments(_source(mail))] == [f"依頼.eml/{name}"]

    def test_a_mail_in_a_mail_is_a_mail(self) -> None:
        inner = _mail()
        inner.add_attachment(b"x", maintype="a", subtype="b", filename="内側.bin")
        outer = _mail()
        outer.add_attachment(inner)
        (attached,) = eml.attachments(_source(outer.as_bytes()))
        assert attached.name.endswith(".eml")
        assert "お世話になっております" in eml.read(attached).text
        (innermost,) = eml.attachments(attached)
        assert (innermost.name, innermost.data) == (f"{attached.name}/内側.bin", b"x")

    def test_the_headers_of_a_mail_in_a_mail_stay_as_they_came(self) -> None:
        inner = b"From: a@x\r\nSubject: " + "機能の一覧表について".encode("cp932") + b"\r\n\r\ntext"
        outer = _raw(b"From: b@x\nSubject: Fwd\nContent-Type: message/rfc822\n", inner)
        (attached,) = eml.attachments(_source(outer))
        assert eml.read(attached).title == "機能の一覧表について"

    def test_parameters_that_contradict_each_other_do_not_lose_the_file(self) -> None:
        mail = _raw(
            b"From: a@x\nSubject: x\nContent-Type: application/pdf\n"
            b"Content-Disposition: attachment; filename*0=a; filename*=b\n",
            b"data",
        )
        assert [file.data for file in eml.attachments(_source(mail))] == [b"data"]

    def test_mails_in_mails_end_somewhere(self) -> None:
        deep = "/".join(["a.eml"] * 6)
        with pytest.raises(LimitExceeded):
            eml.attachments(_source(_mail().as_bytes(), name=deep))

    def test_logos_of_html_mails_are_no_attachments(self) -> None:
        mail = EmailMessage()
        mail["Subject"] = "案内"
        mail.set_content("<p>本文<img src='cid:logo'></p>", "html")
        mail.add_related(b"\x89PNG", maintype="image", subtype="png", cid="<logo>")
        assert eml.attachments(_source(mail.as_bytes())) == []

    def test_too_many_are_cut_off_and_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(eml, "MAX_ATTACHMENTS", 3)
        mail = _mail()
        for number in range(5):
            mail.add_attachment(b"x", maintype="a", subtype="b", filename=f"{number}.bin")
        assert len(eml.attachments(_source(mail.as_bytes()))) == 3
        assert [w.text_id for w in _read(mail.as_bytes()).warnings] == ["eml_too_many_attachments"]


def test_flowed_lines_are_joined() -> None:
    mail = _raw(
        b"From: a@x\nSubject: x\n"
        b"Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n",
        "長い行は \r\n続きます。\r\n次の行".encode(),
    )
    assert _blocks(mail)[1] == ("body", "長い行は続きます。\n次の行")


def test_a_mail_whose_text_can_not_be_read_says_so() -> None:
    mail = _raw(
        b"From: a@x\nSubject: x\nContent-Type: application/pkcs7-mime; name=smime.p7m\n",
        b"\x30\x80",
    )
    assert [warning.text_id for warning in _read(mail).warnings] == ["eml_without_body"]


def test_a_broken_boundary_does_not_lose_the_text() -> None:
    mail = _raw(b"From: a@x\nSubject: x\nContent-Type: multipart/mixed\n", "本文です。".encode())
    assert "本文です。" in _read(mail).text


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02", "ただの文章です。\n二行目".encode(), b"a: b\n\nc"]
)
def test_what_is_no_mail_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat) as raised:
        _read(data)
    assert raised.value.problem.text_id == "eml_not_mail"


@pytest.mark.parametrize("depth", [60, 2000])
def test_parts_nested_without_end_are_refused(depth: int) -> None:
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n)
        for n in range(depth)
    )

    def refused() -> None:
        with pytest.raises(LimitExceeded):
            _read(b"From: a@x\r\nSubject: x\r\n" + nested + b"\r\nx")

    assert timed(refused)[1] < 10


def test_damaged_files_are_read_or_refused_never_a_crash() -> None:
    mail = _mail()
    mail.add_alternative("<p>HTML</p>", subtype="html")
    mail.add_attachment(b"x" * 50, maintype="application", subtype="pdf", filename="見積書.pdf")
    inner = _mail()
    mail.add_attachment(inner)
    for broken in damaged(mail.as_bytes(), 80):
        read_or_problem(eml.read, broken, "a.eml")
        try:
            eml.attachments(_source(broken))
        except SanboError:
            continue
