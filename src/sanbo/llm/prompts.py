"""The few words that Sanbo adds to a caller's messages."""

JSON_ONLY = """\
Answer with one JSON value that conforms to this JSON Schema, and with nothing else: \
no explanation, no Markdown, no line breaks.

{schema}"""

REPAIR = """\
Your answer does not conform to the JSON Schema:

{errors}

Answer again with the complete, corrected JSON value and nothing else."""

BAD_ARGUMENTS = """\
The call was not carried out: {error}
The arguments were: {arguments}
Call the tool again with arguments that conform to its JSON Schema."""
