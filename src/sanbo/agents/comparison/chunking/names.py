"""Names of files without what tells one version from another: `規程_v2`, `規程（改定後）`."""

import re
from pathlib import PurePosixPath

from sanbo.kernel.text import matching_form
from sanbo.language.eras import NAMES

_SIGN = r"[\s_\-.()\[\]【】〔〕]"
_YEAR = rf"(?:(?:19|20)[0-9]{{2}}|(?:{NAMES}|(?<![a-z])[rh])(?:[0-9]{{1,2}}|元))"
_DATE = rf"{_YEAR}(?:年度?|[._\-])?(?:[0-9]{{1,2}}(?:月|[._\-])?(?:[0-9]{{1,2}}日?)?)?"
_VERSION = (
    r"(?<![a-z])(?:v|ver|version|rev)[.\s_]{0,5}[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}"
    r"|第?[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}版"
)
_STATE = (
    "(?:改[定正訂]|変更|修正|更新|見直し)[前後版案]?|(?:現行|最新|最終|確定)版?|[旧新]版?"
    "|(?:の)?コピー|copy|old|new|final|draft|before|after|案"
)
_NOISE = re.compile(
    rf"{_SIGN}{{0,5}}(?:{_DATE}版?|{_VERSION}|\([0-9]{{1,3}}\)){_SIGN}{{0,5}}(?![a-z0-9])"
    rf"|{_SIGN}{{1,5}}(?:{_STATE})(?={_SIGN}|$)"
    rf"|^{_SIGN}{{0,5}}(?:(?:{_STATE}){_SIGN}{{1,5}}|[旧新](?=\S\S))"
)
_SIGNS = re.compile(f"{_SIGN}+")


def base_name(name: str) -> str:
    return PurePosixPath(name).name


def same_name(name: str) -> str:
    """Without its extension and in matching form: a contract as DOCX and as PDF."""
    path = PurePosixPath(name)
    return matching_form(str(path.with_suffix("") if path.suffix else path))


def without_version(name: str) -> str:
    """The same with dates, versions and 旧, 新 taken out of the last name; empty if that is all."""
    folder, _, last = same_name(name).rpartition("/")
    kept = last
    while (shorter := _NOISE.sub("", kept)) != kept:
        kept = shorter
    kept = _SIGNS.sub("", kept)
    return f"{folder}/{kept}" if kept else ""
