# SPDX-License-Identifier: Apache-2.0
"""Sources that are compiled and loaded at run time.

Most sources are C on the bare ABI: they compile in a fraction of a second.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import cpp
from tvm_ffi.cpp import _build
from tvm_ffi.cpp.extension import FileLock

ANSWER_C = """\
#include <tvm/ffi/c_api.h>
#include "answer.h"
TVM_FFI_DLL_EXPORT int __tvm_ffi_answer(void* self, const TVMFFIAny* args, int32_t n,
                                        TVMFFIAny* ret) {
  ret->type_index = kTVMFFIInt;
  ret->zero_padding = 0;
  ret->v_int64 = ANSWER;
  return 0;
}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "answer.h").write_text("#define ANSWER 41\n")
    path = tmp_path / "answer.c"
    path.write_text(ANSWER_C)
    return path


def test_load_inline() -> None:
    source = """
    int64_t add(int64_t a, int64_t b) { return a + b; }
    tvm::ffi::String greet(tvm::ffi::String name) { return "hello " + std::string(name); }
    """
    module = cpp.load_inline(
        "inline_add", cpp_sources=source, functions={"add": 'adds "two"\n', "greet": ""}
    )
    assert module.add(2, 40) == 42
    assert module.greet("world") == "hello world"
    with pytest.raises(TypeError):
        module.add("x", 1)


def test_edit_of_a_header_is_seen_in_the_same_process(source: Path) -> None:
    assert cpp.load("answer", sources=str(source)).answer() == 41
    source.with_name("answer.h").write_text("#define ANSWER 42\n")
    assert cpp.load("answer", sources=str(source)).answer() == 42
    source.with_name("answer.h").write_text("#define ANSWER 41\n")
    assert cpp.load("answer", sources=str(source)).answer() == 41


def test_edit_is_seen_in_a_build_directory(source: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    first = cpp.load("answer", sources=[str(source)], build_directory=folder)
    assert first.answer() == 41
    source.with_name("answer.h").write_text("#define ANSWER 43\n")
    second = cpp.load("answer", sources=[str(source)], build_directory=folder)
    assert (first.answer(), second.answer()) == (41, 43)
    assert (tmp_path / "out" / "answer.so").is_file()


def test_nothing_is_built_twice(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cpp.build("answer", sources=str(source))
    stamp = os.stat(path).st_mtime_ns

    def forbidden(name: str, step: _build.Step) -> str:
        raise AssertionError(f"ran {step.command}")

    monkeypatch.setattr(_build, "_run", forbidden)
    os.utime(source)
    os.utime(source.with_name("answer.h"))
    assert cpp.build("answer", sources=str(source)) == path
    assert os.stat(path).st_mtime_ns == stamp


def test_many_processes_build_the_same_thing_once(source: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    compiler = tmp_path / "mycc"
    compiler.write_text(f'#!/bin/sh\necho $$ >>{log}\nexec cc "$@"\n')
    compiler.chmod(0o755)
    program = (
        "import sys; from tvm_ffi import cpp; sys.stdin.read();"
        f"module = cpp.load('answer', sources={str(source)!r}); print(module.answer())"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "CC": str(compiler)},
        )
        for _ in range(6)
    ]
    # All of them start when they have all been made.
    outputs = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    for process in processes:
        assert process.stdout is not None
        outputs.append(process.stdout.read())
        assert process.wait() == 0
    assert outputs == ["41\n"] * 6
    compilations = log.read_text().split()
    versions = 6  # each process asks the compiler who it is
    assert len(compilations) == 1 + versions


def test_processes_that_change_the_source_each_get_their_own(source: Path) -> None:
    program = (
        "import sys; from tvm_ffi import cpp;"
        f"source, flag = {str(source)!r}, '-DVALUE=' + sys.argv[1];"
        "print(cpp.load('answer', sources=source, extra_cflags=[flag]).answer())"
    )
    source.with_name("answer.h").write_text("#define ANSWER VALUE\n")
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(i)], stdout=subprocess.PIPE, text=True)
        for i in range(4)
    ]
    assert [process.communicate()[0] for process in processes] == ["0\n", "1\n", "2\n", "3\n"]


