"""Azure AI Search on this machine: a real HTTP server that speaks its REST protocol.

    with AzureSearch() as azure:
        engine = connect_azure(azure.settings(), "contracts")
        azure.answers(Answer(503), Answer(429, retry_after=1))   # to the next requests
        …
        assert azure.requests[-1].body["queryType"] == "semantic"

What is under test is the official client and what Sanbo asks of it. The server is strict where the
service is (field attributes, key characters, sizes, filters), so that a request that Azure would
refuse is refused here; its ranking is plain BM25 over character pairs, and it folds no widths.
"""

from tests.azure_search.server import Answer, AzureSearch, Request

__all__ = ["Answer", "AzureSearch", "Request"]
