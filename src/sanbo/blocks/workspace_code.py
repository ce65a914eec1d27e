"""A workspace's own block code: loaded from its block folder only, again when it has changed.

The folder becomes a package with a private name that holds the digest of all its code, so an edit
gives a new package, and what runs still with the old one is not disturbed. Blocks share code by
relative imports (`from .amounts import parse`).
"""

import hashlib
import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from typing_extensions import override

from sanbo.kernel.problems import InvalidInput, PermissionDenied

_PREFIX = "_sanbo_workspace_blocks_"
_folders: dict[str, Path] = {}


def load_module(folder: Path, file: str) -> ModuleType:
    """The module of `file`, such as `billing/totals.py`, below this block folder."""
    _check_inside(folder, folder / file, file)
    name = ".".join([_package_of(folder), *file.removesuffix(".py").split("/")])
    try:
        return importlib.import_module(name)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".replace(_package_of(folder), folder.name)
        raise InvalidInput("block_code_fails", file=file, reason=reason) from error


def _check_inside(folder: Path, path: Path, file: str) -> None:
    root = folder.resolve()
    if ".." in Path(file).parts or not path.resolve().is_relative_to(root):
        raise PermissionDenied("block_code_outside", file=file, folder=folder.name)
    if not path.is_file():
        raise InvalidInput("block_code_missing", file=file, folder=folder.name)


def _package_of(folder: Path) -> str:
    """The folder as a package, under a name that changes with the code in it."""
    root = folder.resolve()
    digest = hashlib.sha256(str(root).encode())
    for path in code_files(root):
        digest.update(f"\0{path.relative_to(root)}\0".encode())
        digest.update(path.read_bytes())
    name = _PREFIX + digest.hexdigest()[:16]
    _folders.setdefault(name, root)
    return name


def code_files(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for path in sorted(root.rglob("*.py")):
        if path.is_file() and path.resolve().is_relative_to(root):
            yield path


class _Loader(SourceFileLoader):
    """Never takes or leaves compiled files: they go by times, which two quick edits share."""

    @override
    def path_stats(self, path: str) -> dict[str, float]:
        raise OSError(path)


class _Finder(MetaPathFinder):
    """Finds modules of the private packages, and only inside their folder."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        package, _, inner = fullname.partition(".")
        root = _folders.get(package)
        if root is None:
            return None
        place = root.joinpath(*inner.split(".")) if inner else root
        if not place.resolve().is_relative_to(root):
            return None
        return _spec(fullname, place, root)


def _spec(fullname: str, place: Path, root: Path) -> ModuleSpec | None:
    file = place.with_name(f"{place.name}.py")
    if place != root and file.is_file() and file.resolve().is_relative_to(root):
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file)))
    if not place.is_dir():
        return None
    first = place / "__init__.py"
    if not (first.is_file() and first.resolve().is_relative_to(root)):
        return ModuleSpec(fullname, None, is_package=True)
    # No places to search: Python's own finder would follow links and leave compiled files.
    return spec_from_file_location(
        fullname, first, loader=_Loader(fullname, str(first)), submodule_search_locations=[]
    )


sys.meta_path.append(_Finder())
