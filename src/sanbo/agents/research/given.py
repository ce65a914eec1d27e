"""What a person gives to be researched: a question, and the collection to look in."""

from pydantic import BaseModel, Field, field_validator

from sanbo.evidence.questions import LONGEST_QUESTION, asked


class ResearchInput(BaseModel):
    question: str = Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        json_schema_extra={
            "label": {"ja": "質問", "en": "Question"},
            "help": {
                "ja": "例：在宅勤務の手当はいくらで、誰が申請できますか",
                "en": "For example: how much is the remote work allowance, and who may apply?",
            },
        },
    )
    collection: str = Field(
        min_length=1,
        max_length=100,
        json_schema_extra={
            "label": {"ja": "コレクション", "en": "Collection"},
            "help": {
                "ja": "答えを探す文書のコレクションの名前。",
                "en": "The collection of documents in which the answer is looked for.",
            },
        },
    )

    @field_validator("question")
    @classmethod
    def _says_something(cls, question: str) -> str:
        """A SanboError passes through Pydantic as it is."""
        return asked(question)
