# SPDX-License-Identifier: Apache-2.0
"""Cost of a call from Python, next to a raw CPython extension and to nanobind.

Both are compiled on the spot. Needs a C++ compiler, and nanobind in the same environment (left out
when it is missing). Prints nanoseconds per call, the best of several rounds.

    python ffi/bench/python_calls.py [--rounds 15]
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import timeit
from pathlib import Path
from typing import Any

RAW = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
static PyObject* empty(PyObject*, PyObject* const*, Py_ssize_t) { Py_RETURN_NONE; }
static PyObject* empty_nogil(PyObject*, PyObject* const*, Py_ssize_t) {
  PyThreadState* state = PyEval_SaveThread();
  PyEval_RestoreThread(state);
  Py_RETURN_NONE;
}
static PyObject* int_(PyObject*, PyObject* const* args, Py_ssize_t) {
  long long value = PyLong_AsLongLong(args[0]);
  if (value == -1 && PyErr_Occurred()) return nullptr;
  return PyLong_FromLongLong(value);
}
static PyObject* str(PyObject*, PyObject* const* args, Py_ssize_t) {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(args[0], &size);
  return data ? PyUnicode_DecodeUTF8(data, size, nullptr) : nullptr;
}
static PyObject* array(PyObject*, PyObject* const* args, Py_ssize_t) {
  Py_buffer view;
  if (PyObject_GetBuffer(args[0], &view, PyBUF_RECORDS_RO) < 0) return nullptr;
  PyObject* result = PyLong_FromSsize_t(view.ndim);
  PyBuffer_Release(&view);
  return result;
}
#define M(name, fn) {name, (PyCFunction)(void (*)(void))fn, METH_FASTCALL, nullptr}
static PyMethodDef methods[] = {M("empty", empty), M("empty_nogil", empty_nogil), M("int_", int_),
                                M("str", str), M("array", array), {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "raw_calls", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_raw_calls(void) { return PyModule_Create(&module); }
"""

NANOBIND = r"""
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
namespace nb = nanobind;
NB_MODULE(nb_calls, m) {
  m.def("empty", [] {});
  m.def("empty_nogil", [] {}, nb::call_guard<nb::gil_scoped_release>());
  m.def("int_", [](long long x) { return x; });
  m.def("str", [](std::string_view x) { return x; });
  m.def("array", [](nb::ndarray<nb::ro> x) { return (long long)x.ndim(); });
}
"""

# Functions with the calling convention of the library.
NATIVE = r"""
#include <tvm/ffi/c_api.h>
extern "C" {
int calls_empty(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* result) {
  (void)self; (void)args; (void)n; (void)result;
  return 0;
}
int calls_echo(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* result) {
  (void)self;
  return n == 1 ? TVMFFIAnyViewToOwnedAny(args, result) : -1;
}
int calls_ndim(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* result) {
  (void)self; (void)n;
  result->type_index = kTVMFFIInt;
  result->v_int64 = TVMFFITensorGetDLTensorPtr(args[0].v_ptr)->ndim;
  return 0;
}
}
"""


def _compile(folder: Path, name: str, source: str, suffix: str, flags: list[str]) -> Path:
    path = folder / f"{name}{suffix}"
    path.write_text(source)
    output = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    compiler = shutil.which("c++") or "c++"
    command = [
        compiler,
        "-O2",
        "-DNDEBUG",
        "-fPIC",
        "-shared",
        str(path),
        "-o",
        str(output),
        *flags,
    ]
    subprocess.run(command, check=True)
    return output


