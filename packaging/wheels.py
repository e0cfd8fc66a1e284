# SPDX-License-Identifier: Apache-2.0
"""``./dev wheels``: wheels and source distributions into ``dist/``, and proof that they work.

The wheels come from the build folders of ``./dev build``: what is tested is shipped. Options:

``--from-source``   also build wheels from the source distributions alone (all is compiled anew)
``--only ffi``      leave kiln-tirx out
``--every-python``  also build kiln-ffi for each CPython found, and run the packaging example there
``--from-nothing``  also do what the packaging guide says first, on a bare checkout, with times
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
COMPAT = DIST / "compat"
EXAMPLE = ROOT / "ffi" / "examples" / "packaging"
PACKAGES = {"kiln-ffi": "ffi", "kiln-tirx": "tirx"}
LEFT_OUT = ("tests/", "bench/", "examples/", "rust/")
# The flags of ./dev build, without its test programs: ccache then has the library already.
AS_IN_DEV_BUILD = ["--config-settings=cmake.define.TVM_FFI_STRICT_WARNINGS=ON"]
OLDEST = (3, 10)

USE_FFI = """
import tvm_ffi
assert tvm_ffi.get_global_func("testing.echo", allow_missing=True) is None
assert list(tvm_ffi.convert([1, "a"])) == [1, "a"]
assert tvm_ffi.convert_func(lambda x: x + 1)(41) == 42
tvm_ffi.LIB
"""

USE_TIRX = """
import numpy as np, tvm_tirx
from tvm_tirx.script import tirx as T

