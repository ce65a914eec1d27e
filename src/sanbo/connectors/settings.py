"""Whom plans may reach. Without an entry here, nothing leaves this machine."""

from typing import Literal

from pydantic import Field

from sanbo.kernel.settings import Section

Provider = Literal["webhook", "slack", "teams", "email"]
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


class AllowedHost(Section):
    methods: tuple[Method, ...] = ("GET",)
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    """Sent with every request: the header → the environment variable that holds its value."""
    private: bool = False
    """Whether it may be at an address of this machine or the office's network."""
    plain: bool = False
    """Whether `http://`, without encryption, will do."""


class MailServer(Section):
    host: str
    port: int = Field(default=587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    sender: str
    user: str = ""
    password: str = ""
    """The name of the environment variable that holds it."""
    recipients: tuple[str, ...] = ()
    """Who may get mail: `keiri@example.co.jp`, or `@example.co.jp` for all there."""


class Channel(Section):
    """How somebody hears that a question waits."""

    provider: Provider = "email"
    webhook_key: str = ""
    to: str = ""
    server: str = ""


class ConnectorSettings(Section):
    hosts: dict[str, AllowedHost] = Field(default_factory=dict[str, AllowedHost])
    """The only hosts that plans may ask, each with its methods: `api.example.co.jp`,
    `api.example.co.jp:8443`."""
    webhooks: dict[str, str] = Field(default_factory=dict[str, str])
    """Addresses for notices: the name that plans use → the environment variable that holds one."""
    mail: dict[str, MailServer] = Field(default_factory=dict[str, MailServer])
    """Servers that send mail, by name."""
    people: dict[str, Channel] = Field(default_factory=dict[str, Channel])
    """Who is told of what waits: a token's name or `role:経理` → how."""
    workbench_url: str = ""
    """Where people open the workbench; notices link there."""
    max_response_mb: float = Field(default=10, gt=0, le=200)
    max_request_mb: float = Field(default=10, gt=0, le=200)
    max_seconds: float = Field(default=60, gt=0, le=600)
    max_redirects: int = Field(default=3, ge=0, le=10)
