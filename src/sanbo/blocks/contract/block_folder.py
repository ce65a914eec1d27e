"""A folder of blocks: its contracts, the schemas that they share, and a workspace's own code.

Code is loaded from its block folder only, again when it has changed: the folder becomes a package
with a private name that holds the digest of all its code, so an edit gives a new package, and what
runs still with the old one is not disturbed. Blocks share code by relative imports (`from .amounts
import parse`).
"""

import hashlib
import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel
from typing_extensions import override

from sanbo.blocks.contract.spec_reader import Place, read_spec, read_yaml
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.problems import InvalidInput, PermissionDenied, SanboError

BLOCK_FOLDER = "block_specs"
"""In a workspace: its own blocks, contracts and code."""
SCHEMAS = "schemas"
"""Of a folder with specs: what `jsonschema://NAME` refers to."""

_SCHEMA_URL = re.compile(r"jsonschema://([A-Za-z0-9_][A-Za-z0-9_./-]*)")
_MODEL = re.compile(r"([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*):([A-Za-z_][A-Za-z0-9_]*)")
_READ = frozenset({".yaml", ".yml", ".json", ".py"})


@dataclass(frozen=True)
class SpecFolder:
    root: Path
    shown_as: str
    """Before a file's path, in problems."""
    is_trusted: bool = False

    def spec_files(self) -> Iterator[str]:
        """Paths below the root; a link that leads out of it is no part of it."""
        root = self.root.resolve()
        for path in sorted(self.root.rglob("*.y*ml")):
            inside = path.relative_to(self.root)
            if inside.parts[0] == SCHEMAS or path.suffix not in (".yaml", ".yml"):
                continue
            if self.is_trusted or (path.is_file() and path.resolve().is_relative_to(root)):
                yield inside.as_posix()

    def fingerprint(self) -> tuple[tuple[str, int, int], ...]:
        """Changes with every file that a spec, its schemas or its code can come from."""
        seen: list[tuple[str, int, int]] = []
        for path in self.root.rglob("*"):
            if path.suffix in _READ and "__pycache__" not in path.parts:
                try:
                    stat = path.stat()
                except OSError:
                    continue
                seen.append((str(path), stat.st_mtime_ns, stat.st_size))
        return tuple(sorted(seen))

    def read(self, file: str) -> BlockSpec:
        """`InvalidInput` that names file and line for what is no contract."""
        place = Place(self.root / file, f"{self.shown_as}/{file}", self.is_trusted)
        return read_spec(place, self._document)

    def _document(self, name: str) -> Mapping[str, Any]:
        """What a `$ref` in a port's schema means."""
        if url := _SCHEMA_URL.fullmatch(name):
            return self._shared_schema(url[1], name)
        if model := _MODEL.fullmatch(name):
            return self._model_schema(model[1], model[2], name)
        raise InvalidInput("block_schema_reference", reference=name)

    def _shared_schema(self, written: str, reference: str) -> Mapping[str, Any]:
        folder = (self.root / SCHEMAS).resolve()
        for ending in ("", ".json", ".yaml", ".yml"):
            path = (folder / f"{written}{ending}").resolve()
            if path.is_file() and path.suffix in _READ and path.is_relative_to(folder):
                shown = f"{self.shown_as}/{SCHEMAS}/{path.name}"
                return read_yaml(path, shown)
        raise InvalidInput("block_schema_reference", reference=reference)

    def _model_schema(self, module: str, name: str, reference: str) -> Mapping[str, Any]:
        try:
            found = getattr(self._module(module), name, None)
        except (ImportError, SanboError) as error:
            raise InvalidInput("block_schema_reference", reference=reference) from error
        if not (isinstance(found, type) and issubclass(found, BaseModel)):
            raise InvalidInput("block_schema_reference", reference=reference)
        return found.model_json_schema()

    def _module(self, module: str) -> ModuleType:
        if module.startswith("sanbo."):
            return importlib.import_module(module)
        return load_module(self.root, f"{module.replace('.', '/')}.py")


def shipped_folder() -> SpecFolder:
    return SpecFolder(Path(__file__).parents[1] / "specs", "specs", is_trusted=True)


def workspace_folder(folder: Path) -> SpecFolder:
    return SpecFolder(folder, folder.name)


# ---- a workspace's own code ----------------------------------------------------------------------


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
