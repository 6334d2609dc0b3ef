"""What settled, moved, vanished or was refused: one transaction each, files and jobs together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from vaultd.core.ignore import Fate
from vaultd.core.reconcile import RAW, identity_of, pair_moves
from vaultd.core.settle import FileStat
from vaultd.core.timing import moment
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import files, joblist, jobs, sources
from vaultd.store.database import Connection
from vaultd.store.files import KnownFile
from vaultd.store.sources import UNWANTED, Source
from vaultd.vault.scan import CODES, Sighting

SCANS_TO_VANISH = 2
UNFINISHED = (JobState.QUEUED, JobState.RUNNING, JobState.PAUSED, JobState.PARKED)
WAITING_STATES = {
    "settling": "still being written",
    "empty": "the file is empty; it is taken when it has content",
    "incomplete": "the end of the file is missing; waiting up to 10 minutes for the rest",
}
REASONS = CODES | WAITING_STATES


@dataclass(frozen=True, slots=True)
class Arrival:
    """A settled file with its content hash; without one, `code` says why it cannot be taken."""

    path: VaultPath
    fate: Fate
    sha256: str
    stat: FileStat
    code: str = ""


@dataclass
class StateChange:
    """Sources whose shown reason changed (path -> code and reason), and refused ones now gone."""

    skipped: dict[VaultPath, tuple[str, str]] = field(default_factory=dict)
    gone: list[VaultPath] = field(default_factory=list)


def take(
    db: Connection, batch: Sequence[Arrival], absent: Mapping[str, KnownFile], *, now: datetime
) -> list[str]:
    """Queue what the arrivals ask for; return the old paths of files that were moved.

    A new time on known content changes nothing but the look; known content under a new name
    is a move if the old file is absent, else an alias.
    """
    whole = [each for each in batch if each.sha256 and not _known_content(db, each)]
    pairs = _moves(db, whole, absent) if absent else {}
    for each in batch:
        if not each.sha256:
            _refuse(db, each, now=now)
    for each in whole:
        files.remember(db, each.path, each.fate, each.sha256, each.stat)
        if each.path in pairs:
            _move(db, pairs[each.path], each, now=now)
        elif each.fate is Fate.SOURCE:
            _take_source(db, each, absent, now=now)
        else:
            jobs.enqueue_all(db, [NewJob(JobKind.INDEX, each.path, each.sha256)], now=now)
    return list(pairs.values())


def _moves(
    db: Connection, whole: Iterable[Arrival], absent: Mapping[str, KnownFile]
) -> dict[str, str]:
    """Return the old path of each file that is an absent one under a new name."""
    fresh = [each for each in whole if files.find(db, each.path) is None]
    pairs: dict[str, str] = {}
    for role in (Fate.SOURCE, Fate.NOTE):
        pairs |= pair_moves(
            {path: file.sha256 for path, file in absent.items() if file.role == role},
            {each.path: each.sha256 for each in fresh if each.fate is role},
        )
    return pairs


def _known_content(db: Connection, arrival: Arrival) -> bool:
    """Tell whether this very content is taken care of already, and note the file's new look."""
    known = files.find(db, arrival.path)
    if known is None or known.sha256 != arrival.sha256:
        return False
    if arrival.fate is Fate.SOURCE and sources.find_by_path(db, arrival.path) is None:
        return False
    files.remember(db, arrival.path, arrival.fate, arrival.sha256, arrival.stat)
    sources.taken(db, arrival.path)
    return True


def _refuse(db: Connection, arrival: Arrival, *, now: datetime) -> None:
    known = sources.find_by_path(db, arrival.path)
    if arrival.fate is Fate.SOURCE and (known is None or known.code != arrival.code):
        sources.skip(
            db,
            _identity(db, arrival.path),
            arrival.path,
            code=arrival.code,
            reason=REASONS[arrival.code],
            now=now,
        )


