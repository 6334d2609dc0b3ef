"""One image object of a PDF as a picture file in its right colours."""

from __future__ import annotations

import io
from typing import Any

import pymupdf as _pymupdf
from PIL import Image

from vaultd.core.box import Box
from vaultd.extract.raster import MOST_PIXELS, png

pymupdf: Any = _pymupdf  # its own hints are partial
FIGURE_DPI = 150
OPAQUE = 240  # a mask that never gets so far makes a shadow
BLURRED = 0.5  # of the mask neither clear nor opaque, on one or two colours: a shadow too
# A ghost of a logo has no point darker than 200 of 255; screenshots and line drawings 4 % or more.
LOOK_SIZE = 200  # points along a side, enough to see whether anything is dark
FAINT, FAINT_SHARE = 200, 0.002
VERBATIM = {"jpeg": (1, 3), "jpg": (1, 3), "png": (1, 3)}  # channels of files kept as they are


def raster(document: Any, sheet: Any, xref: int, smask: int, box: Box) -> bytes:
    """Return the image as a file, b"" if it is decoration.

    JPEG and PNG in grey or RGB keep their bytes. A mask is applied and the result laid on white.
    What a Decode entry turns round is drawn from the page, which heeds it.
    """
    if document.xref_get_key(xref, "Decode")[0] != "null":
        return clip_png(sheet, box, document.xref_get_key(xref, "Width")[1])
    found = document.extract_image(xref)
    if not smask and found["colorspace"] in VERBATIM.get(found["ext"], ()):
        verbatim: bytes = found["image"]
        return b"" if _is_faint(verbatim) else verbatim
    image = _rgb(pymupdf.Pixmap(document, xref))
    if not smask:
        return _unless_faint(image)
    mask = _grey(pymupdf.Pixmap(document, smask)).resize(image.size)
    if _is_shadow(image, mask):
        return b""
    ground = Image.new("RGB", image.size, "white")
    ground.paste(image, mask=mask)
    return _unless_faint(ground)


def _is_faint(data: bytes) -> bool:
    """Tell whether next to nothing of a picture file is darker than a watermark."""
    with Image.open(io.BytesIO(data)) as image:
        image.draft("L", (LOOK_SIZE, LOOK_SIZE))  # a JPEG need not be decoded whole
        histogram = image.convert("L").histogram()
    return sum(histogram[:FAINT]) < FAINT_SHARE * sum(histogram)


def _unless_faint(image: Image.Image) -> bytes:
    data = png(image)
    return b"" if _is_faint(data) else data


def _rgb(pixmap: Any) -> Image.Image:
    if pixmap.alpha:
        pixmap = pymupdf.Pixmap(pixmap, 0)
    if pixmap.colorspace is None or pixmap.colorspace.n != 3:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pixmap)
    return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)


def _grey(pixmap: Any) -> Image.Image:
    if pixmap.n > 1:
        pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pixmap)
    return Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)


def _is_shadow(image: Image.Image, mask: Image.Image) -> bool:
    histogram = mask.histogram()
    if sum(histogram[OPAQUE:]) == 0:
        return True
    clear = sum(histogram[:8]) + sum(histogram[248:])
    return image.getcolors(2) is not None and clear < (1 - BLURRED) * sum(histogram)


def clip_png(sheet: Any, box: Box, width: str = "") -> bytes:
    """Return a part of the page as PNG, `width` pixels wide or at `FIGURE_DPI`."""
    clip = pymupdf.Rect(box) & sheet.rect
    if clip.is_empty:
        return b""
    scale = int(width) / clip.width if width.isdigit() else FIGURE_DPI / 72
    pixels = clip.width * clip.height * scale * scale
    if pixels > MOST_PIXELS / 4:
        scale *= (MOST_PIXELS / 4 / pixels) ** 0.5
    pixmap = sheet.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=clip, alpha=False)
    return _unless_faint(Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples))
