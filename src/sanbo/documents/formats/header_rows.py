"""Which rows of a table name its columns, and one name a column from several of them."""

from collections.abc import Sequence

from sanbo.documents.table_heads import is_header


def first_row_names_columns(rows: Sequence[Sequence[str]], *, stands_out: bool = False) -> bool:
    """For files that don't say so.

    `stands_out`: the first row is set off from the second, in bold or by its background.
    """
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    return is_header(rows[0], rows[1:], in_a_document=True, stands_out=stands_out)


def joined_names(rows: Sequence[Sequence[tuple[int, int, str]]], width: int) -> list[str]:
    """金額 over 税抜 and 税込 gives 金額 税抜 and 金額 税込.

    A cell is its column, the number of columns it spans, and its text.
    """
    names: list[list[str]] = [[] for _ in range(width)]
    for row in rows:
        for at, columns, text in row:
            # In one header row a wide cell names its first column alone, as in any other row.
            for column in range(at, min(at + (columns if len(rows) > 1 else 1), width)):
                if text and text not in names[column]:
                    names[column].append(text)
    return [" ".join(parts) for parts in names]
