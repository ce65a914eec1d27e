"""What the source alone does not say of a pattern: values of local names, and who writes it.

A call of `re` whose pattern can't be worked out from its module is named here, or the test fails.
"""

from collections.abc import Mapping

LOCAL_VALUES: Mapping[str, Mapping[str, str]] = {
    "agents/analysis/mentions/senses.py": {"signs": "[('april', '4月')]"},
    "agents/analysis/mentions/scene.py": {
        "whole": "[['売上 (千円)', '受注日', 'ship_date']]",
        "each": "[['店(?=別|ごと|毎)', '月(?=別|ごと|毎)']]",
    },
    "agents/grace/rules/candidates.py": {
        "referred": "['(?:[こそ]の|[こそ]れらの|同じ?|当該?|このような|そのような)分野']"
    },
    "kernel/personal_data.py": {"words": "['03|yamada']", "kind": "['email', 'phone']"},
    "blocks/ai/model_extraction.py": {
        "digits": "['12.5']",
        "words": "[['第三条', '甲は'], ['a', 'a', 'a']]",
        "wanted": "[['第3条', '甲は']]",
    },
    "documents/formats/csv.py": {"mark": r"[',', '\\\t', r'\|']"},
    "documents/formats/html/elements.py": {"name": "sorted(_RAW)"},
    "documents/sheet_facts.py": {"styles": "[b'1|2|14']"},
    "evidence/rules/values.py": {"pattern": r"[*_HOLDS.values(), rf'{_NUMBER}\s*[人名]']"},
    "evidence/rules/japanese_questions.py": {
        "pattern": "['^(?:その|この|同)', '^(?:それ|これ)(?=[はがをにの])']"
    },
    "evidence/rules/terms.py": {"words": "[sorted(_by_word(), key=len)]"},
    "plans/designing/account.py": {
        "pattern": r"[r'(?<![a-z0-9])unit[ _-]price(?:s|es)?(?![a-z0-9])', r'店\s?舗\s?名']"
    },
    "plans/designing/pairs.py": {"bare": "['budget', '予算']"},
    "plans/designing/approvals.py": {"best": "['Head', 'VP Sales']"},
    "plans/designing/row_clauses.py": {
        "name": "['差異数', 'line total', '売上', '発注明細']",
        "columns": "['品番|数量', 'item|unit price']",
    },
    "plans/designing/row_formula.py": {
        "one": r"[r'(?:単価(?:の合計)?|(?<![a-z])unit[ -]price|\d{1,12}(?:\.\d{1,6})?%?)']",
        "signs": "['(?: x |[×*÷/+−])']",
        "between": r"[r'\s?(?: x |[×*÷/+−])\s?(?:the |our |its )?(?:total |po )?']",
        "pattern": "[each[0] for each in _WORDS]",
        "raised": "list(_RAISED)",
    },
    "plans/designing/row_reading.py": {
        "pattern": "[r'(?<![a-z0-9])unit[ _-]prices?(?![a-z0-9])', '単価']",
    },
    "plans/designing/wording.py": {
        "word": "['keep', '抜き出']",
        "parts": "['照合|(?<![a-z])match|each .{1,30} once']",
    },
    "plans/designing/work.py": {"name": "['line total', '差異数']"},
    "retrieval/relevance/question.py": {
        "normal": "['apple']",
        "pattern": r"[rf'{_NUMERAL}[\d,.]{{0,20}}\s?条', '[一-龠ァ-ヶーa-z0-9]派']",
    },
}
"""By module: values of its local names, of which each is tried, as the module would say them."""

WRITTEN_BY_USERS = {
    ("blocks/excel/operations.py", "pattern"),
    ("tables/operators.py", "text"),
    ("blocks/ui/form.py", "field.validation.pattern"),
    ("plans/validating/forms.py", "pattern"),
    ("runs/interactions.py", "whole"),
}
"""Run with a time limit, or only compiled."""
