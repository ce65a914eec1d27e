"""`file.parse_zip_2tier`: the evidence in a ZIP file."""

from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, BlockInputs, NewFile
from sanbo.blocks.file.archive_files import files_in
from sanbo.blocks.file.evidence import evidence_of, new_file
from sanbo.documents.model import Skipped, Source
from sanbo.runs.model import FileRef


class ParseZipInputs(BlockInputs):
    zip_bytes: FileRef
    excerpt_chars: int


class ParseZip(Block[ParseZipInputs]):
    Inputs = ParseZipInputs

    @override
    def run(self, given: ParseZipInputs, context: BlockContext) -> Mapping[str, Any]:
        archive = Source(name=given.zip_bytes.name, data=context.files.read(given.zip_bytes))
        evidence = evidence_of(
            _with_files(archive), raw_size=len(archive.data), excerpt_chars=given.excerpt_chars
        )
        return {"evidence": evidence, "evidence_data": evidence}


def _with_files(archive: Source) -> Iterator[tuple[Source, NewFile] | Skipped]:
    for found in files_in(archive):
        yield found if isinstance(found, Skipped) else (found, new_file(found))
