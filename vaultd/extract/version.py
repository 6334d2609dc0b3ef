"""What decides how a file is read: a change means that stored results are read again."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version

FORMAT = 8  # counted up with every change that gives other text or pictures
EXTRAS = {"ocr": ("rapidocr", "onnxruntime")}


def converter_version() -> str:
    """Return the format's number, the PDF library's version, and the extras installed."""
    installed = [
        extra
        for extra, modules in EXTRAS.items()
        if all(importlib.util.find_spec(module) for module in modules)
    ]
    return "+".join([f"{FORMAT}", f"pymupdf-{version('pymupdf')}", *installed])


CONVERTER_VERSION: str = converter_version()
