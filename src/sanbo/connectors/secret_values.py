"""Secrets that settings name: they stand in the environment, and are masked from then on."""

import os
from collections.abc import Iterator, Mapping

from sanbo.connectors.settings import ConnectorSettings
from sanbo.kernel.problems import MissingDependency
from sanbo.kernel.secrets import protect


def secret_value(name: str, variables: Mapping[str, str] = os.environ) -> str:
    value = variables.get(name, "")
    if not value:
        raise MissingDependency("connector_secret_missing", name=name)
    protect(value)
    return value


def protect_named(settings: ConnectorSettings, variables: Mapping[str, str] = os.environ) -> None:
    """Before anything is written."""
    for name in _named(settings):
        protect(variables.get(name, ""))


def _named(settings: ConnectorSettings) -> Iterator[str]:
    for host in settings.hosts.values():
        yield from host.headers.values()
    yield from settings.webhooks.values()
    yield from (server.password for server in settings.mail.values() if server.password)
