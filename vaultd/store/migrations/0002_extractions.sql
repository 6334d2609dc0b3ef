-- What the converter made of a file's bytes: text and descriptions of pictures, no picture data.
-- Derived: may be emptied at any time; every row can be made again from the file.
create table extractions (
    id integer primary key,    -- grows with every conversion: the lowest are the oldest
    sha256 text not null unique,  -- of the file's bytes
    converter text not null,   -- version of the converter that made it
    content blob not null      -- the extraction as JSON, compressed by zlib
) strict;
