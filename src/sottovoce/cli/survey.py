"""``sottovoce survey``: the page on which people answer a plan."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import click

from sottovoce import Plan, PlanError, SottovoceError
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.views.report_page import read_logo
from sottovoce.views.survey_page import Survey, choose_catalogues, read_catalogue, survey_page
from sottovoce.views.survey_page.catalogues import catalogue
from sottovoce.views.survey_page.colours import DEFAULT, shades_of

_PAGE = "index.html"


def _print_messages(context: click.Context, parameter: click.Parameter, language: str | None) -> None:
    """Print a catalogue of messages, and stop."""
    if language is not None:
        click.echo(json.dumps(catalogue(language), ensure_ascii=False, indent=2))
        context.exit()


@click.command("survey")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The directory to put the page into.")
@click.option("--collector", default="", metavar="URL", help="Where reports go; by default to whoever serves the page.")
@click.option("--title", default="", help="The heading; by default the plan's purpose.")
@click.option("--organisation", default="", help="Who asks.")
@click.option("--logo", type=click.Path(path_type=Path), help="A PNG or JPEG, of at most 500 kB.")
@click.option("--colour", default=DEFAULT, show_default=True, help="The organisation's colour.")
@click.option("--contact", default="", help="Whom to ask; by default the plan's contact.")
@click.option("--privacy-notice", "notice", default="", metavar="URL", help="Where the privacy notice is.")
@click.option(
    "--language", "languages", multiple=True, help="A language of the page, the first as default; repeatable."
)
@click.option(
    "--messages", multiple=True, type=click.Path(path_type=Path), help="Texts of the page of your own; repeatable."
)
@click.option(
    "--print-messages",
    is_eager=True,
    expose_value=False,
    metavar="LANGUAGE",
    callback=_print_messages,
    help="Print all texts of the page in en, de or ar, to translate or change, and stop.",
)
@json_option
def command(
    *,
    plan_file: Path,
    out: Path,
    logo: Path | None,
    languages: tuple[str, ...],
    messages: tuple[Path, ...],
    as_json: bool,
    **given: str,
) -> None:
    """Make the page on which people answer a plan.

    One file, index.html, with everything in it: who asks and what for, an example of what is sent, a form for all
    attributes of the plan, a check before anything is sent, consent, and what was sent, in words. Serve it by the
    collector, or by any web host over https, with --collector here and --origin there.

    \b
      sottovoce survey plan.json --out site
      sottovoce survey plan.json --organisation "City of Example" --logo city.png --colour "#1f5f8b" \\
          --privacy-notice https://example.org/privacy --language de --language en --out site
      sottovoce survey plan.json --collector https://collector.example --out site
      sottovoce serve plan.json --pages site

    Attributes are shown by their questions, titles, labels and translations in the plan. The page has its own texts
    in English, German and Arabic; --messages takes a file of others, or of your own consent text.
    """
    plan = Plan.load(plan_file)
    if plan.expires is not None and plan.expires < datetime.datetime.now(datetime.UTC).date().isoformat():
        raise PlanError(f"this plan ended on {plan.expires}: nobody could answer; make one that ends later")
    own = [read_catalogue(path) for path in messages]
    chosen = choose_catalogues(languages, plan.schema.languages, own)
    about: dict[str, Any] = {**given, "messages": chosen, "logo": read_logo(logo) if logo else ""}
    page = survey_page(plan, Survey(**about))
    if out.exists() and not out.is_dir():
        raise SottovoceError(f"{str(out)!r} is a file; --out is the name of a directory")
    out.mkdir(exist_ok=True)
    with replacing(out / _PAGE, inputs=[plan_file, *([logo] if logo else []), *messages]) as part:
        part.write_text(page, encoding="utf-8", newline="\n")
    notes = _notes(plan, given, chosen)
    if as_json:
        facts = {"page": str(out / _PAGE), "bytes": len(page.encode()), "fingerprint": plan.fingerprint}
        print_json({**facts, "languages": list(chosen), "attributes": list(plan.schema.names), "notes": notes})
        return
    console = make_console()
    size = f"{len(page.encode()) / 1000:,.0f} kB"
    console.print(strong(out / _PAGE), f": {len(plan.schema)} attributes, {', '.join(chosen)}, {size}", sep="")
    for note in notes:
        console.print(f"  {note}")
    console.print(f"  give people the link with the fingerprint: https://…/#{plan.fingerprint}", style="dim")
    serve = f"sottovoce serve {plan_file} --pages {out}"
    console.print(f"Next: {serve}" if not given["collector"] else f"Next: put {out} on a web host", style="dim")


def _notes(plan: Plan, given: dict[str, str], chosen: dict[str, dict[str, str]]) -> list[str]:
    """Return what people will miss on the page, and what became of the colour."""
    said = {
        "purpose": plan.purpose,
        "contact": given["contact"] or plan.contact,
        "last day": plan.expires,
        "organisation": given["organisation"],
        "privacy notice": given["notice"],
    }
    notes = [f"people are not told the {name}" for name, text in said.items() if not text]
    translated = plan.schema.languages
    untranslated = [language for language in chosen if translated and language not in translated]
    notes += [f"questions are not translated to {language}: they are shown as they are" for language in untranslated]
    shades = shades_of(given["colour"])
    if shades.light != shades.button:
        notes.append(f"{shades.button} cannot be read on a light page: text and marks use {shades.light} there")
    return notes
