"""Form controls and pictures as text: what was filled in, and what stands for the picture."""

import re

_BUTTONS = {"button", "file", "image", "reset", "submit"}
_SECRET = {"hidden", "password"}
_BOXES = {"checkbox", "radio"}
# Programs put the file's name there when nobody described the picture.
_FILE_NAME = re.compile(r"[^\s。、]+\.(?:png|jpe?g|gif|bmp|svg|webp|tiff?|emf|wmf)", re.I)
_PIXEL = {"0", "1", "0px", "1px"}


def text_of_void(name: str, attributes: dict[str, str]) -> str:
    """Of `input` and `img`; set off from what stands beside it, except a box from its label."""
    if name == "img":
        return _set_off(_alternative(attributes))
    if name != "input":
        return ""
    kind = attributes.get("type", "").strip().lower()
    if kind in _SECRET or kind in _BUTTONS:
        return ""
    if kind in _BOXES:
        return " ☑" if "checked" in attributes else " □"
    return _set_off(attributes.get("value", ""))


def is_chosen(option: dict[str, str]) -> bool:
    """Chosen in the page itself; an option without a value only prompts to choose."""
    return "selected" in option and option.get("value") != ""


def _alternative(picture: dict[str, str]) -> str:
    """Empty for ornaments and for pixels that only count visitors."""
    text = picture.get("alt", "").strip()
    is_pixel = picture.get("width") in _PIXEL or picture.get("height") in _PIXEL
    unseen = picture.get("role") in ("presentation", "none") or is_pixel
    return "" if unseen or _FILE_NAME.fullmatch(text) else text


def _set_off(text: str) -> str:
    return f" {text} " if text.strip() else ""
