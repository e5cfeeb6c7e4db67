-- Counts, not reports. The ids of reports stand apart from what they said, and nothing here is finer than a day.

CREATE TABLE collections (
    number      INTEGER PRIMARY KEY,
    collection  TEXT NOT NULL UNIQUE
);

CREATE TABLE plans (
    number      INTEGER PRIMARY KEY,
    collection  INTEGER NOT NULL REFERENCES collections (number),
    fingerprint TEXT NOT NULL UNIQUE,
    document    BLOB NOT NULL
);

CREATE TABLE counts (
    plan        INTEGER NOT NULL,
    day         TEXT NOT NULL,
    question    INTEGER NOT NULL,
    code        INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    PRIMARY KEY (plan, day, question, code)
) WITHOUT ROWID;

CREATE TABLE refusals (
    collection  INTEGER NOT NULL,
    day         TEXT NOT NULL,
    reason      TEXT NOT NULL,
    count       INTEGER NOT NULL,
    PRIMARY KEY (collection, day, reason)
) WITHOUT ROWID;

-- The ids that were settled: one tree in the order of the ids, so that the order of arrival is not kept.
CREATE TABLE settled_ids (
    collection  INTEGER NOT NULL,
    id          BLOB NOT NULL,
    PRIMARY KEY (collection, id)
) WITHOUT ROWID;

-- The latest ids, a sorted run per commit under a random key, until they are settled.
CREATE TABLE recent_ids (
    key         INTEGER PRIMARY KEY,
    collection  INTEGER NOT NULL,
    generation  INTEGER NOT NULL,
    ids         BLOB NOT NULL
);

CREATE TABLE tokens (
    name        TEXT PRIMARY KEY,
    role        TEXT NOT NULL,
    prefix      TEXT NOT NULL UNIQUE,
    digest      BLOB NOT NULL,
    created     TEXT NOT NULL,
    revoked     TEXT
) WITHOUT ROWID;
