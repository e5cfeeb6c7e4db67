-- The last model of every wave, of plans with waves, so that what changed between two can be told.
CREATE TABLE wave_models (
    collection  integer NOT NULL,
    wave        integer NOT NULL,
    id          text NOT NULL,
    day         date NOT NULL,
    plan        text NOT NULL,
    reports     bigint NOT NULL,
    document    bytea NOT NULL,
    PRIMARY KEY (collection, wave)
);
