"""PowerPoint files since 2007."""

from sanbo.documents.file_formats import FileFormat

FORMAT = FileFormat(
    name="pptx",
    titles={"ja": "PowerPoint", "en": "PowerPoint"},
    rank=40,
    endings={
        ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    },
    reader="sanbo.documents.formats.pptx.reader:read",
    main_parts=("ppt/presentation.xml",),
    page_word="slide",
)
