"""How many runs advance at once, how long a lease holds, and how long what has ended is kept."""

from pydantic import Field

from sanbo.kernel.settings import Section


class RunSettings(Section):
    max_concurrent: int = Field(default=64, ge=1)
    """Runs that advance at the same time in one process; others queue."""
    lease_seconds: float = Field(default=30, gt=0)
    """How long a process on another machine is trusted to be alive without a sign of life."""
    cluster: str = Field(default="", pattern=r"^(dask://[^/\s]+:\d{1,5})?$")
    """A Dask scheduler (`dask://host:port`) whose workers advance runs in place of the servers;
    empty: each server advances its own."""
    cluster_needs: dict[str, dict[str, float]] = Field(default_factory=dict[str, dict[str, float]])
    """By workflow, what a worker must offer (`sanbo cluster worker --label`)."""
    queue_per_owner: int | None = Field(default=None, ge=1)
    """Runs of one owner that may be queued or at work; one more is refused. None: any number."""
    queue_per_workflow: dict[str, int] = Field(default_factory=dict[str, int])
    """The same by workflow, over all owners."""
    traces_url: str | None = None
    """An OpenTelemetry collector (OTLP over HTTP) that is told of runs as traces; None: none is.
    What it wants as a key comes from `OTEL_EXPORTER_OTLP_HEADERS`."""
    keep_days: int | None = Field(default=None, ge=1)
    """Runs that ended longer ago are what `sanbo runs prune` deletes; None: no run."""
    keep_files_days: int | None = Field(default=None, ge=1)
    """Of runs that ended longer ago it deletes the files alone; None: of none."""