@T.function
def add_one(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    for i in range(8):
        B[i] = A[i] + T.float32(1)

a, b = np.arange(8, dtype="float32"), np.empty(8, "float32")
tvm_tirx.tirx.compile(add_one, target="llvm")["add_one"](a, b)
assert (b == a + 1).all()
assert "for i in range(8)" in add_one.script()
"""


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def run(command: list[str | Path], **options: object) -> str:
    """Runs a command and returns its output; ends the program with all of it when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nerror: {' '.join(map(str, command))} failed")
    return str(done.stdout)


def words(*parts: str | Path) -> list[str | Path]:
    """The words of a command that belong together."""
    return list(parts)


def pip(python: str | Path, *arguments: str | Path, **options: object) -> str:
    return run([python, "-m", "pip", "--disable-pip-version-check", *arguments], **options)


def wheel_of(package: str, folder: Path = DIST) -> Path:
    found = sorted(
        folder.glob(f"{package.replace('-', '_')}-*.whl"), key=lambda p: p.stat().st_mtime
    )
    if not found:
        sys.exit(f"error: no wheel of {package} in {folder}")
    return found[-1]


def new_environment(folder: Path, python: str | Path = sys.executable) -> Path:
    """A fresh virtual environment; returns its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", folder])
    return folder / "bin" / "python"


def bare(python: Path) -> dict[str, str]:
    """An environment in which neither a compiler nor cmake can be found."""
    environment = {"PATH": str(python.parent), "HOME": os.environ.get("HOME", "/")}
    for tool in ("c++", "g++", "cc", "cmake", "ninja", "cargo"):
        assert shutil.which(tool, path=environment["PATH"]) is None, f"{tool} in {python.parent}"
    for name, value in os.environ.items():
        if name.lower().endswith("_proxy") or name.startswith(("PIP_", "SSL_")):
            environment[name] = value
    return environment


def building(jobs: str) -> dict[str, str]:
    """The environment of a build: the tools of ``.venv``, Ninja, and ccache where there is one."""
    environment = {
        **os.environ,
        "CMAKE_GENERATOR": "Ninja",
        "CMAKE_BUILD_PARALLEL_LEVEL": jobs,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    if shutil.which("ccache"):
        # CMake takes these for the defaults of the variables of the same names.
        environment |= {f"CMAKE_{name}_COMPILER_LAUNCHER": "ccache" for name in ("C", "CXX")}
    return environment


def build_wheels(packages: list[str], jobs: str) -> None:
    """Wheels from the build folders of ``./dev build``, and the stand-ins."""
    shutil.rmtree(DIST, ignore_errors=True)
    COMPAT.mkdir(parents=True)
    environment = building(jobs)
    for package in packages:
        folder = PACKAGES[package]
        say(f"{package}: wheel and source distribution")
        started = time.monotonic()
        pip(
            sys.executable,
            *words("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", DIST),
            f"--config-settings=build-dir={ROOT / 'build' / folder}",
            ROOT / folder,
            env=environment,
        )
        sdist = words(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", DIST)
        run([*sdist, ROOT / folder], env=environment)
        say(f"{wheel_of(package).name} in {time.monotonic() - started:.0f} s")
    stand_ins = sorted((ROOT / "packaging" / "compat").glob("apache-*"))
    say(f"stand-ins: {', '.join(path.name for path in stand_ins)}")
    pip(
        sys.executable,
        *words("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", COMPAT),
        *stand_ins,
        env=environment,
    )


def check_contents(package: str, folder: Path, has_rust: bool) -> None:
    """The wheel holds the libraries, what they are built with, and no tests."""
    wheel = wheel_of(package, folder)
    names = set(zipfile.ZipFile(wheel).namelist())
    if package == "kiln-ffi":
        wanted = {
            "tvm_ffi/py.typed",
            "tvm_ffi/core.pyi",
            "tvm_ffi/lib/libtvm_ffi.so",
            "tvm_ffi/include/tvm/ffi/c_api.h",
        }
    else:
        libraries = ["tvm_runtime", "tvm_tirx_compiler", "tvm_tirx_llvm_backend"]
        libraries += ["tvm_tirx_rust"] * has_rust
        wanted = {f"tvm_tirx/lib/lib{name}.so" for name in libraries}
        wanted |= {
            # Its Python side is there without the library as well, to say what is missing.
            str(path.relative_to(ROOT / "tirx" / "python"))
            for path in (ROOT / "tirx" / "python" / "tvm_tirx").rglob("*.py")
        }
        assert "tvm_tirx/backend/rust/__init__.py" in wanted
        if not has_rust:
            assert "tvm_tirx/lib/libtvm_tirx_rust.so" not in names, wheel
    if wanted - names:
        sys.exit(f"error: {wheel.name} lacks {', '.join(sorted(wanted - names))}")
    left_over = [name for name in names if "/tests/" in name or "gtest" in name]
    if left_over:
        sys.exit(f"error: {wheel.name} holds {', '.join(sorted(left_over))}")


def check_source_contents(package: str) -> None:
    """The source distribution has all of the folder but tests, benchmarks, examples and crates."""
    (archive,) = DIST.glob(f"{package.replace('-', '_')}-*.tar.gz")
    with tarfile.open(archive) as members:
        names = {name.partition("/")[2] for name in members.getnames()}
    folder = ROOT / PACKAGES[package]
    tracked = set(run(["git", "ls-files"], cwd=folder).splitlines())
    left_out = {name for name in tracked if name.startswith(LEFT_OUT)}
    wrong = sorted((tracked - left_out - names) | (left_out & names))
    if wrong:
        sys.exit(f"error: {archive.name} differs from {folder} in {', '.join(wrong)}")


def check_metadata() -> None:
    say("metadata: twine check --strict")
    files = sorted(path for path in DIST.iterdir() if path.is_file())
    print(run([sys.executable, "-m", "twine", "check", "--strict", *files]).strip())


def use(packages: list[str], python: Path, scratch: Path, **options: object) -> None:
    """Runs a few lines with each package, isolated from the folders of this checkout."""
    for package in packages:
        program = USE_FFI if package == "kiln-ffi" else USE_TIRX
        # A file, since kernels are read from their source.
        file = scratch / f"use_{PACKAGES[package]}.py"
        file.write_text(program)
        run([python, "-I", file], cwd=scratch, **options)


def check_fresh_environment(packages: list[str], scratch: Path) -> Path:
    """Installs the wheels where there is no compiler, and uses them."""
    say("a fresh environment without a compiler")
    python = new_environment(scratch / "fresh")
    environment = bare(python)
    wheels = [wheel_of(package) for package in packages]
    pip(python, "install", "-q", "--find-links", DIST, *wheels, env=environment)
    use(packages, python, scratch, env=environment)
    libdir = run([python.parent / "tvm-ffi-config", "--libdir"], env=environment).strip()
    assert libdir.startswith(str(scratch)), libdir
    pip(python, "check", env=environment)
    return python


def digest(folder: Path) -> str:
    """One digest of all files below a folder but the compiled Python ones."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            total.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return total.hexdigest()


# What packages that know the published names ask for, and the stand-in that answers.
REQUIREMENTS = {
    "kiln-ffi": ("apache-tvm-ffi>=0.1.6,<0.2", "apache-tvm-ffi==0.1.15.post2+kiln", "tvm_ffi"),
    "kiln-tirx": ("apache-tvm-tirx>=0.1.0a3", "apache-tvm-tirx==0.1.0a4+kiln", "tvm_tirx"),
}


def check_stand_ins(packages: list[str], python: Path, scratch: Path) -> None:
    """A package that requires the published names leaves the files of Kiln alone."""
    asked = [REQUIREMENTS[package] for package in packages]
    say(f"a package that requires {' and '.join(requirement for requirement, _, _ in asked)}")
    project = scratch / "needs"
    project.mkdir(exist_ok=True)
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["scikit-build-core"]\n'
        'build-backend = "scikit_build_core.build"\n'
        '[project]\nname = "needs-kiln"\nversion = "1.0"\n'
        f"dependencies = {[requirement for requirement, _, _ in asked]}\n"
        "[tool.scikit-build]\nwheel.cmake = false\nwheel.packages = []\n"
    )
    wheels = words("wheel", "-q", "--no-build-isolation", "--no-deps", "--wheel-dir", scratch)
    pip(sys.executable, *wheels, project)
    where = "import importlib.util as u; print(u.find_spec({!r}).submodule_search_locations[0])"
    folders = [
        Path(run([python, "-c", where.format(module)], cwd=scratch).strip())
        for _, _, module in asked
    ]
    before = [digest(folder) for folder in folders]
    stand_ins = [wheel_of(answer.partition("==")[0], COMPAT) for _, answer, _ in asked]
    # Nothing is fetched: all that is asked for is there.
    pip(python, "install", "-q", "--no-index", *stand_ins)
    pip(python, "install", "-q", "--no-index", wheel_of("needs-kiln", scratch))
    pip(python, "check")
    assert [digest(folder) for folder in folders] == before, "files of Kiln changed"
    listed = pip(python, "list", "--format=freeze").splitlines()
    for name in ("needs-kiln==1.0", *(answer for _, answer, _ in asked)):
        assert name in listed, (name, listed)
    use(packages, python, scratch)


