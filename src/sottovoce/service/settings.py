"""What a collector is told when it starts: safe as it is, every limit in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from limits import RateLimitItem, parse

from sottovoce._checks import check_integer
from sottovoce.errors import SottovoceError
from sottovoce.service.logs import FORMATS, LEVELS

DEFAULT_DATABASE = "sottovoce.db"
DEFAULT_PORT = 8470


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a collector serves.

    Attributes:
        database: A file for SQLite, or a ``postgresql://`` URL.
        host: Where to listen; only this machine by default.
        port: The port; 0 takes a free one.
        require_token: Whether posting reports needs a token too.
        minimum_reports: Below this many reports of a collection nothing is fitted or answered.
        release_step: Counts and what is computed from them are shown when so many reports of a plan's wave came since.
        body_limit: The most bytes of a request.
        batch_limit: The most reports of a request.
        waiting_limit: The most reports that wait to be committed; beyond, clients are asked to come back.
        upload_limit: The most bytes of all bodies that are being read; beyond, the slowest is given up.
        connections: The most connections at a time; beyond, the one that has asked nothing longest is ended.
        header_bytes: The most bytes of a request's headers.
        header_seconds: How long a request's headers may take to come.
        body_seconds: How long a body may take to come.
        analysts_waiting: The most questions of analysts that wait for their turn.
        stop_seconds: How long a collector that is told to stop waits for what was taken to be written.
        commit_reports: A commit waits until it has so many reports,
        commit_seconds: or until the first of them has waited so long.
        grace: For how many days after a plan's last day its reports are still counted.
        report_rate: How many reports one reporter's token may post, such as "60000/minute".
        fit_every: So many seconds after a fit the next one is made, if reports came; 0 leaves it to analysts.
        look_every: So often a collector looks for plans and collections that were added, closed or opened.
        keys: The directory of the keys under which ids are kept; beside a SQLite file, or in the user's own state.
        rate: How often one token may be used, such as "600/minute".
        origins: The web origins whose pages may fetch a plan and post reports, by the plan's fingerprint; those under
            "*" hold for every plan.
        workers: How many processes serve, on PostgreSQL; every limit but the rates is for each of them.
        log_format: "text" for people, "json" for programs.
        log_level: What is worth a line: "info", "warning" or "error".
        signatures: Signatures of plans, by fingerprint, which are shown beside them.
        pages: Directories whose files are served beside the API, the first that has a file first.
    """

    database: str = DEFAULT_DATABASE
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    require_token: bool = False
    minimum_reports: int = 1_000
    release_step: int = 1
    body_limit: int = 4 * 2**20
    batch_limit: int = 10_000
    waiting_limit: int = 200_000
    upload_limit: int = 64 * 2**20
    connections: int = 4_096
    header_bytes: int = 32_768
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    analysts_waiting: int = 16
    stop_seconds: float = 8.0
    commit_reports: int = 20
    commit_seconds: float = 0.2
    grace: int = 7
    report_rate: str = "60000/minute"
    fit_every: int = 0
    look_every: float = 5.0
    keys: Path | None = None
    rate: str = "600/minute"
    origins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    signatures: dict[str, bytes] = field(default_factory=dict)
    pages: tuple[Path, ...] = ()
    workers: int = 1
    log_format: str = "text"
    log_level: str = "info"

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise SottovoceError(f"there is at least one worker, got {self.workers}")
        if self.workers > 1 and not self.database.startswith(("postgresql://", "postgres://")):
            raise SottovoceError(
                f"{self.workers} workers need PostgreSQL: processes that share a SQLite file wait for each other and "
                "take fewer reports than one does; give --db postgresql://... or leave --workers out"
            )
        if self.log_format not in FORMATS or self.log_level not in LEVELS:
            raise SottovoceError(
                f"logs are {' or '.join(FORMATS)}, of level {', '.join(LEVELS)}; got {self.log_format!r}, "
                f"{self.log_level!r}"
            )
        _ = self.rate_limit, self.report_rate_limit
        check_integer("release_step", self.release_step, error=SottovoceError, least=1)
        for directory in self.pages:
            if not directory.is_dir():
                raise SottovoceError(f"pages are served from a directory, {str(directory)!r} is none")
        for origin in (origin for origins in self.origins.values() for origin in origins):
            if not origin.startswith(("https://", "http://")) or origin.count("/") != 2:
                raise SottovoceError(f"an origin is a scheme and a host, such as https://example.org, got {origin!r}")

    @property
    def rate_limit(self) -> RateLimitItem:
        """The rate of requests as the limiter wants it, of one worker."""
        return _rate(self.rate, self.workers)

    @property
    def report_rate_limit(self) -> RateLimitItem:
        """The rate of reports as the limiter wants it, of one worker."""
        return _rate(self.report_rate, self.workers)

    def origins_of(self, fingerprint: str) -> tuple[str, ...]:
        """Return the web origins whose pages may use a plan."""
        return (*self.origins.get("*", ()), *self.origins.get(fingerprint, ()))


def _rate(text: str, workers: int) -> RateLimitItem:
    try:
        whole = parse(text)
        return type(whole)(math.ceil(whole.amount / workers), whole.multiples)
    except ValueError as error:
        raise SottovoceError(f"a rate is a number per time, such as 600/minute, got {text!r}") from error
