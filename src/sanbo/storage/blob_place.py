"""Which blobs a workspace has, by its settings."""

from pathlib import Path
from urllib.parse import urlsplit

from sanbo.kernel.problems import InvalidSettings, MissingDependency
from sanbo.settings import Settings
from sanbo.storage.blobs import Blobs
from sanbo.storage.failures import disk_failures
from sanbo.storage.folder_blobs import FolderBlobs

SCHEMES = ("s3", "gs", "az", "azure", "abfs", "abfss")


def open_blobs(settings: Settings) -> Blobs:
    place = settings.storage.blobs
    if place is None:
        return FolderBlobs(settings.workspace / "blobs")
    if "://" not in place:
        folder = Path(place)
        with disk_failures(folder):  # one that is not connected, say
            folder.mkdir(parents=True, exist_ok=True)
        return FolderBlobs(folder)
    scheme, address = urlsplit(place).scheme, urlsplit(place)
    if scheme not in SCHEMES or not address.hostname or "@" in address.netloc or address.query:
        raise InvalidSettings("blobs_address_invalid", schemes="、".join(SCHEMES))
    try:
        from sanbo.storage.object_blobs import ObjectBlobs  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingDependency("blobs_packages_missing", module=error.name or "") from None
    # What stands here is elsewhere, too: it need not survive a power cut.
    cache = FolderBlobs(settings.workspace / "cache" / "blobs", survives_power_cut=False)
    return ObjectBlobs(place, cache, settings.storage.cache_mb << 20)
