"""How plans come out of instructions by rules: how many validate, dry-run, give what was wanted;
how many of the right ones name an open point, and how many wrong ones name none.

    python benchmarks/plan_generation.py FOLDER [--only ID…] [--keep FOLDER] [--verbose]

FOLDER has a folder for each case with `case.yaml`: id, lang, difficulty, instruction, documents
(manuals), inputs [{role, file}], answers {approve, values: {label: value}}, must_use [[blocks, any
of them]], outcome [checks]. Manuals and inputs are given as documents; the plan is then run on the
same inputs, its questions answered, and its files judged.
"""

import argparse
import csv
import io
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple, cast

import openpyxl
import yaml
from docx import Document

from sanbo.kernel.problems import SanboError
from sanbo.plans.designing.workflow import DesignResult
from sanbo.runs.model import FILE_TYPES, Interaction, JsonObject, Run, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.service.catalog import DESIGN, PLAN
from sanbo.service.plans import source_of_text, start_input
from sanbo.settings import load_settings

MOST_QUESTIONS = 12
NEAR = 0.005
ENDINGS = {"excel": ".xlsx", "word": ".docx"}
STAGES = ("validates", "dry-runs", "right")


class Judged(NamedTuple):
    case: Mapping[str, Any]
    stage: int
    """How many of the stages it passed."""
    reasons: list[str]
    open_points: tuple[str, ...] = ()

    @property
    def is_quietly_wrong(self) -> bool:
        """It validates and dry-runs, gives something else, and names no open point."""
        return self.stage == STAGES.index("right") and not self.open_points


class Files(NamedTuple):
    tables: dict[str, list[tuple[list[str], list[list[str]]]]]
    """By file name: each sheet's headings and rows."""
    texts: dict[str, str]
    names: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description="Plans by rules, from instructions.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--keep", type=Path, help="write the plans here")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory() as workspace:
        settings = load_settings(Path(workspace))
        with blocking_workbench(settings) as bench:
            for file in sorted(given.folder.glob("*/case.yaml")):
                case = {"folder": file.parent, **yaml.safe_load(file.read_text("utf-8"))}
                if given.only and str(case["id"]) not in given.only:
                    continue
                one = judge(bench, settings, case, given.keep)
                judged.append(one)
                mark = "ok" if one.stage == len(STAGES) else STAGES[one.stage]
                if given.verbose or one.stage < len(STAGES):
                    print(f"{case['id']} {mark}: {'; '.join(one.reasons)}", flush=True)
    report(judged)


def report(judged: Sequence[Judged]) -> None:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups["all"].append(one)
        groups[f"language {one.case.get('lang', '?')}"].append(one)
        groups[f"difficulty {one.case.get('difficulty', '?')}"].append(one)
        groups["with a manual" if one.case.get("documents") else "without a manual"].append(one)
    for name, members in groups.items():
        shares = [
            f"{stage} {sum(one.stage > number for one in members) / len(members):.0%}"
            for number, stage in enumerate(STAGES)
        ]
        right = [one for one in members if one.stage == len(STAGES)]
        told = sum(bool(one.open_points) for one in right)
        quiet = sum(one.is_quietly_wrong for one in members)
        shares += [f"(with an open point {told})", f"quietly wrong {quiet / len(members):.0%}"]
        print(f"{name:20} {len(members):3}  {'  '.join(shares)}")


# ---- one case ----


def judge(
    bench: BlockingWorkbench, settings: Any, case: Mapping[str, Any], keep: Path | None
) -> Judged:
    folder: Path = case["folder"]
    names = [*(case.get("documents") or ()), *(one["file"] for one in case.get("inputs") or ())]
    files: list[Any] = [upload(bench, folder / name) for name in names]
    try:
        run = bench.call(
            bench.workbench.start(
                OPERATOR, DESIGN, {"question": case["instruction"], "documents": files}
            )
        )
        run = bench.call(bench.workbench.wait(OPERATOR, run.run_id))
    except SanboError as error:
        return Judged(case, 0, [error.problem.message])
    if run.status is not Status.SUCCEEDED:
        return Judged(case, 0, [f"generation {run.status.value}: {trouble(run)}"])
    made = DesignResult.model_validate(run.result)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{case['id']}.yaml").write_text(made.text, "utf-8")
    errors = [one.message for one in made.findings if one.severity == "error"]
    if not made.is_valid or not made.is_dry_run:
        return Judged(case, int(made.is_valid), errors)
    reasons = [
        f"uses none of {', '.join(wanted)}"
        for wanted in case.get("must_use") or ()
        if not any(f"block: {block}" in made.text for block in _several(wanted))
    ]
    try:
        reasons += outcome(bench, settings, case, made.text)
    except SanboError as error:
        reasons.append(error.problem.message)
    points = made.outline.open_points
    reasons += [f"open: {point}" for point in points] if reasons else []
    return Judged(case, 2 if reasons else 3, reasons, points)


