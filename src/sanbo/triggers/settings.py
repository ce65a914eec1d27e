"""What may start plans, and how triggers count time."""

from pydantic import Field

from sanbo.kernel.settings import Section


class TriggerSettings(Section):
    zone: str = "Asia/Tokyo"
    """Of schedules that name none."""
    closed_days: tuple[str, ...] = ("12-29", "12-30", "12-31", "01-02", "01-03")
    """Days beside national holidays that are no business days: `MM-DD` or `YYYY-MM-DD`."""
    folders: tuple[str, ...] = ()
    """The folders that may be watched, with what is below them; none by default."""
    secrets: tuple[str, ...] = ()
    """The environment variables that hold keys of signed webhooks."""
    grace_minutes: float = Field(default=10, gt=0, le=1440)
    """A time that was missed by more is reported and not made up for."""
    folder_seconds: float = Field(default=10, ge=1, le=3600)
    """Between two looks at a watched folder."""
    max_file_mb: int = Field(default=200, ge=1)
    """A file that arrives in a watched folder; larger ones are reported."""
