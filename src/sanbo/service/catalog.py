"""The workflows there are, each loaded when first asked for, and the form of its input."""

import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, partial
from importlib import resources
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typing_extensions import override

from sanbo.kernel.messages import Language, current_language
from sanbo.runs.fields import FIELDS
from sanbo.runs.model import FieldType, FileRef, JsonObject, Option, Requirement, Validation
from sanbo.runs.workflow import Workflow

AnyWorkflow = Workflow[Any, Any]


class Workflows(Mapping[str, AnyWorkflow]):
    """The code of all of them takes seconds to load, and most commands need one or none."""

    def __init__(self, loaders: Mapping[str, Callable[[], AnyWorkflow]]) -> None:
        self._loaders = dict(loaders)
        self._loaded: dict[str, AnyWorkflow] = {}
        self._turn = threading.RLock()

    @classmethod
    def of(cls, workflows: "Workflows | Iterable[AnyWorkflow]") -> "Workflows":
        """Those that somebody has made already."""
        if isinstance(workflows, Workflows):
            return workflows
        made = cls({})
        made._loaded = {workflow.name: workflow for workflow in workflows}
        return made

    @override
    def __getitem__(self, name: str) -> AnyWorkflow:
        with self._turn:
            if name not in self._loaded:
                self._loaded[name] = self._loaders[name]()
            return self._loaded[name]

    @override
    def get(self, name: str, default: Any = None) -> Any:
        """Only what is unknown is not there; what fails while it is loaded, fails."""
        if name not in self:
            return default
        return self[name]

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._loaders

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._loaders, *self._loaded)))

    @override
    def __len__(self) -> int:
        return len(self._loaders.keys() | self._loaded.keys())

    def only(self, *names: str) -> "Workflows":
        """Some of them, the same ones."""
        return Workflows({name: partial(self.__getitem__, name) for name in names})

    def load(self) -> None:
        """All of them, now: a server has the time before anybody asks."""
        for name in self:
            _ = self[name]

    def close(self) -> None:
        """Ends what they have started."""
        with self._turn, ExitStack() as stack:
            for workflow in self._loaded.values():
                stack.callback(workflow.close)


SAMPLES = Path(__file__).parent / "samples"
ANALYSIS, COMPARISON, GRACE, RESEARCH = "analysis", "comparison", "grace", "research"
PLAN = "plan"
DESIGN = "design"


def _shipped() -> Workflows:
    """Each folder of agents that has a `workflow` is one, by the folder's name."""
    folders = sorted(resources.files("sanbo.agents").iterdir(), key=lambda each: each.name)
    names = [each.name for each in folders if each.joinpath("workflow.py").is_file()]

    def agent(name: str) -> AnyWorkflow:
        return resolve_name(f"sanbo.agents.{name}.workflow:WORKFLOW")()

    def plans() -> AnyWorkflow:
        make = resolve_name("sanbo.plans.workflow:Plans")
        return make(shipped.only(*names), samples=(SAMPLES / "plans",))

    def design() -> AnyWorkflow:
        return resolve_name("sanbo.plans.designing.workflow:Designs")()

    agents = {name: partial(agent, name) for name in names}
    shipped = Workflows({**agents, PLAN: plans, DESIGN: design})
    return shipped


WORKFLOWS = _shipped()
"""Every workflow that Sanbo ships."""


@dataclass(frozen=True)
class Demo:
    """A workflow on its own sample: offline, in seconds, and with nobody to ask."""

    workflow: str
    given: JsonObject
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Sample files (or a folder) by input field."""
    answers: tuple[JsonObject, ...] = ()
    """To the questions it asks, in order."""
    answer_files: tuple[Mapping[str, Path], ...] = ()
    """Sample files that belong to those answers, by field."""
    documents: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Folders of sample documents by the collection that they are put into before."""


