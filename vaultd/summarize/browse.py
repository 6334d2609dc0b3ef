"""A folder as a reader meets it: what it is about, and what stands in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vaultd.core.staleness import name_of, parent_of
from vaultd.errors import NotFoundError
from vaultd.model.paths import VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.model.wiki import PageRef
from vaultd.store import nodes, pages
from vaultd.store.database import Connection

CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Child:
    """What stands in a folder; `abstract` and `state` are "" where nothing describes it yet."""

    path: VaultPath
    name: str
    kind: Literal["folder", "file"]
    title: str
    type: str
    abstract: str
    state: NodeState | Literal[""]


@dataclass(frozen=True, slots=True)
class FolderView:
    """A folder's abstract (L0), overview (L1) and children; "" where there is no text yet."""

    path: VaultPath
    abstract: str
    overview: str
    state: NodeState | Literal[""]
    author: str
    child_count: int
    categories: tuple[str, ...]
    children: tuple[Child, ...]


def folder_view(db: Connection, folder: VaultPath) -> FolderView:
    """Return what is known of `folder`, folders before files, each by name.

    Raises:
        NotFoundError: nothing is known of it; `candidates` are folders that are described.
    """
    own = nodes.node(db, folder)
    described = {node.path: node for node in nodes.nodes_below(db, folder)}
    listing = pages.listing(db)
    listed = {p: each.ref for p, each in listing.items() if each.ref and parent_of(p) == folder}
    below = {parent for path in listing for parent in _between(path, folder)}
    found = {*described, *listed, *below}
    if own is None and not found and folder != ".":
        known = [node.path for node in nodes.nodes_within(db, VaultPath("."), NodeKind.FOLDER)]
        raise NotFoundError(
            f"No folder {folder} is described: those below `[summaries] roots` are.",
            tuple(known[:CANDIDATES]),
        )
    children = [_child(path, described.get(path), listed.get(path)) for path in found]
    children.sort(key=lambda child: (child.kind != "folder", child.name.casefold(), child.path))
    return FolderView(
        path=folder,
        abstract=own.abstract if own else "",
        overview=own.overview if own else "",
        state=own.state if own else "",
        author=own.author if own else "",
        child_count=own.child_count if own else len(children),
        categories=own.categories if own else (),
        children=tuple(children),
    )


def _between(path: VaultPath, folder: VaultPath) -> list[VaultPath]:
    """Return the child folder of `folder` that holds `path`, if it lies deeper down."""
    inside = path if folder == "." else path.removeprefix(f"{folder}/")
    if (folder != "." and inside == path) or "/" not in inside:
        return []
    first = inside.partition("/")[0]
    return [VaultPath(first if folder == "." else f"{folder}/{first}")]


def _child(path: VaultPath, node: Node | None, ref: PageRef | None) -> Child:
    is_folder = ref is None and (node is None or node.kind is NodeKind.FOLDER)
    described = node.abstract if node else ""
    return Child(
        path=path,
        name=name_of(path),
        kind="folder" if is_folder else "file",
        title=ref.title if ref else name_of(path),
        type=ref.type if ref else ("folder" if is_folder else "note"),
        abstract=described or (ref.abstract if ref else ""),
        state=node.state if node else "",
    )
