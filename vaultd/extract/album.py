"""The pictures of one document, each once: equal files and smaller copies are told."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, ImageChops, ImageStat

from vaultd.model.document import ExtractedImage

SIDE = 32  # pixels of a look
SAME_ASPECT = 0.02  # by which the proportions of a copy may differ
# Two copies of a drawing, cover or photograph, one drawn coarser, differ by at most 31 in a point
# and by 3.5 on average, other pairs of the same proportions by 60 and more.
MOST_IN_A_POINT, MOST_ON_AVERAGE = 40, 4.5


@dataclass(frozen=True, slots=True)
class _Kept:
    name: str
    width: int
    height: int
    look: Image.Image


class Album:
    """Names pictures `image1`, `image2`, … in the order in which they are added."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._kept: list[_Kept] = []

    def __len__(self) -> int:
        return len(self._kept)

    def name_of(self, picture: ExtractedImage) -> str:
        """Return the name of the same picture, added before at this size or larger; "" if new."""
        if picture.sha256 in self._names:
            return self._names[picture.sha256]
        larger = [kept for kept in self._kept if _may_be_copy(picture, kept)]
        look = look_of(picture.data) if larger else None
        name = next((kept.name for kept in larger if look and _alike(look, kept.look)), "")
        if name:
            self._names[picture.sha256] = name
        return name

    def add(self, picture: ExtractedImage) -> str:
        """Add a new picture and return its name."""
        name = f"image{len(self) + 1}"
        self._names[picture.sha256] = name
        look = look_of(picture.data)
        self._kept.append(_Kept(name, picture.width, picture.height, look))
        return name


def _may_be_copy(picture: ExtractedImage, kept: _Kept) -> bool:
    """Tell whether `picture` has the proportions of a larger one: equal sizes are two pictures."""
    if picture.width >= kept.width:
        return False
    aspect = picture.width * kept.height / (picture.height * kept.width)
    return abs(aspect - 1) < SAME_ASPECT


def look_of(data: bytes) -> Image.Image:
    """Return the picture on white, so small that only its large features are left."""
    with Image.open(io.BytesIO(data)) as image:
        image.draft("RGB", (8 * SIDE, 8 * SIDE))  # a JPEG need not be decoded whole
        shown = image.convert("RGBA")
    ground = Image.new("RGB", shown.size, "white")
    ground.paste(shown, mask=shown.getchannel("A"))
    return ground.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def _alike(one: Image.Image, other: Image.Image) -> bool:
    statistics = ImageStat.Stat(ImageChops.difference(one, other))
    most = max(high for _, high in statistics.extrema)
    return most <= MOST_IN_A_POINT and max(statistics.mean) <= MOST_ON_AVERAGE
