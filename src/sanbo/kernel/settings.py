"""How settings are read: `sanbo.yaml` in the workspace, then environment variables `SANBO_…`.

Each package says in its `settings.py` what can be set, as a `Section`. The environment wins.
Secrets come from the environment alone. A key that does not exist is an error that names the
nearest one that does.
"""

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast, get_args, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.private_files import PRIVATE_FOLDER, keep_private
from sanbo.kernel.problems import InvalidSettings, PermissionDenied
from sanbo.kernel.secrets import passwords_in, protect, protect_url

PREFIX = "SANBO_"
FILE = "sanbo.yaml"
DEFAULT_WORKSPACE = Path(".sanbo")
# Kubernetes sets these in every container beside a service that is named sanbo.
_NOT_OURS = re.compile(r"SANBO_(SERVICE_(HOST|PORT.*)|PORT(_.*)?)")

# By Pydantic's kind of error.
_REASONS = {
    "greater_than_equal": "at_least",
    "greater_than": "more_than",
    "less_than_equal": "at_most",
    "less_than": "less_than",
    "literal_error": "one_of",
    "float_parsing": "number",
    "float_type": "number",
    "int_parsing": "number",
    "int_type": "number",
    "bool_parsing": "boolean",
    "bool_type": "boolean",
}

_Path = tuple[str, ...]


@dataclass(frozen=True)
class OwnPlace:
    """Where a section is also set, without its name before each key."""

    file: Path
    prefix: str

    def found(self, workspace: Path) -> Path | None:
        """The workspace's file; without one, that of the folder in which Sanbo was started."""
        files = (folder / self.file for folder in (workspace, Path()))
        return next((file for file in files if file.is_file()), None)


