-- The last model of every wave, of plans with waves, so that what changed between two can be told.
CREATE TABLE wave_models (
    collection  INTEGER NOT NULL,
    wave        INTEGER NOT NULL,
    id          TEXT NOT NULL,
    day         TEXT NOT NULL,
    plan        TEXT NOT NULL,
    reports     INTEGER NOT NULL,
    document    BLOB NOT NULL,
    PRIMARY KEY (collection, wave)
);
