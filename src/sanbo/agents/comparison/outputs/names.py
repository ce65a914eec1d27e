"""The files a comparison can be taken away as, and what they are called."""

from typing import Literal, get_args

from sanbo.documents.file_formats import formats, media_type_of
from sanbo.kernel.messages import Language, tell

OutputFormat = Literal["markdown", "html", "docx", "xlsx", "json"]

OUTPUTS: tuple[OutputFormat, ...] = get_args(OutputFormat)


def media_type(output: OutputFormat) -> str:
    return formats()[output].media_type


def output_of(file: str) -> OutputFormat | None:
    """By the ending of the file that is wanted."""
    for output in OUTPUTS:
        if media_type_of(file) == media_type(output):
            return output
    return None


def download_name(output: OutputFormat, language: Language) -> str:
    """新旧対照表.docx, 比較結果.md; never made from the documents' own names."""
    is_table = output in ("docx", "xlsx")
    stem = "comparison_outputs.file.table" if is_table else "comparison_outputs.file.result"
    return f"{tell(stem, language)}{formats()[output].ending}"
