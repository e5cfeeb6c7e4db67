-- What was shown last of the counts of every plan and wave, where they are shown in steps.
CREATE TABLE releases (
    plan        INTEGER NOT NULL,
    wave        INTEGER NOT NULL,
    reports     INTEGER NOT NULL,
    document    BLOB NOT NULL,
    PRIMARY KEY (plan, wave)
) WITHOUT ROWID;
