"""In a house with a field of the type `time`: what the API says of it, and a form's page."""

import json

from streamlit.testing.v1 import AppTest

from sanbo.runs.model import Interaction

SCHEMA = json.dumps(Interaction.model_json_schema())


def page() -> None:
    from sanbo.runs.model import Question, Requirement  # noqa: PLC0415
    from sanbo.ui.form import draw_field  # noqa: PLC0415
    from sanbo.ui.kept_form import KeptForm  # noqa: PLC0415

    class NoDrafts:
        def load(self, *_: object) -> None: ...

    field = Requirement(id="at", type="time", label="締切時刻")
    question = Question(mode="collect", message="?", requirements=(field,))
    # pyrefly: ignore[bad-argument-type]
    draw_field(KeptForm(question, "form", "local", NoDrafts()), field)


shown = AppTest.from_function(page).run(timeout=60)
assert not shown.exception, shown.exception
labels = [widget.label for widget in (*shown.text_input, *shown.text_area)]
print(json.dumps({"schema": '"time"' in SCHEMA, "widgets": labels}))
