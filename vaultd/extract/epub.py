"""EPUB books: the files of the spine, one page each."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from vaultd.extract.archive import Element, Package, attribute, joined, local, rooted, words_of
from vaultd.extract.content import Content, Gallery, PageText, broken, encrypted, readable
from vaultd.extract.web import Walker

DRM = "META-INF/encryption.xml"
FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
METADATA = {"title", "creator", "date", "publisher", "subject", "description"}


def read_epub(path: Path) -> Content:
    """Read a book; a part of the spine that is named twice is read once.

    Raises:
        UnreadableError: it is damaged, or protected.
    """
    package = Package(path)
    if DRM in package and not _only_fonts(package):
        raise encrypted("The book is protected (DRM) and cannot be read.")
    container = package.xml("META-INF/container.xml")
    name = next((attribute(n, "full-path") for n in _all(container) if local(n) == "rootfile"), "")
    if name not in package:
        raise broken("The book is damaged: it has no list of contents.")
    root = rooted(package.read(name))
    parts = _spine(root, posixpath.dirname(name), package)
    gallery = Gallery()
    metadata = {local(n): readable(words_of(n)) for n in root.iter() if local(n) in METADATA}
    return Content(
        _pages(package, parts, gallery), len(parts) + 1, metadata=metadata, pictures=gallery
    )


def _all(root: Element | None) -> Iterator[Element]:
    return iter(()) if root is None else root.iter()


def _only_fonts(package: Package) -> bool:
    methods = [
        attribute(node, "Algorithm")
        for node in _all(package.xml(DRM))
        if local(node) == "EncryptionMethod"
    ]
    return all(method in FONTS for method in methods)


def _spine(root: Element, folder: str, package: Package) -> list[str]:
    items = {attribute(n, "id"): n for n in root.iter() if local(n) == "item"}
    wanted = [attribute(n, "idref") for n in root.iter() if local(n) == "itemref"]
    parts = [joined(folder, attribute(items[name], "href")) for name in wanted if name in items]
    return [part for part in dict.fromkeys(parts) if part in package]


def _pages(package: Package, parts: list[str], gallery: Gallery) -> Iterator[PageText]:
    for number, part in enumerate(parts, 1):
        walker = Walker(gallery, partial(_picture, package, posixpath.dirname(part)))
        walker.feed(package.read(part))
        yield PageText(number, walker.markdown(main_only=False), walker.hidden)


def _picture(package: Package, folder: str, source: str) -> bytes:
    return package.picture(joined(folder, source))
