"""What a person typed into one field, as the value it stands for."""

from pathlib import Path

from pydantic import JsonValue

from sanbo.cli.given import existing
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Requirement


def value_typed(field: Requirement, typed: str) -> JsonValue:
    """None for nothing; raises a problem that says what was expected."""
    typed = typed.strip()
    return field.kind.typed(field, typed) if typed else None


def path_typed(field: Requirement, typed: str) -> Path:
    # Terminals put quotes around a file that is dropped onto them, or a backslash before a space.
    typed = typed.strip()
    if len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "'\"":
        typed = typed[1:-1]
    path = Path(typed).expanduser()
    path = path if path.exists() else existing(typed.replace("\\ ", " "))
    is_folder = field.kind.files == "folder"
    if is_folder != path.is_dir():
        wanted = "cli.ask.not_a_folder" if is_folder else "cli.ask.not_a_file"
        raise InvalidInput("entry_not_understood", reason=tell(wanted, path=path))
    return path
