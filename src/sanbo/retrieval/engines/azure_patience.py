"""How long Azure is waited for: the SDK's retries, inside one time limit."""

import time
from typing import Any

from azure.core.pipeline import PipelineResponse
from azure.core.pipeline.policies import RetryPolicy
from typing_extensions import override


class Patience(RetryPolicy[Any, Any]):
    """The SDK's policy repeats no POST and obeys any `Retry-After`, be it an hour.

    Sanbo's requests may all be repeated: a search asks, an upload sets a document by its key.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(
            retry_total=6,
            retry_connect=1,
            retry_read=2,
            retry_status=5,
            retry_backoff_factor=0.2,
            timeout=seconds,
        )

    @override
    def configure_retries(self, options: dict[str, Any]) -> dict[str, Any]:
        settings = super().configure_retries(options)
        settings["methods"] = settings["methods"] | {"POST"}
        settings["deadline"] = time.monotonic() + settings["timeout"]
        return settings

    @override
    def is_retry(self, settings: dict[str, Any], response: PipelineResponse[Any, Any]) -> bool:
        # The server's answer now, rather than a time-out after a wait in vain.
        wait = self.get_retry_after(response) or self.get_backoff_time(settings)
        in_time = time.monotonic() + wait < settings["deadline"]
        return in_time and bool(super().is_retry(settings, response))
