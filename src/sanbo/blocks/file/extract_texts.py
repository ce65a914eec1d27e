"""`file.extract_texts`: evidence from single files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, BlockInputs, Files
from sanbo.blocks.file.archive_files import files_in, is_archive
from sanbo.blocks.file.evidence import GivenFile, evidence_of, new_file
from sanbo.documents.model import Skipped, Source
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import FileRef


class NamedFile(BaseModel):
    """A file under a name or path of its own; a line of another block's evidence is one too."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = ""
    path: str = ""
    bytes: FileRef | None = None
    file: FileRef | None = None


class ExtractTextsInputs(BlockInputs):
    files: list[FileRef | NamedFile]
    excerpt_chars: int


class ExtractTexts(Block[ExtractTextsInputs]):
    Inputs = ExtractTextsInputs

    @override
    def run(self, given: ExtractTextsInputs, context: BlockContext) -> Mapping[str, Any]:
        named = [_named(file) for file in given.files]
        evidence = evidence_of(
            _opened(named, context.files),
            raw_size=sum(file.size for _, file in named),
            excerpt_chars=given.excerpt_chars,
        )
        return {"evidence": evidence}


def _named(file: FileRef | NamedFile) -> tuple[str, FileRef]:
    if isinstance(file, FileRef):
        return file.name, file
    inner = file.bytes or file.file
    assert inner is not None  # the contract demands one of them
    return file.path or file.name or inner.name, inner


def _opened(
    named: Sequence[tuple[str, FileRef]], files: Files
) -> Iterator[tuple[Source, GivenFile] | Skipped]:
    """An archive among them is opened; one that can't be is a problem of that file alone."""
    for name, file in named:
        source = Source(name=name, data=files.read(file))
        if not is_archive(source):
            yield source, file
            continue
        try:
            for found in files_in(source, prefix=f"{name}/"):
                yield found if isinstance(found, Skipped) else (found, new_file(found))
        except SanboError as error:
            yield Skipped(name=name, problem=error.problem)
