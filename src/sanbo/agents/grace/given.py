"""What a person gives to be answered: a question, and perhaps the collection to look in."""

from pydantic import BaseModel, Field, field_validator

from sanbo.evidence.questions import LONGEST_QUESTION, asked


class GraceInput(BaseModel):
    question: str = Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        json_schema_extra={
            "label": {"ja": "質問", "en": "Question"},
            "help": {
                "ja": "例：宿泊費の上限はいくらですか",
                "en": "For example: what is the most that may be spent on a hotel?",
            },
        },
    )
    collection: str | None = Field(
        default=None,
        max_length=100,
        json_schema_extra={
            "label": {"ja": "コレクション", "en": "Collection"},
            "help": {
                "ja": "答えを探すコレクションの名前。省くと、設定に従うか、すべてから探します。",
                "en": "Where the answer is looked for. Left out: as the settings say, or in all.",
            },
        },
    )

    @field_validator("question")
    @classmethod
    def _says_something(cls, question: str) -> str:
        """A SanboError passes through Pydantic as it is."""
        return asked(question)

    @field_validator("collection")
    @classmethod
    def _blank_is_none(cls, collection: str | None) -> str | None:
        return (collection or "").strip() or None
