"""The folder note: a projection of the stored summary into a person's vault."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

import structlog

from vaultd.core.folder_note import note_body, note_path_of
from vaultd.core.link import link_to
from vaultd.core.properties import properties_or_none, render_block, set_properties, split_note
from vaultd.core.region import RegionState, find_regions, put_region, short_hash
from vaultd.core.review import HAND_BACK
from vaultd.core.staleness import name_of
from vaultd.errors import PageChangedError, PermanentError
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeState
from vaultd.model.wiki import ReviewDraft, ReviewKind
from vaultd.publish.history import keep_version
from vaultd.summarize.child import FOLDER, REGION
from vaultd.vault.files import Vault

log = structlog.get_logger()

ProposeReview = Callable[[ReviewDraft], Awaitable[None]]

OPTIONS = ("Keep mine", HAND_BACK)


class _Marks(TypedDict):
    """What the markers of a region say about its text."""

    inputs: str
    state: RegionState


class NoteState(StrEnum):
    """What became of a folder's note."""

    PLANNED = "planned"  # the region is to be added to a person's note, and is not there yet
    WRITTEN = "written"
    HELD = "held"  # a person edited inside the region: their text stays
    LEFT = "left"  # a person took the markers away: the note is theirs for good
    BLOCKED = "blocked"  # the markers or the properties cannot be read safely


KNOWN_THERE = frozenset({NoteState.WRITTEN, NoteState.HELD, NoteState.LEFT})


@dataclass(frozen=True, slots=True)
class NoteRecord:
    """What is remembered of a folder's note; `shown` is the hash of the text proposed last."""

    note: VaultPath
    state: NoteState
    shown: str = ""

    @classmethod
    def of(cls, note: VaultPath, state: str, shown: str) -> NoteRecord:
        """Return the record as stored."""
        return cls(note, NoteState(state), shown)


@dataclass(frozen=True, slots=True)
class NotePlan:
    """What to do with a note: write `content` in the place of `expect` where they differ."""

    record: NoteRecord
    expect: bytes | None
    content: bytes | None
    review: ReviewDraft | None = None

    @property
    def writes(self) -> bool:
        """Whether anything is written."""
        return self.content is not None and self.content != self.expect


def plan_note(
    vault: Vault,
    folder: VaultPath,
    node: Node,
    children: Sequence[ChildSummary],
    record: NoteRecord | None,
) -> NotePlan | None:
    """Return what to do with the note of `folder`, None where it has none. Blocking."""
    path = note_path_of(folder)
    if path is None or node.state is NodeState.FAILED:
        return None
    current = None
    try:
        current = vault.read(path)
        body = note_body(node, children)
        if current is None:
            text = put_region(_new_head(folder, node), REGION, body, **_marks(node))
            return NotePlan(NoteRecord(path, NoteState.WRITTEN), None, text.encode())
        return _plan_existing(path, current, node, body, record)
    except (PermanentError, UnicodeDecodeError) as error:
        log.warning("folder note left alone", note=path, reason=str(error))
        return NotePlan(NoteRecord(path, NoteState.BLOCKED), current, None)


def _plan_existing(
    path: VaultPath, current: bytes, node: Node, body: str, record: NoteRecord | None
) -> NotePlan:
    text = current.decode("utf-8")
    region = find_regions(text).get(REGION)
    was_there = record is not None and record.note == path and record.state in KNOWN_THERE
    if region is None and was_there:
        return NotePlan(NoteRecord(path, NoteState.LEFT), current, None)
    if region is not None and region.edited:
        return _held(path, current, body, record)
    changed = put_region(text, REGION, body, **_marks(node))
    if FOLDER in _types(text):
        changed = set_properties(changed, {"author": node.author})
    state = NoteState.PLANNED if region is None else NoteState.WRITTEN
    return NotePlan(NoteRecord(path, state), current, changed.encode())


def _held(path: VaultPath, current: bytes, body: str, record: NoteRecord | None) -> NotePlan:
    ours = short_hash(body)
    if record is not None and record.shown == ours:
        return NotePlan(record, current, None)
    folder = path.rpartition("/")[0]
    review = ReviewDraft(
        kind=ReviewKind.CONFLICT,
        title=f"Your text about {folder}",
        text=f"You edited the part of {link_to(path)} that vaultd writes, so your"
        f" text stays. This is what would stand there now:\n\n{body}",
        options=OPTIONS,
        pages=(path,),
    )
    return NotePlan(NoteRecord(path, NoteState.HELD, ours), current, None, review)


