"""What a person or a program reads: sentences, aligned columns, one JSON document."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import IO, Any

import typer

# What would steer a terminal, or turn the direction of what is read there.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Return `text`, which may come from a file or its name, with its control signs spelt out."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def widen(streams: Iterable[IO[str]]) -> None:
    """Let every sign be written, whatever the encoding that a file or pipe was given."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str = "") -> None:
    """Print a line of the answer."""
    typer.echo(harmless(text))


def remark(text: str) -> None:
    """Print a line beside the answer."""
    typer.echo(harmless(text), err=True)


def print_json(value: Any) -> None:
    """Print `value` as the one JSON document of a command."""
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(value, ensure_ascii=plain, indent=2, default=str))


def width_of(text: str) -> int:
    """Return the terminal columns that `text` takes; wide characters take two."""
    return sum(
        0
        if unicodedata.combining(character)
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def shortened(text: str, columns: int) -> str:
    """Return `text` on one line, cut with an ellipsis so that it takes at most `columns`."""
    line = " ".join(text.split())
    if width_of(line) <= columns:
        return line
    taken, cut = 0, 0
    for character in line:
        taken += width_of(character)
        if taken > columns - 1:
            break
        cut += 1
    return line[:cut].rstrip() + "…"


def say_columns(rows: Iterable[Sequence[str]]) -> None:
    """Print rows in aligned columns; on a terminal the last column is cut to the width."""
    table = [list(row) for row in rows]
    if not table:
        return
    widths = [max(width_of(row[at]) for row in table) for at in range(len(table[0]) - 1)]
    room = shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths)
    for row in table:
        padded = [
            cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=False)
        ]
        last = shortened(row[-1], max(room, 20)) if sys.stdout.isatty() else row[-1]
        say("  ".join([*padded, last]).rstrip())


def counted(number: int, one: str, many: str = "") -> str:
    """Return "1 page" or "3 pages"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
