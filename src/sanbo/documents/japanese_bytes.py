"""CP932, EUC-JP and ISO-2022-JP as Windows writes them: ① ㈱ 髙 and half-width kana included.

Python's own codecs know the JIS standards only. Offices write the extensions of Windows-31J in
these encodings too, and mean the same characters by the same codes whichever encoding carries
them, as the Encoding Standard of the web does: code 0x2141 is `～` everywhere, never `〜` in one
file and `～` in the next.
"""

import codecs
import re

_HIGH = bytes(code | 0x80 if 0x21 <= code <= 0x7E else code for code in range(256))

# Where the JIS codecs and Windows-31J name one code differently, Windows-31J is followed.
_AS_WINDOWS = tuple(zip("〜‖−¢£¬", "～∥－￠￡￢", strict=True))

_ESCAPE = re.compile(rb"\x1b(\$[@B]|\$\([@BDOPQ]|\([BJIH])")
_TO_JAPANESE = re.compile(rb"\x1b(\$[@B]|\$\([@BDOPQ]|\(I)")

# Bytes that belong to no character of Windows-31J, as Python's codec lets them through.
_UNUSED = tuple("\x80\xa0\uf8f1\uf8f2\uf8f3")

_EXTENDED = "sanbo.windows-extensions"
_EXTENDED_OR_REPLACED = "sanbo.windows-extensions-or-replaced"


def _extended(error: UnicodeError) -> tuple[str, int]:
    """A pair that JIS X 0208 leaves empty, read from the rows that NEC and IBM filled."""
    if isinstance(error, UnicodeDecodeError):
        pair = error.object[error.start : error.start + 2]
        if len(pair) == 2 and min(pair) >= 0xA1 and max(pair) <= 0xFE:
            character = _shift_jis(pair).decode("cp932", "replace")
            if "\ufffd" not in character:
                return character, error.start + 2
    raise error


def _extended_or_replaced(error: UnicodeError) -> tuple[str, int]:
    try:
        return _extended(error)
    except UnicodeDecodeError as broken:
        return "\ufffd", broken.start + 1


codecs.register_error(_EXTENDED, _extended)
codecs.register_error(_EXTENDED_OR_REPLACED, _extended_or_replaced)


def _shift_jis(pair: bytes) -> bytes:
    row, cell = pair[0] - 0xA0, pair[1] - 0xA0
    lead = (row + 1) // 2 + (0x80 if row <= 62 else 0xC0)
    if row % 2:
        return bytes((lead, cell + (0x3F if cell <= 63 else 0x40)))
    return bytes((lead, cell + 0x9E))


def decode_cp932(data: bytes, *, replace: bool = False) -> str:
    """Windows-31J. UnicodeDecodeError for broken bytes, or U+FFFD in their place."""
    text = data.decode("cp932", "replace" if replace else "strict")
    for unused in _UNUSED:
        if unused in text:
            if not replace:
                raise UnicodeDecodeError("cp932", data, 0, 1, "a byte that stands for nothing")
            text = text.replace(unused, "\ufffd")
    return text


def decode_euc_jp(data: bytes, *, replace: bool = False) -> str:
    """UnicodeDecodeError for broken bytes, or U+FFFD in their place."""
    errors = _EXTENDED_OR_REPLACED if replace else _EXTENDED
    return _as_windows(data.decode("euc_jp", errors))


def _as_windows(text: str) -> str:
    for standard, windows in _AS_WINDOWS:  # a search each is far faster than `translate`
        text = text.replace(standard, windows)
    return text


def looks_like_iso_2022_jp(data: bytes) -> bool:
    """Seven bits with an escape to a Japanese set; terminals' own escapes are others."""
    return b"\x1b" in data and data.isascii() and bool(_TO_JAPANESE.search(data))


def decode_iso_2022_jp(data: bytes) -> str:
    """Broken bytes become U+FFFD."""
    # The pattern has one group, so `split` gives text, escape, text, escape, …
    parts = _ESCAPE.split(data)
    pieces = [_decode_set(b"(B", parts[0])]
    pieces += [_decode_set(parts[n], parts[n + 1]) for n in range(1, len(parts), 2)]
    return "".join(pieces)


def _decode_set(escape: bytes, data: bytes) -> str:
    match escape:
        case b"$@" | b"$B" | b"$(@" | b"$(B":  # JIS X 0208, with the rows of NEC and IBM
            return decode_euc_jp(data.translate(_HIGH), replace=True)
        case b"$(D":  # JIS X 0212
            return _shifted(data).decode("euc_jp", "replace")
        case b"$(O" | b"$(Q":  # JIS X 0213, plane 1
            return _as_windows(data.translate(_HIGH).decode("euc_jis_2004", "replace"))
        case b"$(P":  # JIS X 0213, plane 2
            return _shifted(data).decode("euc_jis_2004", "replace")
        case b"(I":
            return data.translate(_HIGH).decode("cp932", "replace")
        case _:  # ASCII, and JIS X 0201 Roman, which Windows does not tell apart
            return data.decode("ascii", "replace")


def _shifted(data: bytes) -> bytes:
    """Pairs of a second set as EUC-JP writes them, each behind its own shift."""
    return re.sub(rb"[\x21-\x7e]{2}", lambda pair: b"\x8f" + pair[0].translate(_HIGH), data)
