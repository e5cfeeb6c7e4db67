-- What an operator needs: when a collection was closed and its ids forgotten, limits of tokens, what analysts asked, the
-- model that answers, and who is about to fit the next one. Nothing here is about reports one by one.
ALTER TABLE collections ADD COLUMN closed TEXT;

ALTER TABLE collections ADD COLUMN purged TEXT;

CREATE TABLE token_limits (
    prefix      TEXT PRIMARY KEY,
    expires     TEXT,
    collection  TEXT,
    reports     INTEGER
) WITHOUT ROWID;

CREATE TABLE asked (
    day         TEXT NOT NULL,
    token       TEXT NOT NULL,
    collection  TEXT NOT NULL,
    what        TEXT NOT NULL,
    count       INTEGER NOT NULL,
    PRIMARY KEY (day, token, collection, what)
) WITHOUT ROWID;

CREATE TABLE models (
    collection  INTEGER PRIMARY KEY,
    id          TEXT NOT NULL,
    day         TEXT NOT NULL,
    plan        TEXT NOT NULL,
    reports     INTEGER NOT NULL,
    document    BLOB NOT NULL
);

CREATE TABLE leases (
    name        TEXT PRIMARY KEY,
    holder      TEXT NOT NULL,
    until       INTEGER NOT NULL
) WITHOUT ROWID;
