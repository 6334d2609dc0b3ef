-- Every call to a model, one row per attempt: what it cost, and the reply while it may be needed.
create table model_calls (
    id integer primary key,
    digest text not null,             -- sha256 of everything that was asked
    stage text not null,              -- "analysis", "generation", …
    subject text not null,            -- source identity or vault path the call was made for
    model text not null,
    prompt text not null,             -- version of the prompt template
    started text not null,
    ended text,                       -- null: running, or the process died
    outcome text not null default 'started',  -- 'ok', or the code of the error
    finish text not null default '',
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    estimated integer not null default 1,     -- 1: counted by us, the endpoint did not say
    reply text                        -- null: none came, or pruned
) strict;
create index model_calls_by_digest on model_calls (digest, outcome);
create index model_calls_by_start on model_calls (started);

-- What a model was found to need: a parameter dropped or renamed, a smaller context.
create table model_traits (
    model text not null,
    trait text not null,
    value text not null,
    primary key (model, trait)
) strict, without rowid;

-- The pages a job listed in its prompts: after a crash or a failure it lists the same again, so
-- that the replies it has paid for are found by what was asked.
create table listings (
    source text primary key,          -- source identity; only its latest job
    job integer not null,
    pages text not null,              -- JSON: number of all pages, and the listed ones
    kept text not null
) strict;

-- How far the analysis of a long source has come; the file in ingest-progress/ is made from it.
create table checkpoints (
    source text primary key,          -- source identity
    fields text not null,             -- JSON
    updated text not null
) strict;
