"""`file.fill_template`: a Word document or a text with places `{{項目}}`, filled in."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given, NewFile
from sanbo.documents.encodings import decode
from sanbo.documents.model import Source
from sanbo.documents.word_templates import PLACE, fill_document
from sanbo.kernel.markdown import paragraphs
from sanbo.kernel.problems import InvalidInput
from sanbo.reports.content import Report, type_of, written
from sanbo.runs.model import FileRef
from sanbo.runs.parts import Text
from sanbo.tables.expressions.evaluation import Expression, RowNames
from sanbo.tables.expressions.operations import Failed
from sanbo.tables.expressions.syntax import ExpressionRefused, parse, parts_of
from sanbo.tables.expressions.syntax import Given as Named
from sanbo.tables.values import text_of

_WORD, _TEXTS = ".docx", (".txt", ".md", ".markdown", "")
_MOST_NAMES = 20


class FillTemplate(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        source = _source(given.template, context)
        ending = PurePosixPath(source.name).suffix.lower()
        filling = _Filling(given.data)
        text: str | None = None
        if ending == _WORD:
            document = fill_document(source, filling.value, filling.repeats)
        elif ending in _TEXTS:
            template = decode(source.data).text
            text = filling.text(template)
            is_plain = ending == ".txt"
            # Values are no Markdown, whatever the template is.
            drawn = text if is_plain else _Filling(given.data, paragraphs).text(template)
            document = _as_document(drawn, given.name, context, is_plain=is_plain)
        else:
            raise InvalidInput("template_kind", name=source.name)
        missing = list(dict.fromkeys(filling.missing))
        if missing:
            names = "、".join(missing[:_MOST_NAMES])
            context.warn(InvalidInput("template_missing", count=len(missing), names=names))
        name = given.name if given.name.lower().endswith(_WORD) else f"{given.name}{_WORD}"
        return {
            "document": NewFile(name, document, type_of("docx")),
            "text": text,
            "summary": {
                "name": name,
                "filled": filling.filled,
                "missing": missing,
                "rows": filling.rows,
            },
        }


def _source(template: FileRef | str, context: BlockContext) -> Source:
    if isinstance(template, str):
        return Source(name="", data=template.encode())
    return Source(name=template.name, data=context.files.read(template))


def _as_document(text: str, name: str, context: BlockContext, *, is_plain: bool) -> bytes:
    title = PurePosixPath(name).stem
    parts = (Text(id="text", markdown=text, is_plain=is_plain),)
    return written(Report(title, "", parts, context.language), "docx")


class _Filling:
    """Data for the places of a template; a list repeats the row or line that names its fields."""

    def __init__(self, data: Mapping[str, JsonValue], safely: Callable[[str], str] = str) -> None:
        self._safely = safely
        self.missing: list[str] = []
        self.filled = 0
        self.rows = 0
        self._data = dict(data)
        self._expressions: dict[str, Expression] = {}

    def text(self, template: str) -> str:
        return "".join(self._line(line) for line in template.splitlines(keepends=True))

    def _line(self, line: str) -> str:
        count = self.repeats([found.strip() for found in PLACE.findall(line)])
        numbers = range(1) if count is None else range(count)
        return "".join(
            PLACE.sub(lambda found, at=number: self.value(found[1].strip(), at), line)
            for number in numbers
        )

    def repeats(self, places: list[str]) -> int | None:
        lists = [self._data[name] for place in places for name in self._lists_in(place)]
        if not lists:
            return None
        count = max(len(each) for each in lists if isinstance(each, list))
        self.rows += count
        return count

    def _lists_in(self, place: str) -> list[str]:
        """Lists of objects whose fields it names."""
        parts = parts_of(self._expression(place).tree)
        return [
            part.root
            for part in parts
            if isinstance(part, Named) and part.keys and isinstance(part.keys[0], str)
            if isinstance(self._data.get(part.root), list)
        ]

    def value(self, place: str, number: int) -> str:
        data = self._data
        for name in self._lists_in(place):
            every = data[name]
            item = every[number] if isinstance(every, list) and number < len(every) else None
            data = {**data, name: item}
        names = RowNames(dict(data), {})
        try:
            found = self._expression(place).value(names)
        except Failed as failed:
            self.missing.append(f"{place}: {failed}")
            return ""
        if found is None:
            self.missing.append(place)
            return ""
        self.filled += 1
        several = found if isinstance(found, list) else [found]
        return self._safely("、".join(text_of(each) for each in several))

    def _expression(self, place: str) -> Expression:
        if place not in self._expressions:
            is_name = place in self._data and not place.isidentifier() and '"' not in place
            try:
                # {{ Annual Fee }}: a column's name as it stands
                self._expressions[place] = Expression(
                    parse(f'row["{place}"]' if is_name else place)
                )
            except ExpressionRefused as refused:
                raise InvalidInput(
                    "template_unreadable", placeholder=place, reason=refused.reason or refused.code
                ) from None
        return self._expressions[place]
