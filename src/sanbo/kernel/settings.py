"""Settings: `sanbo.yaml` in the workspace, then environment variables `SANBO_…`, read once.

GRACE has a file and variables of its own beside: `config/grace_config.yml` and `GRACE_…`.
The environment wins. Secrets come from the environment alone. A key that does not exist is an
error that names the nearest one that does.
"""

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, Field, JsonValue, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from sanbo.kernel.grace_settings import GraceSettings
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.private_files import PRIVATE_FOLDER, keep_private
from sanbo.kernel.problems import InvalidSettings, PermissionDenied
from sanbo.kernel.secrets import passwords_in, protect, protect_url
from sanbo.kernel.sections import Section

PREFIX = "SANBO_"
FILE = "sanbo.yaml"
GRACE_PREFIX = "GRACE_"
GRACE_FILE = Path("config") / "grace_config.yml"
GRACE = "grace"
DEFAULT_WORKSPACE = Path(".sanbo")
# Kubernetes sets these in every container beside a service that is named sanbo.
_NOT_OURS = re.compile(r"SANBO_(SERVICE_(HOST|PORT.*)|PORT(_.*)?)")

# Keys whose values are mappings: their entries are the user's; the environment gives JSON.
_MAPPINGS = ("llm.prices", "retrieval.azure_fields", "plans.config")
# The environment gives these as JSON, too.
_LISTS = ("grace.collections", "plans.env")

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

Provider = Literal["auto", "openai", "azure_openai", "google_genai", "rules"]

# The names under which people already have these values in their environment.
COMMON_VARIABLES = {
    "OPENAI_API_KEY": ("llm", "openai_api_key"),
    "OPENAI_BASE_URL": ("llm", "base_url"),
    "AZURE_OPENAI_API_KEY": ("llm", "azure_api_key"),
    "AZURE_OPENAI_ENDPOINT": ("llm", "azure_endpoint"),
    "GOOGLE_API_KEY": ("llm", "google_api_key"),
    "GEMINI_API_KEY": ("llm", "google_api_key"),
    "GOOGLE_GEMINI_BASE_URL": ("llm", "google_base_url"),
    "QDRANT_URL": ("retrieval", "qdrant_url"),
    "QDRANT_API_KEY": ("retrieval", "qdrant_api_key"),
    "AZURE_SEARCH_ENDPOINT": ("retrieval", "azure_endpoint"),
    "AZURE_SEARCH_API_KEY": ("retrieval", "azure_api_key"),
}


class Price(Section):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class LlmSettings(Section):
    provider: Provider = "auto"
    """Who thinks: a provider, `rules` (no model), or `auto`: the first that has credentials."""
    model: str | None = None
    """The model's name; with Azure the deployment's. Without it, the provider's default."""
    base_url: str | None = None
    """Any OpenAI-compatible server (Ollama, vLLM, llama.cpp …)."""
    azure_endpoint: str | None = None
    azure_api_version: str = "2024-10-21"
    google_base_url: str | None = None
    """A gateway in front of the Gemini API; without it, Google's own address."""
    openai_api_key: SecretStr | None = None
    azure_api_key: SecretStr | None = None
    google_api_key: SecretStr | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Without it, the model's own default: some models accept no other."""
    timeout_seconds: float = Field(default=120, gt=0)
    """The limit of one call, with all its attempts."""
    max_attempts: int = Field(default=4, ge=1, le=20)
    """How often one request is sent, when the service is busy or fails."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """Prices by model name, for models that Sanbo does not know or contracts with other prices."""


class ServerSettings(Section):
    host: str = "127.0.0.1"
    port: int = Field(default=8501, ge=0, le=65535)
    max_upload_mb: int = Field(default=200, ge=1)
    heartbeat_seconds: float = Field(default=15, gt=0)
    """How often an event stream with nothing to say sends a sign of life."""
    max_streams: int = Field(default=100, ge=1)
    """Event streams and subscriptions that one caller may have open at the same time."""


class RunSettings(Section):
    max_concurrent: int = Field(default=64, ge=1)
    """Runs that advance at the same time in one process; others queue."""
    lease_seconds: float = Field(default=30, gt=0)
    """How long a process on another machine is trusted to be alive without a sign of life."""


class RetrievalSettings(Section):
    engine: Literal["embedded", "qdrant", "azure"] = "embedded"
    """Where new collections are kept: in the workspace, on a Qdrant server, in Azure AI Search."""
    qdrant_url: str | None = None
    qdrant_api_key: SecretStr | None = None
    azure_endpoint: str | None = None
    azure_api_key: SecretStr | None = None
    azure_fields: dict[str, str] = Field(default_factory=dict[str, str])
    """Sanbo's field name → the index's own, to search an Azure index that others keep."""
    embedding_model: str | None = None
    """Adds meaning-based search, through the model provider of `llm`; without it, by words."""
    timeout_seconds: float = Field(default=30, gt=0)
    """The limit of one request to a server, and of waiting for another process to let go."""


class AnalysisSettings(Section):
    persist: bool = False
    """Keep uploads, artifacts and states of analyses in the workspace; else only in memory."""
    memory_mb: int = Field(default=4096, ge=64)
    """For tables, results and files in memory; beyond it the oldest are forgotten."""
    action_seconds: float = Field(default=30, gt=0)
    """The limit of one action on a table."""
    action_memory_mb: int = Field(default=1024, ge=64)
    """The memory that one action may take."""


class ResearchSettings(Section):
    max_cycles: int = Field(default=3, ge=1, le=10)
    """How often is searched at most, before the report is written with what there is."""
    relevance_threshold: float = Field(default=0.7, gt=0, lt=1)
    """The probability of answering the question from which on a passage counts as an answer."""
    min_docs_count: int = Field(default=5, ge=1, le=50)
    """How many passages must be found at least before the search counts as sufficient."""
    report_style: Literal["markdown", "text"] = "markdown"
    """`text`: without Markdown's marks, for mails and forms."""
    queries_per_cycle: int = Field(default=5, ge=1, le=20)
    hits_per_query: int = Field(default=10, ge=1, le=50)
    passage_tokens: int = Field(default=6000, ge=500, le=200_000)
    """What a model is given to read for its answer, at most."""
    decide_seconds: float = Field(default=60, gt=0)
    """The limit of deciding whether the search suffices; then the report is written."""
    answer_seconds: float = Field(default=300, gt=0)
    """The limit of writing the report; then it is made of the passages found."""


