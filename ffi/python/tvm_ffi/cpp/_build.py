# SPDX-License-Identifier: Apache-2.0
"""Steps of a build: what is out of date is run, what is not is kept.

Every output has a record beside it, ``<output>.json``: a digest of its command and the digests of
all the files that went into it, headers included. A file that is written again with the same
content costs nothing; a changed one is seen at once, whatever its time stamp says.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# A file that was written less than this many nanoseconds before it was read may have been written
# again within the same tick of the file system's clock.
_CLOCK_TICK_NS = 2_000_000_000

_DIAGNOSTIC = re.compile(
    r"^(?!In file included)(\S.*?)[:(]\d+.*?\b(?:fatal )?error\b", re.MULTILINE
)
_LINK_ERROR = re.compile(r"^.*(?:undefined reference|multiple definition|cannot find ).*$", re.M)


@dataclass
class Step:
    """One command. ``identity`` is the text of everything but files that the output depends on."""

    rule: str
    command: list[str]
    inputs: list[Path]
    output: Path
    identity: str
    depfile: Path | None = None


class Files:
    """Digests of files, read once unless they changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int, str]] = {}

    def digest(self, path: str) -> str | None:
        """SHA-256 of the content, None when there is no such file."""
        try:
            stat = os.stat(path)
            known = self._known.get(path)
            settled = time.time_ns() - stat.st_mtime_ns > _CLOCK_TICK_NS
            if known is not None and known[:2] == (stat.st_mtime_ns, stat.st_size) and settled:
                return known[2]
            with open(path, "rb") as file:
                value = hashlib.sha256(file.read()).hexdigest()
        except OSError:
            return None
        self._known[path] = (stat.st_mtime_ns, stat.st_size, value)
        return value


FILES = Files()


def digest_of(parts: Iterable[str]) -> str:
    """SHA-256 of a sequence of texts."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


def read_depfile(path: Path) -> list[str]:
    """The files that a rule in the syntax of make depends on."""
    try:
        text = path.read_text(errors="surrogateescape")
    except OSError:
        return []
    text = text.replace("\\\r\n", " ").replace("\\\n", " ")
    match = re.search(r":(?=\s|$)", text)
    if match is None:
        return []
    words = re.findall(r"(?:\\.|[^\s\\])+", text[match.end() :].split("\n")[0])
    return [re.sub(r"\\([ #:\\])", r"\1", word).replace("$$", "$") for word in words]


def _record_path(output: Path) -> Path:
    return output.with_name(output.name + ".json")


def _is_current(step: Step) -> bool:
    try:
        record = json.loads(_record_path(step.output).read_text())
        if record["identity"] != digest_of([step.identity]) or not step.output.is_file():
            return False
        folder = step.output.parent
        return all(
            FILES.digest(os.path.join(folder, path)) == value
            for path, value in record["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _first_error(text: str) -> str:
    """The first error of a compiler's output with its excerpt, empty when none is found."""
    match = _DIAGNOSTIC.search(text) or _LINK_ERROR.search(text)
    if match is None:
        return ""
    lines = text[match.start() :].splitlines()
    kept = [lines[0]]
    for line in lines[1:8]:
        if not re.match(r"\s", line):
            break
        kept.append(line)
    return "\n".join(kept)


def _fail(name: str, step: Step, status: int, output: str) -> RuntimeError:
    first = _first_error(output)
    head = f"{first}\n\n" if first else ""
    return RuntimeError(
        f"{head}building {name!r} failed: {os.path.basename(step.command[0])} exited with status "
        f"{status}\ncommand: {' '.join(step.command)}\noutput:\n{output.rstrip()}"
    )


def _run(name: str, step: Step) -> str:
    folder = step.output.parent
    record = _record_path(step.output)
    record.unlink(missing_ok=True)
    files = {str(path): FILES.digest(str(path)) for path in step.inputs}
    environment = {**os.environ, "LC_MESSAGES": "C"}
    temporary = step.output.with_name(f".{step.output.name}.{os.getpid()}.tmp")
    # The time by the clock of the file system, which may lag behind.
    temporary.write_bytes(b"")
    started_ns = os.stat(temporary).st_mtime_ns
    command = [str(temporary) if word == str(step.output) else word for word in step.command]
    try:
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise _fail(name, step, 127, str(error)) from error
        if done.returncode != 0:
            raise _fail(name, step, done.returncode, done.stdout)
        # A running process may have the old file mapped: never write into it.
        os.replace(temporary, step.output)
    finally:
        temporary.unlink(missing_ok=True)
    for path in read_depfile(step.depfile) if step.depfile is not None else ():
        full = os.path.join(folder, path)
        if full in files:
            continue
        files[path] = FILES.digest(full)
        try:
            written_ns = os.stat(full).st_mtime_ns
        except OSError:
            return done.stdout
        if written_ns > started_ns:
            # The compiler may have seen other content: without a record the step runs again.
            return done.stdout
    record.write_text(json.dumps({"identity": digest_of([step.identity]), "files": files}))
    return done.stdout


def content_of(steps: Sequence[Step]) -> str:
    """Digest of all the files that went into the outputs of compile steps that were run."""
    parts = []
    for step in steps:
        try:
            record = json.loads(_record_path(step.output).read_text())
        except (OSError, ValueError):
            record = {"files": {step.output.name: FILES.digest(str(step.output))}}
        parts.append(step.identity)
        for path, value in sorted(record["files"].items()):
            parts += [path, str(value)]
    return digest_of(parts)


def run_steps(name: str, steps: Sequence[Step]) -> str:
    """Runs the steps that are out of date, side by side. They must not depend on each other.

    Returns what the commands printed. ``MAX_JOBS`` limits how many run at once.

    Raises
    ------
    RuntimeError
        A command failed; the text begins with the first error of the first failed command.
    """
    for step in steps:
        for path in step.inputs:
            if not path.is_file():
                raise RuntimeError(f"building {name!r} failed: no such source file: {path}")
    stale = [step for step in steps if not _is_current(step)]
    if len(stale) <= 1:
        return "".join(_run(name, step) for step in stale)
    jobs = os.environ.get("MAX_JOBS", "")
    workers = int(jobs) if jobs.isdigit() and int(jobs) > 0 else (os.cpu_count() or 1)
    with ThreadPoolExecutor(min(workers, len(stale))) as pool:
        futures = [pool.submit(_run, name, step) for step in stale]
        try:
            return "".join(future.result() for future in futures)
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def write_if_changed(path: Path, content: str | bytes) -> None:
    """Writes a file unless it has this content already."""
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    path.write_bytes(data)


def ninja_text(steps: Sequence[Step]) -> str:
    """The steps as a ninja file, for reading and for running them by hand."""

    def escape(text: str) -> str:
        return text.replace("$", "$$").replace(":", "$:").replace(" ", "$ ")

    lines = ["ninja_required_version = 1.3", ""]
    if sys.platform == "win32":
        quote = subprocess.list2cmdline
    else:
        import shlex

        quote = shlex.join
    for number, step in enumerate(steps):
        rule = f"{step.rule}_{number}"
        lines += [f"rule {rule}", f"  command = {quote(step.command).replace('$', '$$')}"]
        if step.depfile is not None:
            lines += [f"  depfile = {step.depfile}", "  deps = gcc"]
        inputs = " ".join(escape(str(path)) for path in step.inputs)
        lines += ["", f"build {escape(str(step.output))}: {rule} {inputs}", ""]
    lines.append(f"default {escape(str(steps[-1].output))}")
    return "\n".join(lines) + "\n"
