"""Whether everybody is asked the same: a plan checked against what somebody else than its collector says.

A collector that hands out a plan, its log and its fingerprint can hand out others to the next person, so its own word
proves nothing. What can be checked is a log as somebody else mirrors it, and a signature by a key that was published.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from urllib.parse import urlsplit

from sottovoce.channels import KINDS
from sottovoce.channels.plugins import package_of
from sottovoce.client.delivery import fetch
from sottovoce.client.kept_plans import KeptPlans
from sottovoce.errors import DeliveryError, PlanError
from sottovoce.plan.log import Log
from sottovoce.plan.plan import Plan
from sottovoce.plan.signature import Signature, check_signature


def mirrored_log(log: Log | str | Path, collector: str) -> Log:
    """Return a log of plans: as it is, from a file, or from an address that is not the collector's own.

    Args:
        log: The log, a file with a copy of it, or the address of a copy.
        collector: The address of the plan at its collector.

    Raises:
        PlanError: If it is the collector's own, or its chain is broken.
    """
    if isinstance(log, Log):
        return log
    text = str(log)
    if not text.startswith(("https://", "http://")):
        return Log.load(text)
    if urlsplit(text).netloc == urlsplit(collector).netloc:
        raise PlanError(
            f"the log at {text} is the collector's own, which proves nothing: give a copy that somebody else keeps"
        )
    return Log.from_json(fetch(text, "the log"))


def check_signer(plan: Plan, collector: str, signer: str, kept: KeptPlans) -> None:
    """Check that there is a signature of the plan by the key that was given: kept on this device, or at its collector.

    One that holds is kept, so that the plan can be checked offline from then on.

    Args:
        plan: The plan that was fetched.
        collector: Its address at the collector, below which ``/signature`` is asked for.
        signer: The public key that was published, 64 hexadecimal digits.
        kept: Where this device keeps plans and their signatures.

    Raises:
        PlanError: If there is no signature, or it is another key's or another plan's.
    """
    known = kept.find_signature(plan)
    if known is not None:
        with contextlib.suppress(PlanError):  # another key's, or damaged: the collector may have the right one
            check_signature(plan, Signature.from_json(known), signer)
            return
    try:
        text = fetch(f"{collector.rstrip('/')}/signature", "the signature of the plan")
    except DeliveryError as error:
        raise PlanError(f"the plan is not known to be signed by {signer}: {error}") from error
    check_signature(plan, Signature.from_json(text), signer)
    kept.keep_signature(plan, text)


def require_own_channels(plan: Plan, plugins: bool) -> None:
    """Raise PlanError for a plan that draws by a channel of another package, unless those are allowed."""
    foreign = sorted({family.channel for family in plan.families} - set(KINDS))
    if foreign and not plugins:
        named = ", ".join(f"{kind!r} of {package_of('channels', kind)}" for kind in foreign)
        raise PlanError(
            f"this plan draws by {named}, which is not part of Sottovoce: its table keeps epsilon, but whether it "
            "draws by its table rests on that package; allow it with plugins=True if you trust it"
        )