class PlanSettings(Section):
    env: tuple[str, ...] = ()
    """The environment variables that plans may read as `${env.NAME}`; no others."""
    config: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """What plans read as `${config.…}`."""
    executor: str = Field(default="threads", pattern=r"^(threads|processes|dask(://.+)?)$")
    """Where blocks compute: `threads`, `processes`, `dask` (a cluster on this machine), or
    `dask://host:port`."""
    max_workers: int = Field(default=8, ge=1, le=1000)
    """Blocks that compute at the same time in one process, over all runs."""


class Settings(Section):
    workspace: Path = DEFAULT_WORKSPACE
    language: Language = "ja"
    database_url: SecretStr | None = None
    """`postgresql://…`; without it, SQLite in the workspace."""
    llm: LlmSettings = LlmSettings()
    server: ServerSettings = ServerSettings()
    runs: RunSettings = RunSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    analysis: AnalysisSettings = AnalysisSettings()
    research: ResearchSettings = ResearchSettings()
    grace: GraceSettings = GraceSettings()
    plans: PlanSettings = PlanSettings()


def load_settings(
    workspace: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Settings of a workspace; problems name the key, where it stands and the nearest known one."""
    environment = os.environ if environment is None else environment
    workspace = workspace or Path(environment.get(f"{PREFIX}WORKSPACE") or DEFAULT_WORKSPACE)
    values = _read_file(workspace / FILE)
    origins = {path: FILE for path, _ in _leaves(values, ())}
    for path, value, file in _read_grace_file(workspace):
        _put(values, path, value)
        origins[path] = file
    for path, value, variable in _read_environment(environment):
        _put(values, path, value)
        origins[path] = variable
    values["workspace"] = workspace
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise _explain(error, origins) from None
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


def known_keys(model: type[BaseModel] = Settings, prefix: str = "") -> list[str]:
    """Every key in dotted form, such as `llm.provider`."""
    keys: list[str] = []
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            keys += known_keys(field.annotation, f"{prefix}{name}.")
        else:
            keys.append(f"{prefix}{name}")
    return keys


def is_secret(key: str) -> bool:
    return key.endswith("_api_key")


def grace_file(workspace: Path) -> Path | None:
    """The workspace's; where it has none, that of the folder in which Sanbo was started."""
    for folder in (workspace, Path()):
        if (folder / GRACE_FILE).is_file():
            return folder / GRACE_FILE
    return None


def _read_grace_file(workspace: Path) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Its keys stand without `grace.` before them."""
    path = grace_file(workspace)
    if path is None:
        return
    for leaf, value in _leaves(_read_file(path, within=GRACE), ()):
        yield leaf, value, GRACE_FILE.as_posix()


def _read_file(path: Path, within: str = "") -> dict[str, Any]:
    """As a part of the settings: all of them, or what stands `within` a section."""
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
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise InvalidSettings("settings_unreadable", file=path.name, reason=type(loaded).__name__)
    given = cast("dict[str, Any]", loaded)
    values = _sections_filled({within: given} if within else given, path.name)
    known = known_keys()
    for leaf, value in _leaves(values, ()):
        key = ".".join(leaf)
        if not key.startswith(tuple(f"{name}." for name in _MAPPINGS)) and key not in known:
            raise _unknown(key, path.name, known)
        has_password = key == "database_url" and passwords_in(str(value))
        if value is not None and (is_secret(key) or has_password):
            raise InvalidSettings(
                "settings_secret_in_file", key=key, file=path.name, variable=_variable(key)
            )
    return values


def _yaml_reason(error: Exception) -> str:
    """What is wrong and where, without the line itself: a key could stand there."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} ({mark.line + 1}:{mark.column + 1})"
    if isinstance(error, UnicodeDecodeError):
        return str(error)
    return type(error).__name__


def _sections_filled(
    values: dict[str, Any], file: str, model: type[BaseModel] | None = None, prefix: str = ""
) -> dict[str, Any]:
    """A section with nothing in it, or only comments, counts as not given."""
    given = dict(values)
    for name, field in (model or Settings).model_fields.items():
        section = field.annotation
        if not (isinstance(section, type) and issubclass(section, Section)):
            continue
        if isinstance(given.get(name), dict):
            given[name] = _sections_filled(given[name], file, section, f"{prefix}{name}.")
        if given.get(name) is None or given[name] == {}:
            given.pop(name, None)
        elif not isinstance(given[name], dict):
            raise InvalidSettings("settings_not_a_section", key=f"{prefix}{name}", file=file)
    return given


def _read_environment(
    environment: Mapping[str, str],
) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    for variable, path in COMMON_VARIABLES.items():
        if environment.get(variable):
            yield path, environment[variable], variable
    known = known_keys()
    for variable, name in _ours(environment):
        path = tuple(name.lower().split("__"))
        key = ".".join(path)
        if key not in known:
            raise _unknown(key, variable, known)
        value: Any = environment[variable]
        if key in _MAPPINGS + _LISTS:
            try:
                value = json.loads(value)
            except json.JSONDecodeError as error:
                raise InvalidSettings(
                    "settings_value", key=key, where=variable, reason=str(error)
                ) from None
        yield path, value, variable


def _ours(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables with a value, and the setting's name; GRACE's own come last, so that they win."""
    given = [variable for variable in sorted(environment) if environment[variable] != ""]
    for variable in given:
        if variable.startswith(PREFIX) and not _NOT_OURS.fullmatch(variable):
            yield variable, variable.removeprefix(PREFIX)
    for variable in given:
        if variable.startswith(GRACE_PREFIX):
            yield variable, f"{GRACE}__{variable.removeprefix(GRACE_PREFIX)}"


def _unknown(key: str, where: str, known: list[str]) -> InvalidSettings:
    (near,) = nearest(key, known, least=0)
    if where.startswith(GRACE_PREFIX):
        mine = [each for each in known if each.startswith(f"{GRACE}.")]
        (near,) = nearest(key, mine, least=0)
        key, near = where, _variable(near.removeprefix(f"{GRACE}."), GRACE_PREFIX)
    elif where.startswith(PREFIX):
        key, near = where, _variable(near)
    elif where == GRACE_FILE.name:
        key, near = key.removeprefix(f"{GRACE}."), near.removeprefix(f"{GRACE}.")
    return InvalidSettings(
        "settings_unknown_key",
        key=key,
        where=where,
        nearest=near,
        details={"key": key, "nearest": near, "where": where},
    )


def _explain(error: ValidationError, origins: Mapping[tuple[str, ...], str]) -> InvalidSettings:
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


def _leaves(
    node: Mapping[str, Any], prefix: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in node.items():
        path = (*prefix, str(name))
        if isinstance(value, Mapping) and value:
            yield from _leaves(cast("Mapping[str, Any]", value), path)
        else:
            yield path, value


def _put(values: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        branch = values.get(name)
        if not isinstance(branch, dict):
            branch = values[name] = {}
        values = cast("dict[str, Any]", branch)
    values[path[-1]] = value


def _protect_secrets(settings: Settings) -> None:
    llm, retrieval, grace = settings.llm, settings.retrieval, settings.grace
    for secret in (
        llm.openai_api_key,
        llm.azure_api_key,
        llm.google_api_key,
        retrieval.qdrant_api_key,
        retrieval.azure_api_key,
        grace.web_search_api_key,
    ):
        if secret is not None:
            protect(secret.get_secret_value())
    url = settings.database_url.get_secret_value() if settings.database_url else ""
    protect_url(url)
    protect_url(grace.web_search_url or "")  # http://user:password@host, for a proxy before it
