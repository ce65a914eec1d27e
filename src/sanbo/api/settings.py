"""Where the server listens, and what one caller may take."""

from typing import Literal

from pydantic import Field

from sanbo.kernel.settings import Section


class ServerSettings(Section):
    host: str = "127.0.0.1"
    port: int = Field(default=8501, ge=0, le=65535)
    max_upload_mb: int = Field(default=200, ge=1)
    heartbeat_seconds: float = Field(default=15, gt=0)
    """How often an event stream with nothing to say sends a sign of life."""
    metrics: Literal["operator", "everyone", "off"] = "operator"
    """Who may read `/metrics`: whoever is at this machine and tokens of the role `operator`;
    whoever reaches the server; nobody."""
    max_streams: int = Field(default=100, ge=1)
    """Event streams and subscriptions that one caller may have open at the same time."""
