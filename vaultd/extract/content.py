"""What a reader hands over: pages of Markdown, and pictures still to be looked at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from vaultd.core.text import clean
from vaultd.model.document import ExtractStatus

# A picture's place in a text: control characters, which `readable` takes out of every document.
PLACE = re.compile("\x01(\\d+)\x02([^\x03]*)\x03")


# Latin letters and signs, most of what is read: cleaning would change nothing.
LATIN = re.compile("[\n -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e]*")


# Forms that Hebrew and Arabic letters take beside each other, which only a typesetter needs.
FORM = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]")


def readable(text: str) -> str:
    """Return `text` cleaned, as it is written: without soft hyphens and the forms of letters."""
    if LATIN.fullmatch(text):
        return text
    return FORM.sub(_letters_of, clean(text)).replace("\xad", "")


def _letters_of(form: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", form[0]).lstrip()


SUPERSCRIPTS = str.maketrans("0123456789+-=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾")
RAISED = re.compile(r"[\d+\-=(),\s]+", re.A)


def raised(text: str) -> str:
    """Return superscript text so that 10 to the 6 is no 106; letters stay as they are."""
    return text.translate(SUPERSCRIPTS) if RAISED.fullmatch(text) else text


class UnreadableError(Exception):
    """The file cannot be read at all; ends the conversion with `status` and a sentence."""

    def __init__(self, status: ExtractStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


# What says nothing to a person: paths of this machine, objects, and the words of a programmer.
MACHINE = re.compile(r"<[^<>]* (?:object|at 0x)[^<>]*>|(?<![\w.])(?:[A-Za-z]:)?[/\\]\S+[/\\]\S+")
PROGRAMMERS = (LookupError, TypeError, AttributeError, RuntimeError, SyntaxError, AssertionError)
MOST_SAID = 160  # characters of a library's sentence


def because(error: BaseException) -> str:
    """Return ": " and why, in the words of a library as far as they are for people, else ""."""
    if isinstance(error, OSError) and error.strerror:
        said = error.strerror
    elif isinstance(error, PROGRAMMERS) and not isinstance(error, NotImplementedError):
        return ""
    else:
        said = str(error).partition("\n")[0]
    said = said.strip(" .:;")
    return f": {said}" if said and len(said) <= MOST_SAID and not MACHINE.search(said) else ""


def broken(reason: str) -> UnreadableError:
    """Return the error for a file whose content does not hold together."""
    return UnreadableError(ExtractStatus.FAILED, reason)


def unsupported(reason: str) -> UnreadableError:
    """Return the error for a file that is whole but not ours to read."""
    return UnreadableError(ExtractStatus.UNSUPPORTED, reason)


def encrypted(reason: str) -> UnreadableError:
    """Return the error for a file that wants a password."""
    return UnreadableError(ExtractStatus.ENCRYPTED, reason)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A picture as it stands in the file. `place` is its number in the marked text.

    `data` is an image file (PNG, JPEG, …) as it came, whatever its colours.
    """

    place: int
    data: bytes
    page: int | None = None
    alt: str = ""
    caption: str = ""


@dataclass(slots=True)
class PageText:
    """One page, slide or sheet: Markdown with picture places, and what no reader sees.

    `transcribed_by` is "ocr" where text recognition read it from a picture.
    """

    number: int | None
    text: str
    hidden: str = ""
    transcribed_by: str = ""


Scan = Callable[[], bytes]
"""Draws a page as a PNG, for recognition."""


@dataclass(slots=True)
class Content:
    """A file's text, and what there is to do after the text has been sent.

    `pages` is gone through once, within the time that `expected` pages allow; only then are
    `status` (OK or PARTIAL), `reason`, `warnings` and `scans` (index of a page without text: how
    to draw it) final. `pictures` is called once, after that, and may add places to the pages.
    `recognises` says that there is text recognition to read the scans.
    """

    pages: Iterable[PageText]
    expected: int = 1
    status: ExtractStatus = ExtractStatus.OK
    reason: str = ""
    warnings: list[str] = field(default_factory=list)
    metadata: Mapping[str, str] = field(default_factory=dict)
    pictures: Callable[[], Iterable[Candidate]] = tuple
    scans: dict[int, Scan] = field(default_factory=dict)
    recognises: bool = False


class Gallery:
    """Collects a document's pictures while its text is written."""

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []

    def place(self, data: bytes, *, page: int | None = None, alt: str = "") -> str:
        """Keep a picture and return the mark for its place in the text."""
        number = len(self.candidates)
        self.candidates.append(Candidate(number, data, page, alt))
        return mark(number, alt)

    def __call__(self) -> Iterator[Candidate]:
        """Give the pictures in the order of the text."""
        return iter(self.candidates)


def mark(place: int, alt: str = "") -> str:
    """Return the mark that stands for picture `place` in a text."""
    words = " ".join(alt.replace("[", "(").replace("]", ")").split())
    return f"\x01{place}\x02{words}\x03"


def settled(text: str, names: Mapping[int, str]) -> str:
    """Replace the marks in `text`: by `![alt](name)`, or by the alt text where there is no name."""

    def reference(match: re.Match[str]) -> str:
        name = names.get(int(match[1]))
        return f"![{match[2]}]({name})" if name else match[2]

    return PLACE.sub(reference, text)
