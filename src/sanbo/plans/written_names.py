"""Names of nodes in a text as it is written: in references, expressions and bare paths."""

from sanbo.tables.expressions.syntax import closing

OPENING = "${"
_ENDS = " \t\n.[}"
_QUOTES = "\"'"


def in_text(raw: str, old: str, to: str) -> str:
    """`old`: a node, or `node.key`. In every `${…}`; of a bare path, at its beginning."""
    if OPENING not in raw:
        lead = len(raw) - len(raw.lstrip(_QUOTES))
        return raw[:lead] + _at_root(raw[lead:], old, to)
    made, position = "", 0
    while (start := raw.find(OPENING, position)) >= 0:
        end = closing(raw, start)
        if raw[start - 1 : start] == "$" or end < 0:  # `$${` stands for itself
            made += raw[position : start + 2]
            position = start + 2
            continue
        inside = raw[start + 2 : end]
        computed = inside.startswith("=")
        inside = f"={in_code(inside[1:], old, to)}" if computed else _at_root(inside, old, to)
        made += raw[position:start] + OPENING + inside + "}"
        position = end + 1
    return made + raw[position:]


def _at_root(path: str, old: str, to: str) -> str:
    lead = len(path) - len(path.lstrip())
    end = lead + len(old)
    is_whole = path[end : end + 1] in ("", *_ENDS, *_QUOTES)
    return path[:lead] + to + path[end:] if path.startswith(old, lead) and is_whole else path


def in_code(code: str, old: str, to: str) -> str:
    """In an expression: names that stand alone, and references within; not words in quotes."""
    made, position = "", 0
    while position < len(code):
        sign = code[position]
        if code.startswith(OPENING, position) and (end := closing(code, position)) > 0:
            made += in_text(code[position : end + 1], old, to)
            position = end + 1
        elif sign in _QUOTES and position > 0 and (end := code.find(sign, position + 1)) > 0:
            quoted = code[position : end + 1]
            made += in_text(quoted, old, to) if OPENING in quoted else quoted
            position = end + 1
        elif sign.isalnum() or sign == "_":
            end = position
            while end < len(code) and (code[end].isalnum() or code[end] == "_"):
                end += 1
            whole = position + len(old)
            is_key = made.rstrip().endswith(".")
            follows = code[whole : whole + 1]
            is_meant = code.startswith(old, position) and not (follows.isalnum() or follows == "_")
            if is_meant and end <= whole and not is_key:
                made += to
                position = whole
            else:
                made += code[position:end]
                position = end
        else:
            made += sign
            position += 1
    return made
