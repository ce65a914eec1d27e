"""The encoding of a text file, found from its bytes: Japanese offices still write six of them.

Python's own codecs know the JIS standards only. Offices write the extensions of Windows-31J (① ㈱)
in CP932, EUC-JP and ISO-2022-JP too, and mean the same characters by the same codes whichever
encoding carries them, as the Encoding Standard of the web does: code 0x2141 is `～` everywhere,
never `〜` in one file and `～` in the next.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sanbo.documents.likelihood import judge
from sanbo.kernel.problems import InvalidInput, SanboError, UnsupportedFormat

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


# UTF-32 before UTF-16: the mark of UTF-16LE is how that of UTF-32LE begins.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Controls that no text file has. Tab, line ends, form feed, escape and the end of file of DOS
# do occur.
_CONTROLS = bytes((*range(9), *range(14, 26), *range(28, 32), 127))
_MOST_CONTROLS = 1 / 200
_MOST_BROKEN = 1 / 1000
_ALWAYS_ALLOWED = 3  # places; a few broken bytes are no reason to refuse a short text either
_MOST_BROKEN_AFTER_A_SHORT_MARK = 1 / 100
_SOUND_FOR_EACH_BROKEN = 8
_COST_OF_BROKEN = 15.0

# Every reading must decode to the end; which one is likelier shows in this much of a long file.
_SAMPLE = 1 << 20

# Evidence, in nats, that a reading must bring over the usual ones.
_HANDICAPS = {"utf-8": -3.0, "euc_jp": 1.5, "cp1252": 4.0}
_HANDICAP_OF_UTF_16 = 10.0
_MOST_MEAN = 11.2
_MOST_MEAN_WITHOUT_ASCII = 11.0
_MOST_MEAN_OF_BROKEN = 10.2
_ENOUGH_TO_DOUBT = 24  # different characters beyond ASCII; fewer may all be rare names
_ENOUGH_ACCENTS_TO_DOUBT = 6  # letters with accents stand among letters without
# Encodings in which nearly any bytes are characters, and those that have been tried already.
_NEVER_GUESSED = [
    *("utf_7", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le"),
    *("cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213"),
    *("euc_jp", "euc_jis_2004", "euc_jisx0213"),
    *("iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_3"),
    "iso2022_jp_ext",
    *("mac_cyrillic", "mac_greek", "mac_iceland", "mac_latin2", "mac_roman", "mac_turkish"),
]


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str
    """Python's name of it; EUC-JP and ISO-2022-JP are read with the extensions of Windows."""
    replaced: int = 0
    """Broken characters that stand as U+FFFD in the text: the reader warns of them."""


def decode(data: bytes) -> Decoded:
    """UnsupportedFormat for what is no text, or in no encoding that can be told."""
    found = _marked(data) or _escaped(data)
    if found is None and not _is_binary(data):
        found = _surely_utf_8(data) or _likeliest(data) or _slightly_broken(data) or _foreign(data)
    elif found is None:
        found = _utf_16(data)
    if found is None:
        raise UnsupportedFormat("text_encoding_unknown")
    return found


def decode_as(data: bytes, encoding: str) -> Decoded:
    """In this encoding, whatever the bytes look like."""
    try:
        text = _read(data, codecs.lookup(encoding).name, replace=True)
    except (LookupError, UnicodeError) as error:  # LookupError also for rot13 and such
        raise InvalidInput("text_encoding_unusable", encoding=encoding) from error
    return _counted(text.lstrip("\ufeff"), encoding)


def decode_named(data: bytes, encoding: str) -> Decoded:
    """As a person has named it; not where most of it would come out broken."""
    decoded = decode_as(data, encoding)
    if _is_sound(decoded):
        return decoded
    try:
        found = decode(data).encoding
    except UnsupportedFormat:
        raise InvalidInput("text_encoding_unusable", encoding=encoding) from None
    raise InvalidInput("text_encoding_other", encoding=encoding, found=found)


def _read(data: bytes, encoding: str, *, replace: bool = False) -> str:
    if encoding == "euc_jp":
        return decode_euc_jp(data, replace=replace)
    if encoding.startswith("iso2022_jp"):
        return decode_iso_2022_jp(data)
    if encoding in ("cp932", "shift_jis"):  # one thing to everyone but the standards
        return decode_cp932(data, replace=replace)
    return data.decode(encoding, "replace" if replace else "strict")


def _counted(text: str, encoding: str) -> Decoded:
    return Decoded(text, encoding, text.count("\ufffd"))


def _is_sound(decoded: Decoded) -> bool:
    """Few places are broken, and far more that need the encoding to be read are not."""
    if not decoded.replaced:
        return True
    text = decoded.text
    places = len(re.findall("\ufffd+", text))
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore")) - decoded.replaced
    return (
        places <= max(_ALWAYS_ALLOWED, len(text) * _MOST_BROKEN)
        and beyond_ascii >= decoded.replaced * _SOUND_FOR_EACH_BROKEN
    )


def _is_binary(data: bytes) -> bool:
    return len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _MOST_CONTROLS