def _import(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _build(folder: Path) -> tuple[Any, Any, dict[str, Any]]:
    import ctypes

    import tvm_ffi

    python = f"-I{sysconfig.get_paths()['include']}"
    raw = _import(_compile(folder, "raw_calls", RAW, ".cc", [python]), "raw_calls")
    nb = None
    try:
        import nanobind
    except ImportError:
        print("nanobind is not installed: its column is left out", file=sys.stderr)
    else:
        base = Path(nanobind.__file__).parent
        flags = [
            python,
            "-std=c++17",
            "-fvisibility=hidden",
            "-fno-strict-aliasing",
            f"-I{base / 'include'}",
            f"-I{base / 'ext' / 'robin_map' / 'include'}",
            f"-I{base / 'src'}",
            str(base / "src" / "nb_combined.cpp"),
        ]
        nb = _import(_compile(folder, "nb_calls", NANOBIND, ".cc", flags), "nb_calls")
    include = tvm_ffi.libinfo.find_include_path()
    library = Path(tvm_ffi.libinfo.find_libtvm_ffi()).parent
    path = _compile(
        folder,
        "native_calls",
        NATIVE,
        ".cc",
        [f"-I{include}", f"-L{library}", "-ltvm_ffi", f"-Wl,-rpath,{library}"],
    )
    loaded = ctypes.CDLL(str(path))
    functions = {}
    for name in ("empty", "echo", "ndim"):
        address = ctypes.cast(getattr(loaded, f"calls_{name}"), ctypes.c_void_p).value
        assert address is not None
        functions[name] = tvm_ffi.Function.__from_extern_c__(address, keep_alive_object=loaded)
    return raw, nb, functions


def _measure(function: Any, args: tuple[Any, ...], rounds: int) -> float:
    """Nanoseconds of one call, the cost of the loop taken off."""
    number = 20_000
    names = {"f": function, **{f"a{i}": arg for i, arg in enumerate(args)}}
    call = f"f({', '.join(f'a{i}' for i in range(len(args)))})"
    best = min(timeit.repeat(call, globals=names, number=number, repeat=10 * rounds))
    loop = min(timeit.repeat("pass", number=number, repeat=10 * rounds))
    return (best - loop) / number * 1e9


def main() -> None:
    """Builds, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    import numpy as np
    import tvm_ffi

    with tempfile.TemporaryDirectory() as folder:
        raw, nb, native = _build(Path(folder))

        def kept(name: str) -> Any:
            function = tvm_ffi.convert(native[name])
            copy = tvm_ffi.Function.__new__(tvm_ffi.Function)
            copy.__move_handle_from__(tvm_ffi.convert(lambda x: x)(function))
            copy.release_gil = False
            return copy

        echo, empty, ndim = kept("echo"), kept("empty"), kept("ndim")
        array = np.zeros((4, 4), np.float32)
        tensor = tvm_ffi.from_dlpack(array)
        container = tvm_ffi.Array(range(100))
        rows: list[tuple[str, Any, Any, Any, tuple[Any, ...]]] = [
            ("empty, GIL kept", empty, "empty", "empty", ()),
            ("empty, GIL dropped", native["empty"], "empty_nogil", "empty_nogil", ()),
            ("int echo", echo, "int_", "int_", (12345,)),
            ("str echo, 5 bytes", echo, "str", "str", ("hello",)),
            ("str echo, 40 bytes", echo, "str", "str", ("x" * 40,)),
            ("numpy array in", ndim, "array", "array", (array,)),
            ("Tensor in", ndim, None, None, (tensor,)),
            ("five ints", empty, None, None, (1, 2, 3, 4, 5)),
            ("Array[i]", container.__getitem__, None, None, (50,)),
        ]
        print(f"{'ns per call':24s}{'tvm_ffi':>10s}{'CPython':>10s}{'nanobind':>10s}")
        for title, function, raw_name, nb_name, args in rows:
            cells = [_measure(function, args, rounds)]
            for module, name in ((raw, raw_name), (nb, nb_name)):
                known = module is not None and name is not None
                cells.append(
                    _measure(getattr(module, name), args, rounds) if known else float("nan")
                )
            text = "".join("         -" if cell != cell else f"{cell:10.1f}" for cell in cells)
            print(f"{title:24s}{text}")
        index = min(timeit.repeat("a[50]", globals={"a": container}, number=100_000, repeat=rounds))
        loop = "for x in a: pass"
        each = min(timeit.repeat(loop, globals={"a": container}, number=1000, repeat=rounds))
        print(f"{'a[50]':24s}{index * 1e4:10.1f}")
        print(f"{'iteration, per element':24s}{each * 1e4:10.1f}")


if __name__ == "__main__":
    main()