def trouble(run: Run) -> str:
    return run.problem.message if run.problem else ""


def _several(wanted: Any) -> Sequence[str]:
    return [wanted] if isinstance(wanted, str) else wanted


def upload(bench: BlockingWorkbench, path: Path) -> JsonObject:
    found = bench.call(bench.workbench.upload(OPERATOR, path, path.name))
    return found.model_dump(mode="json")


def outcome(
    bench: BlockingWorkbench, settings: Any, case: Mapping[str, Any], text: str
) -> list[str]:
    source = source_of_text(settings, text)
    run = bench.call(bench.workbench.start(OPERATOR, PLAN, start_input(source)))
    asked: list[Interaction] = []
    for _ in range(MOST_QUESTIONS):
        run = bench.call(bench.workbench.wait(OPERATOR, run.run_id))
        if run.status is not Status.WAITING:
            break
        for question in run.open_interactions:
            asked.append(question)
            answer = answer_to(bench, case, question)
            bench.call(
                bench.workbench.answer(OPERATOR, run.run_id, answer, question.interaction_id)
            )
    if run.status is not Status.SUCCEEDED:
        return [f"run {run.status.value}: {trouble(run)}"]
    made = files_of(bench, run)
    exports = (run.result or {}).get("exports") if isinstance(run.result, dict) else {}
    return [
        f"{check['kind']}: {reason}"
        for check in case.get("outcome") or case.get("outcomes") or case.get("checks") or ()
        if (reason := failed(check, made, exports, asked))
    ]


def answer_to(
    bench: BlockingWorkbench, case: Mapping[str, Any], question: Interaction
) -> JsonObject:
    answers: dict[str, Any] = case.get("answers") or {}
    given: dict[str, Any] = {}
    inputs = list(case.get("inputs") or ())
    values = dict(answers.get("values") or {})
    for field in question.requirements:
        if field.type in FILE_TYPES:
            fitting = fitting_inputs(field.label, field.description, field.accept, inputs)
            if fitting:
                wanted = fitting if field.type != "file" else fitting[:1]
                for one in wanted:
                    inputs.remove(one)
                files = [upload(bench, case["folder"] / one["file"]) for one in wanted]
                given[field.id] = files if field.type != "file" else files[0]
        elif (value := fitting_value(field.label, values)) is not None:
            given[field.id] = value
    if question.mode == "confirm":
        given["approved"] = bool(answers.get("approve", True))
    return given


def fitting_inputs(label: str, about: str, accept: str, inputs: list[Any]) -> list[Any]:
    """Those of the field's type, the likeliest first: its sample, or by the words of its role."""
    endings = [one.strip() for one in accept.split(",") if one.strip()]
    fit = [one for one in inputs if not endings or PurePath(one["file"]).suffix.lower() in endings]

    def likeness(one: Any) -> tuple[bool, int]:
        words = plain(f"{label} {about}")
        role = plain(one.get("role", ""))
        shared = sum(part in words for part in (role[i : i + 2] for i in range(len(role) - 1)))
        return PurePath(one["file"]).name in about, shared

    return sorted(fit, key=likeness, reverse=True)


def fitting_value(label: str, values: Mapping[str, Any]) -> Any:
    wanted = plain(label)
    for name, value in values.items():
        if plain(name) in wanted or wanted in plain(name):
            return value
    if len(values) == 1:
        return next(iter(values.values()))

    def shared(name: str) -> int:
        return len(set(plain(name)) & set(wanted))

    best = max(values, key=shared, default="")
    return values[best] if best and shared(best) else None


# ---- what came out ----


def files_of(bench: BlockingWorkbench, run: Run) -> Files:
    exported = str((run.result or {}).get("exports"))
    made = Files({}, {}, [])
    for artifact in run.artifacts:
        if artifact.artifact_id not in exported and artifact.name not in exported:
            continue
        _, content = bench.call(
            bench.workbench.artifact(OPERATOR, run.run_id, artifact.artifact_id)
        )
        data = content if isinstance(content, bytes) else content.read_bytes()
        made.names.append(artifact.name)
        match PurePath(artifact.name).suffix.lower():
            case ".xlsx":
                made.tables[artifact.name] = list(sheets_of(data))
            case ".csv":
                rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
                made.tables[artifact.name] = [(rows[0], rows[1:])] if rows else []
                made.texts[artifact.name] = data.decode("utf-8-sig")
            case ".docx":
                made.texts[artifact.name] = text_of(data)
            case _:
                made.texts[artifact.name] = data.decode("utf-8", "replace")
    return made


