-- Ids are kept as keyed digests from now on. What was kept before is plain until it is turned into digests. A collector
-- of an older version finds no table for its plain ids and answers 503: it cannot count twice what is known as a digest.
ALTER TABLE collections ADD COLUMN key_check bytea;

ALTER TABLE report_ids RENAME TO plain_ids;

CREATE TABLE report_digests (
    digest      uuid NOT NULL,
    collection  integer NOT NULL,
    PRIMARY KEY (digest, collection)
);
