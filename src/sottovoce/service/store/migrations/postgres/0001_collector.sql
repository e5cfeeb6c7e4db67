-- Counts, not reports. The ids of reports stand apart from what they said, and nothing here is finer than a day.

CREATE TABLE collections (
    number      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection  text NOT NULL UNIQUE
);

CREATE TABLE plans (
    number      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection  integer NOT NULL REFERENCES collections (number),
    fingerprint text NOT NULL UNIQUE,
    document    bytea NOT NULL
);

-- Rows are updated all the time: room on every page keeps a row's new version beside the old one (a HOT update).
CREATE TABLE counts (
    plan        integer NOT NULL,
    day         date NOT NULL,
    question    bigint NOT NULL,
    code        bigint NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (plan, day, question, code)
) WITH (fillfactor = 50);

CREATE TABLE refusals (
    collection  integer NOT NULL,
    day         date NOT NULL,
    reason      text NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (collection, day, reason)
);

CREATE TABLE report_ids (
    id          uuid NOT NULL,
    collection  integer NOT NULL,
    PRIMARY KEY (id, collection)
);

CREATE TABLE tokens (
    name        text PRIMARY KEY,
    role        text NOT NULL,
    prefix      text NOT NULL UNIQUE,
    digest      bytea NOT NULL,
    created     date NOT NULL,
    revoked     date
);
