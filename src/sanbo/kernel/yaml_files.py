"""Our own tables in YAML: word lists, labels, texts."""

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

# The C loader reads them ten times as fast, which a person waits for at every command.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(file: Path | Traversable) -> Any:
    """What is in a file that comes with Sanbo."""
    return yaml.load(file.read_bytes(), _Loader)  # noqa: S506 - both loaders are safe ones
