"""Word files since 2007."""

from sanbo.documents.file_formats import FileFormat

FORMAT = FileFormat(
    name="docx",
    titles={"ja": "Word", "en": "Word"},
    rank=20,
    endings={
        ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ".docm": "application/vnd.ms-word.document.macroEnabled.12",
    },
    reader="sanbo.documents.formats.docx.reader:read",
    main_parts=("word/document.xml",),
)
