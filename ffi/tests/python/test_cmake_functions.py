# SPDX-License-Identifier: Apache-2.0
"""Functions, targets and options of the CMake package, each used by a project outside the tree."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import libinfo

if shutil.which("cmake") is None or shutil.which("ninja") is None:
    pytest.skip("needs cmake and ninja", allow_module_level=True)

LIBRARY = Path(libinfo.find_libtvm_ffi())
PACKAGE = LIBRARY.parent.parent

CMAKELISTS = """
cmake_minimum_required(VERSION 3.18)
project(everything LANGUAGES C CXX)
find_package(tvm_ffi CONFIG REQUIRED)
foreach(module CxxWarning Sanitizer DetectTargetTriple AddGoogleTest AddLibbacktrace)
  include(${tvm_ffi_DIR}/Utils/${module}.cmake)
endforeach()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
enable_testing()

foreach(variable tvm_ffi_INCLUDE_DIR tvm_ffi_DLPACK_INCLUDE_DIR tvm_ffi_LIB_FILES OBJECT_COPY_UTIL)
  message(STATUS "${variable}=${${variable}}")
endforeach()
detect_target_triple(triple)
message(STATUS "triple=${triple}")

# A plain C program and a C++ program.
add_executable(plain plain.c)
tvm_ffi_configure_target(plain)
add_executable(program program.cc)
tvm_ffi_configure_target(program LINK_HEADER ON LINK_SHARED ON DEBUG_SYMBOL OFF MSVC_FLAGS OFF)
tvm_ffi_add_cxx_warning(program)
tvm_ffi_install(program)

# Headers alone: the object has the include directories, and nothing is linked.
add_library(headers_only OBJECT library.cc)
tvm_ffi_configure_target(headers_only LINK_SHARED OFF)
get_target_property(linked headers_only LINK_LIBRARIES)
message(STATUS "headers_only links ${linked}")
add_library(by_hand OBJECT library.cc)
set_target_properties(by_hand PROPERTIES CXX_STANDARD 14)  # the target asks for more
target_link_libraries(by_hand PRIVATE tvm_ffi::header)

# What is linked statically stays inside.
add_library(inner STATIC inner.c)
add_library(outer SHARED outer.c)
target_link_libraries(outer PRIVATE inner)
tvm_ffi_hide_static_linked_lib_symbols(outer)

# Three libraries from one set of objects.
add_library(parts_objs OBJECT library.cc)
target_link_libraries(parts_objs PUBLIC tvm_ffi::header)
tvm_ffi_add_target_from_obj(parts parts_objs)
target_link_libraries(parts_shared PRIVATE tvm_ffi::shared)
target_sources(parts_testing PRIVATE inner.c)
add_executable(uses_parts program.cc)
target_link_libraries(uses_parts PRIVATE parts::static tvm_ffi::shared)
add_library(uses_shared_parts SHARED inner.c)
target_link_libraries(uses_shared_parts PRIVATE parts::shared)

add_executable(sanitized program.cc)
tvm_ffi_configure_target(sanitized)
add_sanitizer_address(sanitized)

# These are made for CUDA, which any compiler stands in for: they move objects around.
add_tvm_ffi_cubin(kernel CUDA kernel.c)
add_tvm_ffi_fatbin(fat_kernel CUDA kernel.c)
add_library(embedded SHARED embedded.c)
tvm_ffi_embed_bin_into(embedded SYMBOL image BIN ${CMAKE_CURRENT_SOURCE_DIR}/image.bin)

if(WITH_GTEST)
  add_executable(checked checked.cc)
  tvm_ffi_configure_target(checked)
  TVM_FFI_ADD_GTEST(checked)
endif()
if(WITH_PYBIND11)
  find_package(Python COMPONENTS Interpreter Development.Module REQUIRED)
  find_package(pybind11 CONFIG REQUIRED)
  pybind11_add_module(beside beside.cc)
  tvm_ffi_configure_target(beside)
