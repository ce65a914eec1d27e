"""Plan design as front ends need it: the outline as a file, and what a run of it made."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sanbo.blocks.contract.yaml_tree import YamlRefused, read_tree
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.designing.draft import Outline
from sanbo.plans.designing.workflow import DesignResult
from sanbo.runs.model import JsonObject, Run
from sanbo.service.catalog import DESIGN

__all__ = ["DESIGN", "DesignResult", "design_of", "outline_text", "read_outline"]


def design_of(run: Run) -> DesignResult:
    return DesignResult.model_validate(run.result)


def outline_text(made: DesignResult) -> str:
    """To be changed by hand, and given back."""
    shown: dict[str, Any] = made.outline.model_dump(mode="json")
    return yaml.safe_dump(shown, allow_unicode=True, sort_keys=False, width=110)


def read_outline(file: Path) -> JsonObject:
    try:
        found = Outline.model_validate(read_tree(file.read_text("utf-8-sig")).value)
    except (YamlRefused, ValidationError, UnicodeDecodeError) as error:
        raise InvalidInput("plan_outline_unreadable", name=file.name) from error
    return found.model_dump(mode="json")
