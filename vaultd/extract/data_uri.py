"""Pictures written into a text as `data:` addresses: taken out in one pass."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

from vaultd.extract.content import Gallery

PICTURE_CHARACTERS = 40 * 1024 * 1024  # a longer address is dropped unseen
# Each part is a single character class, so that a scan never goes back over it.
ADDRESS = re.compile(
    r"data:([\w.+-]{1,100}/[\w.+-]{1,100})?((?:;[\w.+=-]{1,200}){0,10}),([\w%+/=.~!*'-]*)"
)
IMAGE = re.compile(r"!\[([^\[\]\n]{0,500})\]\(\s*<?$")


def picture_of(address: str) -> bytes:
    """Return the picture in a `data:` address, b"" if it holds none."""
    match = ADDRESS.match(address[:PICTURE_CHARACTERS])
    if match is None or not (match[1] or "").startswith("image/") or len(match[0]) < len(address):
        return b""
    try:
        if "base64" in match[2]:
            return base64.b64decode(unquote_to_bytes(match[3]), validate=False)
        return unquote_to_bytes(match[3])
    except (binascii.Error, ValueError):
        return b""


def without_data_uris(text: str, gallery: Gallery | None = None) -> str:
    """Replace every `data:` address in `text`; a picture among them goes to `gallery`.

    Time grows with the length of `text`, whatever it holds.
    """
    if "data:" not in text:
        return text
    pieces: list[str] = []
    position = 0
    for match in ADDRESS.finditer(text):
        if match.start() < position or not match[1]:
            continue
        before = text[position : match.start()]
        opening = IMAGE.search(before, max(0, len(before) - 600))
        data = picture_of(match[0]) if gallery is not None and opening else b""
        end = match.end()
        if opening and gallery is not None and data:
            close = text.find(")", end, end + 300)
            pieces += [before[: opening.start()], gallery.place(data, alt=opening[1])]
            position = close + 1 if close >= 0 else end
        else:
            pieces += [before, "data:removed"]
            position = end
    return "".join([*pieces, text[position:]])
