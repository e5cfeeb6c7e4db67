-- The log of plans: a hash chain. Rows are only ever added, also when a collection is deleted.
CREATE TABLE plan_log (
    number      INTEGER PRIMARY KEY,
    day         TEXT NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE,
    collection  TEXT NOT NULL,
    previous    TEXT NOT NULL UNIQUE
);
