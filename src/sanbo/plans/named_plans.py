"""Plans by name, wherever they are: in folders, or kept as versions."""

from typing_extensions import override

from sanbo.kernel.problems import NotFound
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.store import Design, Designs
from sanbo.plans.version_store import PlanVersions, split_name


class DesignsAndVersions(Designs):
    """Plans of folders and, where there is none of that name, kept ones; also as `id@version`.

    What a kept one calls is what was kept with it.
    """

    def __init__(self, designs: Designs, versions: PlanVersions) -> None:
        super().__init__(designs.folders)
        self._designs = designs
        self._versions = versions
        self._kept: dict[str, PlanText] = {}

    @override
    def list(self) -> tuple[Design, ...]:
        return self._designs.list()

    @override
    def read(self, plan_id: str, *, but: str = "") -> PlanText:
        if plan_id in self._kept:
            return self._kept[plan_id]
        name, version = split_name(plan_id)
        found = self._versions.find(name, version) if version else None
        if found is None:
            try:
                return self._designs.read(plan_id, but=but)
            except NotFound:
                if version or not self._versions.list(plan_id):
                    raise
                found = self._versions.get(plan_id)
        for each, text in found.source.called.items():
            self._kept.setdefault(each, text)
        return found.source.plan


def source_named(name: str, designs: Designs, versions: PlanVersions) -> PlanSource:
    """A plan by its id, of the folders first; or a kept one, `id@version`."""
    plan_id, version = split_name(name)
    if version and versions.find(plan_id, version) is not None:
        return versions.get(plan_id, version).source
    try:
        return DesignsAndVersions(designs, versions).source(designs.read(name))
    except NotFound:
        if version or versions.list(plan_id):
            return versions.get(plan_id, version).source
        raise
