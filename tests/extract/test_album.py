"""Which pictures of a document are one and the same."""

from __future__ import annotations

import hashlib
import io

from PIL import Image, ImageDraw

from vaultd.extract.album import Album
from vaultd.model.document import ExtractedImage


def drawing(*marks: tuple[int, int], size: tuple[int, int] = (400, 300)) -> Image.Image:
    image = Image.new("RGB", (400, 300), "white")
    for x, y in marks:
        ImageDraw.Draw(image).ellipse((x, y, x + 90, y + 60), fill=(90, 20, 160))
    return image.resize(size)


def picture(image: Image.Image, kind: str = "PNG") -> ExtractedImage:
    out = io.BytesIO()
    image.save(out, kind)
    data = out.getvalue()
    return ExtractedImage(hashlib.sha256(data).hexdigest(), None, *image.size, "png", data=data)


def named(*pictures: ExtractedImage) -> list[str]:
    album = Album()
    return [album.name_of(each) or album.add(each) for each in pictures]


def test_equal_files_are_one_picture() -> None:
    one, two = picture(drawing((50, 50))), picture(drawing((200, 50)))

    assert named(one, two, one) == ["image1", "image2", "image1"]


def test_smaller_copy_is_the_picture_that_came_before() -> None:
    cover = picture(drawing((50, 50), (250, 180)))
    back = picture(drawing((50, 50), (250, 180), size=(197, 148)), "JPEG")

    assert named(cover, back) == ["image1", "image1"]


def test_larger_copy_is_kept_beside_its_thumbnail() -> None:
    thumbnail = picture(drawing((50, 50), size=(100, 75)))

    assert named(thumbnail, picture(drawing((50, 50)))) == ["image1", "image2"]


def test_another_drawing_of_the_same_proportions_is_another_picture() -> None:
    one = picture(drawing((50, 50), (250, 180)))
    other = picture(drawing((50, 50), (200, 150), size=(200, 150)))

    assert named(one, other) == ["image1", "image2"]


def test_clear_ground_counts_as_white() -> None:
    clear = drawing((50, 50)).convert("RGBA")
    clear.putalpha(drawing((50, 50)).convert("L").point(lambda light: 0 if light > 250 else 255))

    assert named(picture(drawing((50, 50))), picture(clear.resize((200, 150)))) == ["image1"] * 2
