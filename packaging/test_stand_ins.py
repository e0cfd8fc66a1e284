# SPDX-License-Identifier: Apache-2.0
"""The stand-ins for the published names: built, and installed for a package that requires these.

Nothing is fetched. ``./dev wheels`` does the same with Kiln's own wheels in a fresh environment.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

COMPAT = Path(__file__).resolve().parent / "compat"
STAND_INS = {
    "apache-tvm-ffi": ("0.1.15.post2+kiln", "kiln-ffi", "tvm_ffi"),
    "apache-tvm-tirx": ("0.1.0a4+kiln", "kiln-tirx", "tvm_tirx"),
}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("stand-ins")
    flags = ["-q", "--no-build-isolation", "--no-deps", "--wheel-dir", str(out)]
    run(*PIP, "wheel", *flags, *(COMPAT / name for name in STAND_INS))
    return out


def wheel_of(name: str, folder: Path) -> Path:
    (wheel,) = folder.glob(f"{name.replace('-', '_')}-*.whl")
    return wheel


@pytest.mark.parametrize("name", STAND_INS)
def test_a_stand_in_is_a_version_and_one_dependency(name: str, wheels: Path) -> None:
    version, package, module = STAND_INS[name]
    with zipfile.ZipFile(wheel_of(name, wheels)) as wheel:
        (metadata,) = [entry for entry in wheel.namelist() if entry.endswith("/METADATA")]
        fields = Parser().parsestr(wheel.read(metadata).decode())
        outside = [entry for entry in wheel.namelist() if ".dist-info/" not in entry]
    assert (fields["Name"], fields["Version"]) == (name, version)
    assert fields.get_all("Requires-Dist") == [package]
    assert "Private :: Do Not Upload" in fields.get_all("Classifier", [])
    assert outside == []
    if module == "tvm_ffi":  # extensions ask for this version at run time as well
        import tvm_ffi

        assert tvm_ffi.__version__ == version.partition("+")[0]


def package_that_needs(requirements: list[str], folder: Path) -> Path:
    """A wheel of metadata alone."""
    path = folder / "needs_kiln-1.0-py3-none-any.whl"
    info = "needs_kiln-1.0.dist-info"
    metadata = "Metadata-Version: 2.1\nName: needs-kiln\nVersion: 1.0\n"
    metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in requirements)
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


def test_a_package_that_requires_the_published_names_is_satisfied(
    wheels: Path, tmp_path: Path
) -> None:
    names = [
        name
        for name, (_, _, module) in STAND_INS.items()
        if module == "tvm_ffi" or importlib.util.find_spec(module) is not None
    ]
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")[:-1])
    # Kiln as it is installed here, without a second copy.
    (site / "kiln.pth").write_text(sysconfig.get_paths()["platlib"] + "\n")
    asked = {"apache-tvm-ffi": ">=0.1.6,<0.2", "apache-tvm-tirx": ">=0.1.0a3"}
    needs = package_that_needs([name + asked[name] for name in names], tmp_path)
    offline = ["--no-index", "--find-links", str(wheels)]
    run(*PIP, "--python", python, "install", "-q", *offline, needs)
    listed = run(*PIP, "--python", python, "list", "--format=freeze").splitlines()
    assert {f"{name}=={STAND_INS[name][0]}" for name in names} <= set(listed)
    assert "needs-kiln==1.0" in listed
    assert sorted(path.name for path in site.iterdir() if path.is_dir()) == sorted(
        ["needs_kiln-1.0.dist-info"]
        + [f"{name.replace('-', '_')}-{STAND_INS[name][0]}.dist-info" for name in names]
    )
    for name in names:
        run(python, "-c", f"import {STAND_INS[name][2]}")
