"""What a report says, before it is set."""

from dataclasses import dataclass

from sanbo.agents.research.model import Finding
from sanbo.agents.research.report.ending import Ending
from sanbo.evidence.model import Citation, Sentence, View


@dataclass(frozen=True)
class Content:
    view: View
    collection: str
    summary: tuple[Sentence, ...]
    findings: tuple[Finding, ...]
    disagreements: tuple[Sentence, ...]
    gaps: tuple[str, ...]
    nearest: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    refused: int
    marked: int
    ending: Ending

    @property
    def answered(self) -> bool:
        return bool(self.summary or self.disagreements) or any(
            finding.sentences for finding in self.findings
        )
