"""E-mail messages: who, when, what, and what was attached; pages that a browser saved so."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

from vaultd.core.legibility import letter_count
from vaultd.extract.content import Content, Gallery, PageText, readable
from vaultd.extract.data_uri import without_data_uris
from vaultd.extract.encoding import decoded
from vaultd.extract.web import Walker

HEADERS = ("From", "To", "Cc", "Date", "Subject")
DEEPEST = 20  # messages within messages
SAVED = "Snapshot-Content-Location"  # the header of a page that a browser saved in one file
STUB = 2  # times as many letters in the HTML version: the plain one only says where to look


def read_eml(path: Path) -> Content:
    """Read a message; attached texts are read too, other attachments named."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    if SAVED in message:
        return _saved_page(message)
    letter = Letter()
    headers = _headers(message)
    parts = _shown(headers, "#") + letter.parts(message, DEEPEST)
    text = "\n\n".join(trimmed for part in parts if (trimmed := part.strip("\n")))
    metadata = {
        "title": headers.get("Subject", ""),
        "author": headers.get("From", ""),
        "date": headers.get("Date", ""),
    }
    return Content([PageText(None, text)], metadata=metadata, pictures=letter.gallery)


def _saved_page(message: EmailMessage) -> Content:
    """Read a web page that came in one file with its pictures."""
    parts = list(message.walk())
    pictures = {_header(p, "Content-Location"): _payload(p) for p in parts if _is_picture(p)}
    gallery = Gallery()
    walker = Walker(gallery, lambda source: pictures.get(source, b""))
    page = _web_page(message)
    walker.feed(_payload(page) if page else b"")
    metadata = {"title": walker.title, "source": _header(message, SAVED)}
    text = walker.markdown(main_only=True)
    return Content([PageText(None, text, walker.hidden)], metadata=metadata, pictures=gallery)


def _headers(message: EmailMessage) -> dict[str, str]:
    return {name: text for name in HEADERS if (text := readable(_header(message, name)))}


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError):  # headers the parser chokes on
        return ""


def _shown(headers: Mapping[str, str], sign: str) -> list[str]:
    """Return a message's subject as a heading, then who wrote it to whom."""
    subject = headers.get("Subject", "")
    rest = [f"{name}: {text}" for name, text in headers.items() if name != "Subject"]
    return [f"{sign} {subject}" if subject else "", *rest]


class Letter:
    """Reads the parts of a message; a picture that its text shows stands there, and once."""

    def __init__(self) -> None:
        self.gallery = Gallery()
        self._inline: dict[str, bytes] = {}
        self._placed: set[str] = set()

    def parts(self, message: EmailMessage, depth: int) -> list[str]:
        """Return the texts of a part and of all within it, forwarded messages included."""
        if not message.is_multipart():
            return self._single(message)
        children = [part for part in message.iter_parts() if isinstance(part, EmailMessage)]
        if message.get_content_subtype() == "alternative":
            children = self._best(children)
        self._inline |= {_identity(part): _payload(part) for part in children if _is_picture(part)}
        found: list[str] = []
        for child in children if depth else ():
            if message.get_content_maintype() == "message":
                found += _shown(_headers(child), "##")
            found += self.parts(child, depth - 1)
        return found

    def _best(self, versions: list[EmailMessage]) -> list[EmailMessage]:
        """Return the plain version and the pictures of the others, else the richest version."""
        plain = next((part for part in versions if part.get_content_type() == "text/plain"), None)
        rich = next((part for part in reversed(versions) if _web_page(part)), versions[-1])
        letters = letter_count(_text(plain)) if plain else 0
        page = _web_page(rich)
        if not letters or (page and letter_count(self._page(page, Gallery())) > STUB * letters):
            return [rich]
        pictures = [part for part in rich.walk() if _is_picture(part)]
        return [plain, *pictures] if plain else [rich]

    def _single(self, message: EmailMessage) -> list[str]:
        name = readable(message.get_filename() or "")
        label = f"Attached file: {name}" if name else ""
        if _is_picture(message):
            if _identity(message) in self._placed:
                return []
            picture = self.gallery.place(_payload(message), alt=name)
            return [label if message.is_attachment() else "", picture]
        if message.get_content_type() == "text/html":
            return [label, self._page(message, self.gallery)]
        return [label, _text(message) if message.get_content_maintype() == "text" else ""]

    def _page(self, message: EmailMessage, gallery: Gallery) -> str:
        walker = Walker(gallery, self._picture)
        walker.feed(_payload(message))
        return walker.markdown(main_only=False)

    def _picture(self, source: str) -> bytes:
        """Return the picture that a page shows, b"" if it did not come with the message."""
        name = source.removeprefix("cid:")
        data = self._inline.get(name, b"")
        if data:
            self._placed.add(name)
        return data


def _is_picture(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "image"


def _identity(part: EmailMessage) -> str:
    """Return the name by which a page shows the part, one of its own if it has none."""
    return _header(part, "Content-ID").strip("<>") or f"part {id(part)}"


def _web_page(part: EmailMessage) -> EmailMessage | None:
    return next((each for each in part.walk() if each.get_content_type() == "text/html"), None)


def _payload(part: EmailMessage) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: EmailMessage) -> str:
    return readable(without_data_uris(decoded(_payload(part), part.get_content_charset() or "")))
