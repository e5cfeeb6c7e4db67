-- How often a collection's counts or refusals changed, so that whoever looks again knows whether to read them again.
ALTER TABLE collections ADD COLUMN revision bigint NOT NULL DEFAULT 0;
