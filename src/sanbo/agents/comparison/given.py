"""What a person gives to be compared: two sides, and how."""

from typing import Self

from pydantic import BaseModel, Field, model_validator

from sanbo.documents.file_formats import accepted
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef

MOST_FILES = 500
LONGEST_TEXT = 1_000_000
ACCEPT = accepted()


class ComparisonInput(BaseModel):
    """Each side in one way: files, a pasted text, or a document of a collection."""

    old: list[FileRef] = Field(
        default=[],
        max_length=MOST_FILES,
        json_schema_extra={
            "label": {"ja": "旧文書のファイル", "en": "Old document"},
            "help": {
                "ja": "変更前のファイル。フォルダーを比べるときは、その中のすべてのファイル。",
                "en": "The file before the change, or all files of the old folder.",
            },
            "accept": ACCEPT,
        },
    )
    new: list[FileRef] = Field(
        default=[],
        max_length=MOST_FILES,
        json_schema_extra={
            "label": {"ja": "新文書のファイル", "en": "New document"},
            "help": {
                "ja": "変更後のファイル。形式が違っていても比べられます（Word と PDF など）。",
                "en": "The file after the change; the formats may differ (Word and PDF).",
            },
            "accept": ACCEPT,
        },
    )
    old_text: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        json_schema_extra={
            "label": {"ja": "旧文書の文章（貼り付け）", "en": "Old text (pasted)"},
            "help": {"ja": "ファイルの代わりに。", "en": "Instead of a file."},
        },
    )
    new_text: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        json_schema_extra={
            "label": {"ja": "新文書の文章（貼り付け）", "en": "New text (pasted)"},
            "help": {"ja": "ファイルの代わりに。", "en": "Instead of a file."},
        },
    )
    collection: str = Field(
        default="",
        max_length=200,
        json_schema_extra={
            "label": {"ja": "コレクション", "en": "Collection"},
            "help": {
                "ja": "読み込み済みの文書を比べるとき。",
                "en": "Where documents that were indexed are compared.",
            },
        },
    )
    old_document: str = Field(
        default="",
        max_length=1000,
        json_schema_extra={
            "label": {"ja": "コレクション内の旧文書", "en": "Old document in the collection"},
            "help": {"ja": "名前またはID。", "en": "Its name or id."},
        },
    )
    new_document: str = Field(
        default="",
        max_length=1000,
        json_schema_extra={
            "label": {"ja": "コレクション内の新文書", "en": "New document in the collection"},
            "help": {"ja": "名前またはID。", "en": "Its name or id."},
        },
    )
    id_column: str = Field(
        default="",
        max_length=200,
        json_schema_extra={
            "label": {"ja": "行を見分ける列", "en": "Column that names a row"},
            "help": {
                "ja": "表を行ごとに比べるとき。番号やコードの列名。",
                "en": "Where tables are compared row by row: the column of numbers or codes.",
            },
        },
    )
    text_column: str = Field(
        default="",
        max_length=200,
        json_schema_extra={
            "label": {"ja": "比べる列", "en": "Column to compare"},
            "help": {
                "ja": "表を行ごとに比べるとき。省略すると、行全体を比べます。",
                "en": "Where tables are compared row by row; the whole row, if left out.",
            },
        },
    )
    every_chunk: bool = Field(
        default=False,
        json_schema_extra={
            "label": {"ja": "すべての段落をモデルに確認させる", "en": "Ask about every paragraph"},
            "help": {
                "ja": "通常は、対応がはっきりしない段落だけをモデルに確認させます。",
                "en": "Normally the model is asked about doubtful paragraphs only.",
            },
        },
    )
    fold_renumbered: bool = Field(
        default=False,
        json_schema_extra={
            "label": {"ja": "番号だけの変更をたたむ", "en": "Fold away mere renumbering"},
            "help": {
                "ja": "第8条→第9条のような番号だけの変更を、新旧対照表から省きます。",
                "en": "What changed in its number alone is left out of the tables.",
            },
        },
    )

    @model_validator(mode="after")
    def _each_side_in_one_way(self) -> Self:
        """Before a run is begun; a SanboError passes through Pydantic as it is."""
        old = [bool(self.old), bool(self.old_text.strip()), bool(self.old_document.strip())]
        new = [bool(self.new), bool(self.new_text.strip()), bool(self.new_document.strip())]
        for side, ways in (("old", old), ("new", new)):
            if not any(ways):
                raise InvalidInput(f"comparison_missing.{side}")
            if sum(ways) > 1:
                raise InvalidInput(f"comparison_twice.{side}")
        if (old[2] or new[2]) and not self.collection.strip():
            raise InvalidInput("comparison_collection_missing")
        return self
