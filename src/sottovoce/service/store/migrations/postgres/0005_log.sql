-- The log of plans: a hash chain. Rows are only ever added, also when a collection is deleted.
CREATE TABLE plan_log (
    number      integer PRIMARY KEY,
    day         text NOT NULL,
    fingerprint text NOT NULL UNIQUE,
    collection  text NOT NULL,
    previous    text NOT NULL UNIQUE
);