def test_cuda_needs_its_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "nothing"))
    with pytest.raises(RuntimeError, match=r"nvcc was not found: CUDA sources need the CUDA tool"):
        cpp.build_inline("kernel", cuda_sources="int f() { return 1; }", functions="f")


def test_cuda_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A compiler that takes the flags of nvcc, writes them down, and compiles the host code.
    home, log = tmp_path / "cuda", tmp_path / "log"
    (home / "bin").mkdir(parents=True)
    (home / "lib64").mkdir()
    nvcc = home / "bin" / "nvcc"
    nvcc.write_text(
        f"""#!{sys.executable}
import subprocess, sys
with open({str(log)!r}, "a") as log:
    print(*sys.argv[1:], file=log)
skip = ("-Xcompiler", "-gencode")
flags = [a for a in sys.argv[1:] if not a.startswith(skip)]
sys.exit(subprocess.call(["c++", "-x", "c++", *flags] if "-c" in flags else ["c++", *flags]))
"""
    )
    nvcc.chmod(0o755)
    subprocess.run(
        ["cc", "-shared", "-x", "c", "/dev/null", "-o", str(home / "lib64" / "libcudart.so")],
        check=True,
    )
    monkeypatch.setenv("CUDA_HOME", str(home))
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "8.0 9.0a")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(home / "lib64"))
    path = cpp.build_inline(
        "kernel", cuda_sources="int64_t twice(int64_t x) { return 2 * x; }", functions="twice"
    )
    flags = log.read_text()
    assert "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a" in flags
    assert "-Xcompiler -fPIC" in flags
    program = f"import tvm_ffi; print(tvm_ffi.load_module({path!r}).twice(21))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr


def test_key_covers_flags(source: Path) -> None:
    source.write_text(ANSWER_C.replace('"answer.h"', "<stdint.h>"))
    results = [
        cpp.load("answer", sources=str(source), extra_cflags=[f"-DANSWER={value}"]).answer()
        for value in (1, 2, 1)
    ]
    assert results == [1, 2, 1]


