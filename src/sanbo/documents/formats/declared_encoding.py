"""Text whose encoding a page or a mail declares: believed only as far as the bytes agree."""

from sanbo.documents.encodings import Decoded, decode
from sanbo.documents.japanese_bytes import decode_euc_jp, decode_iso_2022_jp
from sanbo.kernel.problems import SanboError

_WINDOWS_31J = {"shift-jis", "sjis", "x-sjis", "windows-31j", "ms932", "cswindows31j", "cp932"}
_EUC_JP = {"euc-jp", "x-euc-jp", "eucjp", "eucjp-ms", "cp51932"}
_ISO_2022_JP = ("iso-2022-jp", "csiso2022jp", "cp5022")
# Mails say ASCII or Latin-1 when their program did not know better.
_SAYS_NOTHING = {"us-ascii", "ascii", "iso-8859-1", "latin-1", "unknown-8bit", "x-unknown"}


def decode_declared(data: bytes, charset: str | None) -> Decoded:
    """Never refuses: at worst, broken characters stand as U+FFFD."""
    name = (charset or "").strip().lower().replace("_", "-")
    if name and name not in _SAYS_NOTHING:
        try:
            return Decoded(_strictly(data, name), name)
        except (LookupError, ValueError):  # UnicodeError is a ValueError
            pass
    try:
        return decode(data)
    except SanboError:
        text = data.decode("cp932" if name in _WINDOWS_31J else "utf-8", "replace")
        return Decoded(text, name or "utf-8", text.count("\ufffd"))


def _strictly(data: bytes, name: str) -> str:
    if name in _WINDOWS_31J:
        return data.decode("cp932")
    if name in _EUC_JP:
        return decode_euc_jp(data)
    if name.startswith(_ISO_2022_JP) and data.isascii():
        return decode_iso_2022_jp(data)
    if name.startswith(("utf-16", "utf-32", "iso-2022", "utf-7")):  # the bytes themselves show it
        raise LookupError(name)
    return data.decode(name).lstrip("\ufeff")
