-- Ids are kept as keyed digests from now on. What was kept before is plain until it is turned into digests.
ALTER TABLE collections ADD COLUMN key_check BLOB;

ALTER TABLE settled_ids RENAME TO plain_ids;

ALTER TABLE recent_ids RENAME TO plain_runs;

-- The digests that were settled: one tree in the order of the digests, so that the order of arrival is not kept.
CREATE TABLE settled_digests (
    collection  INTEGER NOT NULL,
    digest      BLOB NOT NULL,
    PRIMARY KEY (collection, digest)
) WITHOUT ROWID;

-- The latest digests, a sorted run per commit under a random key, until they are settled.
CREATE TABLE recent_digests (
    key         INTEGER PRIMARY KEY,
    collection  INTEGER NOT NULL,
    generation  INTEGER NOT NULL,
    digests     BLOB NOT NULL
);
