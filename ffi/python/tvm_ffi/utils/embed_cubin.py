# SPDX-License-Identifier: Apache-2.0
"""Embeds a CUDA binary into an object file: ``python -m tvm_ffi.utils.embed_cubin``."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def _run(command: list[str], cwd: Path, verbose: bool) -> None:
    if verbose:
        print("+", " ".join(command))
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(
            f"{command[0]} exited with status {done.returncode}\n{done.stdout}{done.stderr}"
        )


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"{name} is needed to embed a cubin and was not found on PATH")
    return path


def embed_cubin(
    cubin_path: Path,
    input_obj_path: Path,
    output_obj_path: Path,
    name: str,
    verbose: bool = False,
) -> None:
    """Writes ``output_obj_path``: the input object with the bytes of a cubin as read-only data.

    The data lies between the symbols ``__tvm_ffi__cubin_<name>`` and
    ``__tvm_ffi__cubin_<name>_end``, which are local to the output, so that libraries with cubins of
    the same name don't meet.

    Raises
    ------
    FileNotFoundError
        An input is missing.
    ValueError
        ``name`` can't be part of a C identifier.
    RuntimeError
        ``ld`` or ``objcopy`` is missing or failed.
    """
    if re.fullmatch(r"\w+", name, re.ASCII) is None:
        raise ValueError(f"the name of a cubin must be letters, digits and '_', got {name!r}")
    for path in (cubin_path, input_obj_path):
        if not path.is_file():
            raise FileNotFoundError(f"no such file: {path}")
    linker, objcopy = _tool("ld"), _tool("objcopy")
    symbol = f"__tvm_ffi__cubin_{name}"
    with tempfile.TemporaryDirectory(prefix="tvm-ffi-cubin-") as folder_name:
        folder = Path(folder_name)
        # ld derives symbol names from the file name, hence a fixed one.
        shutil.copyfile(cubin_path, folder / "cubin")
        _run(
            [linker, "-r", "-b", "binary", "-z", "noexecstack", "-o", "data.o", "cubin"],
            folder,
            verbose,
        )
        _run(
            [
                objcopy,
                "--rename-section",
                f".data=.rodata.{symbol},alloc,load,readonly,data,contents",
                "--set-section-alignment",
                ".data=64",
                "--redefine-sym",
                f"_binary_cubin_start={symbol}",
                "--redefine-sym",
                f"_binary_cubin_end={symbol}_end",
                "--strip-symbol",
                "_binary_cubin_size",
                "data.o",
            ],
            folder,
            verbose,
        )
        _run(
            [linker, "-r", "-o", "merged.o", str(input_obj_path.resolve()), "data.o"],
            folder,
            verbose,
        )
        _run(
            [
                objcopy,
                "--localize-symbol",
                symbol,
                "--localize-symbol",
                f"{symbol}_end",
                "merged.o",
            ],
            folder,
            verbose,
        )
        shutil.copyfile(folder / "merged.o", output_obj_path)


def main() -> int:
    """The command line. Returns 0, 1 for a missing file, 2 when a tool failed, 3 for the rest."""
    parser = argparse.ArgumentParser(
        prog="python -m tvm_ffi.utils.embed_cubin", description="Embed a cubin into an object file."
    )
    parser.add_argument("--output-obj", required=True, type=Path, help="object file to write")
    parser.add_argument("--input-obj", required=True, type=Path, help="object file to extend")
    parser.add_argument("--cubin", required=True, type=Path, help="the CUDA binary")
    parser.add_argument("--name", required=True, help="name of the cubin in the C++ source")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the commands")
    args = parser.parse_args()
    try:
        embed_cubin(args.cubin, args.input_obj, args.output_obj, args.name, args.verbose)
    except FileNotFoundError as error:
        status, text = 1, str(error)
    except RuntimeError as error:
        status, text = 2, str(error)
    except Exception as error:
        status, text = 3, f"{type(error).__name__}: {error}"
    else:
        return 0
    print(text, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
