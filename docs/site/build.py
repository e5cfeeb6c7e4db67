"""Build the site into build/docs, without a network; a warning or a broken link is an error.

make docs
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from check import faults, read
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SITE = ROOT / "build" / "docs"


def main() -> int:
    """Build, check, and say how much there is."""
    shutil.rmtree(SITE, ignore_errors=True)
    strictly = ["--fail-on-warning", "--keep-going", "--fresh-env", "--quiet"]
    folders = ["--conf-dir", str(HERE), "--doctree-dir", str(ROOT / "build" / "doctrees"), str(ROOT), str(SITE)]
    if status := sphinx([*strictly, "--builder", "html", *folders]):
        return status
    found = faults(SITE)
    print(*found, sep="\n", file=sys.stderr)
    pages = [path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")]
    links = sum(len(read(page).links) for page in pages)
    print(f"{SITE.relative_to(ROOT)}: {len(pages)} pages, {links:,} links, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
