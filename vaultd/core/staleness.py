"""Whether a summary still belongs to its inputs, and in which order to look."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from pathlib import PurePosixPath

from vaultd.core.timing import LONGEST_WAIT, RETRY_FACTOR
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeState
from vaultd.model.wiki import OFFLINE

FIRST_RETRY = timedelta(seconds=30)  # the first wait of the queue, too
MOST_ATTEMPTS = 8  # about one hour of waits; then a person drives it again


@dataclass(frozen=True, slots=True)
class Maker:
    """Everything but the children that a summary depends on."""

    author: str
    prompt_version: str
    language: str
    max_children: int


class Step(Enum):
    """What a run does with one folder."""

    KEEP = "keep"  # the text belongs to the inputs
    WAIT = "wait"  # it does not, but the next try is not due
    ASK = "ask"


def normalised(text: str) -> str:
    """Return `text` without what is no change: line ends, outer space, Unicode form."""
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").strip()


def same_text(one: str, other: str) -> bool:
    """Tell whether two abstracts are the same for whoever reads them."""
    return normalised(one) == normalised(other)


def text_digest(*parts: str) -> str:
    """Return the hash of several texts, each with its borders."""
    packed = json.dumps([normalised(part) for part in parts], ensure_ascii=True)
    return hashlib.sha256(packed.encode()).hexdigest()


def folder_digest(children: Sequence[ChildSummary], maker: Maker) -> str:
    """Return the hash of what a folder's text is made from.

    Names are those inside the folder, so that renaming or moving a folder changes nothing in it.
    Independent of the children's order, and of any time.
    """
    inputs = sorted(
        (child.is_directory, unicodedata.normalize("NFC", child.name), *_told(child))
        for child in children
    )
    made_by = [maker.author, maker.prompt_version, maker.language, maker.max_children]
    packed = json.dumps([made_by, inputs], ensure_ascii=True)
    return hashlib.sha256(packed.encode()).hexdigest()


def _told(child: ChildSummary) -> tuple[str, ...]:
    title = (child.title,) if child.title else ()
    return *title, child.category, text_digest(child.abstract)


def digest_to_keep(children: Sequence[ChildSummary], maker: Maker, node: Node | None) -> str:
    """Return the hash a folder's text has to have; a model's text outlives the model's absence.

    Where only the offline author is there and the children are those that a model described,
    the model's text is the better one and stays.
    """
    if maker.author == OFFLINE and node is not None and node.state is NodeState.OK:
        then = replace(maker, author=node.author, prompt_version=node.prompt_version)
        if folder_digest(children, then) == node.input_digest:
            return node.input_digest
    return folder_digest(children, maker)


def next_step(node: Node | None, digest: str, now: datetime, *, asked: bool = False) -> Step:
    """Say what to do with a folder whose inputs have `digest`.

    `asked`: a person wants it now, so a failed one does not wait for its next try.
    """
    if node is None or node.input_digest != digest:
        return Step.ASK
    if node.state is NodeState.OK:
        return Step.KEEP
    due = node.next_try is not None and node.next_try <= now
    return Step.ASK if asked or due else Step.WAIT


def retry_at(attempts: int, now: datetime, *, first: timedelta = FIRST_RETRY) -> datetime | None:
    """Return when to try again after `attempts` failures in a row, None when a person has to."""
    if attempts >= MOST_ATTEMPTS:
        return None
    wait: timedelta = min(first * RETRY_FACTOR ** max(0, attempts - 1), LONGEST_WAIT)
    return now + wait


def parent_of(path: VaultPath) -> VaultPath:
    """Return the folder above `path`: "." for what lies at the top, "" above "."."""
    if path == ".":
        return VaultPath("")
    return VaultPath(str(PurePosixPath(path).parent))


def name_of(path: VaultPath) -> str:
    """Return the last part of `path`."""
    return PurePosixPath(path).name


def is_within(path: str, folder: str) -> bool:
    """Tell whether `path` is `folder` or lies below it."""
    return folder in ("", ".") or path == folder or path.startswith(folder + "/")


def root_of(path: VaultPath, roots: Iterable[VaultPath]) -> VaultPath | None:
    """Return the innermost of `roots` that `path` is or lies in."""
    holding = [root for root in roots if is_within(path, root)]
    return max(holding, key=lambda root: 0 if root == "." else len(root), default=None)


def folders_to_visit(
    changed: Iterable[VaultPath], roots: Sequence[VaultPath]
) -> dict[VaultPath, set[VaultPath]]:
    """Return every folder from the changed ones up to the roots, each with its visited children.

    Folders outside the roots are left out. Ancestors are there to be reached if a change
    travels up; whether they are asked for is decided when their children are finished.
    """
    below: dict[VaultPath, set[VaultPath]] = {}
    for path in changed:
        root = root_of(path, roots)
        if root is None:
            continue
        folder = path
        below.setdefault(folder, set())
        while folder != root:
            above = parent_of(folder)
            known = above in below
            below.setdefault(above, set()).add(folder)
            if known:
                break
            folder = above
    return below


def depth_of(path: VaultPath) -> int:
    """Return the number of parts of `path`; 0 for the vault root."""
    return 0 if path == "." else path.count("/") + 1