def check_editable(scratch: Path, jobs: str) -> None:
    """``pip install -e ./ffi``: Python files are used in place."""
    say("an editable install of ffi/")
    python = new_environment(scratch / "editable")
    pip(python, "install", "-q", "scikit-build-core>=0.10")
    pip(
        python,
        *words("install", "--no-build-isolation", "--no-deps", *AS_IN_DEV_BUILD),
        f"--config-settings=build-dir={ROOT / 'build' / 'ffi-editable'}",
        *words("-e", ROOT / "ffi"),
        env=building(jobs),
    )
    use(["kiln-ffi"], python, scratch)
    place = run([python, "-c", "import tvm_ffi; print(tvm_ffi.__file__)"], cwd=scratch).strip()
    assert place == str(ROOT / "ffi" / "python" / "tvm_ffi" / "__init__.py"), place


def check_source_distributions(packages: list[str], scratch: Path, jobs: str) -> None:
    """Wheels from the source distributions alone, as on a platform that has no wheels."""
    out = scratch / "from-source"
    for package in packages:
        (source,) = DIST.glob(f"{package.replace('-', '_')}-*.tar.gz")
        say(f"{source.name}: a wheel from it")
        started = time.monotonic()
        pip(
            sys.executable,
            *words("wheel", "--no-deps", "--find-links", DIST, "--wheel-dir", out, source),
            env=building(jobs),
        )
        check_contents(package, out, has_rust=False)
        say(f"{wheel_of(package, out).name} in {time.monotonic() - started:.0f} s")
    python = new_environment(scratch / "source-env")
    wheels = [wheel_of(package, out) for package in packages]
    pip(python, "install", "-q", "--find-links", out, *wheels)
    use(packages, python, scratch)


