# SPDX-License-Identifier: Apache-2.0
"""``build``, ``load`` and their forms for inline sources."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import __version__, libinfo
from ..libinfo import find_dlpack_include_path, find_include_path, find_libtvm_ffi
from ..module import Module, load_module
from ..utils.lockfile import FileLock
from . import _arguments, _build, _toolchain
from ._build import FILES, Step, digest_of
from ._inline import inline_files
from ._toolchain import IS_WINDOWS

__all__ = [
    "IS_WINDOWS",
    "FileLock",
    "Module",
    "build",
    "build_inline",
    "build_ninja",
    "find_dlpack_include_path",
    "find_include_path",
    "find_libtvm_ffi",
    "load",
    "load_inline",
    "load_module",
    "logger",
]

logger = logging.getLogger(__name__)

_CXX_SUFFIXES = frozenset([".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP"])
_Paths = Sequence[str | os.PathLike[str]] | str | os.PathLike[str]

# Seconds to wait for another process that builds the same thing.
_LOCK_TIMEOUT = 600.0

# Content of the libraries that this process loaded, by path. The system never loads a path twice.
_loaded: dict[str, str | None] = {}


def build_ninja(build_dir: str) -> None:
    """Runs ninja on the ``build.ninja`` of a build directory. RuntimeError when it fails."""
    command = ["ninja", "-v"]
    jobs = os.environ.get("MAX_JOBS")
    if jobs:
        command += ["-j", jobs]
    try:
        done = subprocess.run(command, cwd=build_dir, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise RuntimeError("ninja was not found; install it with: pip install ninja") from error
    if done.returncode != 0:
        text = [f"ninja exited with status {done.returncode}"]
        text += [f"stdout:\n{done.stdout}"] if done.stdout else []
        text += [f"stderr:\n{done.stderr}"] if done.stderr else []
        raise RuntimeError("\n".join(text))
    _log_output(done.stdout)


def _log_output(text: str) -> None:
    if os.environ.get("TVM_FFI_CPP_EXTENSION_LOG_BUILD") in ("1", "stdout", "stderr"):
        logger.info("%s", text)


class _Plan:
    """Inputs of one build, in the form that the steps need."""

    def __init__(
        self,
        name: str,
        extra_cflags: Sequence[str] | str | None,
        extra_cuda_cflags: Sequence[str] | str | None,
        extra_ldflags: Sequence[str] | str | None,
        extra_include_paths: _Paths | None,
        build_directory: str | os.PathLike[str] | None,
        backend: str | None,
        output: str | None,
    ) -> None:
        _arguments.file_name("name", name)
        if output is not None:
            _arguments.file_name("output", output)
        _toolchain.check_backend(backend)
        if IS_WINDOWS:
            raise NotImplementedError("building sources at run time needs Linux or macOS")
        self.name = name
        self.backend = backend
        self.output = output
        self.build_directory: Path | None = None
        if build_directory is not None:
            self.build_directory = _arguments.folder(build_directory)
        self.cflags = _arguments.flags("extra_cflags", extra_cflags)
        self.cuda_cflags = _arguments.flags("extra_cuda_cflags", extra_cuda_cflags)
        self.ldflags = _arguments.flags("extra_ldflags", extra_ldflags)
        includes = _arguments.paths("extra_include_paths", extra_include_paths)
        self.include_paths = [str(path.resolve()) for path in includes]

    def folder(self, parts: Sequence[str]) -> Path:
        """The build directory; ``parts`` identify the sources."""
        if self.build_directory is not None:
            folder = self.build_directory
        else:
            cache = os.environ.get("TVM_FFI_CACHE_DIR") or "~/.cache/tvm-ffi"
            key = digest_of(
                [
                    __version__,
                    find_libtvm_ffi(),
                    _toolchain.compiler_identity(_toolchain.cxx_compiler()),
                    *parts,
                    *(
                        digest_of(flags)
                        for flags in (
                            self.cflags,
                            self.cuda_cflags,
                            self.ldflags,
                            self.include_paths,
                        )
                    ),
                ]
            )
            folder = Path(cache).expanduser().resolve() / f"{self.name}_{key[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def compile_steps(self, sources: Sequence[Path], folder: Path) -> tuple[list[Step], list[Path]]:
        """The steps that make objects, and all objects to link."""
        includes = [f"-I{path}" for path in (*libinfo.include_paths(), *self.include_paths)]
        counts = {"c": 0, "cpp": 0, "cuda": 0}
        steps: list[Step] = []
        objects: list[Path] = []
        for source in sources:
            suffix = source.suffix.lower()
            if suffix in (".o", ".obj"):
                objects.append(source)
                continue
            if suffix == ".cu":
                kind, rule = "cuda", "compile_cuda"
                compiler, flags = _toolchain.gpu_compiler(_toolchain.gpu_backend(self.backend))
                flags = [*flags, *includes, *self.cuda_cflags]
            elif suffix == ".c":
                kind, rule = "c", "c_compile"
                compiler = _toolchain.c_compiler()
                flags = [*_toolchain.c_flags(), *includes, *self.cflags]
            else:
                kind, rule = "cpp", "compile"
                compiler = _toolchain.cxx_compiler()
                flags = [*_toolchain.cxx_flags(), *includes, *self.cflags]
                if source.suffix not in _CXX_SUFFIXES:
                    flags += ["-x", "c++"]  # compilers leave files of unknown kinds to the linker
            target = folder / f"{kind}_{counts[kind]}.o"
            counts[kind] += 1
            depfile = target.with_name(target.name + ".d")
            # System headers change without the compiler: -MD records them as well.
            depend = ["-MD", "-MF", str(depfile)]
            command = [*compiler, *depend, *flags, "-c", str(source), "-o", str(target)]
            identity = "\n".join([__version__, *command, _toolchain.compiler_identity(compiler)])
            steps.append(Step(rule, command, [source], target, identity, depfile))
            objects.append(target)
        return steps, objects

    def gpu_of(self, sources: Sequence[Path]) -> str | None:
        """Backend of the GPU sources, None without any."""
        if any(source.suffix.lower() == ".cu" for source in sources):
            return _toolchain.gpu_backend(self.backend)
        return None

    def link_step(self, objects: list[Path], target: Path, gpu: str | None) -> Step:
        """The step that makes the result."""
        if target.suffix in (".o", ".obj"):
            if len(objects) == 1:
                command = ["cp", "-f", str(objects[0]), str(target)]
                return Step("copy_object", command, objects, target, "\n".join(command))
            return _merge_step(objects, target)
        compiler = _toolchain.cxx_compiler()
        flags = [*_toolchain.link_flags(gpu), *self.ldflags]
        command = [*compiler, *map(str, objects), *flags, "-o", str(target)]
        identity = "\n".join([__version__, *command, _toolchain.compiler_identity(compiler)])
        return Step("link", command, objects, target, identity)

    def run(
        self,
        folder: Path,
        files: Mapping[str, str],
        sources: Sequence[Path],
        cubins: Mapping[str, bytes],
    ) -> str:
        """Brings the result up to date and returns its path."""
        lock = FileLock(str(folder / "lock"))
        try:
            lock.blocking_acquire(timeout=_LOCK_TIMEOUT)
        except TimeoutError as error:
            raise TimeoutError(
                f"another process has been building {self.name!r} for {_LOCK_TIMEOUT:.0f} seconds; "
                f"it holds {lock.lock_file_path}"
            ) from error
        try:
            for file_name, content in files.items():
                _build.write_if_changed(folder / file_name, content)
            steps, objects = self.compile_steps(sources, folder)
            log = _build.run_steps(self.name, steps)
            for stage in _cubin_steps(objects, folder, cubins):
                log += _build.run_steps(self.name, [stage])
                steps.append(stage)
                objects = [stage.output]
            target_name = self.output or f"{self.name}.so"
            target = folder / target_name
            link = self.link_step(objects, target, self.gpu_of(sources))
            if self.build_directory is None:
                # In the cache a file never changes: others may be about to load it.
                inputs = [str(FILES.digest(str(path))) for path in objects]
                content = digest_of([_build.content_of(steps), link.identity, *inputs])[:16]
                target = folder / content / target_name
                target.parent.mkdir(exist_ok=True)
                link = self.link_step(objects, target, self.gpu_of(sources))
            _build.write_if_changed(folder / "build.ninja", _build.ninja_text([*steps, link]))
            log += _build.run_steps(self.name, [link])
        finally:
            lock.release()
        _log_output(log)
        return str(target)


def _merge_step(objects: list[Path], target: Path) -> Step:
    command = ["ld", "-r", "-o", str(target), *map(str, objects)]
    return Step("merge_objects", command, objects, target, "\n".join(command))


def _cubin_steps(objects: list[Path], folder: Path, cubins: Mapping[str, bytes]) -> list[Step]:
    """The steps that merge all objects to one and embed cubins into it."""
    if not cubins:
        return []
    steps = [_merge_step(objects, folder / "unified.o")]
    for name, data in sorted(cubins.items()):
        cubin = folder / f"{name}.cubin"
        _build.write_if_changed(cubin, bytes(data))
        source = steps[-1].output
        target = folder / f"unified_{name}.o"
        command = [sys.executable, "-m", "tvm_ffi.utils.embed_cubin"]
        command += ["--output-obj", str(target), "--input-obj", str(source)]
        command += ["--cubin", str(cubin), "--name", name]
        steps.append(Step("embed_cubin", command, [source, cubin], target, "\n".join(command)))
    return steps


def build_inline(
    name: str,
    *,
    cpp_sources: Sequence[str] | str | None = None,
    cuda_sources: Sequence[str] | str | None = None,
    functions: Mapping[str, str] | Sequence[str] | str | None = None,
    extra_cflags: Sequence[str] | str | None = None,
    extra_cuda_cflags: Sequence[str] | str | None = None,
    extra_ldflags: Sequence[str] | str | None = None,
    extra_include_paths: _Paths | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    embed_cubin: Mapping[str, bytes] | None = None,
    backend: str | None = None,
    output: str | None = None,
) -> str:
    """Compiles source text to a shared library and returns its path.

    Nothing is compiled again unless the sources, a header that they include, the flags, the
    compiler or the version of this package changed.

    Parameters
    ----------
    name
        Name of the library.
    cpp_sources, cuda_sources
        Source text; several texts of one language are joined. The most used headers of tvm_ffi are
        included before it.
    functions
        Names of functions to export, or a mapping from names to documentation.
    extra_cflags, extra_cuda_cflags, extra_ldflags
        Flags of the C++ compiler, the GPU compiler and the linker, behind the default ones. One
        text is split as a shell does it.
    extra_include_paths
        More folders of headers.
    build_directory
        Where to build; a folder of the cache (``TVM_FFI_CACHE_DIR``) when left out.
    embed_cubin
        CUDA binaries to embed, by name.
    backend
        ``"cuda"`` or ``"hip"``; chosen by what is installed when left out.
    output
        Name of the result. One that ends in ``.o`` is an object file, not linked.

    Raises
    ------
    TypeError, ValueError
        An argument has the wrong type, or a name can't be one.
    AssertionError
        There are no sources, or only blank ones.
    RuntimeError
        The compiler failed. The text begins with its first error, at the line of the given source.
    TimeoutError
        Another process that builds the same library does not end.
    """
    plan = _Plan(
        name,
        extra_cflags,
        extra_cuda_cflags,
        extra_ldflags,
        extra_include_paths,
        build_directory,
        backend,
        output,
    )
    cpp = _arguments.texts("cpp_sources", cpp_sources)
    cuda = _arguments.texts("cuda_sources", cuda_sources)
    exported = _arguments.functions(functions)
    cubins = _arguments.cubins(embed_cubin)
    if not any(text.strip() for text in (*cpp, *cuda)):
        raise AssertionError("sources must be provided.")
    parts = ["inline", digest_of(cpp), digest_of(cuda)]
    parts.append(digest_of(text for item in exported.items() for text in item))
    parts += [digest_of([key, digest_of([cubins[key].hex()])]) for key in sorted(cubins)]
    folder = plan.folder(parts)
    files: dict[str, str] = {}
    sources = []
    if cpp:
        files.update(inline_files("main.cpp", "inline.cpp", cpp, exported, str(folder)))
        sources.append(folder / "main.cpp")
    if cuda:
        functions_there = {} if cpp else exported
        files.update(inline_files("cuda.cu", "inline.cu", cuda, functions_there, str(folder)))
        sources.append(folder / "cuda.cu")
    try:
        return plan.run(folder, files, sources, cubins)
    except RuntimeError as error:
        missing = _missing_function(str(error), exported)
        if missing is None:
            raise
        raise RuntimeError(
            f"functions names {missing!r}, but the sources define no function of that name at the "
            f"outermost level\n{error}"
        ) from None


def _missing_function(text: str, exported: Mapping[str, str]) -> str | None:
    """The function that a compiler misses in the lines that export functions."""
    first = text.partition("\n")[0]
    found = re.search(r"(?:main\.cpp|cuda\.cu)\b.*error: .*?['\u2018\"](\w+)['\u2019\"]", first)
    undeclared = "not declared" in first or "undeclared" in first or "undefined" in first
    return found[1] if found and undeclared and found[1] in exported else None


def build(
    name: str,
    *,
    sources: _Paths | None = None,
    cpp_files: _Paths | None = None,
    cuda_files: _Paths | None = None,
    extra_cflags: Sequence[str] | str | None = None,
    extra_cuda_cflags: Sequence[str] | str | None = None,
    extra_ldflags: Sequence[str] | str | None = None,
    extra_include_paths: _Paths | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    output: str | None = None,
) -> str:
    """Compiles source files to a shared library and returns its path.

    Parameters
    ----------
    sources, cpp_files, cuda_files
        Paths; the three are merged, and the suffix tells the language: ``.c``, ``.cu``, ``.o``
        and ``.obj`` for objects to link, anything else is C++.

    The others are those of ``build_inline``, and so are the errors.
    """
    plan = _Plan(
        name,
        extra_cflags,
        extra_cuda_cflags,
        extra_ldflags,
        extra_include_paths,
        build_directory,
        backend,
        output,
    )
    listed = [
        *_arguments.paths("sources", sources),
        *_arguments.paths("cpp_files", cpp_files),
        *_arguments.paths("cuda_files", cuda_files),
    ]
    if not listed:
        raise AssertionError("sources must be provided.")
    paths = sorted({path.resolve() for path in listed})
    for path in paths:
        if path.is_dir():
            raise RuntimeError(f"building {name!r} failed: the source {path} is a folder")
        if not path.is_file():
            raise RuntimeError(f"building {name!r} failed: no such source file: {path}")
    folder = plan.folder(["files", *map(str, paths)])
    return plan.run(folder, {}, paths, {})


def _load(path: str, keep_module_alive: bool) -> Module:
    """Loads a library, also when this process has loaded an older one from the same path."""
    content = FILES.digest(path)
    if path in _loaded and _loaded[path] != content and content is not None:
        whole = Path(path)
        fresh = whole.with_name(f"{whole.stem}.{content[:16]}{whole.suffix}")
        _build.write_if_changed(fresh, whole.read_bytes())
        path = str(fresh)
    _loaded[path] = content
    return load_module(path, keep_module_alive)


def load_inline(
    name: str,
    *,
    cpp_sources: Sequence[str] | str | None = None,
    cuda_sources: Sequence[str] | str | None = None,
    functions: Mapping[str, str] | Sequence[str] | str | None = None,
    extra_cflags: Sequence[str] | str | None = None,
    extra_cuda_cflags: Sequence[str] | str | None = None,
    extra_ldflags: Sequence[str] | str | None = None,
    extra_include_paths: _Paths | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    embed_cubin: Mapping[str, bytes] | None = None,
    keep_module_alive: bool = True,
    backend: str | None = None,
) -> Module:
    """Compiles source text and loads the library; see ``build_inline`` and ``load_module``."""
    path = build_inline(
        name,
        cpp_sources=cpp_sources,
        cuda_sources=cuda_sources,
        functions=functions,
        extra_cflags=extra_cflags,
        extra_cuda_cflags=extra_cuda_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        embed_cubin=embed_cubin,
        backend=backend,
    )
    return _load(path, keep_module_alive)


def load(
    name: str,
    *,
    sources: _Paths | None = None,
    cpp_files: _Paths | None = None,
    cuda_files: _Paths | None = None,
    extra_cflags: Sequence[str] | str | None = None,
    extra_cuda_cflags: Sequence[str] | str | None = None,
    extra_ldflags: Sequence[str] | str | None = None,
    extra_include_paths: _Paths | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    keep_module_alive: bool = True,
    backend: str | None = None,
) -> Module:
    """Compiles source files and loads the library; see ``build`` and ``load_module``."""
    path = build(
        name,
        sources=sources,
        cpp_files=cpp_files,
        cuda_files=cuda_files,
        extra_cflags=extra_cflags,
        extra_cuda_cflags=extra_cuda_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=build_directory,
        backend=backend,
    )
    return _load(path, keep_module_alive)
