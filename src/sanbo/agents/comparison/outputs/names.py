"""The files a comparison can be taken away as, and what they are called."""

from typing import Literal

from sanbo.kernel.messages import Language, tell

OutputFormat = Literal["markdown", "html", "docx", "xlsx", "json"]

EXTENSIONS: dict[OutputFormat, str] = {
    "markdown": "md",
    "html": "html",
    "docx": "docx",
    "xlsx": "xlsx",
    "json": "json",
}
MEDIA_TYPES: dict[OutputFormat, str] = {
    "markdown": "text/markdown",
    "html": "text/html",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}


def download_name(output: OutputFormat, language: Language) -> str:
    """新旧対照表.docx, 比較結果.md; never made from the documents' own names."""
    is_table = output in ("docx", "xlsx")
    stem = "comparison_outputs.file.table" if is_table else "comparison_outputs.file.result"
    return f"{tell(stem, language)}.{EXTENSIONS[output]}"
