"""Publishes a plan whole or not at all: stored first, then the files, the receipt last.

A crash before the plan is stored leaves nothing; a crash after it is rolled forward at the next
start. Every version replaced goes to the history, and a person who saves meanwhile wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import structlog

from vaultd.core.block_path import same_path
from vaultd.core.listing import INDEX, LOG, index_text, is_listing_alone, is_page, log_text
from vaultd.core.merge import three_way
from vaultd.core.page import page_ref, parse_page
from vaultd.core.region import RegionError
from vaultd.core.timing import stamp
from vaultd.crash import crash_point
from vaultd.errors import PageChangedError, PermanentError, PropertiesError
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.model.wiki import PageRef, Refused
from vaultd.publish.catalog import listed_as, read_wiki
from vaultd.publish.history import keep_refused, keep_version
from vaultd.publish.plan import Plan, Published, Receipt, facts_of, jobs_in
from vaultd.store import events, jobs, nodes, pages, plans, sources
from vaultd.store.database import Connection, Database
from vaultd.store.pages import Listed
from vaultd.store.plans import OpenPlan, PlanFile
from vaultd.vault.files import Vault

QUIET = timedelta(seconds=10)  # Obsidian saves 2 s after the last key; a note that fresh is open
TRIES = 3  # a file that changes three times while it is replaced is being written by something

log = structlog.get_logger()


async def publish(
    plan: Plan, *, db: Database, vault: Vault, clock: Clock, also: Receipt
) -> Published:
    """Write everything in `plan`, or nothing.

    Plans are published one at a time. One that an earlier failure left half written is
    finished first.

    Raises:
        PageChangedError: a note is not what the plan was made from, or a person saved it less
            than ten seconds ago; nothing was written.
        PermanentError: the system refuses a file. Nothing was written, or the plan stays stored
            and a person has to let it be finished, before anything more of its source.
        VaultdError: the disk fails; the plan stays stored and is finished by `recover`.
    """
    async with vault.publishing:
        held = await _recover(db, vault, clock, also)
        if plan.source and plan.source in held:
            raise held[plan.source]
        return await _publish(plan, db, vault, clock, also)


async def list_anew(*, db: Database, vault: Vault, clock: Clock, also: Receipt) -> bool:
    """Make an `index.md` anew if the pages on disk, which people change too, say otherwise."""
    plan = Plan(note={"at": stamp(clock())})
    async with vault.publishing:
        if await asyncio.to_thread(vault.read, INDEX) is None:
            return False
        files = await _listings(plan, db, vault, clock())
        begun = await db.read(plans.open_plans) if files else ()
        if begun:  # one of them may be about the index
            await _recover(db, vault, clock, also)
            files = await _listings(plan, db, vault, clock())
        if files:
            await _begin(plan, files, db, vault, clock, also)
        return bool(files)


async def _publish(
    plan: Plan, db: Database, vault: Vault, clock: Clock, also: Receipt
) -> Published:
    now = clock()
    await _check(plan, db, vault, now)
    await asyncio.to_thread(_write_assets, plan, vault)
    files = [
        PlanFile(each.path, each.expect, each.content, each.base, each.known)
        for each in plan.writes
    ]
    files += [PlanFile(each.path, each.expect, None) for each in plan.removals]
    files += await _listings(plan, db, vault, now)
    for refused in plan.refused:
        await asyncio.to_thread(keep_refused, vault, refused, plan.source, now)
    return await _begin(plan, files, db, vault, clock, also)


async def _begin(
    plan: Plan, files: list[PlanFile], db: Database, vault: Vault, clock: Clock, also: Receipt
) -> Published:
    """Store what is to become of the files, and have it carried out."""
    now = clock()
    crash_point("publish.planned")
    assets = {each.path: sha256(each.content).hexdigest() for each in plan.assets}
    facts = facts_of(plan) | {"assets": assets}
    begun = await db.run(plans.begin, plan.source, facts, files, now=now)
    crash_point("publish.stored")
    stored = OpenPlan(begun, plan.source, now, facts, tuple(files))
    try:
        return await _carry_out(stored, db, vault, clock, also)
    except PermanentError:
        if await asyncio.to_thread(_is_untouched, stored, vault):
            await db.run(plans.drop, begun)
        raise


def _is_untouched(plan: OpenPlan, vault: Vault) -> bool:
    return all(vault.read(file.path) == file.before for file in plan.files)


async def recover(*, db: Database, vault: Vault, clock: Clock, also: Receipt) -> int:
    """Finish every plan that was begun; return how many were. Called before any work.

    One that the system refuses a file of is held until a person has seen to that.
    """
    if not await db.read(plans.open_plans):
        return 0
    async with vault.publishing:
        begun = len(await db.read(plans.open_plans))
        await _recover(db, vault, clock, also)
        return begun - len(await db.read(plans.open_plans))


async def _recover(
    db: Database, vault: Vault, clock: Clock, also: Receipt
) -> Mapping[SourceId, PermanentError]:
    """Finish the plans that were begun; return the sources of those that are refused, and why."""
    held: dict[SourceId, PermanentError] = {}
    for plan in await db.read(plans.open_plans):
        log.info("finishing a plan that was cut short", source=plan.source, files=len(plan.files))
        try:
            await _carry_out(plan, db, vault, clock, also)
        except PermanentError as error:
            log.warning("plan held", source=plan.source, reason=str(error))
            held[plan.source] = error
    return held


@dataclass(frozen=True, slots=True)
class _Put:
    """What one file of a plan holds now. `content` None: it is gone, or was left alone."""

    path: VaultPath
    content: bytes | None
    base: str | None = None
    known: bool = True
    history: str | None = None
    kept: str | None = None
    gone: bool = False


async def _carry_out(
    plan: OpenPlan, db: Database, vault: Vault, clock: Clock, also: Receipt
) -> Published:
    done: list[_Put] = []
    for file in plan.files:
        crash_point("publish.file")
        done.append(await asyncio.to_thread(_put, file, plan, vault))
    crash_point("publish.written")
    listed = await asyncio.to_thread(_listed_now, done, vault)
    await db.run(_record, plan, done, listed, also, now=clock())
    crash_point("publish.recorded")
    return Published(
        tuple(put.path for put in done if put.content is not None),
        tuple((put.path, put.kept) for put in done if put.kept),
    )


def _listed_now(done: list[_Put], vault: Vault) -> dict[VaultPath, Listed]:
    """Return what to list of the notes that were written, so that they are listed at once."""
    written = [(put.path, put.content) for put in done if put.content is not None]
    looked = ((path, listed_as(vault, path, content)) for path, content in written)
    return {path: listed for path, listed in looked if listed is not None}


def _record(
    db: Connection,
    plan: OpenPlan,
    done: list[_Put],
    listed: Mapping[VaultPath, Listed],
    also: Receipt,
    *,
    now: datetime,
) -> None:
    """Write the receipt: pages, jobs, marks, events, and what the caller adds."""
    for put in done:
        if put.gone:
            pages.forget(db, put.path)
        elif put.content is not None:
            pages.remember(
                db, put.path, put.content, now=now, plan=plan.id, base=put.base, known=put.known
            )
    for path, digest in plan.facts["assets"].items():
        pages.remember_picture(db, VaultPath(path), digest, now=now, plan=plan.id)
    pages.update_listing(db, listed, ())
    jobs.enqueue_all(db, jobs_in(plan.facts), now=now)
    nodes.mark_dirty(db, [VaultPath(path) for path in plan.facts["dirty"]], reason="pages", now=now)
    for kind, payload in plan.facts["events"]:
        events.append(db, kind, payload, now=now)
    for put in done:
        if put.kept:
            events.append(db, "page.kept", {"path": put.path, "ours": put.kept}, now=now)
    also(db, plan.facts["note"])
    plans.finish(db, plan.id, {put.path: put.history for put in done if put.history})


# --- before anything is stored -------------------------------------------------------------------


async def _check(plan: Plan, db: Database, vault: Vault, now: datetime) -> None:
    expected: list[tuple[VaultPath, bytes | None]] = [(w.path, w.expect) for w in plan.writes]
    expected += [(removal.path, removal.expect) for removal in plan.removals]
    for path, expect in expected:
        written = await db.read(pages.last_written, path)
        digest = written.sha256 if written else None
        await asyncio.to_thread(_check_file, vault, path, expect, digest, now)


def _check_file(
    vault: Vault, path: VaultPath, expect: bytes | None, ours: str | None, now: datetime
) -> None:
    if vault.read(path) != expect:
        raise PageChangedError(f"{path} was changed since it was read.")
    if expect is None or sha256(expect).hexdigest() == ours:
        return
    if wait := rest_of_quiet(vault, path, now):
        raise PageChangedError(f"{path} was saved a moment ago.", retry_after=wait, counted=False)


def rest_of_quiet(vault: Vault, path: VaultPath, now: datetime) -> timedelta:
    """Return how long to leave a note alone that somebody may be writing in; zero for the most."""
    saved = datetime.fromtimestamp(vault.locate(path).stat().st_mtime, UTC)
    wait = saved + QUIET - now
    return wait if timedelta(0) < wait <= QUIET else timedelta(0)


def _write_assets(plan: Plan, vault: Vault) -> None:
    for asset in plan.assets:
        vault.write(asset.path, asset.content, expect=vault.read(asset.path))
        crash_point("publish.asset")


async def _listings(plan: Plan, db: Database, vault: Vault, now: datetime) -> list[PlanFile]:
    """Return what becomes of `index.md` and `log.md`."""
    files: list[PlanFile] = []
    if plan.listing and not await _more_to_come(plan, db, now):
        listed = (await read_wiki(db, vault)).pages
        written = await db.read(pages.last_written, INDEX)
        there = await asyncio.to_thread(vault.read, INDEX)
        base = written.base if written else None
        files += await asyncio.to_thread(_index_file, plan, there, base, listed, vault.writer)
    if plan.log:
        there = await asyncio.to_thread(vault.read, LOG)
        text = there.decode("utf-8", "replace") if there is not None else None
        entry = log_text(text, plan.log, now.date(), plan.action).encode()
        if text is None or there == text.encode():
            files.append(PlanFile(LOG, there, entry))
    return files


async def _more_to_come(plan: Plan, db: Database, now: datetime) -> bool:
    return plan.burst and await db.read(sources.others_to_come, plan.source, now)


def _index_file(
    plan: Plan, there: bytes | None, base: str | None, listed: Sequence[PageRef], writer: str
) -> list[PlanFile]:
    try:
        text = there.decode() if there is not None else None
        new, ours = index_text(text, base, _listed_after(plan, listed), writer)
    except (RegionError, PropertiesError, UnicodeDecodeError) as error:
        log.warning("index left as it is", reason=str(error))
        return []
    return [PlanFile(INDEX, there, new.encode(), ours)] if new != text else []


def _listed_after(plan: Plan, listed: Sequence[PageRef]) -> list[PageRef]:
    paths = [each.path for each in plan.writes] + [each.path for each in plan.removals]
    touched = {same_path(path) for path in paths}
    stay = [page for page in listed if same_path(page.path) not in touched]
    new = [
        page_ref(each.path, each.content.decode("utf-8", "replace"))
        for each in plan.writes
        if is_page(each.path)
    ]
    return [*stay, *new]


# --- one file -------------------------------------------------------------------------------------


def _put(file: PlanFile, plan: OpenPlan, vault: Vault) -> _Put:
    """Bring one file to where the plan wants it; a text that came meanwhile is merged."""
    for attempt in range(1, TRIES + 1):
        current = vault.read(file.path)
        try:
            return _put_over(file, plan, vault, current)
        except PageChangedError:
            if attempt == TRIES:
                raise
    raise AssertionError("unreachable")


def _put_over(file: PlanFile, plan: OpenPlan, vault: Vault, current: bytes | None) -> _Put:
    if file.after is None:
        return _remove(file, plan, vault, current)
    if current == file.after:
        return _Put(file.path, current, file.base, file.known, _history(file, plan, vault))
    if current == file.before:
        history = _history(file, plan, vault)
        crash_point("publish.history")
        vault.write(file.path, file.after, expect=current)
        return _Put(file.path, file.after, file.base, file.known, history)
    if current is None:
        return _Put(file.path, None, kept=_set_aside(file, plan, vault, "removed meanwhile"))
    merged = _merged(file, current)
    if merged is None:
        return _Put(file.path, None, kept=_set_aside(file, plan, vault, "changed meanwhile"))
    history = keep_version(vault, file.path, current, plan.begun_at)
    vault.write(file.path, merged, expect=current)
    base = file.base if file.base is not None else file.after.decode("utf-8", "replace")
    return _Put(file.path, merged, base, file.known, history)


def _remove(file: PlanFile, plan: OpenPlan, vault: Vault, current: bytes | None) -> _Put:
    if current is None:
        return _Put(file.path, None, gone=True)
    if current != file.before:
        return _Put(file.path, None)
    history = _history(file, plan, vault)
    if file.path in plan.facts.get("untrashed", ()):
        vault.remove(file.path, expect=current)
    else:
        vault.trash(file.path, expect=current)
    return _Put(file.path, None, history=history, gone=True)


def _history(file: PlanFile, plan: OpenPlan, vault: Vault) -> str | None:
    if file.before is None or file.path == LOG:  # the log is only added to
        return None
    if file.path == INDEX and is_listing_alone(file.before.decode("utf-8", "replace")):
        return None  # it is made from the pages, and what stands around the lines stays
    if not file.path.endswith(".md"):  # a picture: the trash has it
        return None
    return keep_version(vault, file.path, file.before, plan.begun_at)


def _merged(file: PlanFile, current: bytes) -> bytes | None:
    """Return both texts in one; None where they cannot be brought together safely."""
    if file.before is None or file.after is None:
        return None
    try:
        base, theirs, ours = (each.decode() for each in (file.before, current, file.after))
    except UnicodeDecodeError:
        return None
    result = three_way(base, theirs, ours)
    if result.conflicts or (parse_page(theirs).readable and not parse_page(result.text).readable):
        return None
    return result.text.encode()


def _set_aside(file: PlanFile, plan: OpenPlan, vault: Vault, reason: str) -> str:
    text = (file.after or b"").decode("utf-8", "replace")
    refused = Refused(file.path, text, f"the note was {reason}, the person's stays")
    return keep_refused(vault, refused, SourceId(plan.source), plan.begun_at)
