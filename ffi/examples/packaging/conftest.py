# SPDX-License-Identifier: Apache-2.0
"""The wheel of the example, built once, and a folder into which it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def environment(**more: str) -> dict[str, str]:
    """The environment of the test run with its tools first on PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}


@dataclass
class Installed:
    """A wheel and the folder that pip installed it into."""

    wheel: Path
    site: Path

    @property
    def library(self) -> Path:
        return self.site / "my_ffi_extension" / "libmy_ffi_extension.so"

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs this Python with the installed package."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=HERE,
            env=environment(PYTHONPATH=str(self.site)),
            capture_output=True,
            text=True,
        )


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    out = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip"]
    subprocess.run(
        [
            *pip,
            "wheel",
            "-q",
            "--no-build-isolation",
            "--no-deps",
            "--wheel-dir",
            str(out),
            str(HERE),
        ],
        check=True,
        env=environment(),
    )
    (wheel,) = out.glob("*.whl")
    subprocess.run(
        [*pip, "install", "-q", "--no-deps", "--target", str(out / "site"), str(wheel)],
        check=True,
        env=environment(),
    )
    return Installed(wheel, out / "site")
