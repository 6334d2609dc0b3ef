-- The queue, what is known of the vault's files, and the ring of events.

create table meta (key text primary key, value text not null) strict;

-- One row per piece of work. `id` is the place in the queue and is kept over retries and deaths.
create table jobs (
    id integer primary key autoincrement,
    kind text not null,
    subject text not null,
    digest text not null default '',          -- tells two contents of one subject apart
    payload text not null default '{}',       -- JSON
    person integer not null default 0,        -- asked for by a person: goes first
    state text not null default 'queued',
    attempts integer not null default 0,      -- outcomes the program saw and counted
    deaths integer not null default 0,        -- starts that found it running, since the last stored step
    started integer,                          -- order of the first start
    run_at text not null,
    stopping integer not null default 0,      -- a person wants it cancelled while it runs
    stage text not null default '',
    done integer not null default 0,
    total integer not null default 0,
    reason text not null default '',
    code text not null default '',
    result text not null default '{}',        -- JSON
    changed_at text not null
) strict;

-- A subject waits at most once for one content; a newer one may wait beside a running one.
create unique index jobs_waiting on jobs (kind, subject, digest)
    where state in ('queued', 'waiting', 'paused', 'parked');
create index jobs_due on jobs (kind, person desc, run_at, id) where state = 'queued';
create index jobs_running on jobs (subject) where state = 'running';
create index jobs_subject on jobs (subject, kind, id);
create index jobs_state on jobs (state, changed_at);

-- Why part of the queue stands still. `need` is 'model', 'embedding' or 'disk'.
create table pauses (
    need text primary key,
    code text not null,
    reason text not null,
    since text not null,
    probes integer not null default 0,        -- failed ones
    probe_at text not null,
    probe_job integer                         -- the job that is finding out
) strict;

-- Every file that the scan follows: its last look on disk and the content that was taken care of.
-- size is null while the look is unknown (we wrote it ourselves, or it was queued by name).
create table files (
    path text primary key,
    role text not null,                       -- 'source' or 'note'
    sha256 text not null,
    size integer,
    mtime integer,                            -- nanoseconds, as are all file times
    ctime integer,
    inode integer,
    missing_since text,
    missing_scans integer not null default 0
) strict, without rowid;
create index files_content on files (sha256);
create index files_missing on files (missing_since) where missing_since is not null;

-- One row per source identity. What its open job says comes first; this is what remains.
create table sources (
    identity text primary key,
    path text not null unique,
    sha256 text not null default '',          -- content last seen, '' while it was never read
    ingested_sha256 text,                     -- content whose receipt was written
    pages text not null default '[]',         -- JSON, vault paths the source contributed to
    alias_of text,                            -- identity of the source with the same content
    code text not null default '',            -- why it is not taken ('' = it is)
    reason text not null default '',
    changed_at text not null
) strict, without rowid;
create index sources_content on sources (sha256);
create index sources_alias on sources (alias_of) where alias_of is not null;

-- A ring: the newest rows are kept, `id` never comes back.
create table events (
    id integer primary key autoincrement,
    at text not null,
    kind text not null,
    payload text not null                     -- JSON
) strict;

-- What the person should know now; a row stays until the cause is gone.
create table problems (
    code text primary key,
    text text not null,
    since text not null
) strict;
