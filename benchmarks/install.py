"""Install the built wheel into fresh environments, one for each extra: what it takes, how large it is, what imports.

    make release                                        # builds dist/, and runs this for the base and every extra
    python benchmarks/install.py --dist dist base http  # two of them

Each environment is made by ``python -m venv`` and filled by pip; seconds are processor time, as the rest is the
network's. Then every module of the package is imported: one that does not must lack a package that another extra
declares, or name that extra. The command line says its version, and in the base install the first Python of README.md
runs. An SBOM (CycloneDX) of each environment is written where ``--sbom`` says. Prints a table, and fails if anything is
not as it should be.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = ["base", *PROJECT["optional-dependencies"]]
MODULES = {"psycopg": "psycopg", "prometheus-client": "prometheus_client", "vl-convert-python": "vl_convert"}
"""Names of modules where they are not the package's own."""

IMPORT_ALL = """
import importlib, json, pathlib, sottovoce
folder = pathlib.Path(sottovoce.__file__).parent
found, missing = [], {}
for path in sorted(folder.rglob("*.py")):
    if path.name == "__main__.py":
        continue
    name = ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")
    try:
        importlib.import_module(name)
        found.append(name)
    except ModuleNotFoundError as error:
        missing[name] = error.name.partition(".")[0]
    except sottovoce.SottovoceError as error:
        missing[name] = str(error).partition("sottovoce[")[2].partition("]")[0] or str(error)
print(json.dumps([found, missing]))
"""


@dataclass(frozen=True)
class Installed:
    """What one environment came to."""

    extra: str
    packages: int
    seconds: float
    megabytes: float
    imported: int
    missing: dict[str, str]


def run(*command: object, seconds: float = 1200) -> str:
    """Return what a command prints; what it says if it fails goes to the terminal."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def declared(extra: str) -> set[str]:
    """Return the modules of the packages that an extra declares, with those of extras that it names."""
    names = set()
    for text in PROJECT["optional-dependencies"].get(extra, []):
        requirement = Requirement(text)
        if requirement.name == "sottovoce":
            names |= set.union(*map(declared, requirement.extras))
        else:
            names.add(MODULES.get(requirement.name, requirement.name))
    return names


def readme_example() -> str:
    """Return the first Python of README.md."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found is not None, "README.md shows no Python"
    return found.group(1)


def size(folder: Path) -> float:
    """Return the megabytes of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def cpu_seconds() -> float:
    """Return the processor time of all processes started here that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def install(extra: str, dist: Path, sbom: Path | None) -> Installed:
    """Return what an environment with the wheel and one extra came to."""
    (wheel,) = dist.glob("sottovoce-*.whl")
    version = wheel.name.split("-")[1]
    wanted = "sottovoce" if extra == "base" else f"sottovoce[{extra}]"
    with tempfile.TemporaryDirectory(prefix="sottovoce-install-") as folder:
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        python, before, start = Path(folder) / "bin" / "python", size(Path(folder)), cpu_seconds()
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
        # by name and from here alone: so that nothing in the environment remembers where the wheel was
        run(*pip, "install", "--quiet", "--no-index", "--no-deps", "--find-links", dist, f"sottovoce=={version}")
        run(*pip, "install", "--quiet", "--find-links", dist, f"{wanted}=={version}")
        seconds, megabytes = cpu_seconds() - start, size(Path(folder)) - before
        run(*pip, "check")
        names = {str(canonicalize_name(package["name"])) for package in json.loads(run(*pip, "list", "--format=json"))}
        imported, missing = json.loads(run(python, "-I", "-c", IMPORT_ALL))
        others = set.union(*map(declared, EXTRAS)) - declared(extra) | set(EXTRAS) - {extra}
        strange = {module: name for module, name in missing.items() if name not in others}
        if strange:
            sys.exit(f"{wanted}: modules that should be there are not: {strange}")
        assert version in run(python.with_name("sottovoce"), "--version")
        if extra == "base":
            run(python, "-I", "-c", readme_example(), seconds=300)
        if sbom is not None:
            write_sbom(python, version, names, sbom / f"sottovoce-{version}-{extra}.cdx.json")
    return Installed(extra, len(names), seconds, megabytes, len(imported), missing)


def write_sbom(python: Path, version: str, installed: set[str], path: Path) -> None:
    """Write what an environment holds, as CycloneDX, without times and numbers drawn by chance, and check it."""
    tool = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--mc-type", "library"]
    bill = json.loads(run(*tool, "--pyproject", ROOT / "pyproject.toml", "--of", "JSON", python))
    bill["metadata"]["component"] |= {"version": version, "purl": f"pkg:pypi/sottovoce@{version}"}
    named = {canonicalize_name(component["name"]) for component in bill["components"]}
    if named | {"sottovoce"} != installed:
        sys.exit(f"the SBOM of {path.name} differs from what is installed: {sorted(named ^ installed)}")
    path.write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main() -> None:
    """Install what was asked for, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(EXTRAS)}; all of them by default")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the wheel is")
    parser.add_argument("--sbom", type=Path, help="where to write SBOMs; nowhere by default")
    given = parser.parse_args()
    unknown = sorted(set(given.extras) - set(EXTRAS))
    if unknown:
        parser.error(f"no extra is named {', '.join(unknown)}: there are {', '.join(EXTRAS)}")
    print("| install | packages | CPU seconds | MB | modules that import | need a package of another extra |")
    print("|---|---|---|---|---|---|")
    for extra in given.extras or EXTRAS:
        found = install(extra, given.dist.resolve(), given.sbom and given.sbom.resolve())
        lacking = ", ".join(sorted(set(found.missing.values())))
        row = [f"`{found.extra}`", found.packages, f"{found.seconds:.0f}", f"{found.megabytes:.0f}"]
        needing = f"{len(found.missing)} ({lacking})" if lacking else "0"
        print("| " + " | ".join(map(str, [*row, found.imported, needing])) + " |", flush=True)


if __name__ == "__main__":
    main()
