"""What a person sees before any YAML: the steps, who takes part, which files, what comes out."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from sanbo.plans.findings import Finding


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
