"""What programs write into web pages that HTML has no word for, or say in words of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

LONGEST_LINK = 500
# Google Docs writes class="c0 title"; a bare "title" may be the caption of a table.
TITLE = re.compile(r"(?:^c\d+(?: c\d+)* |^mso)(sub)?title$", re.I)
GOOGLE_LIST = re.compile(r"\blst-kix_\w+-(\d)\b")
WORD_LIST = re.compile(r"mso-list:\s*l\d+\s+level(\d)", re.I)
WORD_SIGN = re.compile(r"mso-list:\s*ignore", re.I)
NUMBERED = re.compile(r"\s*\(?(\d{1,6})[.)]")


# What only leads elsewhere, by role, by MediaWiki's names, and by what is not for print.
LEADING_ROLES = {"navigation", "search", "menu", "menubar", "toolbar"}
LEADING_CLASSES = {
    *("noprint", "no-print", "d-print-none", "printfooter", "navbar", "catlinks"),
    *("mw-portlet", "mw-editsection", "mw-jump-link"),
}


def leads_elsewhere(tag: str, attributes: Mapping[str, str]) -> bool:
    """Tell whether an element of a page's main part is a menu, and not what the page says."""
    classes = LEADING_CLASSES.intersection(attributes.get("class", "").split())
    return tag == "nav" or attributes.get("role") in LEADING_ROLES or bool(classes)


def title_level(attributes: Mapping[str, str]) -> int:
    """Return the heading level of a paragraph that is a document's title, 0 of any other."""
    match = TITLE.search(attributes.get("class", ""))
    return 0 if match is None else 2 if match[1] else 1


def list_depth(attributes: Mapping[str, str]) -> int | None:
    """Return the depth from 0 that Google Docs gives a list: it writes deeper ones side by side."""
    match = GOOGLE_LIST.search(attributes.get("class", ""))
    return int(match[1]) if match else None


def item_depth(attributes: Mapping[str, str]) -> int | None:
    """Return the depth from 0 of a paragraph that is a list item of Word, None of any other."""
    match = WORD_LIST.search(attributes.get("style", ""))
    return int(match[1]) - 1 if match else None


def is_item_sign(attributes: Mapping[str, str]) -> bool:
    """Tell whether an element holds the bullet or number that Word wrote out."""
    return WORD_SIGN.search(attributes.get("style", "")) is not None


def item_number(sign: str) -> int | None:
    """Return the number that a list sign says, None for a bullet."""
    match = NUMBERED.match(sign)
    return int(match[1]) if match else None


def address_of(text: str) -> str:
    """Return a link worth keeping: to another site, short, without what would end it early.

    Google Docs leads every link over its own site.
    """
    address = text.strip()
    if address.startswith("https://www.google.com/url?"):
        address = parse_qs(urlsplit(address).query).get("q", [""])[0]
    if not re.match(r"https?://", address, re.I) or len(address) > LONGEST_LINK:
        return ""
    return "" if re.search(r"[\s()<>]", address) else address
