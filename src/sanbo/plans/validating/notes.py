"""Findings of one text as they come up, each with the place of what it is about."""

from dataclasses import dataclass, field

from sanbo.blocks.contract.yaml_tree import Marks, Place
from sanbo.plans.findings import Finding, Severity, finding
from sanbo.plans.references import Key
from sanbo.plans.validating.suggesting import shortened

YamlPath = tuple[Key, ...]
"""From the top of the text, as it is written there: `("graph", 0, "in", "workbook")`."""


@dataclass
class Notes:
    file: str
    marks: Marks
    text: str = ""
    """The plan's own, to find places inside of values."""
    found: list[Finding] = field(default_factory=list[Finding])

    def error(self, code: str, at: YamlPath, node: str = "", **params: object) -> None:
        self._note(code, "error", self.marks.at(*at), node, params)

    def error_inside(
        self, code: str, at: YamlPath, position: int, node: str = "", **params: object
    ) -> None:
        """At a character of a text that is a value in the plan."""
        self._note(code, "error", self._place_inside(at, position), node, params)

    def warn(self, code: str, at: YamlPath, node: str = "", **params: object) -> None:
        self._note(code, "warning", self.marks.at(*at), node, params)

    def _place_inside(self, at: YamlPath, position: int) -> Place:
        """Of the value itself where it is written on several lines, or with escapes."""
        line, column = self.marks.value_at(*at)
        lines = self.text.splitlines()
        written = lines[line - 1][column - 1 :] if line <= len(lines) else ""
        opening = len(written) - len(written.lstrip("\"'")) and 1
        if written[:1] in ("", "|", ">") or "\\" in written or position >= len(written):
            return line, column
        return line, column + opening + position

    def _note(
        self, code: str, severity: Severity, place: Place, node: str, params: dict[str, object]
    ) -> None:
        found = finding(
            code,
            severity=severity,
            node=node,
            file=self.file,
            at=place,
            params={name: shortened(value, 400) for name, value in params.items()},
        )
        # A hint may begin or end with a suggestion that is not there.
        self.found.append(found.model_copy(update={"hint": found.hint.strip()}))