endif()
"""

FILES = {
    "library.cc": """
        #include <tvm/ffi/function.h>
        static int Twice(int x) { return 2 * x; }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice);
    """,
    "plain.c": """
        #include <stdio.h>
        #include <tvm/ffi/c_api.h>
        int main(void) {
          TVMFFIVersion version;
          TVMFFIByteArray name = {"ffi.GetRegisteredTypeKeys", 25};
          TVMFFIObjectHandle function = NULL;
          TVMFFIAny result = {0};
          TVMFFIGetVersion(&version);
          if (TVMFFIFunctionGetGlobal(&name, &function) != 0) return 1;
          if (TVMFFIFunctionCall(function, NULL, 0, &result) != 0) return 2;
          TVMFFIObjectDecRef(result.v_obj);
          TVMFFIObjectDecRef(function);
          printf("%u.%u.%u %d\\n", version.major, version.minor, version.patch,
                 (int)result.type_index);
          return 0;
        }
    """,
    "program.cc": """
        #include <tvm/ffi/container/map.h>
        #include <tvm/ffi/extra/json.h>
        #include <iostream>
        int main() {
          tvm::ffi::Map<tvm::ffi::String, tvm::ffi::Any> map{{"a", 1}, {"b", true}};
          std::cout << tvm::ffi::json::Stringify(map) << std::endl;
        }
    """,
    "inner.c": "int inner_value(void) { return 7; }",
    "outer.c": "int inner_value(void); int outer_value(void) { return inner_value() + 1; }",
    "kernel.c": "int kernel(void) { return 1; }",
    "embedded.c": """
        extern const char __tvm_ffi__cubin_image[];
        extern const char __tvm_ffi__cubin_image_end[];
        long image_size(void) { return __tvm_ffi__cubin_image_end - __tvm_ffi__cubin_image; }
        char image_byte(long i) { return __tvm_ffi__cubin_image[i]; }
    """,
    "image.bin": "not really a cubin",
    "checked.cc": """
        #include <gtest/gtest.h>
        #include <tvm/ffi/container/array.h>
        TEST(Checked, Works) { EXPECT_EQ((tvm::ffi::Array<int>{1, 2}).size(), 2u); }
    """,
    "beside.cc": """
        #include <pybind11/pybind11.h>
        #include <tvm/ffi/error.h>
        #include <tvm/ffi/memory.h>
        #include <tvm/ffi/reflection/registry.h>
        namespace ffi = tvm::ffi;
        // One class, shown to Python by both.
        struct CounterObj : ffi::Object {
          int64_t count = 0;
          explicit CounterObj(int64_t start) : count(start) {}
          int64_t Next() {
            if (count < 0) TVM_FFI_THROW(ValueError) << "the count is negative";
            return ++count;
          }
          static constexpr bool _type_mutable = true;
          TVM_FFI_DECLARE_OBJECT_INFO_FINAL("cmake_test.Counter", CounterObj, ffi::Object);
        };
        TVM_FFI_STATIC_INIT_BLOCK() {
          namespace refl = tvm::ffi::reflection;
          refl::ObjectDef<CounterObj>().def(refl::init<int64_t>()).def("next", &CounterObj::Next)
              .def_ro("count", &CounterObj::count);
        }
        PYBIND11_MODULE(beside, m) {
          pybind11::class_<CounterObj>(m, "Counter").def(pybind11::init<int64_t>())
              .def("next", &CounterObj::Next);
          m.def("make", [](int64_t start) -> intptr_t {
            ffi::ObjectPtr<CounterObj> counter = ffi::make_object<CounterObj>(start);
            ffi::Function::SetGlobal("cmake_test.counter",
                ffi::Function::FromTyped([counter] { return ffi::ObjectRef(counter); }), true);
            return counter.use_count();
          });
        }
    """,
}


def run(*command: str | Path, **keywords) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **keywords
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def configure(source: Path, *definitions: str) -> subprocess.CompletedProcess[str]:
    cmake_dir = run(sys.executable, "-m", "tvm_ffi.config", "--cmakedir").strip()
    command = ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(source / "build")]
    command += [f"-Dtvm_ffi_ROOT={cmake_dir}", f"-DPython_EXECUTABLE={sys.executable}"]
    command += ["-DCMAKE_BUILD_TYPE=Debug", *definitions]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Project:
    """The project above, built."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.build = folder / "build"
        (folder / "CMakeLists.txt").write_text(CMAKELISTS)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        pybind11_dir = run(sys.executable, "-m", "pybind11", "--cmakedir").strip()
        done = configure(
            folder, "-DWITH_GTEST=ON", "-DWITH_PYBIND11=ON", f"-Dpybind11_DIR={pybind11_dir}"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.said = done.stdout
        run("cmake", "--build", self.build, "-j", "2")

    def commands(self, target: str) -> str:
        """Command lines of a target and what it needs."""
        return run("ninja", "-C", self.build, "-t", "commands", target)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("everything"))


def test_variables_name_the_package(project):
    for line in (
        f"tvm_ffi_INCLUDE_DIR={PACKAGE / 'include'}",
        f"tvm_ffi_DLPACK_INCLUDE_DIR={PACKAGE / 'include'}",
        f"tvm_ffi_LIB_FILES={LIBRARY}",
        f"OBJECT_COPY_UTIL={PACKAGE}/share/cmake/tvm_ffi/Utils/ObjectCopyUtil.cmake",
        f"Found tvm_ffi: {LIBRARY}",
        f"triple={run('c++', '-dumpmachine').strip()}",
    ):
        assert f"-- {line}\n" in project.said


