"""``sottovoce sign``: a plan's signature, beside its file."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import Plan, SottovoceError
from sottovoce._files import create_whole, write_whole
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.plan.signature import make_key, sign_plan, signature_beside


@click.command("sign")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "key_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="An Ed25519 private key in PEM, as openssl genpkey -algorithm ed25519 makes it.",
)
@click.option("--new-key", is_flag=True, help="Make the key first, readable by its owner alone.")
@json_option
def command(plan_file: Path, key_file: Path, new_key: bool, as_json: bool) -> None:
    """Sign a plan, so that people can tell who stands for it.

    Writes the signature beside the plan, with .sig after its name, where `sottovoce serve` finds it. Publish the public
    key that is printed where the collector cannot change it: clients are given it as ``signer``.

    \b
      sottovoce sign plan.json --key key.pem --new-key
    """
    plan = Plan.load(plan_file)
    if new_key and not create_whole(key_file, make_key(), private=True):
        raise SottovoceError(f"{str(key_file)!r} exists: sign with it without --new-key, or give another name")
    signature = sign_plan(plan, key_file.read_bytes())
    out = signature_beside(plan_file)
    write_whole(out, signature.to_json())
    if as_json:
        print_json({"out": str(out), "key": signature.key})
        return
    make_console().print(f"Signed into {out}. The public key is ", strong(signature.key), sep="")
