# SPDX-License-Identifier: Apache-2.0
"""Settings of the site; ``./dev docs`` builds it."""

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
# Where links to files of the repository go: this checkout, or the address of a published one.
SOURCE_URL = os.environ.get("KILN_SOURCE_URL", ROOT.as_uri() + "/")

project = "Kiln"
author = "The Kiln authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["tests", "reference/cpp/*.inc"]
html_theme = "furo"
html_title = "Kiln"
html_static_path: list[str] = []
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.strikethrough"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
add_module_names = False

_LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")


def _point_at_repository(app, docname, source):
    """Links that leave docs/ work on the site too: they lead to the file in the repository."""
    page = Path(app.env.doc2path(docname)).parent

    def replace(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(page / match[2]))
        if target.is_relative_to(DOCS) and target.suffix:
            return match[0]
        if not target.exists():
            raise ValueError(f"{docname}: {match[2]} does not exist")
        return f"{match[1]}{SOURCE_URL}{target.relative_to(ROOT)}{match[3]}"

    if docname == "decisions/README":
        source[0] += "\n```{toctree}\n:maxdepth: 1\n:glob:\n\n0*\n```\n"
    # rustdoc's words on how a block is run are no language to Pygments.
    source[0] = re.sub(r"^```rust,\w+", "```rust", _LINK.sub(replace, source[0]), flags=re.M)


def setup(app):
    sys.path.insert(0, str(DOCS))
    app.connect("source-read", _point_at_repository)