def test_key_covers_the_compiler(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cpp.build("answer", sources=str(source))
    wrapper = tmp_path / "mycc"
    wrapper.write_text('#!/bin/sh\nexec cc -DEXTRA "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("CC", str(wrapper))
    source.with_name("answer.h").write_text(
        "#ifdef EXTRA\n#define ANSWER 2\n#else\n#define ANSWER 1\n#endif\n"
    )
    assert cpp.load("answer", sources=str(source)).answer() == 2
    assert cpp.build("answer", sources=str(source)) != before


def test_error_comes_first_with_the_line_of_the_user() -> None:
    with pytest.raises(RuntimeError) as caught:
        cpp.build_inline("broken", cpp_sources=["// one\n", "// two\nint f() {\n  return zork;\n}"])
    first = str(caught.value).splitlines()[0]
    assert "inline_1.cpp:3:" in first
    assert "error" in first and "zork" in first
    assert "exited with status 1" in str(caught.value)


def test_missing_header_is_the_first_error(source: Path) -> None:
    source.with_name("answer.h").unlink()
    with pytest.raises(RuntimeError, match=r"\A[^\n]*answer\.c:2:\d+: fatal error: answer\.h"):
        cpp.build("answer", sources=str(source))
    source.with_name("answer.h").write_text("#define ANSWER 7\n")
    assert cpp.load("answer", sources=str(source)).answer() == 7


def test_undefined_symbol_is_the_first_error(tmp_path: Path) -> None:
    source = tmp_path / "hole.c"
    source.write_text("int missing_one(void);\nint f(void) { return missing_one(); }\n")
    with pytest.raises(RuntimeError, match=r"\A[^\n]*undefined reference to .missing_one"):
        cpp.build("hole", sources=str(source), extra_ldflags=["-Wl,-z,defs"])


def test_object_output(source: Path) -> None:
    path = cpp.build("answer", sources=str(source), output="answer.o")
    assert path.endswith("/answer.o")
    assert Path(path).read_bytes()[:4] == b"\x7fELF"
    assert cpp.load("again", sources=path).answer() == 41


def test_embedded_cubin(tmp_path: Path) -> None:
    payload = bytes(range(256)) * 3 + b"end"
    source = """
    extern "C" const char __tvm_ffi__cubin_k[];
    extern "C" const char __tvm_ffi__cubin_k_end[];
    tvm::ffi::Bytes data() {
      return tvm::ffi::Bytes(__tvm_ffi__cubin_k, __tvm_ffi__cubin_k_end - __tvm_ffi__cubin_k);
    }
    int64_t alignment() { return reinterpret_cast<uintptr_t>(__tvm_ffi__cubin_k) % 64; }
    """
    module = cpp.load_inline(
        "cubin", cpp_sources=source, functions=["data", "alignment"], embed_cubin={"k": payload}
    )
    assert module.data() == payload
    assert module.alignment() == 0


def test_embed_cubin_command_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tvm_ffi.utils.embed_cubin", "--output-obj", "out.o"]
    command += ["--input-obj", "none.o", "--cubin", "none.cubin", "--name", "k"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "none.cubin" in done.stderr


def test_lock_times_out(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.setattr(cpp.extension, "_LOCK_TIMEOUT", 0.2)
    with FileLock(str(folder / "lock")):
        with pytest.raises(TimeoutError, match=r"it holds .*lock"):
            cpp.build("answer", sources=str(source), build_directory=str(folder))
    assert cpp.build("answer", sources=str(source), build_directory=str(folder))


def test_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    code = (
        "import os, sys; from tvm_ffi.utils import FileLock; "
        "assert FileLock(sys.argv[1]).acquire(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True)
    lock = FileLock(path)
    assert lock.acquire()
    assert not FileLock(path).acquire()
    with pytest.raises(RuntimeError, match="already held"):
        lock.blocking_acquire()
    with pytest.raises(TimeoutError, match=r"after 0\.05 seconds"):
        FileLock(path).blocking_acquire(timeout=0.05, poll_interval=0.01)
    lock.release()
    assert FileLock(path).acquire()


def test_arguments_are_checked(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="sources must be provided"):
        cpp.build_inline("nothing")
    with pytest.raises(ValueError, match="Invalid backend: metal"):
        cpp.build_inline("x", cpp_sources="", backend="metal")
    with pytest.raises(ValueError, match="without a folder"):
        cpp.build_inline("../x", cpp_sources="")
    with pytest.raises(ValueError, match=r"names of C\+\+ functions, got 'a b'"):
        cpp.build_inline("x", cpp_sources="", functions="a b")
    with pytest.raises(RuntimeError, match=r"no such source file: .*none\.cpp"):
        cpp.build("x", sources=str(tmp_path / "none.cpp"))


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("int8", "int8_t"),
        ("torch.uint64", "uint64_t"),
        (tvm_ffi.float32, "float"),
        ("float64", "double"),
        ("bool", "bool"),
    ],
)
def test_to_cpp_dtype(dtype: object, name: str) -> None:
    assert cpp.to_cpp_dtype(dtype) == name


def test_to_cpp_dtype_without_gpu() -> None:
    with pytest.raises(ValueError, match="Unsupported dtype string: float7 for backend"):
        cpp.to_cpp_dtype("float7")


def test_depfile_with_blanks_and_continuations(tmp_path: Path) -> None:
    path = tmp_path / "x.d"
    path.write_text("x.o: a.c /usr/in\\ clude/b.h \\\n c$$d.h e\\#f.h\nother: y\n")
    assert _build.read_depfile(path) == ["a.c", "/usr/in clude/b.h", "c$d.h", "e#f.h"]


def test_build_file_for_ninja_works(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    path = Path(cpp.build("answer", sources=str(source), build_directory=str(folder)))
    text = (folder / "build.ninja").read_text()
    assert f"build {path}: link" in text
