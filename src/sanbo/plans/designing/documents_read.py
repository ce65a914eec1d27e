"""Fields read out of documents: invoices in a ZIP, PDF files, what is attached to a mail."""

import re
from typing import Any

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.material import GivenFile, Material
from sanbo.plans.designing.tables import Table

_NUMBERS = re.compile("金額|額|合計|価格|単価|数量|税|amount|total|price|tax|quantity|sum")
_DATES = re.compile("日$|期限|日付|期日|date|due|deadline")
_NOT_NAMES = re.compile(
    r"から|より|ファイル|zip|pdf|メール|添付|^請求書$|^the |^each |^invoices?$|^documents?$"
)
_BEFORE_READ = re.compile(
    r"(?P<names>[^。]{1,200}?)を(?:それぞれ)?(?:読み取|読取|抽出|取り込|転記|書き起こ)"
)
_READ_OFF = re.compile(
    r"(?:read|extract|capture|transcribe|pull out)(?: off| out)? "
    r"(?P<names>.{1,200}?)(?: from| of each| out of| off|$)"
)


def fields_named(text: str) -> dict[str, str]:
    """The fields to read and their types, from an enumeration."""
    found = _BEFORE_READ.search(text) or _READ_OFF.search(text)
    if found is None:
        return {}
    names = re.sub(r"^.*?(?:から|より|ごとに|の中の|について、?)", "", found["names"])
    made: dict[str, str] = {}
    for part in re.split(r"、|,|・|と(?=[一-龠ァ-ヶ])|および|及び| and |／", names):
        name = re.sub(r"^(?:the|each|its|their|請求書の|各)\s?", "", part.strip())
        if name and len(name) <= 30 and not _NOT_NAMES.search(name):
            made[name] = (
                "number" if _NUMBERS.search(name) else "date" if _DATES.search(name) else "string"
            )
    return made


def _invoice_fields(draft: Draft) -> dict[str, str]:
    names = draft.say("invoice_fields").split("|")
    return dict(zip(names, ("string", "string", "number", "date"), strict=True))


def read_documents(
    draft: Draft,
    material: Material,
    text: str,
    *,
    is_invoices: bool = False,
    tables: list[Table] | None = None,
) -> Stream | None:
    """Records of the documents that were given or named; None where there are none."""
    zips = [one for one in material.files if one.kind == "zip"]
    papers = [one for one in material.files if one.kind == "document"]
    mails = [one for one in material.files if one.kind == "mail" and not one.sheets]
    named = [one for one in tables or () if one.accept in (".zip", ".pdf")]
    if zips or any(one.accept == ".zip" for one in named):
        label = zips[0].stem if zips else next(one.label for one in named if one.accept == ".zip")
        more = {"description": draft.say("sample", name=zips[0].name)} if zips else {}
        source = draft.ask("file", label, accept=".zip", **more)
        title = draft.say("unpack", what=label)
        node = draft.add(
            "unpack", "file.parse_zip_2tier", {"zip_bytes": source}, title=title, files=(label,)
        )
        evidence, title = f"${{{node}.evidence}}", label
    elif mails:
        source = _mail_field(draft, mails[0])
        node = draft.add(
            "mail",
            "file.read_mail",
            {"bytes": source},
            title=draft.say("mail"),
            files=(mails[0].stem,),
        )
        evidence, title = f"${{{node}.attachments}}", mails[0].stem
    elif papers or named:
        label = papers[0].stem if papers else named[0].label
        endings = ",".join(dict.fromkeys(one.ending for one in papers)) or ".pdf"
        samples = draft.say("comma").join(one.name for one in papers)
        more = {"description": draft.say("sample", name=samples)} if papers else {}
        evidence, title = draft.ask("files", label, accept=endings, **more), label
    else:
        return None
    fields = fields_named(text) or _invoice_fields(draft)
    if is_invoices and len(fields) < 3:
        fields = _invoice_fields(draft)
    shown = draft.say("comma").join(fields)
    given: dict[str, Any] = {
        "evidence_data": evidence,
        "prompt": draft.say("read_prompt", fields=shown),
        "output_schema": fields,
    }
    node = draft.add("extract", "ai.process_llm", given, title=draft.say("extract", fields=shown))
    columns = {
        "items": f"${{{node}.records}}",
        "rename": {name: name for name in fields},
        "mode": "only",
    }
    node = draft.add("records", "transforms.rename_fields", columns, title=draft.say("records"))
    return Stream(f"${{{node}.rows}}", _profile(title, fields), title)


def _profile(name: str, fields: dict[str, str]) -> DatasetProfile:
    kinds = {"number": "number", "date": "date", "string": "text"}
    columns = tuple(
        ColumnProfile.model_validate({"name": one, "type": kinds[kind], "distinct": 10})
        for one, kind in fields.items()
    )
    return DatasetProfile(
        rows=10, columns=columns, dataset_id=f"of:{name}", name=name, sha256="", size=0
    )


def _mail_field(draft: Draft, mail: GivenFile) -> str:
    more = {"description": draft.say("sample", name=mail.name)}
    return draft.ask("file", mail.stem, accept=".eml", **more)


def read_mail(draft: Draft, mail: GivenFile) -> list[Table]:
    """The tables that are attached to a mail."""
    if not mail.sheets:
        return []
    source = _mail_field(draft, mail)
    node = draft.add(
        "mail", "file.read_mail", {"bytes": source}, title=draft.say("mail"), files=(mail.stem,)
    )
    made: list[Table] = []
    for number, sheet in enumerate(mail.sheets):
        accept = ".csv" if sheet.name.lower().endswith((".csv", ".tsv")) else ".xlsx"
        made.append(Table(sheet.name, accept, sheet, source=f"${{{node}.attachments.{number}}}"))
    return made
