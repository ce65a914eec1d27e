"""What a client really sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

Protocol = Literal["openai", "azure_openai", "google_genai"]


@dataclass(frozen=True)
class Request:
    protocol: Protocol
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: dict[str, Any]

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream")) or "streamGenerateContent" in self.path

    @property
    def key(self) -> str | None:
        """The key, from the one place where this protocol carries it."""
        match self.protocol:
            case "openai":
                return self.headers.get("authorization", "").removeprefix("Bearer ") or None
            case "azure_openai":
                return self.headers.get("api-key")
            case "google_genai":
                return self.headers.get("x-goog-api-key")

    @property
    def wants_usage(self) -> bool:
        options: dict[str, Any] = self.body.get("stream_options", {})
        return bool(options.get("include_usage"))

    @property
    def prompt(self) -> str:
        """All that the model was told, system message first."""
        return "\n".join(text for _, text in self.turns)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Role and text of each message, as in `("user", "…")`."""
        if self.protocol != "google_genai":
            return [(m["role"], _openai_text(m.get("content"))) for m in self.body["messages"]]
        contents = list(self.body.get("contents", []))
        if system := self.body.get("systemInstruction"):
            contents.insert(0, {**system, "role": "system"})
        return [
            (
                content.get("role", "user"),
                "".join(part.get("text", "") for part in content["parts"]),
            )
            for content in contents
        ]

    @property
    def texts(self) -> list[str]:
        """What an embedding model was given."""
        if self.protocol == "google_genai":
            contents = [request["content"] for request in self.body["requests"]]
            return ["".join(part["text"] for part in content["parts"]) for content in contents]
        given = self.body["input"]
        return [given] if isinstance(given, str) else list(given)

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON Schema that the reply is held to, if any."""
        if self.protocol == "google_genai":
            return self.body.get("generationConfig", {}).get("responseJsonSchema")
        form: dict[str, Any] = self.body.get("response_format", {})
        return form.get("json_schema", {}).get("schema")

    @property
    def tool_names(self) -> list[str]:
        if self.protocol == "google_genai":
            groups = self.body.get("tools", [])
            return [f["name"] for group in groups for f in group["functionDeclarations"]]
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]


def _openai_text(content: Any) -> str:
    if not isinstance(content, list):
        return content or ""
    parts = cast("list[dict[str, Any]]", content)
    return "".join(str(part.get("text", "")) for part in parts)
