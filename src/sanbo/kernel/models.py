"""Models that are built when first needed (`defer_build`): of hundreds, a command needs few."""

from collections.abc import Iterator

from pydantic import BaseModel


def build_models() -> None:
    """All that are loaded: a server is ready when no request waits for one to be built."""
    for model in unbuilt_models():
        model.model_rebuild()


def unbuilt_models(among: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    for model in among.__subclasses__():
        if model.__module__.partition(".")[0] == "sanbo" and not model.__pydantic_complete__:
            yield model
        yield from unbuilt_models(model)
