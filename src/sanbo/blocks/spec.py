"""A block's contract, as its YAML file declares it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue
from semver import Version

from sanbo.kernel.messages import Language, current_language

Schema = Mapping[str, Any]
"""JSON Schema, 2020-12, with Sanbo's own keys: see `Port`."""

SECRET = "x-secret"  # noqa: S105 - a key's name
"""In a port's schema: its value is masked wherever it is written."""
PERSONAL = "x-personal"
"""The same for what tells about a person: a My Number, an account number, an address."""
FILE = "x-file"
"""In a schema: the value is a file, `{file_id, name, size, media_type}`. Written `type: bytes`."""

FILE_SCHEMA: Schema = {
    "type": "object",
    FILE: True,
    "properties": {
        "file_id": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "name": {"type": "string"},
        "size": {"type": "integer", "minimum": 0},
        "media_type": {"type": "string"},
    },
    "required": ["file_id", "name", "size"],
}

TEXT = "x-text"
"""In a schema: what a person reads, a string or `{ja, en}`. Written `type: text`."""

TEXT_SCHEMA: Schema = {
    "type": ["string", "object"],
    TEXT: True,
    "properties": {"ja": {"type": "string"}, "en": {"type": "string"}},
    "minProperties": 1,
    "additionalProperties": False,
}

_ID = r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$"
_ENTRYPOINT = r"^[A-Za-z0-9_]+(/[A-Za-z0-9_]+)*\.py:[A-Za-z_][A-Za-z0-9_]*$"


class Declared(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


def _in_both(text: object) -> object:
    return {"ja": text, "en": text} if isinstance(text, str) else text


Text = Annotated[Mapping[Language, str], BeforeValidator(_in_both)]
"""`{ja: …, en: …}`, or one text for both."""


def text_of(text: Mapping[Language, str], language: Language | None = None) -> str:
    return text.get(language or current_language()) or next(iter(text.values()), "")


def _parsed_version(version: object) -> object:
    return Version.parse(version) if isinstance(version, str) else version


class Port(Declared):
    """One input or output. What is not one of these keys is its JSON Schema."""

    schema_: Schema = Field(alias="schema")
    """With `type: bytes` and `$ref` resolved; `nullable` is folded into it."""
    required: bool = False
    """Of an input: a plan must give it. One with a default need not be given."""
    has_default: bool = False
    default: JsonValue = None
    examples: tuple[JsonValue, ...] = ()
    description: Text = Field(default_factory=dict[Language, str])

    @property
    def is_secret(self) -> bool:
        return bool(self.schema_.get(SECRET) or self.schema_.get(PERSONAL))


class Sample(Declared):
    """What a block is given and gives then. A file is `{name, text}` or `{name, base64}`."""

    inputs: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    outputs: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class DryRun(Declared):
    samples: tuple[Sample, ...] = ()


class Section(Declared):
    """One of the things that a block can do, for its page: what it is, and an example."""

    name: str
    description: Text
    example: JsonValue
    gives: JsonValue = None


class BlockSpec(Declared):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    id: str = Field(pattern=_ID)
    version: Annotated[Version, BeforeValidator(_parsed_version)]
    entrypoint: str = Field(pattern=_ENTRYPOINT)
    """`folder/file.py:Class`, in the package's or the workspace's own block folder."""
    inputs: Mapping[str, Port] = Field(default_factory=dict[str, Port])
    outputs: Mapping[str, Port] = Field(default_factory=dict[str, Port])
    dry_run: DryRun = DryRun()
    requirements: tuple[str, ...] = ()
    """Python packages that it needs beyond Sanbo's own; checked when it is loaded."""
    description: Text = Field(default_factory=dict[Language, str])
    replaces: str = ""
    """Earlier versions whose plans it runs as they are, such as `<1`."""
    one_of: tuple[tuple[str, ...], ...] = ()
    """Inputs of which one is needed, whichever it is."""
    sections: tuple[Section, ...] = ()
    """Operations of a block that has many, each with its own place in the reference."""
    deprecated: Text = Field(default_factory=dict[Language, str])
    """What to use instead, for blocks kept for plans in circulation."""

    @property
    def reference(self) -> str:
        return f"{self.id}@{self.version}"
