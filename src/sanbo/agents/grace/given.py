"""What a person gives to be answered: a question, and perhaps the collection to look in."""

import re

from pydantic import BaseModel, Field, field_validator

from sanbo.kernel.problems import InvalidInput

LONGEST_QUESTION = 2_000
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


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
        question = plain(question)
        if not any(character.isalnum() for character in question):
            raise InvalidInput("grace_question_blank")
        return question

    @field_validator("collection")
    @classmethod
    def _blank_is_none(cls, collection: str | None) -> str | None:
        return (collection or "").strip() or None


def plain(text: str) -> str:
    """What a person typed or a model wrote, without control characters."""
    return _CONTROLS.sub(" ", text).strip()
