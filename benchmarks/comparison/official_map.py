"""What became of each requirement of the OWASP ASVS 4.0.3, as its authors tell it."""

import re

import yaml

from .gold import Ids

_TARGET = re.compile(r"v5\.0\.0-(\d+\.\d+\.\d+)")
_LINKS = ("MOVED TO", "SPLIT TO", "MERGED TO", "COVERED BY")
"""`DEPRECATED BY` and a bare DELETED name nothing that a requirement became."""


def official_pairs(mapping: str) -> dict[Ids, str]:
    """(old id, new id) of every link that the map names, with what it calls it."""
    pairs: dict[Ids, str] = {}
    for key, entry in yaml.safe_load(mapping).items():
        old = f"V{str(key).rpartition('-')[2]}"
        for target, link in linked_targets(str(entry["tag-v5.0.0"])):
            pairs[old, f"V{target}"] = link
    return pairs


def linked_targets(tag: str) -> list[tuple[str, str]]:
    """`MODIFIED, MOVED TO v5.0.0-6.1.3, SPLIT TO v5.0.0-6.3.4, v5.0.0-6.3.5` names three."""
    link = ""
    targets: list[tuple[str, str]] = []
    for part in (part.strip() for part in tag.split(",")):
        found = _TARGET.search(part)
        link = (part[: found.start()].strip() if found else part) or link
        if found and link in _LINKS:
            targets.append((found[1], link))
    return targets