def _take_source(
    db: Connection, arrival: Arrival, absent: Mapping[str, KnownFile], *, now: datetime
) -> None:
    identity = _identity(db, arrival.path)
    before = sources.find(db, identity)
    if before is not None and before.ingested_sha256 == arrival.sha256:
        cancel_open(db, JobKind.RETRACT, arrival.path, now=now)  # it came back
        sources.see(db, identity, arrival.path, arrival.sha256, now=now)
        return
    twin = _twin(db, identity, arrival.sha256, absent)
    if before is not None and before.aliases:
        _release(db, before, now=now)
    if twin is not None:
        cancel_open(db, JobKind.INGEST, arrival.path, now=now)
        sources.see_alias(db, identity, arrival.path, sha256=arrival.sha256, alias_of=twin, now=now)
        return
    sources.see(db, identity, arrival.path, arrival.sha256, now=now)
    jobs.enqueue_all(db, [NewJob(JobKind.INGEST, arrival.path, arrival.sha256)], now=now)


def _identity(db: Connection, path: VaultPath) -> SourceId:
    """Return the identity of the file at `path`.

    Two files of the disk whose names differ only in their normal form are two sources: the
    second keeps its own spelling.
    """
    known = sources.find_by_path(db, path)
    if known is not None:
        return known.identity
    identity = identity_of(path)
    holder = sources.find(db, identity)
    if holder is not None and holder.path != path and files.find(db, holder.path) is not None:
        return SourceId(path.removeprefix(RAW))
    return identity


def _twin(
    db: Connection, identity: SourceId, sha256: str, absent: Mapping[str, KnownFile]
) -> SourceId | None:
    """Return the source that this content belongs to already, if its file is there."""
    for source in sources.with_content(db, sha256):
        there = files.find(db, source.path) is not None and source.path not in absent
        if source.identity != identity and there and not source.code:
            return source.alias_of or source.identity
    return None


def _release(db: Connection, source: Source, *, now: datetime) -> None:
    """Make the first alias of a source that changed a source of its own, with the others."""
    heir, *others = source.aliases
    for identity in source.aliases:
        alias = sources.find(db, identity)
        if alias is None:
            continue
        sources.see(db, identity, alias.path, alias.sha256, now=now)
        if identity in others:
            sources.see_alias(db, identity, alias.path, sha256=alias.sha256, alias_of=heir, now=now)
        else:
            job = NewJob(JobKind.INGEST, alias.path, alias.sha256)
            jobs.enqueue_all(db, [job], now=now)


def _move(db: Connection, old: str, arrival: Arrival, *, now: datetime) -> None:
    """Queue the move of what is known of `old`; a source nobody started yet just moves."""
    files.forget(db, [old])
    if arrival.fate is Fate.SOURCE:
        source = sources.find_by_path(db, VaultPath(old))
        if source is None and not joblist.is_open(db, JobKind.MOVE, old):  # else: behind that one
            _take_source(db, arrival, {}, now=now)
            return
        running = any(
            job.state is JobState.RUNNING for job in joblist.of_subject(db, old, JobKind.INGEST)
        )
        unwanted = source is not None and source.code in UNWANTED
        if source is not None and source.ingested_sha256 is None and not (running or unwanted):
            cancel_open(db, JobKind.INGEST, old, now=now)
            sources.move(db, source.identity, _identity(db, arrival.path), arrival.path, now=now)
            if source.alias_of is None:
                job = NewJob(JobKind.INGEST, arrival.path, arrival.sha256)
                jobs.enqueue_all(db, [job], now=now)
            return
    elif any(job.state in UNFINISHED for job in joblist.of_subject(db, old, JobKind.INDEX)):
        # not in the index yet, so there is nothing to move in it
        new = NewJob(JobKind.INDEX, arrival.path, arrival.sha256)
        jobs.enqueue_all(db, [NewJob(JobKind.INDEX, old), new], now=now)
        return
    payload = {"to": arrival.path, "role": str(arrival.fate)}
    jobs.enqueue_all(db, [NewJob(JobKind.MOVE, old, arrival.path, payload)], now=now)


