-- Questions to the person. Each open one is a note in wiki/reviews/.
create table reviews (
    id          text primary key,                 -- "review-" and 8 hex digits of kind and title
    kind        text not null,
    title       text not null,
    body        text not null,
    options     text not null,                    -- JSON list
    pages       text not null,                    -- JSON list of vault paths
    searches    text not null,                    -- JSON list
    sources     text not null,                    -- JSON list of source identities that raised it
    proposal    text,                             -- JSON {"path", "base", "text"}: what we would write
    note        text,                             -- vault path of the note, null once it has left
    state       text not null default 'open' check (state in ('open', 'answered', 'closed')),
    action      text,                             -- the option taken, or "answer"
    answer      text,                             -- the person's own words
    created_at  text not null,
    updated_at  text not null
) strict;

create index reviews_by_state on reviews (state, created_at);
