-- What is known of folders and files in two sentences and a page, and what has to be looked at again.

-- One row per folder or file that has a summary. The input digest tells whether the text still
-- belongs to its inputs, so that an unchanged tree costs no call, no embedding and no write.
create table nodes (
    id integer primary key,
    path text not null unique,
    parent text not null,               -- the folder above; "" above the vault root
    kind text not null check (kind in ('folder', 'file')),
    name_key text not null,             -- last part, case-folded, NFC: the order of lists
    state text not null check (state in ('ok', 'fallback', 'stale', 'failed')),
    input_digest text not null,
    abstract text not null,             -- L0
    overview text not null,             -- L1
    listing text not null,              -- children's names: what a parent reads instead of a fallback
    child_count integer not null,
    categories text not null,           -- JSON array, sorted
    partial integer not null,           -- children that could not be read
    language text not null,
    author text not null,               -- model name or "offline"
    prompt_version text not null,
    description text not null,          -- a person's words about a file
    generation integer not null,
    attempts integer not null,          -- failures in a row
    next_try text,                      -- set while something is to be repaired
    error_code text not null
) strict;
create index nodes_by_parent on nodes (parent, name_key);
create index nodes_by_digest on nodes (input_digest);
create index nodes_due on nodes (next_try) where next_try is not null;

-- No code path can leave a vector behind whose text is gone.
create trigger node_deleted after delete on nodes begin
    delete from summary_vectors where path = old.path;
end;

-- A file's summary goes and moves with the file, whoever deletes or renames it.
create trigger indexed_file_deleted after delete on indexed_files begin
    delete from nodes where path = old.path and kind = 'file';
end;
create trigger indexed_file_moved after update of path on indexed_files
when old.path <> new.path begin
    delete from nodes where path = new.path and kind = 'file';
    update nodes set
        path = new.path,
        parent = coalesce(
            nullif(rtrim(rtrim(new.path, replace(new.path, '/', '')), '/'), ''), '.'),
        name_key = lower(substr(new.path, length(rtrim(new.path, replace(new.path, '/', ''))) + 1))
    where path = old.path and kind = 'file';
end;

-- What became of a folder's note. Apart from `nodes`, since a person's "leave this note alone"
-- outlives the summary.
create table folder_notes (
    folder text primary key,
    note text not null,                 -- path of the note
    state text not null check (state in ('planned', 'written', 'held', 'left', 'blocked')),
    shown text not null                 -- hash of the text last proposed against a person's edit
) strict, without rowid;

-- Texts of the buckets of wide folders, by what they were made from.
create table buckets (
    input_digest text primary key,
    folder text not null,
    overview text not null
) strict, without rowid;
create index buckets_by_folder on buckets (folder);

-- Folders to look at again, and because of which child. A mark gets a new, larger generation
-- every time; a run deletes only the marks it saw when it started.
create table dirty (
    generation integer primary key autoincrement,
    folder text not null,
    child text not null,                -- last part of the child's path
    reason text not null,
    since text not null,                -- of the oldest change not yet looked at
    unique (folder, child)
) strict;

-- The steps of a file's map and reduce, for tracing.
create table summary_partials (
    node integer not null references nodes (id) on delete cascade,
    ordinal integer not null,
    text text not null,
    primary key (node, ordinal)
) strict, without rowid;

-- Which passages a file's summary was made from. Passages of an older generation take their rows along.
create table summary_passages (
    node integer not null references nodes (id) on delete cascade,
    passage integer not null references passages (id) on delete cascade,
    ordinal integer not null,
    primary key (node, passage)
) strict, without rowid;
create index summary_passages_by_passage on summary_passages (passage);

-- The generation before the present one, so that a replacement or a drop can be taken back
-- until upkeep clears it.
create table former_nodes (
    path text primary key,
    kind text not null,
    row text not null,                  -- JSON of the node with its passages and partials
    dropped integer not null,           -- 1: removed on request, not replaced
    at text not null
) strict, without rowid;

-- Folders and files whose summaries a person dropped: none is made there until they ask for it.
create table left_out (
    path text primary key
) strict, without rowid;
