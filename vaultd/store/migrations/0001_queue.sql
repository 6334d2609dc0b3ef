-- Placeholder until the queue's owner fills it.
create table meta (key text primary key, value text not null) strict;
