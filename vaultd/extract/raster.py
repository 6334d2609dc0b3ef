"""Picture files: looked at, and made fit for a vault."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from vaultd.extract.content import Candidate, Content, Gallery, PageText, because, broken
from vaultd.model.document import ExtractedImage

SHORTEST_SIDE = 32  # pixels; smaller ones are bullets, rules and icons
SMALLEST_AREA = 4096  # square pixels
LONGEST_ASPECT = 20  # a longer strip is a line of text or a rule
MOST_PIXELS = 50_000_000
KEPT = {"PNG": "png", "JPEG": "jpg", "GIF": "gif", "WEBP": "webp"}  # what every viewer shows
ORIENTATION, SIDEWAYS = 0x0112, range(5, 9)  # EXIF
KEPT_MODES = {"1", "L", "LA", "P", "PA", "RGB", "RGBA"}
UNREADABLE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
)

Image.MAX_IMAGE_PIXELS = None  # our own limit is checked before anything is decoded


def picture_of(candidate: Candidate) -> ExtractedImage | None:
    """Return the picture as it is to be kept, None if it says nothing or cannot be drawn.

    JPEG, PNG, GIF and WebP in grey or RGB keep their bytes; everything else becomes PNG in RGB.
    """
    try:
        with Image.open(io.BytesIO(candidate.data)) as image:
            if not worth_keeping(*image.size):
                return None
            width, height = _shown_size(image)
            extension, data = _kept(image, candidate.data)
    except (*UNREADABLE, UnidentifiedImageError, Image.DecompressionBombError):
        return None
    return ExtractedImage(
        sha256=hashlib.sha256(data).hexdigest(),
        page=candidate.page,
        width=width,
        height=height,
        extension=extension,
        alt=candidate.alt,
        caption=candidate.caption,
        data=data,
    )


def worth_keeping(width: int, height: int) -> bool:
    """Tell whether a picture of so many pixels can be one that means something."""
    short, long = sorted((width, height))
    return (
        short >= SHORTEST_SIDE
        and SMALLEST_AREA <= width * height <= MOST_PIXELS
        and long <= LONGEST_ASPECT * short
    )


def _shown_size(image: Image.Image) -> tuple[int, int]:
    """Return width and height as a viewer shows them: a telephone turns a photograph by a note."""
    width, height = image.size
    is_turned = image.getexif().get(ORIENTATION, 1) in SIDEWAYS
    return (height, width) if is_turned else (width, height)


def _kept(image: Image.Image, data: bytes) -> tuple[str, bytes]:
    if image.format in KEPT and image.mode in KEPT_MODES:
        image.load()  # a truncated file must be found here, not by the reader
        return KEPT[image.format], data
    return "png", png(image)


def png(image: Image.Image) -> bytes:
    """Return `image` as a PNG in a mode every viewer shows; compression 1, speed before size."""
    if image.mode not in KEPT_MODES:
        image = image.convert("RGBA" if "A" in image.getbands() else "RGB")
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


PAGE_PIXELS = 12_000_000  # of a page that is to be read by a model; A4 at 200 dpi has 4 million
PAGE_QUALITY = 85  # of a JPEG; small letters stay clean, a page takes 0.2 to 1 MB


def jpeg(data: bytes) -> bytes:
    """Return a picture file as a JPEG of at most `PAGE_PIXELS`."""
    with Image.open(io.BytesIO(data)) as image:
        shown = image.convert("L" if image.mode in ("1", "L") else "RGB")
    scale = (PAGE_PIXELS / (shown.width * shown.height)) ** 0.5
    if scale < 1:
        shown = shown.resize((int(shown.width * scale), int(shown.height * scale)))
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=PAGE_QUALITY)
    return out.getvalue()


def drawn_page(path: Path, index: int) -> bytes:
    """Return frame `index` of the picture at `path` as a JPEG.

    Raises:
        UnreadableError: it cannot be read.
    """
    _frame_count(path)  # refuses a picture that is too large
    try:
        return jpeg(frame_png(path, index))
    except UNREADABLE as error:
        raise broken(f"The picture cannot be read{because(error)}.") from error


def read_picture(path: Path) -> Content:
    """Read a picture file: no text of its own, one scan and one picture for every frame."""
    frames = _frame_count(path)
    gallery = Gallery()
    content = Content([], expected=frames, pictures=gallery)
    content.pages = _frames(path, content, gallery)
    return content


MOST_FRAMES = 100  # of a multi-page TIFF; an animation has one page


def _frame_count(path: Path) -> int:
    try:
        with Image.open(path) as image:
            if image.size[0] * image.size[1] > MOST_PIXELS:
                raise broken("The picture has more than 50 million points.")
            pages = int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
            return min(pages, MOST_FRAMES)
    except (*UNREADABLE, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise broken(f"The picture cannot be read{because(error)}.") from error


def _frames(path: Path, content: Content, gallery: Gallery) -> Iterator[PageText]:
    for index in range(content.expected):
        single = content.expected == 1
        data = path.read_bytes() if single else frame_png(path, index)
        content.scans[index] = lambda index=index: frame_png(path, index)  # type: ignore[misc]
        yield PageText(index + 1, gallery.place(data, page=index + 1))


def frame_png(path: Path, index: int) -> bytes:
    """Return frame `index` of the picture at `path` as a PNG."""
    with Image.open(path) as image:
        for number, frame in enumerate(ImageSequence.Iterator(image)):
            if number == index:
                return png(ImageOps.exif_transpose(frame))
    raise broken(f"The picture has no page {index + 1}.")
