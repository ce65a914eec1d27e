"""Names: ids of nodes, of the plan and of what it exports, and its version."""

from pathlib import PurePosixPath

from semver import Version

from sanbo.plans.model import RESERVED, Plan
from sanbo.plans.references import BadReference, reference_of
from sanbo.plans.validating.readable import UNREADABLE
from sanbo.plans.validating.reading import check_reference
from sanbo.plans.validating.site import Site, site_of_node
from sanbo.plans.validating.suggesting import suggestion

DESIGNS = "designs"


def check_plan_names(plan: Plan, site: Site, plan_id: str) -> None:
    if not Version.is_valid(plan.version):
        site.error("bad_version", "version", version=plan.version)
    expected = plan_id or _id_by_file(site.scope.notes.file)
    last = expected.rpartition("/")[2]
    if last and plan.id not in (last, expected, UNREADABLE):
        site.warn("plan_id_differs", "id", plan_id=plan.id, expected=last)


def _id_by_file(file: str) -> str:
    """Only in the folder where a file's name is the plan's id."""
    path = PurePosixPath(file)
    return path.stem if DESIGNS in path.parts[:-1] else ""


def check_node_ids(site: Site) -> None:
    seen: dict[str, int] = {}
    scope = site.scope
    for position, node in enumerate(scope.graph.graph):
        here = site_of_node(scope, position)
        if node.id in RESERVED:
            here.error("reserved_name", "id", name=node.id)
        elif node.id in seen:
            line = scope.notes.marks.at(*scope.place_of(seen[node.id]))[0]
            here.error("duplicate_node", "id", name=node.id, first=line)
        elif scope.outer is not None and node.id in scope.outer.names_in_reach():
            here.warn("name_hides", "id", name=node.id)
        seen.setdefault(node.id, position)
        for index, before in enumerate(node.after):
            if before == node.id:
                here.error("reads_itself", "after", index, reference=before, name=before)
            elif before not in scope.nodes:
                here.error(
                    "unknown_after",
                    "after",
                    index,
                    name=before,
                    suggestion=suggestion(before, scope.nodes),
                )


def check_exports(site: Site) -> None:
    names: set[str] = set()
    for position, export in enumerate(site.scope.graph.exports):
        where = ("exports", position, export.as_)  # a list, or by name
        try:
            reference = reference_of(export.from_)
        except BadReference:
            site.error("bad_reference", *where, "from", text=export.from_)
        else:
            check_reference(reference, site, *where, "from")
        if not export.as_.strip():
            site.error("bad_name", *where, "as", key="as", value=export.as_)
        elif export.as_ in names:
            site.error("duplicate_export", *where, "as", name=export.as_)
        names.add(export.as_)
