-- Files vaultd wrote. The hash is that of the bytes as last written: it tells our own writes from
-- a person's. The text is what vaultd alone would have there, without a person's words that the
-- file holds besides: it is the base of the three-way merge.
create table pages (
    path text primary key,
    sha256 text not null,
    text blob,                       -- zlib; null for pictures, and where the base is unknown
    type text not null default '',
    title text not null default '',
    aliases text not null default '[]',
    sources text not null default '[]',
    plan integer,                    -- the plan that wrote it, null where it was no plan
    written_at text not null
) strict;

-- Facts about every Markdown file below wiki/, valid while its size and time stay.
create table listing (
    path text primary key,
    size integer not null,
    mtime_ns integer not null,
    facts text not null              -- JSON: page reference and tags; null where it is no page
) strict;

-- A plan is stored before its files are written and finished after, with its receipt.
create table plans (
    id integer primary key autoincrement,
    source text not null,            -- source identity, "" where it was none
    open integer not null,           -- 1: its files may be half written
    facts text not null,             -- JSON: what the receipt needs
    begun_at text not null
) strict;
create index plans_open on plans (id) where open;
create index plans_by_source on plans (source, id);

create table plan_files (
    plan integer not null references plans (id) on delete cascade,
    place integer not null,          -- order of writing
    path text not null,
    before_sha256 text,              -- null: there was no file
    after_sha256 text,               -- null: the file is removed
    before blob,                     -- zlib; dropped when the plan is finished: history has it
    after blob,                      -- zlib; dropped when the plan is finished
    ours blob,                       -- zlib: the next base, null: the same as after
    known integer not null,          -- 0: the base stays unknown
    history text,                    -- state file that keeps the replaced version
    primary key (plan, place)
) strict, without rowid;
create index plan_files_by_path on plan_files (path);
