"""How a report's parts are set: as Markdown, or as plain text for mails and forms."""

from dataclasses import dataclass
from typing import Literal, Protocol

from sanbo.evidence.plain_words import as_markdown, as_text

Style = Literal["markdown", "text"]


class Marks(Protocol):
    """Takes words of anybody, except where it says that they are set already."""

    def words(self, text: str) -> str: ...

    def title(self, text: str) -> str: ...

    def heading(self, text: str) -> str: ...

    def subheading(self, text: str) -> str: ...

    def bullet(self, set_text: str) -> str: ...

    def notice(self, set_text: str) -> str:
        """What a reader must not miss."""
        ...

    def source(self, set_text: str, set_quote: str) -> str: ...


@dataclass(frozen=True)
class MarkdownMarks:
    def words(self, text: str) -> str:
        return as_markdown(text)

    def title(self, text: str) -> str:
        return f"# {as_markdown(text)}"

    def heading(self, text: str) -> str:
        return f"## {as_markdown(text)}"

    def subheading(self, text: str) -> str:
        return f"### {as_markdown(text)}"

    def bullet(self, set_text: str) -> str:
        return f"- {set_text}"

    def notice(self, set_text: str) -> str:
        return f"> {set_text}"

    def source(self, set_text: str, set_quote: str) -> str:
        return f"- {set_text}\n  > {set_quote}"


@dataclass(frozen=True)
class TextMarks:
    def words(self, text: str) -> str:
        return as_text(text)

    def title(self, text: str) -> str:
        return f"■■ {as_text(text)}"

    def heading(self, text: str) -> str:
        return f"■ {as_text(text)}"

    def subheading(self, text: str) -> str:
        return f"□ {as_text(text)}"

    def bullet(self, set_text: str) -> str:
        return f"・{set_text}"

    def notice(self, set_text: str) -> str:
        return f"※ {set_text}"

    def source(self, set_text: str, set_quote: str) -> str:
        return f"・{set_text}\n　　{set_quote}"


def marks_of(style: Style) -> Marks:
    return MarkdownMarks() if style == "markdown" else TextMarks()
