-- Files vaultd wrote, as last written: the base of the three-way merge, and how the watcher
-- tells our own writes from a person's.
create table pages (
    path text primary key,
    sha256 text not null,            -- of the bytes
    text blob,                       -- zlib; null for pictures
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
    facts text not null              -- JSON of a page reference, null where it is no page
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
    history text,                    -- state file that keeps the replaced version
    primary key (plan, place)
) strict, without rowid;
create index plan_files_by_path on plan_files (path);