def sheets_of(data: bytes) -> Iterator[tuple[list[str], list[list[str]]]]:
    for sheet in openpyxl.load_workbook(io.BytesIO(data), data_only=True).worksheets:
        rows = [["" if cell is None else shown(cell) for cell in row] for row in sheet.values]
        if rows:
            yield rows[0], rows[1:]


def shown(cell: Any) -> str:
    text = str(cell)
    return text.removesuffix(" 00:00:00")


def text_of(data: bytes) -> str:
    document = Document(io.BytesIO(data))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(one.text for one in document.paragraphs), *cells])


def plain(text: Any) -> str:
    return unicodedata.normalize("NFKC", str(text)).strip().casefold()


def same(cell: Any, wanted: Any) -> bool:
    try:
        return (
            abs(float(plain(cell).replace(",", "")) - float(plain(wanted).replace(",", ""))) <= NEAR
        )
    except ValueError:
        return plain(cell) == plain(wanted)


def failed(
    check: Mapping[str, Any], made: Files, exports: Any, asked: Sequence[Interaction]
) -> str:
    kind = check["kind"]
    wanted = str(check.get("format", "")).lower()
    ending = ENDINGS.get(wanted, f".{wanted.lstrip('.')}") if wanted else ""
    match kind:
        case "table_in_file":
            return table_failed(check, made, ending)
        case "text_in_file":
            texts = [text for name, text in made.texts.items() if name.lower().endswith(ending)]
            texts += [
                "\n".join(" ".join(row) for _, rows in sheets for row in rows)
                for name, sheets in made.tables.items()
                if name.lower().endswith(ending)
            ]
            return (
                "" if any(text_fits(check, text) for text in texts) else f"in none of {made.names}"
            )
        case "value":
            near = float(check.get("tolerance", NEAR))
            numbers = [*numbers_in(exports)]
            numbers += [
                number
                for sheets in made.tables.values()
                for _, rows in sheets
                for row in rows
                for number in numbers_in(row)
            ]
            is_there = any(abs(number - float(check["equals"])) <= near for number in numbers)
            return "" if is_there else f"{check['equals']} came out nowhere"
        case "asks" | "asks_not":
            is_asked = any(plain(check["who"]) in plain(one.model_dump_json()) for one in asked)
            return "" if is_asked == (kind == "asks") else f"{check['who']}: asked {is_asked}"
        case "no_file":
            found = [name for name in made.names if name.lower().endswith(ending)]
            return f"there is {found}" if found else ""
        case _:
            return "unknown check"


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        yield from numbers_in(list(cast("dict[str, Any]", value).values()))
    elif isinstance(value, list | tuple):
        for one in cast("Sequence[Any]", value):
            yield from numbers_in(one)
    else:
        try:
            yield float(plain(value).replace(",", ""))
        except ValueError:
            return


def text_fits(check: Mapping[str, Any], text: str) -> bool:
    body = plain(text)
    has_all = all(plain(one) in body for one in check.get("contains") or ())
    return has_all and not any(plain(one) in body for one in check.get("absent") or ())


def table_failed(check: Mapping[str, Any], made: Files, ending: str) -> str:
    told: list[str] = []
    for name, sheets in made.tables.items():
        if not name.lower().endswith(ending):
            continue
        for head, rows in sheets:
            reason = sheet_failed(check, head, rows)
            if not reason:
                return ""
            told.append(reason)
    return " | ".join(told) or f"no table in {made.names}"


def sheet_failed(check: Mapping[str, Any], head: list[str], rows: list[list[str]]) -> str:
    for column in check.get("columns") or ():
        if not any(same(one, column) for one in head):
            return f"no column {column} in {head}"
    if "rows" in check and check["rows"] is not None and len(rows) != check["rows"]:
        return f"{len(rows)} rows, not {check['rows']}: {rows[:4]}"
    for cells in check.get("contains") or ():
        if not any(has_cells(row, cells) for row in rows):
            return f"no row with {cells}: {rows[:3]}"
    for cell in check.get("absent") or ():
        if any(same(one, cell) for row in rows for one in row):
            return f"there is {cell}"
    first = check.get("first_row")
    if first and not (rows and has_cells(rows[0], first)):
        return f"first is {rows[:1]}, not {first}"
    return ""


def several(cells: Any) -> list[Any]:
    return cast("list[Any]", cells) if isinstance(cells, list) else [cells]


def has_cells(row: Sequence[str], cells: Any) -> bool:
    return all(any(same(cell, one) for cell in row) for one in several(cells))


if __name__ == "__main__":
    main()
