"""What a dry run tells: of every node what it would get and give, and both ways of every branch."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.plans.findings import Finding

Outcome = Literal["accepts", "skipped", "fails"]
"""What a reader does with nothing: it works on, it is skipped itself, or it fails."""


class Reported(BaseModel):
    model_config = ConfigDict(frozen=True)


class Consequence(Reported):
    """What another case means to a node that reads from it."""

    node: str
    outcome: Outcome
    reads: tuple[str, ...] = ()
    """The references that would be null, or that would no longer lead anywhere."""
    reason: str = ""


class Case(Reported):
    """A way that a run may take at a node, beside the one that its samples take."""

    kind: Literal["taken", "skipped", "empty", "not_entered"]
    is_sampled: bool
    """Whether the samples themselves lead here."""
    condition: str = ""
    consequences: tuple[Consequence, ...] = ()


class NodeReport(Reported):
    node: str
    """Path of node ids: `each_file/analyze_file`."""
    type: Literal["block", "loop", "subflow"]
    block: str = ""
    inputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    outputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """By the names they are read by; long values are shortened, files have no bytes."""
    cases: tuple[Case, ...] = ()
    findings: tuple[Finding, ...] = ()


class DryRunReport(Reported):
    valid: bool
    findings: tuple[Finding, ...]
    """Of the validator and of the dry run, by file and line."""
    nodes: tuple[NodeReport, ...] = ()
    """In an order in which they could run."""