def test_programs_in_c_and_cpp(project):
    assert run(project.build / "plain") == "0.1.16 71\n"
    assert run(project.build / "program") == '{"a":1,"b":true}\n'
    assert "-Werror -Wall -Wextra -Wpedantic" in project.commands("program")
    assert f"-ffile-prefix-map={project.folder}/=" in project.commands("program")


def test_header_target_links_nothing(project):
    assert "headers_only links tvm_ffi::header\n" in project.said
    assert "-std=gnu++17" in project.commands("by_hand")
    assert "libtvm_ffi.so" not in project.commands("headers_only")


def test_symbols_of_static_libraries_are_hidden(project):
    outer = ctypes.CDLL(str(project.build / "libouter.so"))
    assert outer.outer_value() == 8
    with pytest.raises(AttributeError):
        outer.inner_value  # noqa: B018


def test_targets_from_one_set_of_objects(project):
    assert run(project.build / "uses_parts") == '{"a":1,"b":true}\n'
    names = {path.name for path in (project.build / "lib").iterdir()}
    assert {"libparts.so", "libparts_static.a", "libparts_testing.so"} <= names
    assert tvm_ffi.load_module(str(project.build / "lib" / "libparts.so")).twice(21) == 42
    assert "libparts.so" in project.commands("uses_shared_parts")


def test_sanitizer(project):
    assert project.commands("sanitized").count("-fsanitize=address") == 2  # compiled and linked
    assert "-fsanitize" not in project.commands("program")


def test_binaries_for_devices(project):
    assert (project.build / "kernel.c.cubin").read_bytes()[:4] == b"\x7fELF"
    assert (project.build / "kernel.c.fatbin").is_file()
    embedded = ctypes.CDLL(str(project.build / "libembedded.so"))
    embedded.image_size.restype = ctypes.c_long
    embedded.image_byte.restype = ctypes.c_char
    want = FILES["image.bin"].encode()
    assert embedded.image_size() == len(want)
    assert b"".join(embedded.image_byte(ctypes.c_long(i)) for i in range(len(want))) == want


def test_googletest_runs_under_ctest(project):
    said = run("ctest", "--test-dir", project.build, "-R", "checked")
    assert "100% tests passed, 0 tests failed out of 1" in said


BESIDE = """
import sys, tvm_ffi
sys.path.insert(0, sys.argv[1])
import beside  # registers the class with both

@tvm_ffi.register_object("cmake_test.Counter")
class Counter(tvm_ffi.Object):
    def __init__(self, start):
        self.__ffi_init__(start)

theirs, ours = beside.Counter(5), Counter(5)
assert theirs.next() == ours.next() == ours.count == 6
assert beside.make(7) == 2
shared = tvm_ffi.get_global_func("cmake_test.counter")()
assert type(shared) is Counter and shared.next() == 8 and shared.count == 8
for counter in (beside.Counter(-3), Counter(-3)):
    try:
        counter.next()
    except Exception as error:
        print(type(error).__name__, "the count is negative" in str(error))
"""


def test_pybind11_beside_our_registration(project):
    # pybind11 knows no error of ours: a C++ exception is a RuntimeError there.
    said = run(sys.executable, "-c", BESIDE, project.build)
    assert said.splitlines() == ["RuntimeError True", "ValueError True"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("tvm_ffi_configure_target()", "configure_target"),
        ("tvm_ffi_install(nobody)", "tvm_ffi_install: target 'nobody' does not exist"),
        ("add_tvm_ffi_cubin(k)", "add_tvm_ffi_cubin: missing CUDA <source>"),
        ("add_tvm_ffi_fatbin(k CUDA)", "add_tvm_ffi_fatbin: missing CUDA <source>"),
        ("tvm_ffi_embed_bin_into(k BIN b)", "tvm_ffi_embed_bin_into: missing SYMBOL <name>"),
        ("tvm_ffi_embed_bin_into(k SYMBOL s)", "tvm_ffi_embed_bin_into: missing BIN <file>"),
    ],
)
def test_missing_arguments_stop_the_configuration(tmp_path, statement, message):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(bad LANGUAGES NONE)\n"
        f"find_package(tvm_ffi CONFIG REQUIRED)\n{statement}\n"
    )
    done = configure(tmp_path)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())


def test_cuda_runtime_is_shared_unless_the_project_says_otherwise(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(cuda LANGUAGES NONE)\n"
        "find_package(tvm_ffi CONFIG REQUIRED)\n"
        'message(STATUS "runtime=${CMAKE_CUDA_RUNTIME_LIBRARY}")\n'
    )
    assert "-- runtime=Shared\n" in configure(tmp_path).stdout
    said = configure(tmp_path, "-DCMAKE_CUDA_RUNTIME_LIBRARY=None").stdout
    assert "-- runtime=None\n" in said and "is set to Shared" not in said


