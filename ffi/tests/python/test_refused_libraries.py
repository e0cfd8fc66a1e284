# SPDX-License-Identifier: Apache-2.0
"""What a library that is refused has registered is taken back, whichever way it came in."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from library_folder import GOOD, Folder, load, run

if shutil.which("g++") is None or not sys.platform.startswith("linux"):
    pytest.skip("needs g++ and Linux", allow_module_level=True)

# In C, so that no inline code of the headers comes between: `extern int` makes it a C file.
ADDS = """
#include <tvm/ffi/c_api.h>
#include <stddef.h>
#include <string.h>
extern int TVMFFIEnvModRegisterSystemLibSymbol(const char*, void*);
extern int TVMFFIFunctionCreate(void*, TVMFFISafeCallType, void (*)(void*), TVMFFIObjectHandle*);
static TVMFFIByteArray Text(const char* text) {
  TVMFFIByteArray bytes = {text, strlen(text)};
  return bytes;
}
static int Get(void* field, TVMFFIAny* out) { *out = *(TVMFFIAny*)field; return 0; }
static int Call(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* out) { return 0; }
static void Registers(int32_t index) {
  TVMFFIFieldInfo field;
  memset(&field, 0, sizeof(field));
  field.name = Text("added");
  field.size = 16;
  field.alignment = 8;
  field.offset = 24;
  field.getter = Get;
  TVMFFITypeRegisterField(index, &field);
  TVMFFIMethodInfo method;
  memset(&method, 0, sizeof(method));
  method.name = Text("also");
  TVMFFIObjectHandle function;
  TVMFFIFunctionCreate(NULL, Call, NULL, &function);
  method.method.type_index = kTVMFFIFunction;
  method.method.v_obj = function;
  TVMFFITypeRegisterMethod(index, &method);
  TVMFFIByteArray name = Text("__data_to_json__");
  TVMFFITypeRegisterAttr(index, &name, &method.method);
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_refused.call", (void*)Call);
  name = Text("bad_libraries.twice");
  if (CLASHES) TVMFFIFunctionSetGlobal(&name, function, 0);
}
__attribute__((constructor)) static void Initialize(void) {
  TVMFFIByteArray key = Text("refused.Python");
  int32_t index;
  if (TVMFFITypeKeyToIndex(&key, &index) == 0) Registers(index);
}
"""

PYTHON_CLASS = """
import tvm_ffi
from typing import Any
from tvm_ffi.dataclasses import py_class
@py_class("refused.Python")
class Python(tvm_ffi.Object):
    own: Any
index = Python.__tvm_ffi_type_info__.type_index
def state():
    names = [record[0] for record in tvm_ffi.core._field_records(index)]
    methods = [record[0] for record in tvm_ffi.core._method_records(index)]
    attribute = tvm_ffi.core._lookup_type_attr(index, "__data_to_json__")
    try:
        symbol = tvm_ffi.system_lib("").implements_function("refused.call")
    except Exception as error:
        symbol = error
    return names, methods, attribute is not None, symbol
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("libraries"))


def test_parts_of_a_class_of_python(folder: Folder) -> None:
    good = folder.library("good", GOOD)
    bad = folder.library("adds_and_clashes", ADDS.replace("CLASHES", "1"))
    mended = folder.library("adds", ADDS.replace("CLASHES", "0"))
    script = f"""{PYTHON_CLASS}
tvm_ffi.load_module({str(good)!r})
print(state())
try:
    tvm_ffi.load_module({str(bad)!r})
except RuntimeError as error:
    print("twice" in str(error))
print(state())
print(Python(own=3).own)
tvm_ffi.load_module({str(mended)!r})
print(state())
"""
    lines, error = run(script)
    before = "(['own'], [], False, False)"
    after = "(['own', 'added'], ['also'], True, True)"
    assert lines == [before, "True", before, "3", after]
    assert error == ""