class Section(BaseModel):
    """A part of the settings: its keys are known, and nothing else is taken."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    usual_variables: ClassVar[Mapping[str, str]] = {}
    """The names under which people already have values in their environment → the key."""
    own_place: ClassVar[OwnPlace | None] = None


S = TypeVar("S", bound=Section)


def load(
    model: type[S], workspace: Path | None = None, environment: Mapping[str, str] | None = None
) -> S:
    """Settings of a workspace; problems name the key, where it stands and the nearest known one."""
    environment = os.environ if environment is None else environment
    workspace = workspace or Path(environment.get(f"{PREFIX}WORKSPACE") or DEFAULT_WORKSPACE)
    reader = _Reader(model)
    reader.read_file(workspace / FILE)
    for name, place in reader.own_places:
        if file := place.found(workspace):
            reader.read_file(file, name, place.file.as_posix())
    reader.read_environment(environment)
    reader.values["workspace"] = workspace
    try:
        settings = model.model_validate(reader.values)
    except ValidationError as error:
        raise _explain(error, reader.origins) from None
    _protect_secrets(settings)
    return settings


def prepare_workspace(workspace: Path) -> None:
    """Makes the folder where it is not there yet, its owner's alone; a problem if that fails."""
    try:
        workspace.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if not os.access(workspace, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        keep_private(workspace)
    except OSError as error:
        raise PermissionDenied(
            "workspace_unusable", workspace=str(workspace), reason=error.strerror or str(error)
        ) from None


def known_keys(model: type[Section]) -> dict[str, FieldInfo]:
    """Every key in dotted form, such as `llm.provider`."""
    keys: dict[str, FieldInfo] = {}
    for name, field in model.model_fields.items():
        if section := _section_of(field):
            keys |= {f"{name}.{key}": below for key, below in known_keys(section).items()}
        else:
            keys[name] = field
    return keys


def sections(model: type[Section]) -> dict[str, type[Section]]:
    found = {name: _section_of(field) for name, field in model.model_fields.items()}
    return {name: section for name, section in found.items() if section}


def usual_variables(model: type[Section]) -> dict[str, _Path]:
    return {
        variable: (name, key)
        for name, section in sections(model).items()
        for variable, key in section.usual_variables.items()
    }


def is_secret(field: FieldInfo) -> bool:
    return SecretStr in (field.annotation, *get_args(field.annotation))


def _is_address(key: str) -> bool:
    """A secret only where it has a password in it."""
    return key.endswith("_url")


def _section_of(field: FieldInfo) -> type[Section] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


class _Reader:
    """What files and variables say, put together."""

    def __init__(self, model: type[Section]) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[_Path, str] = {}
        self._model = model
        self._known = known_keys(model)
        self._usual = usual_variables(model)
        self.own_places = tuple(
            (name, section.own_place)
            for name, section in sections(model).items()
            if section.own_place
        )

    def read_file(self, path: Path, within: str = "", where: str = FILE) -> None:
        """All settings, or what stands `within` a section."""
        given = _read_yaml(path)
        given = _sections_filled({within: given} if within else given, path.name, self._model)
        for leaf, value in _leaves(given):
            field = self._field(leaf, path.name)
            key = ".".join(leaf)
            is_plain = _is_address(key) and not passwords_in(str(value))
            if value is not None and field and is_secret(field) and not is_plain:
                raise InvalidSettings(
                    "settings_secret_in_file", key=key, file=path.name, variable=_variable(key)
                )
            self._put(leaf, value, where)

    def read_environment(self, environment: Mapping[str, str]) -> None:
        for variable, path in self._usual.items():
            if environment.get(variable):
                self._put(path, environment[variable], variable)
        for variable, name in self._ours(environment):
            path = tuple(name.lower().split("__"))
            key = ".".join(path)
            if key not in self._known:
                raise self._unknown(key, variable)
            value: Any = environment[variable]
            if get_origin(self._known[key].annotation) in (dict, tuple):
                try:
                    value = json.loads(value)
                except json.JSONDecodeError as error:
                    raise InvalidSettings(
                        "settings_value", key=key, where=variable, reason=str(error)
                    ) from None
            self._put(path, value, variable)

    def _ours(self, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Variables with a value, and the setting's name; sections' own come last and win."""
        given = [variable for variable in sorted(environment) if environment[variable] != ""]
        for variable in given:
            if variable.startswith(PREFIX) and not _NOT_OURS.fullmatch(variable):
                yield variable, variable.removeprefix(PREFIX)
        for name, place in self.own_places:
            for variable in given:
                if variable.startswith(place.prefix):
                    yield variable, f"{name}__{variable.removeprefix(place.prefix)}"

    def _put(self, path: _Path, value: Any, where: str) -> None:
        self.origins[path] = where
        values = self.values
        for name in path[:-1]:
            branch = values.get(name)
            if not isinstance(branch, dict):
                branch = values[name] = {}
            values = cast("dict[str, Any]", branch)
        values[path[-1]] = value

    def _field(self, leaf: _Path, file: str) -> FieldInfo | None:
        """None for what stands inside of a mapping, whose entries are the user's."""
        for end in range(1, len(leaf)):
            field = self._known.get(".".join(leaf[:end]))
            if field is not None and get_origin(field.annotation) is dict:
                return None
        key = ".".join(leaf)
        if key not in self._known:
            raise self._unknown(key, file)
        return self._known[key]

    def _unknown(self, key: str, where: str) -> InvalidSettings:
        (near,) = nearest(key, self._known, least=0)
        for name, place in self.own_places:
            if where.startswith(place.prefix):
                mine = [each for each in self._known if each.startswith(f"{name}.")]
                (near,) = nearest(key, mine, least=0)
                key, near = where, _variable(near.removeprefix(f"{name}."), place.prefix)
            elif where == place.file.name:
                key, near = key.removeprefix(f"{name}."), near.removeprefix(f"{name}.")
        if where.startswith(PREFIX):
            key, near = where, _variable(near)
        return InvalidSettings(
            "settings_unknown_key",
            key=key,
            where=where,
            nearest=near,
            details={"key": key, "nearest": near, "where": where},
        )


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        loaded: object = yaml.safe_load(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidSettings("settings_file_refused", file=str(path), reason=reason) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = _yaml_reason(error)
        raise InvalidSettings("settings_unreadable", file=path.name, reason=reason) from None
    if loaded is not None and not isinstance(loaded, dict):
        raise InvalidSettings("settings_unreadable", file=path.name, reason=type(loaded).__name__)
    return cast("dict[str, Any]", loaded or {})


def _yaml_reason(error: Exception) -> str:
    """What is wrong and where, without the line itself: a key could stand there."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} ({mark.line + 1}:{mark.column + 1})"
    if isinstance(error, UnicodeDecodeError):
        return str(error)
    return type(error).__name__


def _sections_filled(
    values: dict[str, Any], file: str, model: type[Section], prefix: str = ""
) -> dict[str, Any]:
    """A section with nothing in it, or only comments, counts as not given."""
    given = dict(values)
    for name, section in sections(model).items():
        if isinstance(given.get(name), dict):
            given[name] = _sections_filled(given[name], file, section, f"{prefix}{name}.")
        if given.get(name) is None or given[name] == {}:
            given.pop(name, None)
        elif not isinstance(given[name], dict):
            raise InvalidSettings("settings_not_a_section", key=f"{prefix}{name}", file=file)
    return given


def _explain(error: ValidationError, origins: Mapping[_Path, str]) -> InvalidSettings:
    first = error.errors(include_url=False, include_input=False)[0]
    path = tuple(str(part) for part in first["loc"])
    where = next((origins[path[:n]] for n in range(len(path), 0, -1) if path[:n] in origins), FILE)
    return InvalidSettings("settings_value", key=".".join(path), where=where, reason=_reason(first))


def _reason(error: ErrorDetails) -> str:
    """In the user's language, as far as the kind of error is foreseen."""
    kind = _REASONS.get(error["type"])
    if kind is None:
        return error["msg"]
    limit = next(iter(error.get("ctx", {}).values()), "")
    told = f"{limit:g}" if isinstance(limit, float) else limit
    return tell(f"settings_reason.{kind}", limit=told)


def _variable(key: str, prefix: str = PREFIX) -> str:
    return prefix + key.upper().replace(".", "__")


def _leaves(node: Mapping[str, Any], prefix: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    for name, value in node.items():
        path = (*prefix, str(name))
        if isinstance(value, Mapping) and value:
            yield from _leaves(cast("Mapping[str, Any]", value), path)
        else:
            yield path, value


def _protect_secrets(settings: Section) -> None:
    for name, value in settings:
        written = value.get_secret_value() if isinstance(value, SecretStr) else value
        if isinstance(value, Section):
            _protect_secrets(value)
        elif isinstance(written, str) and _is_address(name):
            protect_url(written)
        elif isinstance(value, SecretStr):
            protect(value.get_secret_value())
