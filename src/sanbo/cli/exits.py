"""How a command ends: the exit codes that scripts rely on."""

SUCCEEDED = 0
FAILED = 1
USAGE = 2
WAITING = 3
INTERRUPTED = 130


class Interrupted(Exception):
    """Ctrl-C while a run was advancing or being watched; raised once its lease is given back."""

    def __init__(self, run_id: str, text_id: str) -> None:
        super().__init__(run_id)
        self.run_id = run_id
        self.text_id = text_id
