"""`file.read_mail`: who wrote what, and what was attached, of a mail kept as a file (.eml)."""

from collections.abc import Mapping
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import PurePosixPath
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given, NewFile
from sanbo.blocks.file.sources import read_workspace_file
from sanbo.documents.file_formats import media_type_of
from sanbo.documents.formats.eml.reader import attachments, parse_mail, parts_of
from sanbo.documents.formats.eml.texts import header, text_of
from sanbo.documents.model import Source
from sanbo.kernel.problems import InvalidInput


class ReadMail(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        source = _source(given, context)
        message = parse_mail(source)
        parts = parts_of(message, name=source.name)
        found = [(PurePosixPath(each.name).name, each.data) for each in attachments(source)]
        wanted = tuple(each.lower().lstrip(".") for each in given.accept)
        files = [
            NewFile(name, data, media_type_of(name))
            for name, data in found
            if not wanted or name.lower().endswith(wanted)
        ]
        left_out = [name for name, _ in found if wanted and not name.lower().endswith(wanted)]
        if len(found) < len(parts.files):
            context.warn(
                InvalidInput("block_mail_attachments_lost", count=len(parts.files) - len(found))
            )
        return {
            "mail": {
                "subject": header(message, "subject"),
                "from": _addresses(header(message, "from")),
                "to": _addresses(header(message, "to")),
                "cc": _addresses(header(message, "cc")),
                "date": _moment(header(message, "date")),
                "text": "\n".join(text_of(part) for part in parts.texts).strip(),
            },
            "attachments": files,
            "summary": {"name": source.name, "attachments": len(files), "left_out": left_out},
        }


def _source(given: Given, context: BlockContext) -> Source:
    if (given.bytes is None) == (not given.path):
        raise InvalidInput("block_one_of_two", first="bytes", second="path")
    if given.bytes is None:
        return read_workspace_file(given.path, context)
    return Source(name=given.bytes.name, data=context.files.read(given.bytes))


def _addresses(written: str) -> list[dict[str, str]]:
    return [
        {"name": name, "address": address}
        for name, address in getaddresses([written])
        if name or address
    ]


def _moment(written: str) -> str | None:
    """ISO, in the sender's time; null where it can't be read."""
    try:
        return parsedate_to_datetime(written).isoformat()
    except ValueError:
        return None
