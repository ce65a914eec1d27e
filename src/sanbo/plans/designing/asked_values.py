"""Values that a person enters when a plan starts, and the rows that they decide."""

import re

from sanbo.plans.designing import row_steps
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.row_reading import (
    Condition,
    columns_named,
    read_rows,
)
from sanbo.plans.designing.vocabulary import (
    plain,
)
from sanbo.plans.designing.work import Work, as_written

_ASKED = re.compile(
    r"([一-龠ァ-ヶーa-z]{2,12})(?:は|を|について)[^。]{0,20}?(?:画面|その都度|都度|実行時|実行のとき|毎回|担当者が|聞いて)|"
    r"(?:ask me for|ask for|asks for|prompt for|enters?|specif[a-z]{1,8}) (?:the |an? )([a-z "
    r"]{3,24}?)(?= at| when| each|,|\.|$)|the ([a-z ]{3,24}?) (?:is|are) (?:entered|asked "
    r"for|typed in|specified)"
)


_UNTIL = re.compile("まで|以前|以内|までの|until|up to|by then|before|on or before|no later")


_SINCE = re.compile("以降|から|since|from|after|on or after")


_STAND_INS = {"date": "2070-07-07", "number": "70707070"}


def ask_named(work: Work, said: str) -> None:
    """Names of values that sentences before this one may speak of."""
    match = _ASKED.search(said)
    if match is None or any(one.kind == "template" for one in work.material.files):
        return
    name = next(part for part in match.groups() if part).strip()
    if name in ("日付", "date", "金額", "amount", "値", "期間") or any(
        plain(column) == name for one in work.tables for column in one.rows(work.draft).columns
    ):
        return
    is_date = re.search("日|date|day", name)
    work.asked[name] = work.draft.ask("date" if is_date else "number", as_written(work, name))


def ask_bound(work: Work, said: str) -> bool:
    """A day or a figure that is another each time, and the rows that it decides."""
    if any(one.kind == "template" for one in work.material.files):
        return True
    rows = work.rows_for(said)
    if rows is None or rows.profile is None:
        return False
    if any(name in said for name in work.asked):
        return True
    days = [one.name for one in rows.profile.columns if one.is_temporal]
    is_day = bool(re.search("日|date|day|期限|deadline|いつ", said))
    named = [name for name in columns_named(work.whole, rows.profile) if name in days]
    figures = [
        name
        for name in columns_named(work.whole, rows.profile)
        if name not in days
        and (column := rows.profile.column(name)) is not None
        and column.is_numeric
    ]
    if is_day and days:
        column, kind = (named or days)[0], "date"
    elif figures and re.search(
        "金額|額|数|上限|下限|基準|amount|threshold|limit|number|minimum|maximum", said
    ):
        column, kind = figures[0], "number"
    else:
        return False
    is_least = (bool(_SINCE.search(said)) and not _UNTIL.search(said)) or bool(
        re.search("下限|以上|minimum|at least", said)
    )
    label = work.draft.say("bound_from" if is_least else "bound_to", column=column)
    ref = work.draft.ask(kind, label)
    condition = {"field": column, "operator": "gte" if is_least else "lte", "value": ref}
    work.flow(row_steps.keep(work.draft, rows, [condition]))
    return True


def asked_bounds(work: Work, rows: Rows, text: str) -> list[Condition]:
    """満了日が指定日以前: read with a value that stands for what a person enters."""
    assert rows.profile is not None
    made: list[Condition] = []
    for name, ref in work.asked.items():
        if name not in plain(text):
            continue
        for stand_in in _STAND_INS.values():
            said = plain(text).replace(name, stand_in)
            for reading in read_rows(said, rows.profile):
                own = [
                    one
                    for one in reading.conditions
                    if str(one.get("value")).removesuffix(".0") == stand_in
                    and one["operator"] in ("gt", "gte", "lt", "lte")
                ]
                if own and not made:
                    made = [
                        {**one, "value": ref} if one in own else one for one in reading.conditions
                    ]
    return made
