"""A plan in the making: fields of its one form, nodes in order, exports; written as YAML.

Its blocks are performed on the files that were given, so that each step knows the rows it gets.
Its outline is what a person sees before any YAML.
"""

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from sanbo.agents.analysis.datasets import Datasets, Wanted
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind
from sanbo.blocks.ai.rule_extraction import extract_fields
from sanbo.blocks.ai.shapes import shape_of
from sanbo.blocks.block import NewFile
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import SanboError
from sanbo.plans.executors.call import BlockCall, SentFiles, perform
from sanbo.plans.model import Finding
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


class Shown(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OutlineStep(Shown):
    id: str = ""
    """Of the plan's node."""
    title: str
    block: str = ""
    who: str = ""
    """The person who is asked; nobody: the plan does it by itself."""
    files: tuple[str, ...] = ()
    gives: str = ""
    says: str = ""
    """The words of the instruction that it was made of; changed, they make another step."""


class Outline(Shown):
    title: str
    steps: tuple[OutlineStep, ...]
    open_points: tuple[str, ...] = ()
    """What the instruction leaves open, or what found no place."""


class Attempt(Shown):
    """One round: a plan as YAML and all that was found in it."""

    text: str
    findings: tuple[Finding, ...] = ()
    stage: Literal["validate", "dry_run"] = "validate"

    @property
    def errors(self) -> int:
        return sum(each.severity == "error" for each in self.findings)


FORM = "collect"
_ALONE = ("ui.interactive_input", "data.quality.validate_rules")
_NODE = re.compile(r"\$\{(\w+)[.}]")


@dataclass(eq=False)
class Rows:
    """Rows that flow from a node: how they look on the samples."""

    ref: str
    title: str
    sample: list[dict[str, Any]]
    samples: Samples

    @cached_property
    def profile(self) -> DatasetProfile | None:
        return self.samples.profile(self.sample, self.title)

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.sample for name in row))

    def named(self, title: str) -> "Rows":
        return Rows(self.ref, title, self.sample, self.samples)


