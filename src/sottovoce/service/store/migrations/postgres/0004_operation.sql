-- What an operator needs: when a collection was closed and its ids forgotten, limits of tokens, what analysts asked, the
-- model that answers, and who is about to fit the next one. Nothing here is about reports one by one.
ALTER TABLE collections ADD COLUMN closed date;

ALTER TABLE collections ADD COLUMN purged date;

CREATE TABLE token_limits (
    prefix      text PRIMARY KEY,
    expires     date,
    collection  text,
    reports     bigint
);

CREATE TABLE asked (
    day         date NOT NULL,
    token       text NOT NULL,
    collection  text NOT NULL,
    what        text NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (day, token, collection, what)
);

CREATE TABLE models (
    collection  integer PRIMARY KEY,
    id          text NOT NULL,
    day         date NOT NULL,
    plan        text NOT NULL,
    reports     bigint NOT NULL,
    document    bytea NOT NULL
);

CREATE TABLE leases (
    name        text PRIMARY KEY,
    holder      text NOT NULL,
    until       bigint NOT NULL
);