def write_note(vault: Vault, plan: NotePlan) -> bool:
    """Write what was planned; tell whether it was. Blocking.

    Raises:
        PageChangedError: somebody wrote the note meanwhile; theirs stays.
    """
    if plan.content is None or not plan.writes:
        return False
    return vault.write(plan.record.note, plan.content, expect=plan.expect)


def remove_text(vault: Vault, folder: VaultPath) -> bool:
    """Take our text out of the note of a folder that has nothing left to describe. Blocking.

    A note that holds nothing else goes to the trash; a text that a person edited stays.
    """
    path = note_path_of(folder)
    current = None if path is None else vault.read(path)
    if path is None or current is None:
        return False
    try:
        text = current.decode("utf-8")
        region = find_regions(text).get(REGION)
    except (PermanentError, UnicodeDecodeError) as error:
        log.warning("folder note left alone", note=path, reason=str(error))
        return False
    if region is None or region.edited:
        return False
    rest = text[: region.start] + text[region.end :]
    if is_only_ours(text):
        return vault.trash(path, expect=current) is not None
    return vault.write(path, rest.encode(), expect=current)


def accept_edit(vault: Vault, folder: VaultPath, when: datetime) -> bool:
    """Make a person's edit of our region ours, so that the next text replaces it. Blocking.

    What they wrote is kept as a version of the note.
    """
    path = note_path_of(folder)
    current = None if path is None else vault.read(path)
    if path is None or current is None:
        return False
    text = current.decode("utf-8")
    region = find_regions(text).get(REGION)
    if region is None or not region.edited:
        return False
    keep_version(vault, path, current, when)
    marks: _Marks = {"inputs": region.inputs, "state": region.state}
    return vault.write(
        path, put_region(text, REGION, region.body, **marks).encode(), expect=current
    )


def adopt_moved_note(vault: Vault, folder: VaultPath, stray: VaultPath) -> ReviewDraft | None:
    """Rename the note of a folder that was renamed, if it is only ours. Blocking.

    One with a person's words stays where it is: what is returned tells them so.
    """
    path = note_path_of(folder)
    current = vault.read(stray)
    if path is None or current is None:
        return None
    try:
        text = current.decode("utf-8")
        if REGION not in find_regions(text):
            return None
        if is_only_ours(text) and _moved(vault, stray, path):
            return None
    except (PermanentError, UnicodeDecodeError):
        return None  # a person's note by now, whatever its markers once said
    return ReviewDraft(
        kind=ReviewKind.CONFIRM,
        title=f"Former note of {folder}",
        text=f"{link_to(stray)} described this folder under another name. It holds words of yours,"
        f" so it stays as it is and is not kept up any more. The folder's note is {link_to(path)}"
        " now.",
        options=("Skip",),
        pages=(stray,),
    )


def _moved(vault: Vault, old: VaultPath, new: VaultPath) -> bool:
    """Give a note a new name; False where another one has it."""
    if vault.read(new) is not None:
        return False
    try:
        vault.move(old, new)
    except PageChangedError:
        return False  # it came to stand there just now
    return True


def is_only_ours(text: str) -> bool:
    """Tell whether a note holds our region, unedited, and no word of a person.

    Raises:
        RegionError: its markers do not pair up.
    """
    region = find_regions(text).get(REGION)
    if region is None or region.edited:
        return False
    rest = split_note(text[: region.start] + text[region.end :])
    keys = set(properties_or_none(text) or ())
    return not rest.body.strip() and keys <= {"type", "author"}


def _new_head(folder: VaultPath, node: Node) -> str:
    kind = "overview" if folder == "wiki" else FOLDER
    return render_block([("type", kind), ("author", node.author)]) + "\n"


def _types(text: str) -> tuple[str, ...]:
    value = (properties_or_none(text) or {}).get("type")
    return (value,) if isinstance(value, str) else ()


def _marks(node: Node) -> _Marks:
    return {"inputs": node.input_digest, "state": RegionState(node.state.value)}


def title_of(folder: VaultPath) -> str:
    """Return how a folder is called in a prompt."""
    return "vault" if folder == "." else name_of(folder)