DEMOS: tuple[Demo, ...] = (
    Demo(
        "analysis",
        {"question": "月別の売上推移を店舗ごとに折れ線で"},
        files={"file": SAMPLES / "store_sales.csv"},
    ),
    Demo(
        "comparison",
        {},
        files={"old": SAMPLES / "contract_old.md", "new": SAMPLES / "contract_new.md"},
    ),
    Demo(
        "research",
        {
            "question": "東京に出張するときの宿泊費の上限はいくらで、旅費の精算はいつまでですか。",
            "collection": "社内規程の見本",
        },
        documents={"社内規程の見本": SAMPLES / "office_rules"},
    ),
    Demo(
        "grace",
        {
            "question": "在宅勤務は週に何日までで、いつまでに申請しますか。",
            "collection": "社内規程の見本",
        },
        documents={"社内規程の見本": SAMPLES / "office_rules"},
    ),
    Demo(
        "plan",
        {"plan_id": "invoice_reconciliation"},
        answers=({}, {"approved": True, "comment": "見本の確認です"}),
        answer_files=(
            {
                "invoices_zip": SAMPLES / "plans/invoice_reconciliation/invoices.zip",
                "bank_csv": SAMPLES / "plans/invoice_reconciliation/bank_statement.csv",
                "workbook": SAMPLES / "plans/invoice_reconciliation/workbook.xlsx",
            },
        ),
    ),
    Demo(
        "design",
        {"question": "請求書のZIPと入金明細CSVを照合して、差異をExcelに書き出し、部長が承認する"},
    ),
)
"""One for each workflow."""


class WorkflowInfo(BaseModel):
    """A workflow as front ends show it."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    description: str
    requirements: tuple[Requirement, ...]
    input_schema: JsonObject
    result_schema: JsonObject


def describe(workflow: Workflow[Any, Any]) -> WorkflowInfo:
    language = current_language()
    return WorkflowInfo(
        name=workflow.name,
        title=workflow.titles[language],
        description=workflow.descriptions[language],
        requirements=tuple(form_of(workflow.input_model, language)),
        input_schema=_schema(workflow.input_model),
        result_schema=_schema(workflow.result_model),
    )


@cache
def _schema(model: type[BaseModel]) -> JsonObject:
    """Made once: pages ask at every turn, and it takes its time."""
    return model.model_json_schema()


def form_of(model: type[BaseModel], language: Language) -> Sequence[Requirement]:
    """One field a field of the model. Labels: `json_schema_extra={"label": {"ja": …, "en": …}}`."""
    return [_field(name, info, language) for name, info in model.model_fields.items()]


def _field(name: str, info: FieldInfo, language: Language) -> Requirement:
    declared: Any = info.json_schema_extra
    extra = cast("dict[str, Any]", declared if isinstance(declared, dict) else {})
    kind, options = _kind(_bare(info.annotation))
    has_default = info.default is not PydanticUndefined and info.default is not None
    default: Any = info.default if has_default else None
    if isinstance(default, Enum):
        default = default.value
    elif isinstance(default, tuple):
        default = list(cast("tuple[Any, ...]", default)) or None
    return Requirement(
        id=name,
        type="chat" if extra.get("widget") == "chat" else kind,
        label=_text(extra.get("label"), language) or info.title or name,
        description=_text(extra.get("help"), language) or info.description or "",
        required=info.is_required(),
        default=default,
        options=tuple(options),
        accept=str(extra.get("accept", "")),
        validation=_limits(info, kind),
    )


def _bare(annotation: Any) -> Any:
    """Without `| None`: that a field may be left out is said elsewhere."""
    if get_origin(annotation) in (Union, types.UnionType):
        return next(arg for arg in get_args(annotation) if arg is not type(None))
    return annotation


def _kind(annotation: Any) -> tuple[FieldType, Sequence[Option]]:
    origin = get_origin(annotation)
    if origin is Literal:
        return "select", [Option(value=value, label=str(value)) for value in get_args(annotation)]
    if origin in (list, tuple, set) and FileRef in get_args(annotation):
        return "files", ()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "select", [Option(value=item.value, label=item.name) for item in annotation]
    kinds = (kind.name for kind in FIELDS.values() if annotation in kind.python_types)
    return next(kinds, "text"), ()


def _limits(info: FieldInfo, kind: FieldType) -> Validation:
    limits: dict[str, Any] = {}
    for constraint in info.metadata:
        match constraint:
            case Ge(ge=bound) | Gt(gt=bound):
                limits["min"] = bound
            case Le(le=bound) | Lt(lt=bound):
                limits["max"] = bound
            case MinLen(min_length=bound) if kind == "text":
                limits["min_length"] = bound
            case MaxLen(max_length=bound):
                limits["max_files" if kind == "files" else "max_length"] = bound
            case _:
                pass
    if _bare(info.annotation) is int:
        limits["integer"] = True
    return Validation(**limits)


def _text(by_language: Any, language: Language) -> str:
    return str(by_language[language]) if isinstance(by_language, dict) else ""
