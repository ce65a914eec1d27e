"""Blocks performed on the files that were given, so that each step knows the rows it gets."""

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sanbo.agents.analysis.datasets import Datasets, Wanted
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind
from sanbo.blocks.ai.rules.extraction import extract_fields
from sanbo.blocks.ai.shapes import shape_of
from sanbo.blocks.block import NewFile
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import SanboError
from sanbo.plans.executors.call import BlockCall, SentFiles
from sanbo.plans.executors.performance import perform
from sanbo.runs.model import FileRef

_AS_IN_THE_PLAN: tuple[PreparationKind, ...] = (
    "totals", "variants", "unit", "header", "notes", "groups", "tables", "periods",
)  # fmt: skip
"""A plan reads the file itself: only what changes no row and no heading is made ready."""
_REFERENCE = re.compile(r"\$\{([^{}=]{1,200})\}")
_MADE_NAME = re.compile(r"(?:列|column ?)\d{1,4}", re.IGNORECASE)
Row = dict[str, Any]


class Unknown(Exception):
    """A value that no sample tells: what a person answers."""


class Samples:
    def __init__(self, readers: Readers, datasets: Datasets, language: Language) -> None:
        self._readers = readers
        self._datasets = datasets
        self._language: Language = language
        self._files: dict[str, bytes] = {}
        self.values: dict[str, Any] = {}
        """Outputs by node."""

    def file(self, name: str, data: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        self._files[digest] = data
        return FileRef(file_id=digest, name=name, size=len(data)).model_dump(mode="json")

    def source(self, file: Mapping[str, Any]) -> Source:
        return Source(name=file["name"], data=self._files[file["file_id"]])

    def text(self, file: Mapping[str, Any]) -> str:
        """Of a document; nothing where it can't be read."""
        try:
            return self._readers.read(self.source(file)).text
        except SanboError:
            return ""

    def perform(self, node: str, block: str, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The block's outputs on the samples; None where they are not known, or it fails."""
        try:
            inputs = self.resolved(given)
        except Unknown:
            return None
        if block == "ai.process_llm":
            outputs: Mapping[str, Any] | None = self._extracted(inputs)
        else:
            call = BlockCall(
                block=block,
                inputs=inputs,
                node=node,
                idempotency_key=node,
                language=self._language,
                files=SentFiles(self._files),
            )
            outputs = perform(call).outputs
        if outputs is not None:
            self.values[node] = self._with_files(outputs)
        return self.values.get(node)

    def resolved(self, value: Any) -> Any:
        if isinstance(value, str):
            whole = _REFERENCE.fullmatch(value)
            if whole is None and "${" in value:
                raise Unknown
            return value if whole is None else self._at(whole[1])
        if isinstance(value, Mapping):
            return {k: self.resolved(one) for k, one in cast("Mapping[str, Any]", value).items()}
        if isinstance(value, list | tuple):
            return [self.resolved(one) for one in cast("Sequence[Any]", value)]
        return value

    def _at(self, path: str) -> Any:
        found: Any = self.values
        for name in path.split("."):
            try:
                found = found[int(name) if name.isdigit() else name]
            except (KeyError, IndexError, ValueError, TypeError) as error:
                raise Unknown from error
        return found

    def _with_files(self, value: Any) -> Any:
        if isinstance(value, NewFile):
            return self.file(value.name, value.data)
        if isinstance(value, Mapping):
            return {k: self._with_files(one) for k, one in cast("Mapping[str, Any]", value).items()}
        if isinstance(value, list | tuple):
            return [self._with_files(one) for one in cast("Sequence[Any]", value)]
        return value

    def _extracted(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """As the block itself reads documents where there is no model."""
        shape = shape_of(inputs["output_schema"])
        evidence: Any = inputs["evidence_data"]
        files = cast("list[Any]", evidence if isinstance(evidence, list) else evidence["files"])
        records: list[Row] = []
        for one in files:
            file = one.get("file", one)
            try:
                document = self._readers.read(self.source(file))
            except SanboError:
                continue
            records.append({"file": file["name"], **extract_fields(document, shape.asked).values})
        return {"records": records}

    # ---- what rows are like ----

    def profile(self, rows: Sequence[Row], name: str) -> DatasetProfile | None:
        """None where there is nothing to see."""
        heads = list(dict.fromkeys(key for row in rows for key in row))
        if not rows or not heads:
            return None
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(heads)
        writer.writerows([_cell(row.get(head)) for head in heads] for row in rows)
        data = text.getvalue().encode()
        wanted = Wanted(hashlib.sha256(data).hexdigest(), f"{name}.csv", "", _AS_IN_THE_PLAN)
        try:
            return _with_heads(self._datasets.load(wanted, lambda: data))
        except SanboError:
            return None


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _with_heads(profile: DatasetProfile) -> DatasetProfile:
    """A table of words alone, whose first row names its columns, as the plan will read it."""
    is_made = all(_MADE_NAME.fullmatch(one.name) for one in profile.columns)
    if not is_made or not profile.sample:
        return profile
    names = [str(cell or "") for cell in profile.sample[0]]
    columns = tuple(
        one.model_copy(
            update={"name": name, "values": tuple(each for each in one.values if each != name)}
        )
        for one, name in zip(profile.columns, names, strict=True)
        if name
    )
    update = {"columns": columns, "rows": profile.rows - 1, "sample": profile.sample[1:]}
    return profile.model_copy(update=update)
