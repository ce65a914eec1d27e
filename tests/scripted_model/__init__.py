"""A model that follows a script, behind a real HTTP server that speaks the providers' protocols.

    with ScriptedModel() as model:
        model.replies(RateLimited(retry_after=0), Json({"answer": 42}))
        settings = model.settings(provider="azure_openai")     # or model.environment()
        …
        assert model.requests[-1].schema["title"] == "Answer"

What is under test is the real client; only the far end of the wire is ours.
"""

from tests.scripted_model.replies import (
    BadRequest,
    Filtered,
    Forbidden,
    Hang,
    Json,
    MalformedBody,
    MalformedJson,
    RateLimited,
    Refused,
    Reply,
    ServerError,
    Status,
    Text,
    Tool,
    ToolCalls,
    Truncated,
    UnknownModel,
    Vectors,
    WrongKey,
    WrongShape,
)
from tests.scripted_model.requests import Request
from tests.scripted_model.server import ScriptedModel

__all__ = [
    "BadRequest",
    "Filtered",
    "Forbidden",
    "Hang",
    "Json",
    "MalformedBody",
    "MalformedJson",
    "RateLimited",
    "Refused",
    "Reply",
    "Request",
    "ScriptedModel",
    "ServerError",
    "Status",
    "Text",
    "Tool",
    "ToolCalls",
    "Truncated",
    "UnknownModel",
    "Vectors",
    "WrongKey",
    "WrongShape",
]