def supported_pythons() -> dict[str, str]:
    """Interpreters on PATH and of pyenv by version, such as ``{"3.12": "/usr/bin/python3.12"}``."""
    folders = [Path(entry) for entry in os.environ["PATH"].split(os.pathsep)]
    folders += sorted((Path.home() / ".pyenv" / "versions").glob("*/bin"))
    found: dict[str, str] = {}
    question = (
        "import sys; print('%d.%d' % sys.version_info[:2]) "
        "if sys.implementation.name == 'cpython' else None"
    )
    for folder in folders:
        for minor in range(OLDEST[1], 20):
            path = folder / f"python3.{minor}"
            if f"3.{minor}" in found or not path.is_file():
                continue
            answer = subprocess.run([path, "-c", question], capture_output=True, text=True)
            if answer.stdout.strip() == f"3.{minor}":
                found[f"3.{minor}"] = str(path)
    return found


def check_every_python(scratch: Path, jobs: str) -> None:
    """One wheel of the example, run by each CPython with a kiln-ffi made for it."""
    say("the packaging example with every CPython of this machine")
    pip(
        sys.executable,
        *words("wheel", "-q", "--no-build-isolation", "--no-deps", "--wheel-dir", scratch, EXAMPLE),
        env=building(jobs),
    )
    example = wheel_of("my-ffi-extension", scratch)
    for version, base in supported_pythons().items():
        tag = f"cp{version.replace('.', '')}"
        if not list(DIST.glob(f"kiln_ffi-*-{tag}-*.whl")):
            say(f"kiln-ffi for CPython {version}")
            maker = new_environment(scratch / f"maker-{version}", base)
            pip(maker, "install", "-q", "scikit-build-core>=0.10")
            pip(
                maker,
                *words("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", DIST),
                *AS_IN_DEV_BUILD,
                f"--config-settings=build-dir={ROOT / 'build' / f'ffi-{version}'}",
                ROOT / "ffi",
                env=building(jobs),
            )
        python = new_environment(scratch / f"python-{version}", base)
        ffi = max(DIST.glob(f"kiln_ffi-*-{tag}-*.whl"))
        environment = bare(python)
        pip(python, "install", "-q", ffi, example, "numpy", env=environment)
        for word, printed in [("add_one", "[2. 3. 4. 5. 6.]"), ("int_pair", "pair.b = 2")]:
            output = run([python, EXAMPLE / "run_example.py", word], env=environment, cwd=scratch)
            assert printed in output, output
        say(f"CPython {version}: {example.name} runs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("--from-source", "--every-python", "--from-nothing"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--only", choices=sorted(PACKAGES.values()), metavar="FOLDER")
    options = parser.parse_args()
    packages = [name for name, folder in PACKAGES.items() if options.only in (None, folder)]
    jobs = os.environ.get("KILN_JOBS", str(os.cpu_count()))
    scratch = ROOT / "build" / "wheels"
    scratch.mkdir(parents=True, exist_ok=True)

    build_wheels(packages, jobs)
    names = ", ".join(sorted(path.name for path in DIST.iterdir() if path.is_file()))
    say(f"in dist/: {names}")
    say("the wheels are ready to use; what follows only tests them")
    for package in packages:
        check_contents(package, DIST, has_rust=shutil.which("cargo") is not None)
        check_source_contents(package)
    check_metadata()
    python = check_fresh_environment(packages, scratch)
    check_stand_ins(packages, python, scratch)
    check_editable(scratch, jobs)
    if options.from_source:
        check_source_distributions(packages, scratch, jobs)
    if options.every_python:
        check_every_python(scratch, jobs)
    if options.from_nothing:
        run_guide = ROOT / "ffi" / "bench" / "from_nothing.py"
        print(run([sys.executable, run_guide]).strip())
    say("all tests of the wheels passed")


if __name__ == "__main__":
    main()
