# SPDX-License-Identifier: Apache-2.0
"""Archives."""

from __future__ import annotations

import os
import tarfile
from typing import Any

from . import utils


def tar(output: Any, files: Any) -> None:
    """Put files into an archive, by their base names; equal names get a number in front."""
    seen: set[str] = set()
    with tarfile.open(os.fspath(output), "w") as archive:
        for path in files:
            name = os.path.basename(path)
            number = 0
            while name in seen:
                number += 1
                name = f"{number}_{os.path.basename(path)}"
            seen.add(name)
            archive.add(path, arcname=name)


tar.output_format = "tar"  # type: ignore[attr-defined]


def untar(tar_file: Any, directory: Any) -> None:
    """Unpack an archive into a folder."""
    with tarfile.open(os.fspath(tar_file)) as archive:
        archive.extractall(os.fspath(directory), filter="data")


def normalize_file_list_by_unpacking_tars(temp: Any, file_list: Any) -> list[str]:
    """The files, with those inside tar files in place of the tar files."""
    files: list[str] = []
    for number, path in enumerate(file_list):
        if not os.fspath(path).endswith(".tar"):
            files.append(os.fspath(path))
            continue
        folder = temp.relpath(f"tar{number}")
        os.makedirs(folder, exist_ok=True)
        untar(path, folder)
        files += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return files


__all__ = ["normalize_file_list_by_unpacking_tars", "tar", "untar", "utils"]