WRONG_TYPE = """
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
__attribute__((constructor)) static void Initialize() {
  TVMFFIByteArray key{"refused.Wrong", 13};
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, ARGUMENTS);
  TVMFFITypeMetadata metadata{};
  metadata.total_size = 24;
  TVMFFITypeRegisterMetadata(index, &metadata);
}
"""
WRONG_REQUESTS = {
    "depth": (
        "-1, 7, 0, 1, 64",
        "Type `refused.Wrong` below `ffi.Object` must have the depth 1, but has 7",
    ),
    "no_parent": (
        "-1, 2, 0, 1, -1",
        "Type `refused.Wrong` of depth 2 needs a parent, but names none",
    ),
    "unknown_parent": (
        "-1, 2, 0, 1, 1234567",
        "Type `refused.Wrong` of depth 2 needs a parent, but the index 1234567 that it names is "
        "no type",
    ),
    "slots": ("-1, 1, -1, 1, 64", "Type `refused.Wrong` asks for -1 child slots"),
    "index": (
        "65, 1, 0, 1, 64",
        "Conflicting static index 65 between `ffi.String` and `refused.Wrong`",
    ),
    "orphan": ("-1, 0, 0, 1, -1", "Type `refused.Wrong` has neither an index nor a parent"),
}


@pytest.mark.parametrize("case", WRONG_REQUESTS)
def test_wrong_request_for_a_type(folder: Folder, case: str) -> None:
    arguments, message = WRONG_REQUESTS[case]
    path = folder.library(f"wrong_{case}", WRONG_TYPE.replace("ARGUMENTS", arguments))
    right = folder.library("right", WRONG_TYPE.replace("ARGUMENTS", "-1, 1, 0, 1, 64"))
    lines, error = load(path, path, right)
    refused = f"InternalError: {message}"
    assert len(lines) == 4
    assert lines[0] == lines[1]
    assert lines[0].endswith(f"Failed to initialize shared library {path}: {refused}")
    assert lines[2] == "loaded"
    assert error == ""


def test_wrong_request_by_another_loader(folder: Folder) -> None:
    arguments, message = WRONG_REQUESTS["depth"]
    path = folder.library("wrong_depth", WRONG_TYPE.replace("ARGUMENTS", arguments))
    lines, error = run(f"import ctypes, tvm_ffi\nctypes.CDLL({str(path)!r})\nprint('alive')")
    assert lines == ["alive"]
    assert error == f"[WARNING] {path}: InternalError: {message}\n"


def test_wrong_request_outside_of_loading_names_key_depth_and_parent() -> None:
    script = """
import ctypes, tvm_ffi
lib = tvm_ffi.libinfo.load_lib_ctypes("kiln-ffi", "tvm_ffi", "RTLD_GLOBAL")
class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]
key = Text(b"refused.Outside", 15)
lib.TVMFFITypeGetOrAllocIndex(ctypes.byref(key), -1, 9, 0, 1, 64)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 255
    assert done.stderr == (
        "Exception caught during TVMFFITypeGetOrAllocIndex:\n"
        "Type `refused.Outside` below `ffi.Object` must have the depth 1, but has 9\n"
    )


THREADS = """
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <thread>
static int64_t Thrice(int64_t x) { return 3 * x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Thrice);
static void Register() {
  tvm::ffi::reflection::GlobalDef().def("refused.by_thread", Thrice).def(NAME, Thrice);
}
TVM_FFI_STATIC_INIT_BLOCK() {
  std::thread helper(Register);
  helper.join();
}
"""


def test_helper_threads_of_an_initialiser(folder: Folder) -> None:
    good = folder.library("good", GOOD)
    flags = ["-pthread"]
    clash = folder.library("thread", THREADS.replace("NAME", '"bad_libraries.twice"'), *flags)
    fine = folder.library("fine_thread", THREADS.replace("NAME", '"refused.other"'), *flags)
    script = f"""
import tvm_ffi
tvm_ffi.load_module({str(good)!r})
for path in {[str(clash), str(clash), str(fine)]!r}:
    try:
        tvm_ffi.load_module(path, keep_module_alive=False)
        print("loaded")
    except RuntimeError as error:
        print(error)
    found = tvm_ffi.get_global_func("refused.by_thread", allow_missing=True)
    print(found and found(2))
"""
    lines, error = run(script)
    message = (
        f"Failed to initialize shared library {clash}: global function `bad_libraries.twice` is "
        f"already registered by {good}; rename one of the two, or load only one of them"
    )
    assert lines == [message, "None", message, "None", "loaded", "6"]
    assert error == ""
