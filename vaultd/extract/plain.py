"""Plain text, Markdown and delimited tables."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import yaml
from frontmatter.default_handlers import YAMLHandler

from vaultd.core.table import markdown_table
from vaultd.extract.content import Content, Gallery, PageText, because, readable
from vaultd.extract.data_uri import without_data_uris
from vaultd.extract.encoding import decoded

PICTURE_BYTES = 50 * 1024 * 1024  # a larger file is not copied as a note's picture
PICTURE_SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"}
EMBED = re.compile(r"!\[\[([^\[\]|#\n]{1,500})(?:#[^\[\]|\n]{0,200})?(?:\|([^\[\]\n]{0,200}))?\]\]")
IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,500})\]\((<[^<>\n]{1,500}>|[^\s()<>]{1,500})(?: \"[^\"\n]*\")?\)"
)
PROPERTIES = YAMLHandler()
SAMPLE = 20_000  # characters that tell the separator
CSV_CELLS = 2_000_000  # a larger table is cut: nobody reads it, and every cell costs memory


def read_text(path: Path) -> Content:
    """Read plain text; the text itself is left as it is."""
    return Content([PageText(None, readable(without_data_uris(decoded(path.read_bytes()))))])


def read_markdown(path: Path) -> Content:
    """Read a note: its properties become metadata, local pictures are taken along."""
    text = readable(decoded(path.read_bytes()))
    properties, body = _properties(text)
    gallery = Gallery()
    body = _with_pictures(without_data_uris(body, gallery), path, gallery)
    return Content([PageText(None, body.strip("\n"))], metadata=properties, pictures=gallery)


def _properties(text: str) -> tuple[dict[str, str], str]:
    """Split off the property block; one that is no YAML mapping stays in the text."""
    if not PROPERTIES.detect(text):
        return {}, text
    try:
        block, body = PROPERTIES.split(text)
        values = PROPERTIES.load(block, Loader=yaml.BaseLoader)  # as it stands: 1.10 is no number
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    if not isinstance(values, dict):
        return {}, text
    named = {str(key): _plain(value) for key, value in values.items() if value}
    return named, body


def _plain(value: object) -> str:
    """Return a property as text; lists joined by commas. Aliases are not followed deeper."""
    if isinstance(value, list):
        return ", ".join(str(item) for item in value[:100] if not isinstance(item, (list, dict)))
    return "" if isinstance(value, dict) else str(value)


def _with_pictures(text: str, path: Path, gallery: Gallery) -> str:
    """Put marks for pictures that lie beside the note or below its folder's siblings."""

    def embedded(match: re.Match[str]) -> str:
        words = match[2] or ""
        alt = "" if re.fullmatch(r"\d+(x\d+)?", words) else words
        data = local_picture(path, match[1].strip())
        return gallery.place(data, alt=alt) if data else match[0]

    def linked(match: re.Match[str]) -> str:
        data = local_picture(path, unquote(match[2].strip("<>")))
        return gallery.place(data, alt=match[1].split("|")[0]) if data else match[0]

    return IMAGE.sub(linked, EMBED.sub(embedded, text))


def local_picture(note: Path, target: str) -> bytes:
    """Return the picture file `target` names, b"" if it is none or lies outside the note's reach.

    Its reach is the note's folder, what lies below, and (for `../`) the folder above.
    """
    suffix = Path(target).suffix.lower()
    if suffix not in PICTURE_SUFFIXES or re.match(r"[a-zA-Z][\w+.-]*:|[/\\~]", target):
        return b""
    try:
        place = (note.parent / target).resolve()
        inside = place.is_relative_to(note.parent.resolve().parent)
        if inside and place.is_file() and place.stat().st_size <= PICTURE_BYTES:
            return place.read_bytes()
    except (OSError, ValueError):
        return b""
    return b""


def read_csv(path: Path) -> Content:
    """Read a delimited table; an empty row begins another, as below the head of a statement."""
    text = readable(decoded(path.read_bytes()))
    rows, warnings = _rows(text, "\t" if path.suffix.lower() == ".tsv" else "")
    runs = groupby(rows, key=lambda row: any(map(str.strip, row)))
    tables = "\n\n".join(markdown_table(list(run)) for is_filled, run in runs if is_filled)
    return Content([PageText(None, tables or text)], warnings=warnings)


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], list[str]]:
    rows: list[list[str]] = []
    cells = 0
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter or _delimiter(text)):
            rows.append(row)
            cells += len(row)
            if cells > CSV_CELLS:
                return rows, [f"Only the first {len(rows)} rows were read."]
    except csv.Error as error:
        return rows, [f"The table ends early, it is damaged{because(error)}."]
    return rows, []


def _delimiter(text: str) -> str:
    """Return the separator that cuts the first rows most evenly, "," if none does."""
    return max(",;\t|", key=lambda sign: _evenness(text[:SAMPLE], sign))


def _evenness(sample: str, sign: str) -> tuple[float, int]:
    """Return the share of rows that have the commonest width above one cell, and that width."""
    try:
        widths = Counter(len(row) for row in csv.reader(io.StringIO(sample), delimiter=sign))
    except csv.Error:
        return 0.0, 0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return (count / widths.total(), width) if width > 1 else (0.0, 0)
