# SPDX-License-Identifier: Apache-2.0
"""A lock between processes."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Literal

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


class FileLock:
    """An advisory lock on a file, which is made when it is missing.

    The system drops the lock when its process ends, so a crash leaves nothing behind. Two locks of
    one process on the same file exclude each other as well. Used as a context manager it waits
    without limit.
    """

    def __init__(self, lock_file_path: str) -> None:
        self.lock_file_path = lock_file_path
        self._fd: int | None = None

    def acquire(self) -> bool:
        """Takes the lock if it is free. False when somebody, this object included, holds it."""
        if self._fd is not None:
            return False
        fd = os.open(self.lock_file_path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0))
        try:
            taken = _try_lock(fd)
        except BaseException:
            os.close(fd)
            raise
        if taken:
            self._fd = fd
        else:
            os.close(fd)
        return taken

    def blocking_acquire(self, timeout: float | None = None, poll_interval: float = 0.1) -> bool:
        """Waits for the lock and returns True.

        Parameters
        ----------
        timeout
            Seconds to wait at most, without limit when None.
        poll_interval
            Seconds between two attempts.

        Raises
        ------
        TimeoutError
            The lock was not free in time.
        RuntimeError
            This object holds the lock already.
        """
        if self._fd is not None:
            raise RuntimeError("Lock is already held by this instance.")
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.acquire():
            wait = poll_interval
            if deadline is not None:
                wait = min(wait, deadline - time.monotonic())
                if wait <= 0:
                    raise TimeoutError(
                        f"Failed to acquire lock on '{self.lock_file_path}' "
                        f"after {timeout} seconds."
                    )
            time.sleep(wait)
        return True

    def release(self) -> None:
        """Gives the lock back; does nothing when it is not held."""
        fd, self._fd = self._fd, None
        if fd is not None:
            try:
                _unlock(fd)
            finally:
                os.close(fd)

    def __enter__(self) -> FileLock:
        self.blocking_acquire()
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Literal[False]:
        self.release()
        return False
