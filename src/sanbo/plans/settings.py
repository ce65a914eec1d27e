"""What plans may read, and where their blocks compute."""

from typing import Literal

from pydantic import Field, JsonValue, SecretStr

from sanbo.kernel.settings import Section

Persist = Literal["full", "masked", "none"]

BLOCK = "block"
"""What a cluster's worker that also advances runs has as many of as it computes blocks at once."""


class PlanSettings(Section):
    env: tuple[str, ...] = ()
    """The environment variables that plans may read as `${env.NAME}`; no others."""
    config: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """What plans read as `${config.…}`."""
    connections: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    """Databases that `sql.query` may ask, by name: `postgresql://…`, `sqlite:////…`."""
    executor: str = Field(default="threads", pattern=r"^(threads|processes|dask(://.+)?)$")
    """Where blocks compute: `threads`, `processes`, `dask` (a cluster on this machine), or
    `dask://host:port`."""
    persist: Persist = "full"
    """What of a run's values is written: all (`full`), a masked summary in the journal and the rest
    as a file of the run (`masked`), or nothing (`none`)."""
    max_workers: int = Field(default=8, ge=1, le=1000)
    """Blocks that compute at the same time in one process, over all runs."""
    require_approval: bool = False
    """Only approved versions run, whichever way a run is started."""
    four_eyes: bool = False
    """Who saved a version can't approve it."""
