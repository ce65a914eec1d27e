"""Where contracts stand: `**/*.yaml` below a folder, with shared schemas in `schemas/`."""

import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from sanbo.blocks.reading_specs import Place, read_spec
from sanbo.blocks.spec import BlockSpec
from sanbo.blocks.workspace_code import load_module
from sanbo.blocks.yaml_files import read_yaml
from sanbo.kernel.problems import InvalidInput, SanboError

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
    return SpecFolder(Path(__file__).parent / "specs", "specs", is_trusted=True)


def workspace_folder(folder: Path) -> SpecFolder:
    return SpecFolder(folder, folder.name)
