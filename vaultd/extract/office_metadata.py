"""What an office document says about itself."""

from __future__ import annotations

from vaultd.extract.archive import Package, local, words_of
from vaultd.extract.content import UnreadableError, readable

NAMES = {"title", "creator", "subject", "description", "keywords", "created", "modified"}


def metadata_of(package: Package, part: str = "docProps/core.xml") -> dict[str, str]:
    """Return title, author and dates; a damaged part says nothing."""
    try:
        root = package.xml(part)
    except UnreadableError:
        return {}
    found = {
        local(node): readable(words_of(node))
        for node in (root.iter() if root is not None else ())
        if local(node) in NAMES
    }
    return {name: text for name, text in found.items() if text}
