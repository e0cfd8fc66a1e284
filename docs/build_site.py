# SPDX-License-Identifier: Apache-2.0
"""``./dev docs``: builds the site into ``build/docs/html``; any warning or dead link fails.

Sphinx renders the pages and the docstrings, ``cpp_reference.py`` the comments of the headers, and
``cargo doc`` the crates. Then every link between the pages is followed, anchors included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import urllib.parse
import webbrowser
from html.parser import HTMLParser
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
OUT = ROOT / "build" / "docs"
HTML = OUT / "html"
CRATES = ("tvm_ffi", "tvm_ffi_sys", "tvm_ffi_macros")


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def copy_sources() -> Path:
    """A copy of docs/ to which generated pages are added; returns its folder.

    Links are checked against the repository, so the copy keeps its place in the tree.
    """
    source = OUT / "source" / "docs"
    shutil.rmtree(source.parent, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    # What the pages link to outside docs/.
    for entry in ROOT.iterdir():
        if entry.name in ("docs", "build", "dist") or entry.name.startswith("."):
            continue
        (source.parent / entry.name).symlink_to(entry)
    return source


class Links(HTMLParser):
    """Targets and anchors of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif (tag, name) in (
                ("a", "href"),
                ("img", "src"),
                ("link", "href"),
                ("script", "src"),
            ):
                self.targets.append(value)


def dead_links(html: Path) -> list[str]:
    """Links between the pages of ``html`` that lead nowhere; those of cargo are only targets."""
    pages: dict[Path, Links] = {}

    def parsed(path: Path) -> Links:
        if path not in pages:
            pages[path] = Links()
            pages[path].feed(path.read_text(encoding="utf-8", errors="replace"))
        return pages[path]

    dead = []
    for page in sorted(html.rglob("*.html")):
        if page.relative_to(html).parts[0] in ("rust", "_static"):
            continue
        for target in parsed(page).targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                continue
            path = (
                page if not url.path else (page.parent / urllib.parse.unquote(url.path)).resolve()
            )
            if path.is_dir():
                path /= "index.html"
            where = f"{page.relative_to(html)}: {target}"
            if not path.is_file():
                dead.append(where)
            elif url.fragment and path.suffix == ".html":
                if urllib.parse.unquote(url.fragment) not in parsed(path).anchors:
                    dead.append(where)
    return dead


def add_rust() -> None:
    """The crates' own pages; a page that says what is missing where there is no cargo."""
    target = HTML / "rust"
    shutil.rmtree(target, ignore_errors=True)
    if shutil.which("cargo") is None:
        for crate in CRATES:
            (target / crate).mkdir(parents=True)
            (target / crate / "index.html").write_text(
                "<p>This site was built without cargo, so the crates are not documented here.</p>"
            )
        return
    say("cargo doc")
    subprocess.run(
        ["cargo", "doc", "--no-deps", "--quiet", "--target-dir", str(OUT / "cargo")],
        cwd=ROOT / "ffi" / "rust",
        env={**os.environ, "DOCS_RS": "1", "RUSTDOCFLAGS": "-D warnings"},
        check=True,
    )
    shutil.copytree(OUT / "cargo" / "doc", target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--open", action="store_true", help="show the site in a browser")
    options = parser.parse_args()

    for stale in (HTML, OUT / "doctrees"):
        shutil.rmtree(stale, ignore_errors=True)
    source = copy_sources()
    sys.path.insert(0, str(DOCS))
    import cpp_reference

    count = cpp_reference.write(ROOT / "ffi" / "include", source / "reference" / "cpp")
    say(f"C and C++: {count} documented declarations")
    add_rust()
    say("Sphinx")
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    done = subprocess.run([*sphinx, "-d", str(OUT / "doctrees"), str(source), str(HTML)])
    if done.returncode != 0:
        sys.exit("error: Sphinx has warnings")
    dead = dead_links(HTML)
    if dead:
        sys.exit("error: dead links\n" + "\n".join(dead))
    pages = sum(1 for page in HTML.rglob("*.html") if "rust" not in page.parts)
    say(f"{pages} pages in build/docs/html, all links between them lead somewhere")
    if options.open:
        webbrowser.open((HTML / "index.html").as_uri())


if __name__ == "__main__":
    main()
