"""Names of files: one function from a title to a name, for writing and for linking alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping
from hashlib import sha256
from pathlib import PurePosixPath

from vaultd.core.block_path import DEVICES, same_path
from vaultd.model.paths import SourceId, VaultPath

UNNAMED = "Untitled"
STEM_BYTES = 240  # UTF-8; with ".md" and any temporary ending below the 255 of every file system
PATH_LENGTH = 160  # characters below the vault root, so that Windows can open a deep vault
MIN_STEM = 24  # characters left to a name in a folder that is too deep for PATH_LENGTH
SLUG_LENGTH = 120  # characters of a source's slug, as the ingest format has it

_SPACES = re.compile(r"[\s\u00a0\u2007\u202f\u2028\u2029]+")
_DROPPED = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_FORBIDDEN = re.compile(r'[?<>*"#^\[\]]+')
_DASHED = re.compile(r"\s*[/\\|]\s*")
_PERCENTS = re.compile(r"%{2,}")


def file_stem(title: str) -> str:
    """Return the file name, without ending, of a page with this title.

    Valid on every system and in a link, in normal form C, spaces and letters of all scripts
    kept; naming a name changes nothing. Two titles may meet: see `distinct_path`.
    """
    name = _SPACES.sub(" ", unicodedata.normalize("NFC", title))
    name = _DROPPED.sub("", name).replace(": ", " - ").replace(":", "-")
    name = _DASHED.sub("-", name)
    name = _PERCENTS.sub("%", _FORBIDDEN.sub(" ", name))
    name = _edges_off(_SPACES.sub(" ", unicodedata.normalize("NFC", name)))
    name = _edges_off(_cut(name, STEM_BYTES))
    head, dot, rest = name.partition(".")
    if head.strip().casefold() in DEVICES:
        name = f"{head.strip()}_{dot}{rest}"
    return name or UNNAMED


def distinct_path(folder: str, title: str, taken: Container[str]) -> VaultPath:
    """Return the path of a new page: `title` in `folder`, with a number where that is taken.

    `taken` holds paths as `same_path` gives them, of the disk and of this run, so that two
    titles which differ in case or Unicode form never share a file.
    """
    return _first_free(folder, file_stem(title), taken)


def source_page_path(source: SourceId, claimed: Mapping[str, SourceId]) -> VaultPath:
    """Return where the page of `source` stands: `wiki/sources/` mirrors `raw/`.

    `claimed` maps paths, as `same_path` gives them, to the source whose page stands there. A
    twin that differs only in its ending gets `Name (docx).md`. A leading `sources/`, the layout
    of other programs, is not repeated.
    """
    parts = [part for part in source.split("/") if part]
    if len(parts) > 1 and parts[0].casefold() == "sources":
        parts = parts[1:]
    folder = "/".join(["wiki/sources", *(file_stem(part) for part in parts[:-1])])
    pure = PurePosixPath(parts[-1])
    stem, ending = pure.stem, pure.suffix.lstrip(".").lower()
    for name in (stem, f"{stem} ({ending})" if ending else stem):
        path = _first_free(folder, file_stem(name), ())
        if claimed.get(same_path(path), source) == source:
            return path
    others = {path for path, owner in claimed.items() if owner != source}
    return _first_free(folder, file_stem(f"{stem} ({ending})"), others)


def source_slug(source: SourceId) -> str:
    """Return the slug that names a source's checkpoint and its media folder.

    Directly below `raw/` it is the stem as it is. Deeper, it is `<length>-<readable>` of each
    part, joined by "--", and a hash of the whole identity, so that two files of one name in
    different folders never meet; at most 120 characters (requirements of the ingest format).
    """
    stem = source.rsplit(".", 1)[0] if "." in source.rsplit("/", 1)[-1].lstrip(".") else source
    parts = [part.strip() for part in stem.split("/") if part.strip()]
    if len(parts) <= 1:
        return file_stem(parts[0] if parts else source)
    readable = "--".join(_readable(part) for part in parts)
    ending = "--" + _base36(_fnv1a(source))
    return readable[: SLUG_LENGTH - len(ending)].rstrip("-") + ending


def media_folder(source: SourceId, page: VaultPath) -> VaultPath:
    """Return the folder of a source's pictures; `page` is the path of the source's own page.

    A source directly below `raw/` has the name of its page, which tells twins apart.
    """
    slug = source_slug(source) if "/" in source else PurePosixPath(page).stem
    return VaultPath(f"wiki/media/{slug}")


def _first_free(folder: str, stem: str, taken: Container[str]) -> VaultPath:
    room = max(MIN_STEM, PATH_LENGTH - len(folder) - len("/.md"))
    number = 0
    while True:
        ending = f" {number}" if number else ""
        path = VaultPath(f"{folder}/{_fit(stem, room, ending)}.md")
        if same_path(path) not in taken:
            return path
        number += 1


def _fit(stem: str, room: int, ending: str) -> str:
    """Return `stem` and `ending` in `room` characters; what was cut leaves a hash behind."""
    if len(stem) + len(ending) <= room and len((stem + ending).encode()) <= STEM_BYTES:
        return stem + ending
    mark = "-" + sha256(stem.encode()).hexdigest()[:6] + ending
    short = _cut(stem[: room - len(mark)], STEM_BYTES - len(mark))
    return file_stem(short + mark)


def _cut(name: str, limit: int) -> str:
    return name.encode()[:limit].decode(errors="ignore")


def _edges_off(name: str) -> str:
    return name.strip().lstrip(". ").rstrip(". -").lstrip("- ") if name.strip(" .-") else ""


def _readable(part: str) -> str:
    kept = re.sub(r"\s", "-", unicodedata.normalize("NFKC", part).strip())
    kept = re.sub(r"[^\w-]|_", "", kept).removeprefix("-").removesuffix("-").lower() or "source"
    return f"{len(kept)}-{re.sub('-+', '-', kept)}"


def _fnv1a(text: str) -> int:
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"
