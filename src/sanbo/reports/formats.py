"""The files that a report can be, by their endings."""

from typing import Literal, get_args

ReportFormat = Literal["md", "docx", "xlsx", "html"]


def format_of(name: str) -> ReportFormat | None:
    """By the ending of the file that is wanted."""
    ending = name.rpartition(".")[2].casefold()
    known: dict[str, ReportFormat] = {"markdown": "md", "htm": "html"}
    known |= {form: form for form in get_args(ReportFormat)}
    return known.get(ending)
