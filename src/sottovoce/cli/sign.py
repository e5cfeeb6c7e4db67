"""``sottovoce sign``: a plan's signature, beside its file."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import Plan
from sottovoce._files import write_whole
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.plan.signature import sign_plan, signature_beside


@click.command("sign")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "key_file",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="An Ed25519 private key in PEM: openssl genpkey -algorithm ed25519 -out key.pem",
)
@json_option
def command(plan_file: Path, key_file: Path, as_json: bool) -> None:
    """Sign a plan, so that people can tell who stands for it.

    Writes the signature beside the plan, with .sig after its name, where `sottovoce serve` finds it. Publish the public
    key that is printed where the collector cannot change it: clients are given it as ``signer``.

    \b
      openssl genpkey -algorithm ed25519 -out key.pem
      sottovoce sign plan.json --key key.pem
    """
    signature = sign_plan(Plan.load(plan_file), key_file.read_bytes())
    out = signature_beside(plan_file)
    write_whole(out, signature.to_json())
    if as_json:
        print_json({"out": str(out), "key": signature.key})
        return
    make_console().print(f"Signed into {out}. The public key is ", strong(signature.key), sep="")
