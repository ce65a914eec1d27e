"""What the validator and the dry-run find: where, what, and what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sanbo.kernel.messages import Language, current_language, tell

Severity = Literal["error", "warning"]


class Finding(BaseModel):
    """One thing that is wrong (`error`) or odd (`warning`) in a plan."""

    model_config = ConfigDict(frozen=True)

    code: str
    """Such as `unknown_block`; its texts are `plan_findings.{code}.message` and `.hint`."""
    severity: Severity
    message: str
    hint: str
    node: str = ""
    """Path of node ids, `/` between them: `each_file/analyze_file`."""
    file: str = ""
    line: int = 0
    column: int = 0
    """From 1; 0 where the plan came without a text."""


def finding(
    code: str,
    *,
    severity: Severity = "error",
    node: str = "",
    file: str = "",
    at: tuple[int, int] = (0, 0),
    language: Language | None = None,
    params: Mapping[str, object] | None = None,
    **named: object,
) -> Finding:
    said = language or current_language()
    given = {**(params or {}), **named}
    return Finding(
        code=code,
        severity=severity,
        message=tell(f"plan_findings.{code}.message", said, **given),
        hint=tell(f"plan_findings.{code}.hint", said, **given),
        node=node,
        file=file,
        line=at[0],
        column=at[1],
    )


def is_valid(findings: Sequence[Finding]) -> bool:
    return all(each.severity != "error" for each in findings)
