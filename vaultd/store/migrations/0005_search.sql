-- What the vault's text is found by: files, their names, passages, words and vectors. All of it
-- can be made again from the files.

create table indexed_files (
    id integer primary key,
    path text not null unique,
    content_hash text not null,         -- of the bytes that were split
    made_by text not null,              -- version of the splitter and the converter
    title text not null,
    type text not null,                 -- the page's `type`, "note" or "source"
    changed text not null,              -- day YYYY-MM-DD, "" where nothing tells
    indexed_at text not null
) strict;

-- Titles and aliases, folded, for look-ups by prefix.
create table file_names (
    file integer not null references indexed_files (id) on delete cascade,
    folded text not null,
    name text not null,
    kind text not null check (kind in ('title', 'alias', 'file')),
    primary key (file, folded)
) strict, without rowid;
create index file_names_by_folded on file_names (folded);

create table file_tags (
    file integer not null references indexed_files (id) on delete cascade,
    tag text not null,                  -- folded, without "#"
    primary key (tag, file)
) strict, without rowid;
create index file_tags_by_file on file_tags (file);

create table passages (
    id integer primary key autoincrement,  -- never given to another text
    file integer not null references indexed_files (id) on delete cascade,
    ordinal integer not null,
    heading text not null,              -- path of headings, joined by " > "
    line integer not null,
    start integer not null,             -- characters from the beginning of the file or page
    end integer not null,
    page integer,                       -- physical page, slide or sheet, where there are any
    language text not null,
    text_hash text not null,
    windows integer not null,           -- how many pieces are embedded
    text text not null
) strict;
create index passages_by_file on passages (file, ordinal);
create index passages_by_text on passages (text_hash);

-- Segmented by core.words; the text itself stays in `passages`.
create virtual table passage_words using fts5 (
    title, heading, body,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
create virtual table word_counts using fts5vocab (passage_words, 'row');

create trigger passage_deleted after delete on passages begin
    delete from passage_words where rowid = old.id;
end;

-- Who made vectors. The active one answers; another is being built beside it.
create table embedders (
    id integer primary key,
    identity text not null unique,
    dimensions integer not null,
    active integer not null
) strict;
create unique index one_active_embedder on embedders (active) where active = 1;

-- The vectors: unit length, float16, little endian; null where the embedder refused the text.
create table windows (
    id integer primary key autoincrement,
    passage integer not null references passages (id) on delete cascade,
    embedder integer not null references embedders (id) on delete cascade,
    ordinal integer not null,
    text_hash blob not null,            -- of the text without its title, so that renaming is free
    language text not null,
    vector blob,
    unique (passage, embedder, ordinal)
) strict;
create index windows_by_text on windows (embedder, text_hash);

create table summary_vectors (
    id integer primary key autoincrement,
    path text not null,
    level integer not null,             -- 0 abstract, 1 overview
    embedder integer not null references embedders (id) on delete cascade,
    vector blob not null,
    unique (path, level, embedder)
) strict;

-- Which vectors changed, in order, so that copies in memory and the vector index can follow.
create table window_changes (
    seq integer primary key autoincrement,
    window integer not null
) strict;
create trigger window_added after insert on windows begin
    insert into window_changes (window) values (new.id);
end;
create trigger window_moved after update on windows begin
    insert into window_changes (window) values (new.id);
end;
create trigger window_deleted after delete on windows begin
    insert into window_changes (window) values (old.id);
end;

-- Up to which change the derived vector index of an embedder has come.
create table vector_indexes (
    embedder integer primary key references embedders (id) on delete cascade,
    seq integer not null
) strict;
