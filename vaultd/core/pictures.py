"""Pictures in text: where their files stand, how text refers to them, the gallery of a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from posixpath import relpath
from urllib.parse import quote

from vaultd.model.document import ExtractedImage, ExtractedPage
from vaultd.model.paths import VaultPath

LABEL_CHARS, SHORT_CHARS = 15, 80  # "Figure 12." is no description; 80 characters fit a line
AROUND_CHARS = 150  # text given to the vision model on either side of a picture (spec/002 A5)

_PLACED = re.compile(r"!\[([^\]\n]*)\]\(image(\d+)\)")
_MARKDOWN = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_EMBED = re.compile(
    r"!\[\[[^\]\n]+?\.(?:png|jpe?g|gif|webp|bmp|tiff?|svg)(?:[#|][^\]\n]*)?\]\]", re.I
)

LABELS = {"zh": ("图片", "第 {} 页"), "ja": ("画像", "{} ページ"), "ko": ("그림", "{}쪽")}
ENGLISH = ("Pictures", "Page {}")


def picture_paths(folder: VaultPath, images: Sequence[ExtractedImage]) -> list[VaultPath]:
    """Return the file of each picture: `imageN` by first appearance, one file for equal bytes."""
    paths: dict[str, VaultPath] = {}
    for image in images:
        if image.sha256 not in paths:
            name = f"image{len(paths) + 1}.{image.extension}"
            paths[image.sha256] = VaultPath(f"{folder}/{name}")
    return [paths[image.sha256] for image in images]


def without_pictures(text: str) -> str:
    """Return `text` with every reference to a picture replaced by a space."""
    return _EMBED.sub(" ", _MARKDOWN.sub(" ", text))


def alt_text(caption: str) -> str:
    """Return `caption` as it may stand between the brackets of a reference."""
    return " ".join(caption.replace("[", "(").replace("]", ")").split())


def with_pictures(
    pages: Sequence[ExtractedPage], images: Sequence[ExtractedImage], paths: Sequence[VaultPath]
) -> tuple[ExtractedPage, ...]:
    """Return the pages with a reference for every picture, its description as alt text.

    A picture the converter placed keeps its place; the others stand at the end of their page,
    or of the last page when they have none.
    """
    placed = {int(match[2]) for page in pages for match in _PLACED.finditer(page.text)}
    left = [n for n in range(1, len(images) + 1) if n not in placed]
    last = len(pages) - 1
    result: list[ExtractedPage] = []
    for index, page in enumerate(pages):
        text = _PLACED.sub(lambda match: _reference(match, images, paths), page.text)
        here = [n for n in left if _belongs(images[n - 1], page, is_last=index == last)]
        left = [n for n in left if n not in here]
        added = "\n\n".join(_image(images[n - 1], paths[n - 1]) for n in here)
        result.append(replace(page, text="\n\n".join(part for part in (text, added) if part)))
    return tuple(result)


def _belongs(image: ExtractedImage, page: ExtractedPage, *, is_last: bool) -> bool:
    return is_last or (image.page is not None and image.page == page.number)


def _reference(
    match: re.Match[str], images: Sequence[ExtractedImage], paths: Sequence[VaultPath]
) -> str:
    number = int(match[2])
    if not 1 <= number <= len(images):
        return alt_text(match[1])
    image = images[number - 1]
    return _image(replace(image, alt=image.alt or match[1]), paths[number - 1])


def _image(image: ExtractedImage, path: VaultPath) -> str:
    return f"![{alt_text(image.alt or image.caption)}]({path.removeprefix('wiki/')})"


def around(pages: Sequence[ExtractedPage], number: int, page: int | None) -> tuple[str, str]:
    """Return up to `AROUND_CHARS` before and after picture `number` (from 1).

    Where the converter did not place it, the end of its page stands for "before".
    """
    for each in pages:
        for match in _PLACED.finditer(each.text):
            if int(match[2]) == number:
                before = each.text[: match.start()][-AROUND_CHARS:]
                return before, each.text[match.end() :][:AROUND_CHARS]
    own = next((each.text for each in pages if each.number == page), "")
    return own[-AROUND_CHARS:], ""


def gallery(
    images: Sequence[ExtractedImage],
    paths: Sequence[VaultPath],
    *,
    note: VaultPath,
    language: str,
    heading: str = "##",
) -> str:
    """Return the pictures of a source as Markdown for the page `note`, grouped by page.

    Links are relative to the folder of `note` and percent-encoded, so that they hold in
    Obsidian and in every other editor.
    """
    title, page_label = LABELS.get(language, ENGLISH)
    lines = [f"{heading} {title}"]
    seen: set[VaultPath] = set()
    page: int | None = None
    for image, path in zip(images, paths, strict=True):
        if path in seen:
            continue
        seen.add(path)
        if image.page is not None and image.page != page:
            page = image.page
            lines.append(f"{heading}# {page_label.format(page)}")
        shown = image.alt or _first_words(image.caption)
        lines.append(f"![{alt_text(shown)}]({relative_link(note, path)})")
        if image.caption and image.caption not in (image.alt, shown):
            lines.append(alt_text(image.caption))
    return "\n\n".join(lines)


def _first_words(caption: str) -> str:
    """Return the first sentence of a caption, cut at a word."""
    sentence = re.split(r"(?<=[.。:：])\s", " ".join(caption.split()), maxsplit=2)
    label = " ".join(sentence[:2]) if len(sentence[0]) < LABEL_CHARS else sentence[0]
    return label if len(label) <= SHORT_CHARS else label[:SHORT_CHARS].rpartition(" ")[0] + "…"


def relative_link(note: VaultPath, target: VaultPath) -> str:
    """Return `target` as a percent-encoded link that holds from the folder of `note`."""
    folder = note.rpartition("/")[0] or "."
    return quote(relpath(target, folder), safe="/")
