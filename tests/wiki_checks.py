"""What has to hold of every wiki, however it came about."""

from __future__ import annotations

from pathlib import Path

from vaultd.core.link import Resolver, find_links
from vaultd.core.listing import is_page
from vaultd.core.properties import read_properties, split_note
from vaultd.model.paths import VaultPath

MARKERS = ("---FILE:", "---END FILE", "---REVIEW:", "<think>", "</think>")


def vault_files(root: Path) -> list[VaultPath]:
    """Return every file of the vault that is not hidden."""
    return sorted(
        VaultPath(place.relative_to(root).as_posix())
        for place in root.rglob("*")
        if place.is_file() and not any(p.startswith(".") for p in place.relative_to(root).parts)
    )


def wiki_notes(root: Path) -> dict[VaultPath, str]:
    """Return the text of every note below `wiki/`."""
    return {
        path: (root / path).read_text("utf-8")
        for path in vault_files(root)
        if path.startswith("wiki/") and path.endswith(".md")
    }


def broken_links(root: Path) -> list[str]:
    """Return every link of a note below `wiki/` that leads nowhere."""
    resolver = Resolver.over(vault_files(root))
    return [
        f"{path}: {link.target}"
        for path, text in wiki_notes(root).items()
        for link in find_links(text)
        if link.target and resolver.resolve(link.target, path) is None
    ]


def unlisted_pages(root: Path) -> list[str]:
    """Return the pages that `index.md` does not name."""
    index = (root / "wiki/index.md").read_text("utf-8")
    return [
        path
        for path in wiki_notes(root)
        if is_page(path) and f"[[{path.removesuffix('.md')}|" not in index
    ]


def unreadable_blocks(root: Path) -> list[str]:
    """Return the notes whose property block does not parse, or that have a second one."""
    faults: list[str] = []
    for path, text in wiki_notes(root).items():
        try:
            read_properties(text)
        except Exception as error:  # noqa: BLE001  # whatever it is, the page is named
            faults.append(f"{path}: {error}")
        if split_note(split_note(text).body.lstrip()).opener:
            faults.append(f"{path}: second block")
    return faults


def leftovers(root: Path) -> list[str]:
    """Return the notes that hold markers of the reply format outside code."""
    found: list[str] = []
    for path, text in wiki_notes(root).items():
        in_code = False
        for line in text.splitlines():
            in_code ^= line.lstrip().startswith(("```", "~~~"))
            if not in_code and line.strip().startswith(MARKERS):
                found.append(f"{path}: {line}")
    return found


def assert_sound(root: Path) -> None:
    """Fail with everything that is wrong with the wiki."""
    assert broken_links(root) == []
    assert unlisted_pages(root) == []
    assert unreadable_blocks(root) == []
    assert leftovers(root) == []