def test_config_command_answers_in_the_order_of_its_table():
    extension = next(PACKAGE.glob("core*.so"))
    answers = {
        "--includedir": str(PACKAGE / "include"),
        "--dlpack-includedir": str(PACKAGE / "include"),
        "--cmakedir": str(PACKAGE / "share" / "cmake" / "tvm_ffi"),
        "--sourcedir": str(PACKAGE),
        "--libfiles": str(LIBRARY),
        "--libdir": str(LIBRARY.parent),
        "--libs": "-ltvm_ffi",
        "--cython-lib-path": str(extension),
        "--cxxflags": f"-I{PACKAGE / 'include'} -std=c++17",
        "--cflags": f"-I{PACKAGE / 'include'}",
        "--ldflags": f"-L{LIBRARY.parent}",
    }
    order = [
        "--includedir",
        "--dlpack-includedir",
        "--cmakedir",
        "--libdir",
        "--libfiles",
        "--sourcedir",
        "--cython-lib-path",
        "--cxxflags",
        "--cflags",
        "--libs",
        "--ldflags",
    ]
    for flag, answer in answers.items():
        assert run(sys.executable, "-m", "tvm_ffi.config", flag) == answer + "\n"
    script = Path(sys.executable).with_name("tvm-ffi-config")
    assert run(script, *answers).splitlines() == [answers[flag] for flag in order]


def test_from_source_with_every_option_off(tmp_path):
    # In the build folder of the tree, so that a second run compiles nothing.
    tree = Path(__file__).resolve().parents[3]
    source = tree / "ffi"
    build = tree / "build" / "ffi-options-off"
    options = [
        "TVM_FFI_USE_LIBBACKTRACE",
        "TVM_FFI_BACKTRACE_ON_SEGFAULT",
        "TVM_FFI_USE_EXTRA_CXX_API",
        "TVM_FFI_USE_THREADS",
        "TVM_FFI_USE_DL_LIBS",
        "TVM_FFI_BUILD_PYTHON_MODULE",
        "TVM_FFI_BUILD_TESTS",
    ]
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(core LANGUAGES C CXX)\n"
        f"add_subdirectory({source} tvm_ffi)\n"
        "foreach(kind header shared static)\n"
        "  if(NOT TARGET tvm_ffi::${kind})\n    message(FATAL_ERROR ${kind})\n  endif()\n"
        "endforeach()\n"
        "foreach(kind header objs shared static testing)\n"
        "  if(NOT TARGET tvm_ffi_${kind})\n    message(FATAL_ERROR ${kind})\n  endif()\n"
        "endforeach()\n"
        "add_executable(plain plain.c)\ntarget_link_libraries(plain PRIVATE tvm_ffi::shared)\n"
        "add_executable(plain_static plain.c)\n"
        "target_link_libraries(plain_static PRIVATE tvm_ffi::static)\n"
        "set_target_properties(plain_static PROPERTIES LINKER_LANGUAGE CXX)\n"
    )
    (tmp_path / "plain.c").write_text(
        """
        #include <stdio.h>
        #include <string.h>
        #include <tvm/ffi/c_api.h>
        static int Has(const char* text) {
          TVMFFIByteArray name;
          TVMFFIObjectHandle function = NULL;
          name.data = text;
          name.size = strlen(text);
          TVMFFIFunctionGetGlobal(&name, &function);
          TVMFFIObjectDecRef(function);
          return function != NULL;
        }
        int main(void) {
          DLDataType dtype;
          TVMFFIByteArray text = {"int8x4", 6};
          if (TVMFFIDataTypeFromString(&text, &dtype) != 0) return 1;
          printf("%d %d %d\\n", dtype.bits, Has("ffi.Map"), Has("ffi.json.Parse"));
          return 0;
        }
        """
    )
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run(
        "cmake",
        *["-G", "Ninja", "-S", tmp_path, "-B", build, "-DCMAKE_BUILD_TYPE=Debug"],
        *["-DCMAKE_CXX_FLAGS_DEBUG=-O0", *launcher, "--fresh"],
        *[f"-D{option}=OFF" for option in options],
    )
    run("cmake", "--build", build, "-j", "2", "--target", "plain")
    # The generic algorithms and modules are gone; the containers are there.
    assert run(build / "plain", env={**os.environ, "LD_LIBRARY_PATH": ""}) == "8 1 0\n"
    run("cmake", "--build", build, "-j", "2", "--target", "plain_static")
