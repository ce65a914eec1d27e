"""What a plan must be before it is taken: valid, and with no secret written into it."""

from collections.abc import Mapping

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.secrets import redact
from sanbo.plans.findings import is_valid
from sanbo.plans.model import Plan, PlanSource
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating import validate


def refuse_invalid(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> None:
    findings = validate(source, catalog, settings)
    if is_valid(findings):
        return
    errors = [finding for finding in findings if finding.severity == "error"]
    raise InvalidInput(
        "plan_invalid",
        count=len(errors),
        first=errors[0].message,
        line=errors[0].line,
        details={"findings": [finding.model_dump(mode="json") for finding in findings]},
    )


def refuse_unknown_node(name: str, plan: Plan) -> None:
    """Up to which it is to run; none: to its end."""
    nodes = [node.id for node in plan.graph]
    if name and name not in nodes:
        meant = nearest(name, nodes, 3, least=0.4) or nodes
        raise InvalidInput("plan_until_unknown", node=name, known="、".join(meant[:10]))


def refuse_unknown_variables(given: Mapping[str, JsonValue], known: Mapping[str, object]) -> None:
    for name in given:
        if name not in known:
            meant = nearest(name, known, 3, least=0.4) or list(known)
            raise InvalidInput(
                "plan_variable_unknown", name=name, known="、".join(meant[:10]) or tell("none")
            )


def refuse_written_secrets(source: PlanSource, given: Mapping[str, JsonValue]) -> None:
    """The run keeps both, masked: it would go on with other values than were meant."""
    for text in (source.plan, *source.called.values()):
        for number, line in enumerate(text.text.splitlines(), start=1):
            if redact(line) != line:
                raise InvalidInput("plan_secret_written", place=f"{text.file}:{number}")
    for name, value in given.items():
        written = to_json(value).decode()
        if redact(written) != written:
            raise InvalidInput("plan_secret_written", place=f"vars.{name}")
