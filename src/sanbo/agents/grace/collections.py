"""Which collections a question may be answered from, checked before anything is done."""

from sanbo.agents.grace.answers.text import listed
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.thinking import KnownCollection
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidSettings, MissingDependency, NotFound
from sanbo.retrieval.library import Library
from sanbo.retrieval.model import CollectionInfo

NEAREST = 3
LISTED = 5


def allowed(
    library: Library, settings: GraceSettings, wanted: str | None, language: Language
) -> tuple[KnownCollection, ...]:
    """Blocking. The one asked for, else the default, else those of the settings, or all."""
    there = {info.name: info for info in library.collections()}
    for name in settings.collections:
        _in_settings(library, there, name, "grace.collections", language)
    if settings.default_collection is not None:
        _in_settings(
            library, there, settings.default_collection, "grace.default_collection", language
        )
    if wanted is not None:
        info = library.info(wanted)
        if settings.collections and info.name not in settings.collections:
            names = listed(settings.collections[:LISTED], language)
            raise InvalidInput("grace_collection_not_allowed", collection=wanted, allowed=names)
        return (_known(info),)
    if settings.default_collection is not None:
        return (_known(library.info(settings.default_collection)),)
    names = settings.collections or [name for name, info in there.items() if _may_hold(info)]
    if not names:
        raise MissingDependency("grace_no_collection")
    return tuple(_known(library.info(name)) for name in names)


def _in_settings(
    library: Library,
    there: dict[str, CollectionInfo],
    name: str,
    key: str,
    language: Language,
) -> None:
    try:
        library.info(name)
    except (NotFound, InvalidInput):
        near = nearest(name, there, NEAREST, least=0.3) or list(there)[:NEAREST]
        raise InvalidSettings(
            "grace_collection_unknown",
            key=key,
            collection=name,
            nearest=listed(near, language) or tell("none", language),
        ) from None


def _may_hold(info: CollectionInfo) -> bool:
    """An index that others keep does not tell how much is in it."""
    return bool(info.documents) or info.engine == "azure"


def _known(info: CollectionInfo) -> KnownCollection:
    return KnownCollection(name=info.name, documents=info.documents, chunks=info.chunks or None)
