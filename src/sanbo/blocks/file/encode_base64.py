"""`file.encode_base64`: a file as text, for places that take only text."""

import base64
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.file.sources import read_workspace_file
from sanbo.documents.file_formats import UNKNOWN_TYPE, media_type_of
from sanbo.documents.model import Source
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.runs.model import FileRef

MOST_BYTES = 10_000_000
"""The text stands in the run's journal, which is no place for large files."""


class EncodeBase64(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        source, known_type = _source(given, context)
        if len(source.data) > MOST_BYTES:
            limit = MOST_BYTES // 1_000_000
            raise LimitExceeded("block_base64_too_large", name=source.name, limit_mb=limit)
        name = given.name or source.name
        guessed = known_type or media_type_of(name)
        mime_type = given.mime_type or guessed
        text = base64.b64encode(source.data).decode("ascii")
        return {
            "encoded": {
                "name": name,
                "mime_type": mime_type,
                "size": len(source.data),
                "base64": text,
                "data_uri": f"data:{mime_type};base64,{text}" if given.as_data_uri else None,
            }
        }


def _source(given: Given, context: BlockContext) -> tuple[Source, str]:
    """What is to be encoded, and its media type where that is known already."""
    if (given.data is None) == (not given.path):
        raise InvalidInput("block_one_of_two", first="data", second="path")
    if isinstance(given.data, FileRef):
        is_told = given.data.media_type != UNKNOWN_TYPE
        source = Source(name=given.data.name, data=context.files.read(given.data))
        return source, given.data.media_type if is_told else ""
    if given.data is not None:
        return Source(name=given.name or "text.txt", data=given.data.encode()), ""
    return read_workspace_file(given.path, context), ""