def _marked(data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            # A file put together from files that had a mark each begins with two.
            decoded = _counted(data.decode(encoding, "replace").lstrip("\ufeff"), encoding)
            is_text = not _is_binary(decoded.text.encode("utf-8", "replace"))
            return decoded if is_text and _is_meant(mark, decoded) else None
    return None


def _is_meant(mark: bytes, decoded: Decoded) -> bool:
    """Three bytes are no chance, whatever came after them; two may be."""
    most = max(_ALWAYS_ALLOWED, len(decoded.text) * _MOST_BROKEN_AFTER_A_SHORT_MARK)
    return mark == codecs.BOM_UTF8 or decoded.replaced <= most


def _escaped(data: bytes) -> Decoded | None:
    if not looks_like_iso_2022_jp(data):
        return None
    decoded = _counted(decode_iso_2022_jp(data), "iso2022_jp")
    return decoded if _is_sound(decoded) else None


def _surely_utf_8(data: bytes) -> Decoded | None:
    """ASCII, or with characters that no other encoding makes by chance.

    Those of three bytes; those of two where they far outnumber what is broken.
    """
    text = data.decode("utf-8", "replace")
    decoded = _counted(text, "utf-8")
    if text.isascii():
        return decoded
    of_three_bytes = {character for character in set(text) if character >= "\u0800"} - {"\ufffd"}
    is_cut_off = decoded.replaced == 1 and text.endswith("\ufffd") and len(of_three_bytes) > 1
    is_sure = of_three_bytes or decoded.replaced
    return decoded if is_cut_off or (is_sure and _is_sound(decoded)) else None


def _likeliest(data: bytes) -> Decoded | None:
    found = _cheapest(_readings(data))
    if len(data) > _SAMPLE:
        return found
    other = _utf_16(data)
    if found is None or other is None:
        return found or other
    costs = [judge(text.text).cost for text in (found, other)]
    return other if costs[1] + _HANDICAP_OF_UTF_16 < costs[0] else found


def _cheapest(readings: Iterable[tuple[float, Decoded]]) -> Decoded | None:
    return min(readings, key=lambda reading: reading[0], default=(0.0, None))[1]


def _readings(data: bytes) -> Iterator[tuple[float, Decoded]]:
    """Every reading without an error that a person could have meant, with its cost."""
    words = _telling_words(data)
    for encoding in ("utf-8", "cp932", "euc_jp", "cp1252"):
        try:
            text = _read(data, encoding)
            likelihood = judge(_read(words, encoding))
        except UnicodeDecodeError:
            continue
        is_rare = likelihood.mean > _MOST_MEAN
        enough = _ENOUGH_ACCENTS_TO_DOUBT if encoding == "cp1252" else _ENOUGH_TO_DOUBT
        if not (is_rare and likelihood.kinds_beyond_ascii >= enough):
            yield likelihood.cost + _HANDICAPS.get(encoding, 0.0), Decoded(text, encoding)


def _telling_words(data: bytes) -> bytes:
    """Each once, since a word in every line says no more than one: those beyond ASCII.

    The bytes between them are part of no character in any of the encodings.
    """
    words = dict.fromkeys(re.split(rb"[\x00-\x3f]+", _telling_lines(data)))
    return b"\n".join(word for word in words if not word.isascii())


def _telling_lines(data: bytes) -> bytes:
    """All of it, or lines with characters beyond ASCII from all over a long file."""
    if len(data) <= _SAMPLE:
        return data
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    step = sum(map(len, lines)) // _SAMPLE + 1
    return b"\n".join(lines[::step])


def _utf_16(data: bytes) -> Decoded | None:
    return _cheapest(_utf_16_readings(data))


def _utf_16_readings(data: bytes) -> Iterator[tuple[float, Decoded]]:
    """Without a mark, UTF-16 shows by the NUL that half of every ASCII character is."""
    has_ascii = b"\0" in data
    if len(data) % 2 or not (has_ascii or len(data) <= 200):  # long, and not even a line end
        return
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        likelihood = judge(text[:_SAMPLE])
        per_character = likelihood.cost / max(1, len(text[:_SAMPLE]))
        if per_character <= (_MOST_MEAN if has_ascii else _MOST_MEAN_WITHOUT_ASCII):
            yield likelihood.cost, Decoded(text, encoding)


def _slightly_broken(data: bytes) -> Decoded | None:
    sample = _telling_lines(data)[:_SAMPLE]
    found = _cheapest(_broken_readings(sample))
    if found is None:
        return None
    decoded = decode_as(data, found.encoding)
    return decoded if _is_sound(decoded) else None


def _broken_readings(sample: bytes) -> Iterator[tuple[float, Decoded]]:
    for encoding in ("cp932", "euc_jp"):
        probe = decode_as(sample, encoding)
        likelihood = judge(probe.text.replace("\ufffd", ""))
        if _is_sound(probe) and likelihood.mean <= _MOST_MEAN_OF_BROKEN:
            yield likelihood.cost + probe.replaced * _COST_OF_BROKEN, probe


def _foreign(data: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 70 ms that hardly any file needs

    best = from_bytes(_telling_lines(data)[:_SAMPLE], cp_exclusion=_NEVER_GUESSED).best()
    if best is None:
        return None
    decoded = decode_as(data, best.encoding)
    return decoded if _is_sound(decoded) else None


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
