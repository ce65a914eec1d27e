"""`notifier.notify`: tells people something, by a webhook, Slack, Teams or mail."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.connectors.mail import Attachment
from sanbo.connectors.notices import Notice, deliver
from sanbo.kernel.problems import ProviderFailed
from sanbo.runs.model import FileRef


class Notify(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any]:
        target: dict[str, Any] = given.target or {}
        options: dict[str, Any] = given.options or {}
        to: Any = target.get("to") or ()
        notice = Notice(
            provider=given.provider,
            key=context.run.idempotency_key(),
            message=given.message,
            title=given.title or "",
            url=target.get("url") or "",
            webhook_key=target.get("webhook_key") or "",
            channel=target.get("channel") or "",
            to=(to,) if isinstance(to, str) else tuple(to),
            server=options.get("server") or "",
            attachments=tuple([await _read(each, context) for each in given.attachments or ()]),
            seconds=options.get("timeout_sec") or 30,
        )
        reply = await deliver(notice, context.run.place.settings.connectors)
        if not reply.is_ok:
            failure = ProviderFailed("notice_refused", status=reply.status, text=reply.text[:200])
            context.warn(failure)
        return {"ok": reply.is_ok, "response": {"status": reply.status, "text": reply.text}}


async def _read(attached: Any, context: EngineContext) -> Attachment:
    """A file, or a file under another name."""
    file: FileRef = attached if isinstance(attached, FileRef) else attached["bytes"]
    name = file.name if isinstance(attached, FileRef) else attached.get("name") or file.name
    return Attachment(name, file.media_type, await context.read(file))
