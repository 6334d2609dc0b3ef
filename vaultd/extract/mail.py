"""E-mail messages: who, when, what, and the names of what was attached."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from pathlib import Path

from vaultd.extract.content import Content, Gallery, PageText, readable
from vaultd.extract.data_uri import without_data_uris
from vaultd.extract.encoding import decoded
from vaultd.extract.web import Walker

HEADERS = ("From", "To", "Cc", "Date", "Subject")
DEEPEST = 20  # messages within messages


def read_eml(path: Path) -> Content:
    """Read a message; attached texts are read too, other attachments named."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    gallery = Gallery()
    headers = {name: readable(_header(message, name)) for name in HEADERS if _header(message, name)}
    subject = headers.get("Subject", "")
    parts = [f"# {subject}" if subject else ""]
    parts += [f"{name}: {text}" for name, text in headers.items() if name != "Subject"]
    parts += _parts(message, gallery, DEEPEST)
    text = "\n\n".join(part for part in parts if part)
    metadata = {
        "title": subject,
        "author": headers.get("From", ""),
        "date": headers.get("Date", ""),
    }
    return Content([PageText(None, text)], metadata=metadata, pictures=gallery)


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError):  # headers the parser chokes on
        return ""


def _parts(message: EmailMessage, gallery: Gallery, depth: int) -> list[str]:
    if message.is_multipart():
        parts = [part for part in message.iter_parts() if isinstance(part, EmailMessage)]
        if message.get_content_subtype() == "alternative":
            parts = _best(parts)
        return [] if depth == 0 else [t for part in parts for t in _parts(part, gallery, depth - 1)]
    name = readable(message.get_filename() or "")
    label = f"Attached file: {name}" if name else ""
    kind = message.get_content_maintype()
    data = message.get_payload(decode=True)
    if not isinstance(data, bytes):
        return [label]
    if kind == "image":
        return [label, gallery.place(data, alt=name)]
    return [label, _text(message, data, gallery)] if kind == "text" else [label]


def _best(parts: list[EmailMessage]) -> list[EmailMessage]:
    """Return the plain version of a message, else the richest."""
    plain = [part for part in parts if part.get_content_type() == "text/plain"]
    filled = [part for part in plain if str(part.get_payload()).strip()]
    return filled[:1] or parts[-1:]


def _text(message: EmailMessage, data: bytes, gallery: Gallery) -> str:
    if message.get_content_subtype() == "html":
        walker = Walker(gallery, lambda _: b"")
        walker.feed(data)
        return walker.markdown(main_only=False)
    return readable(without_data_uris(decoded(data, message.get_content_charset() or "")))
