-- A Chinese and English dictionary, in both directions; filled where a vault has both languages.

create table translations (
    word text not null,                 -- simplified Chinese, or English in small letters
    rank integer not null,              -- of the sense: the first is the most usual
    other text not null,
    primary key (word, rank, other)
) strict, without rowid;

-- One row once all of an edition is there.
create table translations_edition (
    edition text not null
) strict;

create index passages_by_language on passages (language);
