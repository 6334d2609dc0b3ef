-- What an ingest leaves behind besides its pages.

-- A source whose text and recipe are unchanged, and whose pages all still exist, is not asked for again.
create table ingest_cache (
    source      text primary key,                 -- source identity
    text_sha256 text not null,                    -- of the extracted text, not of the file's bytes
    recipe      text not null,                    -- author, prompt versions, purpose, schema and language
    pages       text not null,                    -- JSON list of vault paths
    stored_at   text not null
) strict;

-- A person's word that a large source may cost what was estimated.
create table confirmations (
    source      text primary key,
    sha256      text not null,
    tokens      integer not null,
    given_at    text not null
) strict;

-- Interactive ingest: a conversation about one source, kept across a restart.
create table sessions (
    id          text primary key,
    path        text not null,                    -- vault path of the source
    sha256      text not null,                    -- of its bytes when the session began
    state       text not null default 'open' check (state in ('open', 'writing', 'written')),
    created_at  text not null,
    updated_at  text not null
) strict;

create table session_turns (
    session     text not null references sessions (id) on delete cascade,
    number      integer not null,
    role        text not null check (role in ('user', 'assistant')),
    body        text not null,
    primary key (session, number)
) strict, without rowid;

-- What each source said on each page, so that a page can be written anew when a source leaves.
create table contributions (
    source      text not null,
    page        text not null,
    title       text not null,
    type        text not null,
    tags        text not null,                    -- JSON list
    aliases     text not null,                    -- JSON list
    body        text not null,                    -- Markdown, links resolved, without regions
    primary key (source, page)
) strict, without rowid;
create index contributions_by_page on contributions (page);