@dataclass
class Draft:
    language: Language
    instruction: str
    samples: Samples
    fields: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    exports: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    steps: list[OutlineStep] = field(default_factory=list[OutlineStep])
    open_points: list[str] = field(default_factory=list[str])
    says: str = ""
    """The clause that is being placed."""
    seen: list[Rows] = field(default_factory=list[Rows])
    """The tables that were given, as they were read."""
    vars: dict[str, Any] = field(default_factory=dict[str, Any])

    def say(self, text_id: str, **params: object) -> str:
        return tell(f"plan_design.{text_id}", self.language, **params)

    # ---- the form ----

    def ask(self, kind: str, label: str, sample: Any = None, **more: Any) -> str:
        """A reference to what a person gives at the start; the same label is asked for once."""
        for known in self.fields:
            if known["label"] == label:
                return f"${{{FORM}.collected_data.{known['id']}}}"
        prefix = "file" if kind in ("file", "files", "folder") else "value"
        number = sum(each["id"].startswith(prefix) for each in self.fields) + 1
        self.fields.append({"id": f"{prefix}_{number}", "type": kind, "label": label, **more})
        if sample is not None:
            known = self.samples.values.setdefault(FORM, {"collected_data": {}})
            known["collected_data"][f"{prefix}_{number}"] = sample
        return f"${{{FORM}.collected_data.{prefix}_{number}}}"

    # ---- nodes ----

    def add(
        self, name: str, block: str, given: Mapping[str, Any], *, title: str, **more: Any
    ) -> str:
        """The node's id; a second one of the same name gets a number."""
        taken = {each["id"] for each in self.nodes} | {FORM}
        node_id, number = name, 2
        while node_id in taken:
            node_id, number = f"{name}_{number}", number + 1
        made: dict[str, Any] = {"id": node_id, "title": title, "block": block}
        if "when" in more:
            made["when"] = {"expr": more.pop("when")}
        if after := more.pop("after", None):
            made["after"] = after
        self.nodes.append({**made, "in": dict(given)})
        if "when" not in made:
            self.samples.perform(node_id, block, given)
        self.steps.append(OutlineStep(id=node_id, title=title, block=block, says=self.says, **more))
        return node_id

    def loop(
        self,
        name: str,
        over: str,
        body: Sequence[Mapping[str, Any]],
        gives: str,
        *,
        title: str,
        when: str = "",
    ) -> str:
        """A node that does the body for each of a list and collects what it gives: node.port."""
        inner = [dict(each) for each in body]
        port = gives.rpartition(".")[2]
        node: dict[str, Any] = {
            "id": name,
            "title": title,
            "type": "loop",
            "foreach": {"input": over, "itemVar": "item"},
            "body": {"plan": {"graph": inner, "exports": [{"from": gives, "as": port}]}},
            "out": {"collect": [port]},
        }
        if when:
            node["when"] = {"expr": when}
        self.nodes.append(node)
        self.steps.append(
            OutlineStep(id=name, title=title, block=inner[0]["block"], says=self.says)
        )
        self._rehearse(name, over, inner, gives, port)
        return f"${{{name}.{port}}}"

    def _rehearse(
        self, name: str, over: str, body: Sequence[Mapping[str, Any]], gives: str, port: str
    ) -> None:
        try:
            items = self.samples.resolved(over)
        except Unknown:
            return
        collected: list[Any] = []
        for item in items:
            self.samples.values["item"] = item
            for each in body:
                self.samples.perform(each["id"], each["block"], each["in"])
            try:
                collected.append(self.samples.resolved(f"${{{gives}}}"))
            except Unknown:
                return
        self.samples.values[name] = {port: collected}

    def rows(self, ref: str, title: str, like: Rows | None = None) -> Rows:
        """What a reference gives; where the samples do not tell, it looks like what went in."""
        try:
            sample = self.samples.resolved(ref)
        except Unknown:
            sample = like.sample if like else []
        return Rows(ref, title, sample if sample is not None else [], self.samples)

    def prune(self) -> None:
        """Steps and fields that nothing leads out of: what was looked at and not used."""
        used = {each["from"].split(".")[0] for each in self.exports}
        used |= {each["id"] for each in self.nodes if each.get("block") in _ALONE}
        for node in reversed(self.nodes):
            if node["id"] in used:
                used |= set(_NODE.findall(repr(node)))
        self.nodes = [each for each in self.nodes if each["id"] in used]
        self.steps = [each for each in self.steps if each.id in used]
        said = repr(self.nodes)
        self.fields = [
            each for each in self.fields if f"{FORM}.collected_data.{each['id']}}}" in said
        ]

    def export(self, source: str, name: str) -> None:
        taken = {each["as"] for each in self.exports}
        number, final = 2, name
        while final in taken:
            final, number = f"{name}_{number}", number + 1
        self.exports.append({"from": source, "as": final})

    def leave_open(self, text: str) -> None:
        if text not in self.open_points:
            self.open_points.append(text)

    # ---- the whole ----

    def outline(self) -> Outline:
        return Outline(
            title=self._title(), steps=tuple(self._all_steps()), open_points=tuple(self.open_points)
        )

    def _title(self) -> str:
        first = re.split(r"[。\n]|(?<=\w)\. ", self.instruction.strip())[0]
        return first if len(first) <= 60 else f"{first[:59]}…"

    def _all_steps(self) -> list[OutlineStep]:
        if not self.fields:
            return self.steps
        labels = [str(each["label"]) for each in self.fields]
        files = tuple(str(each["label"]) for each in self.fields if "file" in each["type"])
        form = OutlineStep(
            id=FORM,
            title=self.say("form"),
            block="ui.interactive_input",
            who=self.say("starter"),
            files=files,
            gives=self.say("comma").join(labels),
        )
        return [form, *self.steps]

    def text(self, plan_id: str) -> str:
        """With the open points above it, where whoever reads the file sees them first."""
        nodes = list(self.nodes)
        if self.fields:
            form = {
                "id": FORM,
                "title": self.say("form"),
                "block": "ui.interactive_input",
                "in": {
                    "mode": "collect",
                    "message": self.say("form_message"),
                    "requirements": self.fields,
                },
            }
            nodes.insert(0, form)
        variables = dict(self.vars)
        if self.open_points:
            variables["open_points"] = list(self.open_points)
        plan: dict[str, Any] = {
            "apiVersion": "v1",
            "id": plan_id,
            "version": "0.1.0",
            "title": _literal(self._title()),
            "description": _literal(" ".join(self.instruction.split())),
        }
        if variables:
            plan["vars"] = variables
        plan["graph"] = nodes
        if self.exports:
            plan["exports"] = self.exports
        head = "".join(f"# {self.say('open_point')}: {point}\n" for point in self.open_points)
        return head + written(plan)


def _literal(text: str) -> str:
    """What a person wrote never becomes a reference."""
    return text.replace("${", "$${")


class _Writer(yaml.SafeDumper):
    @override
    def ignore_aliases(self, data: Any) -> bool:
        _ = data
        return True


def written(plan: Mapping[str, Any]) -> str:
    return yaml.dump(
        dict(plan), Dumper=_Writer, allow_unicode=True, sort_keys=False, width=110, indent=2
    )
