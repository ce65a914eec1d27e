"""The providers' wire formats: how a reply is written in each."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.scripted_model.replies import Said, Status, Tool, Vectors

GOOGLE_FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
GOOGLE_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


_LEAST_LENGTH = 4
_MOST_PIECES = 12
"""Clients take a millisecond for each, and a test that looks at them says how long they are."""


def pieces(said: Said) -> list[str]:
    length = said.piece_length or max(_LEAST_LENGTH, -(-len(said.text) // _MOST_PIECES))
    return [said.text[start : start + length] for start in range(0, len(said.text), length)]


class OpenAi:
    """Chat completions; Azure speaks the same."""

    def body(self, said: Said, model: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        message["refusal"] = said.refusal
        if said.calls:
            message["tool_calls"] = [_openai_call(call) for call in said.calls]
        choice = {"index": 0, "message": message, "finish_reason": self._finish(said)}
        body: dict[str, Any] = {**self._head("chat.completion", model), "choices": [choice]}
        if said.counts_tokens:
            body["usage"] = self._usage(said)
        return body

    def events(self, said: Said, model: str, wants_usage: bool) -> Iterator[str]:
        head = self._head("chat.completion.chunk", model)

        def event(delta: dict[str, Any], finish: str | None = None) -> str:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return json.dumps({**head, "choices": [choice]}, ensure_ascii=False)

        yield event({"role": "assistant", "content": ""})
        for piece in pieces(said):
            yield event({"content": piece})
        if said.refusal is not None:
            yield event({"refusal": said.refusal})
        for index, call in enumerate(said.calls):
            yield event({"tool_calls": [{**_openai_call(call), "index": index}]})
        if said.cut != "no":
            return
        yield event({}, self._finish(said))
        if said.counts_tokens and wants_usage:
            yield json.dumps({**head, "choices": [], "usage": self._usage(said)})
        yield "[DONE]"

    def embeddings(self, reply: Vectors, model: str) -> dict[str, Any]:
        data = [
            {"object": "embedding", "index": index, "embedding": list(vector)}
            for index, vector in enumerate(reply.vectors)
        ]
        usage = {"prompt_tokens": 11, "total_tokens": 11}
        return {"object": "list", "model": model, "data": data, "usage": usage}

    def error(self, status: Status) -> dict[str, Any]:
        kind = "invalid_request_error" if status.status < 500 else "server_error"
        return {"error": {"message": status.message, "type": kind, "code": status.code}}

    def wrong_key(self, key: str | None) -> Status:
        return Status(401, f"Incorrect API key provided: {key}.", "invalid_api_key")

    def _finish(self, said: Said) -> str:
        return "tool_calls" if said.calls and said.finish == "stop" else said.finish

    def _head(self, kind: str, model: str) -> dict[str, Any]:
        return {"id": "chatcmpl-scripted", "object": kind, "created": 1_700_000_000, "model": model}

    def _usage(self, said: Said) -> dict[str, int]:
        return {
            "prompt_tokens": said.input_tokens,
            "completion_tokens": said.output_tokens,
            "total_tokens": said.input_tokens + said.output_tokens,
        }


class Gemini:
    """generateContent and streamGenerateContent."""

    def body(self, said: Said, model: str) -> dict[str, Any]:
        if said.refusal is not None:
            return {"promptFeedback": {"blockReason": "SAFETY"}, **self._tail(said, model)}
        parts: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
        parts += [_gemini_call(call) for call in said.calls]
        candidate = {
            "content": {"role": "model", "parts": parts},
            "finishReason": GOOGLE_FINISH[said.finish],
            "index": 0,
        }
        return {"candidates": [candidate], **self._tail(said, model)}

    def events(self, said: Said, model: str, wants_usage: bool) -> Iterator[str]:
        del wants_usage  # Gemini always counts
        for piece in pieces(said):
            content = {"role": "model", "parts": [{"text": piece}]}
            body = {"candidates": [{"content": content, "index": 0}], "modelVersion": model}
            yield json.dumps(body, ensure_ascii=False)
        if said.cut == "no":
            last = replace(said, text="")
            yield json.dumps(self.body(last, model), ensure_ascii=False)

    def embeddings(self, reply: Vectors, model: str) -> dict[str, Any]:
        del model
        return {"embeddings": [{"values": list(vector)} for vector in reply.vectors]}

    def error(self, status: Status) -> dict[str, Any]:
        error: dict[str, Any] = {
            "code": status.status,
            "message": status.message,
            "status": GOOGLE_STATUS.get(status.status, "UNKNOWN"),
            "details": list(status.details),
        }
        return {"error": error}

    def wrong_key(self, key: str | None) -> Status:
        del key
        reason = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
        }
        message = "API key not valid. Please pass a valid API key."
        return Status(400, message, details=[reason])

    def _tail(self, said: Said, model: str) -> dict[str, Any]:
        tail: dict[str, Any] = {"modelVersion": model, "responseId": "scripted"}
        if said.counts_tokens:
            tail["usageMetadata"] = {
                "promptTokenCount": said.input_tokens,
                "candidatesTokenCount": said.output_tokens,
                "totalTokenCount": said.input_tokens + said.output_tokens,
            }
        return tail


def _openai_call(call: Tool) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments_text}
    return {"id": call.id, "type": "function", "function": function}


def _gemini_call(call: Tool) -> dict[str, Any]:
    # Gemini sends arguments as an object; broken JSON can't occur, a wrong shape can.
    return {"functionCall": {"name": call.name, "args": json.loads(call.arguments_text)}}
