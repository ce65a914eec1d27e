"""One index of Azure AI Search over the wire: requests, their limits, what failures mean."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import (
    HttpResponseError,
    ServiceRequestError,
    ServiceRequestTimeoutError,
    ServiceResponseError,
    ServiceResponseTimeoutError,
)
from azure.core.pipeline import PipelineResponse
from azure.core.pipeline.policies import RetryPolicy
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex
from azure.search.documents.models import IndexingResult
from typing_extensions import override

from sanbo.kernel.problems import LimitExceeded, PermissionDenied, ProviderFailed
from sanbo.llm.vendor import Pace
from sanbo.retrieval.engines.engine import Place, Service, readable
from sanbo.retrieval.settings import RetrievalSettings


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


T = TypeVar("T")
Document = dict[str, Any]

AZURE = Service(
    "Azure AI Search",
    address=Place("retrieval.azure_endpoint", "AZURE_SEARCH_ENDPOINT"),
    key=Place("retrieval.azure_api_key", "AZURE_SEARCH_API_KEY"),
)
# The service's limits of one request, the second with room for what stands around the documents.
DOCUMENTS_AT_ONCE = 1_000
BYTES_AT_ONCE = 15_000_000
# A document that could not be stored for now: a conflict, an index or a service too busy.
_TRY_AGAIN = frozenset({409, 422, 429, 503})
_CREATED = 201
_ATTEMPTS = 4
_CONNECT_SECONDS = 10.0


class NoIndex(Exception):
    """The service knows no index of this name."""


class SemanticRefused(Exception):
    """The service has no semantic ranker, or no more of it this month."""


class AzureIndex:
    """Raises SanboErrors, `NoIndex` and `SemanticRefused`, and nothing of the SDK's."""

    def __init__(self, settings: RetrievalSettings, name: str) -> None:
        address = AZURE.checked_address(settings.azure_endpoint)
        key = AZURE.checked_key(settings.azure_api_key, address)
        if key is None:
            raise AZURE.not_configured(AZURE.key)
        self.name = name
        self.timeout_seconds = settings.timeout_seconds
        self._host = urlsplit(address).netloc
        self._pace = Pace()
        credential = AzureKeyCredential(key)
        options: dict[str, Any] = {
            "retry_policy": Patience(self.timeout_seconds),
            "connection_timeout": min(_CONNECT_SECONDS, self.timeout_seconds),
            "read_timeout": self.timeout_seconds,
            "permit_redirects": False,  # the key goes to no other address
        }
        self._indexes = SearchIndexClient(address, credential, **options)
        # Documents are mappings of no declared type in the SDK.
        # pyrefly: ignore[bad-argument-type]
        self._documents: Any = SearchClient(address, name, credential, **options)

    def definition(self) -> SearchIndex:
        return self._ask(lambda: self._indexes.get_index(self.name))

    def create(self, index: SearchIndex) -> None:
        self._ask(lambda: self._indexes.create_index(index))

    def delete(self) -> None:
        self._ask(lambda: self._indexes.delete_index(self.name))

    def rows(self, words: str, limit: int, **options: Any) -> list[Document]:
        return self._ask(
            lambda: list(islice(self._documents.search(words, top=limit, **options), limit))
        )

    def upload(self, documents: Iterable[Document], key: str) -> str | None:
        """The key of one that was not there before, if there is one."""
        made: list[str] = []
        for batch in self._batches(documents):
            made += self._change(self._documents.upload_documents, batch, key)
        return made[-1] if made else None

    def delete_documents(self, keys: Sequence[str], key: str) -> None:
        self._change(self._documents.delete_documents, [{key: each} for each in keys], key)

    def close(self) -> None:
        self._documents.close()
        self._indexes.close()

    def _batches(self, documents: Iterable[Document]) -> Iterator[list[Document]]:
        batch: list[Document] = []
        size = 0
        for document in documents:
            length = len(json.dumps(document))  # as the SDK writes it, six bytes for a 漢
            if length > BYTES_AT_ONCE:
                raise LimitExceeded(
                    "azure_chunk_too_large", index=self.name, megabytes=BYTES_AT_ONCE // 1_000_000
                )
            if batch and (size + length > BYTES_AT_ONCE or len(batch) == DOCUMENTS_AT_ONCE):
                yield batch
                batch, size = [], 0
            batch.append(document)
            size += length
        if batch:
            yield batch

    def _change(
        self,
        send: Callable[[list[Document]], list[IndexingResult]],
        documents: list[Document],
        key: str,
    ) -> list[str]:
        """Until every document is in: one request may succeed for some and fail for others."""
        deadline = time.monotonic() + self.timeout_seconds
        made: list[str] = []
        number = 1
        while True:
            results = self._ask(partial(send, documents))
            made += [result.key for result in results if result.status_code == _CREATED]
            failed = {result.key: result for result in results if not result.succeeded}
            if not failed:
                return made
            delay = self._pace.delay(number, None)
            may_pass = all(result.status_code in _TRY_AGAIN for result in failed.values())
            if not may_pass or number == _ATTEMPTS or time.monotonic() + delay > deadline:
                first = next(iter(failed.values()))
                raise ProviderFailed(
                    "azure_documents_refused",
                    index=self.name,
                    failed=len(failed),
                    reason=readable(first.error_message or f"HTTP {first.status_code}"),
                )
            time.sleep(delay)
            documents = [document for document in documents if document[key] in failed]
            number += 1

    def _ask(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises becomes a problem
            problem = self._explain(error)
        raise problem  # here, where no exception of the SDK can be its context

    def _explain(self, error: Exception) -> Exception:
        match error:
            case ServiceRequestTimeoutError() | ServiceResponseTimeoutError():
                return AZURE.timed_out(self.timeout_seconds)
            case ServiceRequestError() | ServiceResponseError():
                return AZURE.unreachable(self._host)
            case HttpResponseError(status_code=int(status)) if status >= 400:
                return _refused(status, *_told(error))
            case _:
                return AZURE.malformed(type(error).__name__)


def _refused(status: int, words: str, codes: str) -> Exception:
    everything = f"{codes} {words}".lower()
    if status == 404 and "index" in everything:  # any web server says 404; this one says of what
        return NoIndex()
    if status in (400, 402, 429) and "semantic" in codes.lower():
        return SemanticRefused()
    if status in (401, 403) and "quota" not in everything:
        return PermissionDenied(
            "azure_key_refused",
            status=status,
            setting=AZURE.key.setting,
            variable=AZURE.key.variable,
        )
    return AZURE.refused(400 if status == 403 else status, words)


def _told(error: HttpResponseError) -> tuple[str, str]:
    """The service's words, and the codes that it files them under."""
    told = error.error
    if told is None:
        return "", ""
    inner = [detail.code for detail in told.details or [] if detail.code]
    return told.message or "", " ".join([told.code or "", *inner])
