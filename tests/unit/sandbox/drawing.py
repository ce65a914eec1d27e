"""Jobs that draw."""

import io
from collections.abc import Sequence
from typing import BinaryIO

from matplotlib import pyplot as plt


def perform(job: bytes, inputs: Sequence[memoryview], output: BinaryIO) -> bytes:
    figure, axes = plt.subplots()  # pyright: ignore[reportUnknownMemberType]
    axes.set_title("sales")  # pyright: ignore[reportUnknownMemberType]
    picture = io.BytesIO()
    figure.savefig(picture, format="png")  # pyright: ignore[reportUnknownMemberType]
    return picture.getvalue()
