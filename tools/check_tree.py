# SPDX-License-Identifier: Apache-2.0
"""Checks of the tree that no compiler makes: the layers (from the includes), licence lines, file sizes.

Prints one line a fault and exits with 1 when there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = {".h", ".cc", ".c", ".cpp", ".def", ".py", ".rs", ".cmake"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
LINES_AT_MOST = 800

# What a folder of tirx/ may include from tirx/. `ffi` is below all of them.
MAY_USE: dict[str, set[str]] = {
    "defs": set(),
    "ir": {"defs", "ir"},
    "sym": {"defs", "ir", "sym"},
    "text": {"defs", "ir", "text"},
    "script": {"defs", "ir", "script"},
    "target": {"defs", "ir", "target"},
    "passes": {"defs", "ir", "sym", "text", "target", "passes"},
    "tile": {"defs", "ir", "sym", "text", "target", "passes", "tile"},
    "codegen": {"defs", "ir", "sym", "text", "target", "passes", "tile", "codegen"},
    "backends": {
        "defs",
        "ir",
        "sym",
        "text",
        "target",
        "passes",
        "tile",
        "codegen",
        "backends",
        "runtime",
    },
    "driver": {
        "defs",
        "ir",
        "sym",
        "text",
        "target",
        "passes",
        "tile",
        "codegen",
        "backends",
        "driver",
        "runtime",
    },
    "runtime": {"runtime"},
}


def tracked() -> list[Path]:
    """Files that git tracks or would track, relative to the root."""
    out = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [Path(line) for line in out.splitlines() if (ROOT / line).is_file()]


def layer_faults(path: Path, text: str) -> list[str]:
    """Includes of `path` that go against the order of the layers."""
    parts = path.parts
    if (
        path.suffix not in {".h", ".cc", ".cpp", ".c"}
        or "tests" in parts
        or "examples" in parts
        or "bench" in parts
    ):
        return []
    faults = []
    for include in INCLUDE.findall(text):
        if not include.startswith("tirx/"):
            continue
        if parts[0] == "ffi":
            faults.append(f"{path}: ffi/ includes {include}; it may not know tirx/")
            continue
        if parts[0] != "tirx" or parts[1] not in MAY_USE:
            continue
        layer = include.split("/")[1]
        if layer not in MAY_USE[parts[1]]:
            faults.append(f"{path}: layer `{parts[1]}` includes {include} of layer `{layer}`")
    return faults


def main() -> int:
    faults: list[str] = []
    for path in tracked():
        if path.suffix not in SOURCE and path.name != "CMakeLists.txt":
            continue
        if "golden" in path.parts:
            continue
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        if text.strip() and "SPDX-License-Identifier: Apache-2.0" not in text[:400]:
            faults.append(f"{path}: no SPDX licence line at the top")
        if path.suffix in {".h", ".cc", ".py", ".rs"} and text.count("\n") > LINES_AT_MOST:
            faults.append(
                f"{path}: {text.count(chr(10))} lines; split it ({LINES_AT_MOST} at most)"
            )
        faults += layer_faults(path, text)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
