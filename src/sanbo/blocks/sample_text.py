"""Samples as people read them: YAML, with texts of several lines as such."""

from typing import Any

import yaml
from pydantic import JsonValue

from sanbo.blocks.spec import Sample

_LONGEST = 300
_SHOWN = 60


def sample_text(sample: Sample) -> str:
    shown = {"in": _short(dict(sample.inputs)), "out": _short(dict(sample.outputs))}
    return yaml.dump(shown, Dumper=_Plain, allow_unicode=True, sort_keys=False, width=100).rstrip()


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        """What stands twice is written twice."""
        _ = data
        return True

    def represent_text(self, text: str) -> Any:
        style = "|" if "\n" in text and "\t" not in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)  # pyright: ignore[reportUnknownMemberType]


_Plain.add_representer(str, _Plain.represent_text)


def _short(value: JsonValue) -> JsonValue:
    """Without the bytes of files, which say nothing to a reader."""
    if isinstance(value, str) and len(value) > _LONGEST and "\n" not in value:
        return f"{value[:_SHOWN]}…"
    if isinstance(value, list):
        return [_short(part) for part in value]
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items()}
    return value
