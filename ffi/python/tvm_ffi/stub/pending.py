# SPDX-License-Identifier: Apache-2.0
"""What a run will write: all of it at the end, or nothing."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path


def _refuse(code: int, path: Path) -> OSError:
    return OSError(code, os.strerror(code), str(path))


def read_or_none(path: Path) -> str | None:
    """The text of a file, None when there is no file."""
    return path.read_text(encoding="utf-8") if path.is_file() else None


class PendingWrites:
    """New texts of files. ``commit`` puts them in place; until then no file is touched."""

    def __init__(self) -> None:
        self._texts: dict[Path, str] = {}
        self._may_make_folder: set[Path] = set()

    def put(self, path: Path, text: str, *, may_make_folder: bool = False) -> None:
        """Sets the text that a file is to have; ``may_make_folder`` when it may have none."""
        self._texts[path] = text
        if may_make_folder:
            self._may_make_folder.add(path)

    def text_of(self, path: Path) -> str | None:
        """The text that a file will have, None when there is none."""
        return self._texts[path] if path in self._texts else read_or_none(path)

    def paths(self) -> list[Path]:
        """All files that have a pending text."""
        return list(self._texts)

    def changes(self) -> list[Path]:
        """The files whose text differs from the one they have now."""
        return [path for path, text in self._texts.items() if read_or_none(path) != text]

    def commit(self) -> list[Path]:
        """Writes what differs and returns those files.

        Every text lies beside its file before the first file is replaced, so that a full disk or a
        folder that can't be written (``OSError``) leaves all files as they were.
        """
        changed = self.changes()
        ready: list[tuple[Path, Path]] = []
        made: list[Path] = []
        try:
            for path in changed:
                if path.exists() and not path.is_file():  # a pipe or a terminal
                    continue
                if path.exists() and not os.access(path, os.W_OK):
                    raise _refuse(errno.EACCES, path)
                if path in self._may_make_folder:
                    made += _make_folders(path.parent)
                elif not path.parent.is_dir():
                    raise _refuse(errno.ENOENT, path)
                ready.append((_write_beside(path, self._texts[path]), path))
        except BaseException:
            for beside, _ in ready:
                beside.unlink()
            for folder in reversed(made):
                folder.rmdir()
            raise
        for beside, path in ready:
            beside.replace(path)
        for path in changed:
            if not path.is_file():
                path.write_text(self._texts[path], encoding="utf-8")
        return changed


def _make_folders(folder: Path) -> list[Path]:
    """Makes a folder and those above it, and returns the new ones, the outermost first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _write_beside(path: Path, text: str) -> Path:
    """A new file in the folder of ``path``, with its permissions."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, beside)
        else:
            mask = os.umask(0)
            os.umask(mask)
            beside.chmod(0o666 & ~mask)
    except BaseException:
        beside.unlink()
        raise
    return beside
