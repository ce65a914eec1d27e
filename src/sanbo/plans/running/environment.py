"""What a plan may read of its surroundings: environment variables on the list, and the config."""

import os
from collections.abc import Mapping

from pydantic import JsonValue, SecretStr

from sanbo.kernel.problems import PermissionDenied
from sanbo.kernel.secrets import protect
from sanbo.plans.settings import PlanSettings


class Environment:
    def __init__(self, settings: PlanSettings, variables: Mapping[str, str] = os.environ) -> None:
        self._settings = settings
        self._variables = variables

    def protect_all(self) -> None:
        """Before anything is written: an allowed variable is a secret until shown otherwise."""
        for name in self._settings.env:
            protect(self._variables.get(name, ""))

    def variable(self, name: str) -> str | None:
        """None for one that is allowed and not set."""
        if name not in self._settings.env:
            raise PermissionDenied("plan_env_refused", name=name)
        value = self._variables.get(name)
        protect(value or "")
        return value

    @property
    def connections(self) -> Mapping[str, SecretStr]:
        return self._settings.connections

    @property
    def config(self) -> Mapping[str, JsonValue]:
        return self._settings.config
