"""Pictures that a plan's forms show as help: files of its own folder, never an address."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from sanbo.documents.file_formats import media_type_of
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.plans.load import load
from sanbo.plans.model import BlockNode, Graph, LoopNode, PlanSource
from sanbo.plans.store import Designs
from sanbo.runs.fields import FileRef
from sanbo.runs.files import RunFiles

ENDINGS = (".png", ".jpg", ".jpeg")
MOST_BYTES = 5_000_000


def is_picture_name(name: str) -> bool:
    """A file of the plan's folder, or of one in it: no address, no path out of it."""
    parts = PurePosixPath(name).parts
    inside = parts and not any(part.startswith((".", "/")) for part in parts)
    return bool(inside) and not set(name) & set(':\\"?*<>|\0') and name.lower().endswith(ENDINGS)


def picture_names(source: PlanSource) -> set[str]:
    """Of all forms, also of the plans that it calls."""
    plans = (load(text).plan for text in (source.plan, *source.called.values()))
    return {name for plan in plans if plan is not None for name in _in_graph(plan)}


def _in_graph(graph: Graph) -> Iterator[str]:
    for node in graph.graph:
        if isinstance(node, BlockNode):
            yield from names_in(node.in_)
        elif isinstance(node, LoopNode) and node.body.plan is not None:
            yield from _in_graph(node.body.plan)


def names_in(form: Mapping[str, JsonValue]) -> Iterator[str]:
    requirements = form.get("requirements")
    fields = requirements if isinstance(requirements, list) else []
    for each in (form, *fields):
        written = each.get("help") if isinstance(each, Mapping) else None
        name = written.get("picture") if isinstance(written, dict) else None
        if isinstance(name, str) and "${" not in name:
            yield name


def store_pictures(
    names: Iterable[str], source: PlanSource, designs: Designs, files: RunFiles, owner: str
) -> dict[str, FileRef]:
    """Kept with the run: it never looks at the folder again."""
    stored: dict[str, FileRef] = {}
    for name in sorted(names):
        file = find_picture(name, source, designs)
        stored[name] = files.upload(owner, file, PurePosixPath(name).name, media_type_of(name))
    return stored


def find_picture(name: str, source: PlanSource, designs: Designs) -> Path:
    """Beside the plan, or in a folder of plans."""
    if not is_picture_name(name):
        raise InvalidInput("plan_picture_refused", name=name[:200])
    for folder in designs.folders:
        beside = folder.parent / Path(source.plan.file).parent
        for file in (beside / name, folder / name):
            if file.is_file() and file.resolve().is_relative_to(folder.resolve()):
                if file.stat().st_size > MOST_BYTES:
                    raise InvalidInput("plan_picture_refused", name=name[:200])
                return file
    raise NotFound("plan_picture_missing", name=name[:200])