def look_for_strays(db: Connection) -> None:
    """Remember the files of sources that none is remembered of, so that they are missed.

    They were lost sight of between two moves; the file may be anywhere, and its pages stay.
    """
    known = files.all_files(db)
    for source in sources.all_sources(db):
        astray = source.ingested_sha256 is not None and source.alias_of is None
        if not astray or source.path in known or _has_work(db, source.path):
            continue
        files.expect(db, source.path, source.sha256, files.SOURCE)


def _has_work(db: Connection, path: VaultPath) -> bool:
    return any(job.state in joblist.OPEN for job in joblist.of_subject(db, path))


def lose(db: Connection, paths: Iterable[str], *, grace: float, now: datetime) -> list[str]:
    """Note that a look did not find `paths`; let go of those missing for `grace` seconds.

    It takes a second look as well. Returns the paths that were let go.
    """
    paths = list(paths)
    files.missed(db, paths, now=now)
    over = [file for path in paths if (file := files.find(db, path)) and _over(file, grace, now)]
    for file in over:
        if file.role == files.SOURCE:
            _lose_source(db, VaultPath(file.path), now=now)
        else:
            jobs.enqueue_all(db, [NewJob(JobKind.INDEX, file.path)], now=now)
    files.forget(db, [file.path for file in over])
    return [file.path for file in over]


def _over(file: KnownFile, grace: float, now: datetime) -> bool:
    if file.missing_since is None or file.missing_scans < SCANS_TO_VANISH:
        return False
    return now - moment(file.missing_since) >= timedelta(seconds=grace)


def _lose_source(db: Connection, path: VaultPath, *, now: datetime) -> None:
    source = sources.find_by_path(db, path)
    if source is None:
        return
    if source.aliases:
        heir = sources.find(db, source.aliases[0])
        to = heir.path if heir is not None else path
        move = NewJob(JobKind.MOVE, path, to, {"to": to, "role": str(Fate.SOURCE)})
        jobs.enqueue_all(db, [move], now=now)
        return
    cancel_open(db, JobKind.INGEST, path, now=now)
    on_pages = source.ingested_sha256 is not None or source.code in UNWANTED  # kept ones link to it
    if source.alias_of is None and on_pages:
        jobs.enqueue_all(db, [NewJob(JobKind.RETRACT, path)], now=now)
    else:
        sources.remove(db, source.identity)


def cancel_open(db: Connection, kind: JobKind, subject: str, *, now: datetime) -> None:
    """Cancel the open jobs of a kind for a subject: the file they are about is not there."""
    for job in joblist.of_subject(db, subject, kind):
        jobs.cancel(db, job.id, now=now, reason="the file is not there any more")


def shown_states(db: Connection) -> dict[str, str]:
    """Return the code that every source's path is shown with, "" for those that are taken."""
    return {source.path: source.code for source in sources.all_sources(db)}


def state_changes(
    shown: Mapping[str, str], sightings: Iterable[Sighting], pending: Iterable[Sighting]
) -> StateChange:
    """Return which sources are to be shown with another reason than now.

    A file that was taken before keeps its state while a new version of it settles.
    """
    change, seen = StateChange(), set()
    for each in sightings:
        seen.add(each.path)
        if each.fate is Fate.SKIPPED and shown.get(each.path) != each.code:
            change.skipped[each.path] = (each.code, each.reason)
    for each in pending:
        if each.fate is not Fate.SOURCE:
            continue
        code = "settling" if each.stat.size else "empty"
        keeps = shown.get(each.path) in ("", code, "incomplete", "unreadable")
        if not (each.path in shown and keeps):
            change.skipped[each.path] = (code, WAITING_STATES[code])
    refused = {path for path, code in shown.items() if code and code not in UNWANTED}
    change.gone = [VaultPath(path) for path in sorted(refused - seen)]
    return change


def record_states(db: Connection, change: StateChange, *, now: datetime) -> None:
    """Store the changes; a refused file that is gone and never gave anything is forgotten."""
    for path in change.gone:
        source = sources.find_by_path(db, path)
        if source is not None and source.ingested_sha256 is None:
            sources.remove(db, source.identity)
    for path, (code, reason) in change.skipped.items():
        sources.skip(db, _identity(db, path), path, code=code, reason=reason, now=now)
