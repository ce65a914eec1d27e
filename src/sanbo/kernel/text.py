"""Matching form: how two spellings of one word are made equal. Never stored, only compared."""

import unicodedata


def matching_form(text: str) -> str:
    """NFKC, case-folded, white space collapsed: `ＡＢＣ　Ｌｔｄ` and `abc ltd` are one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
