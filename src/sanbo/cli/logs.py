"""The log file of a workspace: what happened inside, with secrets masked, for whoever helps."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from sanbo.kernel.secrets import RedactingFilter

MAX_BYTES = 2_000_000
KEPT_FILES = 3


def log_file(workspace: Path) -> Path:
    return workspace / "logs" / "sanbo.log"


def keep_log(workspace: Path) -> bool:
    """Everything that is logged from now on goes there, and nothing to the screen."""
    root = logging.getLogger()
    logging.captureWarnings(capture=True)
    path = log_file(workspace)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8"
        )
    except OSError:  # a log that can't be written must not stop the work
        handler = logging.NullHandler()
    handler.addFilter(RedactingFilter())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for earlier in root.handlers[:]:
        if isinstance(earlier, RotatingFileHandler | logging.NullHandler):
            root.removeHandler(earlier)
            earlier.close()
    root.addHandler(handler)
    logging.getLogger("sanbo").setLevel(logging.INFO)
    return isinstance(handler, RotatingFileHandler)
