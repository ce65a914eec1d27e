"""Plans written out for the tests: broken ones with what is to be found in them, and good ones."""

import re
from functools import cache
from pathlib import Path

import sanbo
from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.model import Finding, PlanSource, PlanText
from sanbo.plans.settings import PlanSettings
from sanbo.plans.store import Designs

HERE = Path(__file__).parent
BROKEN = HERE / "broken"
VALID = HERE / "valid"
SHIPPED = Path(sanbo.__file__).parent / "service" / "samples" / "plans"
SETTINGS = PlanSettings(
    env=("SLACK_TOKEN",),
    config={
        "rate": 0.1,
        "task_configs": {"accounting_task_1": {"output_config": {"sheet": "照合"}}},
    },
)
_EXPECTED = re.compile(
    r"# expect: (?P<warning>warning )?(?P<code>\w+) line=(?P<line>\d+) column=(?P<column>\d+)"
    r"(?: node=(?P<node>\S.*?))?(?: file=(?P<file>\S+))?"
)

Told = tuple[str, str, int, int, str, str]
"""Severity, code, line, column, node, file."""


@cache
def catalog() -> Catalog:
    """The shipped blocks and those of the corpus."""
    return Catalog.load(BROKEN)


def plans(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))


def source_of(file: Path) -> PlanSource:
    """With the plans that it calls, which stand in `designs` beside it, or beside it."""
    text = PlanText(text=file.read_text(encoding="utf-8"), file=file.name)
    return Designs([file.parent / "designs", file.parent]).source(text)


def source_of_text(text: str) -> PlanSource:
    return Designs([VALID / "designs"]).source(PlanText(text=text, file="plan.yaml"))


def expected(file: Path) -> list[Told]:
    """As the comments at the top of a broken plan say."""
    found: list[Told] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# expect:"):
            break
        match = _EXPECTED.fullmatch(line)
        assert match, line
        severity = "warning" if match["warning"] else "error"
        place = (int(match["line"]), int(match["column"]))
        found.append(
            (severity, match["code"], *place, match["node"] or "", match["file"] or file.name)
        )
    return found


def told(finding: Finding) -> Told:
    return (
        finding.severity,
        finding.code,
        finding.line,
        finding.column,
        finding.node,
        finding.file,
    )
