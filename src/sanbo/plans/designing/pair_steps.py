"""Steps on several tables: put below each other, looked up, reconciled, compared."""

from typing import Any

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.row_phrases import columns_named, shared_key
from sanbo.plans.designing.tables import figures, with_columns
from sanbo.plans.designing.vocabulary import has, plain

Results = dict[str, str]
"""References to rows by the name of the sheet that shows them, the main one first."""


def union(draft: Draft, streams: list[Stream], source_field: str = "") -> Stream:
    names = [stream.title for stream in streams]
    given: dict[str, Any] = {"tables": {one.title: one.ref for one in streams}}
    if len(set(names)) < len(names):
        given = {"tables": [stream.ref for stream in streams]}
    if source_field:
        given["source_field"] = source_field
    title = draft.say("union", tables=draft.say("comma").join(names))
    node = draft.add("union", "transforms.union", given, title=title)
    profile = streams[0].profile
    for other in streams[1:]:
        if profile is not None and other.profile is not None:
            known = {one.name: one for one in profile.columns}
            merged = [
                one.model_copy(
                    update={"values": tuple(dict.fromkeys((*known[one.name].values, *one.values)))}
                )
                if one.name in known
                else one
                for one in other.profile.columns
            ]
            profile = with_columns(profile, *merged)
    if profile is not None and source_field:
        values = tuple(names)
        profile = with_columns(
            profile, figures(source_field, "text").model_copy(update={"values": values})
        )
    return Stream(f"${{{node}.rows}}", profile, draft.say("union_sheet"))


def lookup(draft: Draft, rows: Stream, master: Stream, text: str) -> Stream | None:
    if rows.profile is None or master.profile is None:
        return None
    key = shared_key(rows.profile, master.profile, text)
    if key is None:
        return None
    own = {one.name for one in rows.profile.columns}
    there = [one.name for one in master.profile.columns if one.name != key[1]]
    named = [
        name for name in columns_named(text, master.profile) if name in there and name not in own
    ]
    fields = named or [name for name in there if name not in own]
    given: dict[str, Any] = {"items": rows.ref, "table": master.ref, "key": key[0]}
    if key[1] != key[0]:
        given["table_key"] = key[1]
    if fields:
        given["fields"] = fields
    title = draft.say("lookup", table=master.title, fields=draft.say("comma").join(fields))
    node = draft.add("lookup", "transforms.lookup", given, title=title)
    added = [one for one in master.profile.columns if one.name in fields]
    return Stream(f"${{{node}.rows}}", with_columns(rows.profile, *added), rows.title)


def is_of_payments(left: str, right: str, text: str) -> tuple[bool, bool]:
    """Whether these are invoices and payments; and whether they stand the other way round."""
    one, other = plain(left), plain(right)
    if has("invoices", one) and has("payments", other):
        return True, False
    if has("payments", one) and has("invoices", other):
        return True, True
    return has("invoices", text) and has("payments", text), has("payments", one) or has(
        "invoices", other
    )


def reconcile(draft: Draft, invoices: Stream, payments: Stream) -> tuple[Stream, Results]:
    given = {"invoices": invoices.ref, "payments": payments.ref}
    title = draft.say("reconcile", left=invoices.title, right=payments.title)
    node = draft.add("reconcile", "matching.reconcile", given, title=title)
    results = {
        draft.say("sheet.differences"): f"${{{node}.difference_rows}}",
        draft.say("sheet.reconciled"): f"${{{node}.rows}}",
        draft.say("sheet.unmatched_payments"): f"${{{node}.unmatched_payment_rows}}",
    }
    return Stream(f"${{{node}.difference_rows}}", None, draft.say("sheet.differences")), results


def compare(
    draft: Draft, old: Stream, new: Stream, text: str, *, is_versions: bool
) -> tuple[Stream, Results] | None:
    """What only one has, and rows of one key that differ; each named by its kind."""
    if old.profile is None or new.profile is None:
        return None
    key = shared_key(old.profile, new.profile, text)
    if key is None:
        return None
    both = _compared(old.profile, new.profile, key)
    kinds = (
        ("added", "removed", "changed") if is_versions else ("only_right", "only_left", "differs")
    )
    names = [draft.say(f"kind.{kind}", left=old.title, right=new.title) for kind in kinds]
    added = _join(draft, new, old, (key[1], key[0]), "anti", names[0])
    removed = _join(draft, old, new, key, "anti", names[1])
    tables = {names[0]: f"${{{added}.rows}}", names[1]: f"${{{removed}.rows}}"}
    if both:
        suffix = draft.say("suffix_old") if is_versions else f"_{old.title}"
        joined = _join(draft, new, old, (key[1], key[0]), "all", draft.say("pairs"), suffix)
        conditions = [
            part
            for mine, theirs in both
            for part in (
                {"field": mine, "operator": "ne", "value_field": f"{theirs}{suffix}"},
                {
                    "all": [
                        {"field": mine, "operator": "filled"},
                        {"field": f"{theirs}{suffix}", "operator": "empty"},
                    ]
                },
            )
        ]
        given = {
            "items": f"${{{joined}.rows}}",
            "conditions": conditions,
            "options": {"logic": "any"},
        }
        changed = draft.add("changed", "transforms.filter", given, title=names[2])
        tables[names[2]] = f"${{{changed}.filtered}}"
    field = draft.say("kind_column")
    given = {"tables": tables, "source_field": field}
    node = draft.add(
        "differences",
        "transforms.union",
        given,
        title=draft.say("compare", left=old.title, right=new.title),
    )
    sheet = draft.say("sheet.differences")
    profile = with_columns(
        new.profile, figures(field, "text").model_copy(update={"values": tuple(names)})
    )
    return Stream(f"${{{node}.rows}}", profile, sheet), {sheet: f"${{{node}.rows}}", **tables}


def _compared(
    old: DatasetProfile, new: DatasetProfile, key: tuple[str, str]
) -> list[tuple[str, str]]:
    theirs = {plain(one.name): one.name for one in old.columns if one.name != key[0]}
    return [
        (one.name, theirs[plain(one.name)])
        for one in new.columns
        if one.name != key[1] and plain(one.name) in theirs
    ]


def _join(  # noqa: PLR0917
    draft: Draft,
    left: Stream,
    right: Stream,
    key: tuple[str, str],
    strategy: str,
    title: str,
    suffix: str = "",
) -> str:
    given: dict[str, Any] = {
        "left": left.ref,
        "right": right.ref,
        "left_key": key[0],
        "right_key": key[1],
        "strategy": strategy,
    }
    if suffix:
        given["options"] = {"suffix": suffix}
    return draft.add("join", "transforms.join", given, title=title)
