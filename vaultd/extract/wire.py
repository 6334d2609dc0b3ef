"""What the daemon and the converter's child say to each other.

A request is one line of JSON. An answer is a series of frames, each a JSON object and a piece of
bytes behind two lengths; nothing in it is executed or unpickled, whatever the child has become.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

LENGTHS = struct.Struct(">II")
TEXT_LIMIT = 20 * 1024 * 1024  # bytes of UTF-8 a document may give
PICTURE_LIMIT = 200  # pictures a document may give
# Largest frame: a text at its limit, all of it escaped, or a picture of 50 megapixels.
FRAME_LIMIT = 160 * 1024 * 1024

BEGIN = "begin"  # {"pages"}: so many pages, allow time for them
TEXT = "text"  # the whole text
UPDATE = "update"  # texts, who transcribed them and the judgement, changed after the text
IMAGE = "image"  # one picture, its bytes behind it
PAGE = "page"  # the picture of one page, its bytes behind it
DONE = "done"  # {"rss"}: kilobytes of memory in use
IMAGE_FIELDS = ("sha256", "page", "width", "height", "extension", "alt", "caption")
STEP = "step"  # a slow step begins: the clock starts anew, {"seconds"}


def request_line(path: str, *, pictures: bool, recognise: bool) -> bytes:
    """Return the request to convert the file at `path`."""
    fields = {"path": path, "pictures": pictures, "recognise": recognise}
    return json.dumps(fields).encode() + b"\n"


def picture_line(path: str, index: int) -> bytes:
    """Return the request for a picture of page `index`, counting from 0."""
    return json.dumps({"path": path, "draw": index}).encode() + b"\n"


def write_frame(stream: BinaryIO, kind: str, fields: Mapping[str, Any], data: bytes = b"") -> None:
    """Write one frame and flush."""
    head = json.dumps({"frame": kind, **fields}, ensure_ascii=False).encode("utf-8", "replace")
    stream.write(LENGTHS.pack(len(head), len(data)) + head)
    stream.write(data)
    stream.flush()
