# SPDX-License-Identifier: Apache-2.0
"""Temporary folders and file locks."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from typing import Any


class DirectoryCreatedPastAtExit(Exception):
    """A temporary folder was asked for while the process ends."""


class TempDirectory:
    """A folder that is removed with the object, unless ``set_keep_for_debug(True)`` was called."""

    _KEEP_FOR_DEBUG = False
    _DEBUG_PARENT_DIR: str | None = None
    TEMPDIRS: set[str] | None = set()

    @classmethod
    def remove_tempdirs(cls) -> None:
        folders, cls.TEMPDIRS = cls.TEMPDIRS, None
        for folder in folders or ():
            shutil.rmtree(folder, ignore_errors=True)

    @classmethod
    def set_keep_for_debug(cls, set_to: bool = True) -> Any:
        """Keep the folders made inside a ``with`` block, or from now on."""
        import contextlib

        previous = cls._KEEP_FOR_DEBUG
        cls._KEEP_FOR_DEBUG = set_to

        @contextlib.contextmanager
        def scope() -> Any:
            try:
                yield
            finally:
                cls._KEEP_FOR_DEBUG = previous

        return scope()

    def __init__(self, custom_path: str | None = None, keep_for_debug: bool | None = None) -> None:
        if self.TEMPDIRS is None:
            raise DirectoryCreatedPastAtExit
        self._keep = self._KEEP_FOR_DEBUG if keep_for_debug is None else keep_for_debug
        if custom_path is not None:
            os.mkdir(custom_path)
            self.temp_dir = custom_path
        else:
            self.temp_dir = tempfile.mkdtemp(prefix="tvm_tirx_")
        if not self._keep:
            self.TEMPDIRS.add(self.temp_dir)

    def remove(self) -> None:
        """Remove the folder now."""
        if self.temp_dir and not self._keep:
            shutil.rmtree(self.temp_dir, ignore_errors=True)
            if self.TEMPDIRS is not None:
                self.TEMPDIRS.discard(self.temp_dir)
        self.temp_dir = ""

    @property
    def path(self) -> str:
        return self.temp_dir

    def __truediv__(self, other: Any) -> str:
        if not isinstance(other, (str, os.PathLike)):
            raise TypeError(f"Cannot join a folder and a {type(other).__name__}")
        return self.relpath(os.fspath(other))

    def __del__(self) -> None:
        try:
            if self.TEMPDIRS is not None:
                self.remove()
        except AttributeError:
            pass

    def relpath(self, name: str) -> str:
        """Path of a file in the folder."""
        return os.path.join(self.temp_dir, name)

    def listdir(self) -> list[str]:
        return os.listdir(self.temp_dir)

    def __enter__(self) -> TempDirectory:
        return self

    def __exit__(self, ptype: Any, value: Any, trace: Any) -> None:
        self.remove()


atexit.register(TempDirectory.remove_tempdirs)


def tempdir(custom_path: str | None = None, keep_for_debug: bool | None = None) -> TempDirectory:
    """A new temporary folder."""
    return TempDirectory(custom_path=custom_path, keep_for_debug=keep_for_debug)


class FileLock:
    """A lock that other processes see; it goes away with the process."""

    def __init__(self, path: str) -> None:
        import fcntl

        self.lock_file = open(path, "w")
        fcntl.lockf(self.lock_file, fcntl.LOCK_EX)

    def release(self) -> None:
        import fcntl

        if self.lock_file:
            fcntl.lockf(self.lock_file, fcntl.LOCK_UN)
            self.lock_file.close()
            self.lock_file = None  # type: ignore[assignment]

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, ptype: Any, value: Any, trace: Any) -> None:
        self.release()


def filelock(path: str) -> FileLock:
    """Take the lock of a file; waits for it."""
    return FileLock(path)


def is_source_path(path: Any) -> bool:
    """Whether the name is that of a C, C++, CUDA or Objective-C source."""
    return os.path.splitext(str(path))[1] in {".c", ".cc", ".cpp", ".cu", ".cxx", ".m", ".mm"}


def which(exec_name: str) -> str | None:
    """Path of a program, None when there is none."""
    return shutil.which(exec_name)
