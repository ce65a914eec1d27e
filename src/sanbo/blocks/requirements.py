"""Whether the Python packages that a block needs are installed here."""

from functools import cache
from importlib import metadata

from packaging.requirements import InvalidRequirement, Requirement

from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.problems import MissingDependency


def check_requirements(spec: BlockSpec) -> None:
    """`MissingDependency` that names all packages that are missing, or too old."""
    missing = [each for each in spec.requirements if not _is_met(each)]
    if missing:
        raise MissingDependency(
            "block_packages_missing",
            block=spec.reference,
            packages=", ".join(missing),
            details={"block": spec.reference, "packages": missing},
        )


@cache
def _is_met(text: str) -> bool:
    try:
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate():
            return True
        return wanted.specifier.contains(metadata.version(wanted.name), prereleases=True)
    except (InvalidRequirement, metadata.PackageNotFoundError):
        return False
