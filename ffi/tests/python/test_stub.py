# SPDX-License-Identifier: Apache-2.0
"""The stub generator, run as its users run it."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi.stub import layout
from tvm_ffi.stub.consts import PYTHON_SYNTAX, RUST_SYNTAX
from tvm_ffi.stub.file_utils import FileInfo
from tvm_ffi.stub.lib_state import object_info_from_type_key, toposort_objects
from tvm_ffi.stub.pending import PendingWrites
from tvm_ffi.stub.utils import ObjectInfo

sys.path.insert(0, str(Path(__file__).parent))
LIBRARY = str(importlib.import_module("native_testing").library_path())


def stubgen(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", *args]
    return subprocess.run(command, capture_output=True, text=True)


def generate(*args: str) -> subprocess.CompletedProcess[str]:
    return stubgen("--dlls", LIBRARY, *args)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


OBJECTS = """\
# tvm-ffi-stubgen(begin): import-section
# tvm-ffi-stubgen(end)
# tvm-ffi-stubgen(ty-map): testing.TestCxxIntEnum -> my.enums.Priority

class TestIntPair:
    # tvm-ffi-stubgen(begin): object/testing.TestIntPair
    # tvm-ffi-stubgen(end)

class TestCxxAutoInitKwOnlyDefaults:
    # tvm-ffi-stubgen(begin): object/testing.TestCxxAutoInitKwOnlyDefaults
    # tvm-ffi-stubgen(end)

class TestCxxEnumHolder:
    # tvm-ffi-stubgen(begin): object/testing.TestCxxEnumHolder
    # tvm-ffi-stubgen(end)

__all__ = [
    # tvm-ffi-stubgen(begin): __all__
    # tvm-ffi-stubgen(end)
]
"""

OBJECTS_FILLED = """\
# tvm-ffi-stubgen(begin): import-section
# fmt: off
# isort: off
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from my.enums import Priority
    from tvm_ffi.testing import TestCxxStrEnum
# isort: on
# fmt: on
# tvm-ffi-stubgen(end)
# tvm-ffi-stubgen(ty-map): testing.TestCxxIntEnum -> my.enums.Priority

class TestIntPair:
    # tvm-ffi-stubgen(begin): object/testing.TestIntPair
    # fmt: off
    if TYPE_CHECKING:
        @property
        def a(self) -> int: ...
        @property
        def b(self) -> int: ...
        def __init__(self, _0: int, _1: int, /) -> None: ...
        def __ffi_init__(self, _0: int, _1: int, /) -> None: ...
        def sum(self, /) -> int: ...
    # fmt: on
    # tvm-ffi-stubgen(end)

class TestCxxAutoInitKwOnlyDefaults:
    # tvm-ffi-stubgen(begin): object/testing.TestCxxAutoInitKwOnlyDefaults
    # fmt: off
    p_required: int
    p_default: int
    k_required: int
    k_default: int
    hidden: int
    if TYPE_CHECKING:
        def __init__(self, p_required: int, p_default: int = ..., *, k_required: int, k_default: int = ...) -> None: ...
        def __ffi_init__(self, p_required: int, p_default: int = ..., *, k_required: int, k_default: int = ...) -> None: ...
    # fmt: on
    # tvm-ffi-stubgen(end)

class TestCxxEnumHolder:
    # tvm-ffi-stubgen(begin): object/testing.TestCxxEnumHolder
    # fmt: off
    priority: Priority
    opcode: TestCxxStrEnum
    if TYPE_CHECKING:
        def __init__(self, priority: Priority, opcode: TestCxxStrEnum) -> None: ...
        def __ffi_init__(self, priority: Priority, opcode: TestCxxStrEnum) -> None: ...
    # fmt: on
    # tvm-ffi-stubgen(end)

__all__ = [
    # tvm-ffi-stubgen(begin): __all__
    "TestCxxAutoInitKwOnlyDefaults",
    "TestCxxEnumHolder",
    "TestIntPair",
    # tvm-ffi-stubgen(end)
]
"""  # noqa: E501


def test_objects(tmp_path: Path) -> None:
    path = write(tmp_path / "objects.py", OBJECTS)
    checked = generate("--check", str(path))
    assert checked.returncode == 1
    assert f"[Stale] {path}" in checked.stdout
    assert path.read_text() == OBJECTS
    done = generate(str(path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"wrote {path}"
    assert path.read_text() == OBJECTS_FILLED
    checked = generate("--check", str(path))
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "up to date: 1 file")
    assert sorted(tmp_path.iterdir()) == [path]  # nothing temporary is left


def test_global_functions(tmp_path: Path) -> None:
    path = write(
        tmp_path / "api.pyi",
        "# tvm-ffi-stubgen(begin): import-section\n# tvm-ffi-stubgen(end)\n"
        "# tvm-ffi-stubgen(begin): global/testing@my.pkg\n# tvm-ffi-stubgen(end)\n",
    )
    assert generate(str(path)).returncode == 0
    lines = path.read_text().splitlines()
    assert "from my.pkg import init_ffi_api as _FFI_INIT_FUNC" in lines
    assert '_FFI_INIT_FUNC("testing", __name__)' in lines
    expected = [
        "def add_one(_0: int, /) -> int: ...",
        "def echo(*args: Any) -> Any: ...",
        "def schema_no_args_no_return() -> None: ...",
        "def schema_id_dict_str_int(_0: Mapping[str, int], /) -> MutableMapping[str, int]: ...",
        "def schema_id_list_str(_0: Sequence[str], /) -> MutableSequence[str]: ...",
        "def schema_id_func(_0: Callable[..., Any], /) -> Callable[..., Any]: ...",
        "def schema_id_opt_obj(_0: Object | None, /) -> Object | None: ...",
        "def schema_id_variant_int_str(_0: int | str, /) -> int | str: ...",
    ]
    assert [line for line in expected if f"    {line}" not in lines] == []
    ast.parse(path.read_text())


def test_scaffold(tmp_path: Path) -> None:
    init = ["--init-pypkg", "kiln-ffi", "--init-lib", "tvm_ffi_testing"]
    done = generate(*init, "--init-prefix", "testing.", str(tmp_path / "pkg"))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "pkg" / "testing"
    text = (folder / "_ffi_api.py").read_text()
    assert 'LIB = _FFI_LOAD_LIB("kiln-ffi", "tvm_ffi_testing")' in text
    assert "class TestObjectDerived(TestObjectBase):" in text
    assert text.index("class TestObjectBase(") < text.index("class TestObjectDerived(")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import testing; "
        "print(testing.TestObjectDerived(v_map={}, v_array=[1, 2], v_i64=7).v_array, "
        "testing.TestIntPair(2, 3).sum(), testing.add_one(4), len(testing.LIB.imports))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "pkg")], capture_output=True, text=True
    )
    assert (shown.stdout, shown.stderr) == ("(1, 2) 5 5 0\n", "")
    again = generate(*init, "--init-prefix", "testing.", str(tmp_path / "pkg"))
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "up to date: 2 files")
    assert (folder / "_ffi_api.py").read_text() == text


def test_prefix_follows_the_library(tmp_path: Path) -> None:
    path = write(
        tmp_path / "all.py",
        "# tvm-ffi-stubgen(prefix): testing\n# tvm-ffi-stubgen(skip): testing.TestIntPair\n"
        "# tvm-ffi-stubgen(begin): object/testing.Vanished\n# tvm-ffi-stubgen(end)\n",
    )
    assert generate(str(path)).returncode == 0
    text = path.read_text()
    assert "object/testing.TestObjectDerived" in text
    assert "object/testing.TestIntPair" not in text
    assert "Vanished" not in text


def test_dry_run_shows_the_difference(tmp_path: Path) -> None:
    path = write(tmp_path / "objects.py", OBJECTS)
    done = generate("--dry-run", "--verbose", str(path))
    assert done.returncode == 0
    assert "+        def a(self) -> int: ..." in done.stdout
    assert done.stdout.splitlines()[-1] == f"would write {path}"
    assert path.read_text() == OBJECTS


def errors_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines on standard error, without colours."""
    return re.sub(r"\x1b\[\d+m", "", done.stderr).splitlines()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "# tvm-ffi-stubgen(begin): global/a\n# tvm-ffi-stubgen(begin): global/b\n",
            2,
            "Nested stub not permitted",
        ),
        ("# tvm-ffi-stubgen(end)\n", 1, "Unmatched `# tvm-ffi-stubgen(end)`"),
        ("\n# tvm-ffi-stubgen(begin): global/a\n", 2, "Unclosed stub block"),
        (
            "# tvm-ffi-stubgen(begin): zork/a\n# tvm-ffi-stubgen(end)\n",
            1,
            "Unknown stub type `zork/a`",
        ),
        ("x = 1\n# tvm-ffi-stubgen(zork): y\n", 2, "Unknown directive `zork`"),
        (
            "# tvm-ffi-stubgen(ty-map): x\n",
            1,
            "Invalid ty_map format. Example: `A.B -> C.D`",
        ),
        (
            "\n# tvm-ffi-stubgen(import-object): ;\n",
            2,
            "Invalid directive `import-object`: ;",
        ),
        (
            "# tvm-ffi-stubgen(begin): helpers\n# tvm-ffi-stubgen(end)\n",
            1,
            "Python files have no helpers block",
        ),
        (
            "# tvm-ffi-stubgen(prefix): testing\n# tvm-ffi-stubgen(prefix): testing.x\n",
            2,
            "a second prefix; a file has one",
        ),
        (
            "# tvm-ffi-stubgen(begin): object/no.Such\n# tvm-ffi-stubgen(end)\n",
            1,
            "`object/no.Such`: the type is not registered; load its library with --imports or "
            "--dlls, or delete the block",
        ),
    ],
)
def test_when_one_file_fails_no_file_is_written(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    write(tmp_path / "bad.py", text)
    good = write(tmp_path / "good.py", OBJECTS)
    done = generate(str(tmp_path))
    assert done.returncode == 2
    place = f'[Failed] File "{tmp_path / "bad.py"}", line {line}: '
    assert errors_of(done) == [place + message]
    assert done.stdout.splitlines()[-1] == "no file was written, because of what failed"
    assert (tmp_path / "bad.py").read_text() == text
    assert good.read_text() == OBJECTS


def test_two_files_with_one_prefix(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        write(tmp_path / name, "\n# tvm-ffi-stubgen(prefix): testing\n")
    done = generate(str(tmp_path))
    assert done.returncode == 2
    assert errors_of(done) == [
        f'[Failed] File "{tmp_path / "b.py"}", line 2: the prefix `testing` is in '
        f"{tmp_path / 'a.py'} as well"
    ]


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes(b"# caf\xe9\n")
    done = generate(str(path))
    assert done.returncode == 2
    (line,) = errors_of(done)
    assert line.startswith(f'[Failed] File "{path}": ') and "utf-8" in line


def test_what_cannot_be_loaded_or_found(tmp_path: Path) -> None:
    good = str(write(tmp_path / "good.py", OBJECTS))
    text = write(tmp_path / "text.so", "text")
    broken = write(tmp_path / "broken_module.py", "raise KeyError('x')\n")
    for arguments, message in [
        (
            ["--dlls", "no/such.so", good],
            f"Failed to load dynamic shared library {Path('no/such.so').resolve()}: "
            "cannot open shared object file: No such file or directory",
        ),
        (
            ["--dlls", str(text), good],
            f"Failed to load dynamic shared library {text}: "
            "the file is not a shared library (it has no ELF header)",
        ),
        (
            ["--imports", "no_such_module", good],
            "cannot import no_such_module: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        (["--imports", broken.stem, good], "cannot import broken_module: KeyError: 'x'"),
        (["no/such.py"], "Path does not exist: no/such.py"),
        (
            ["--coverage-out", "no/such/folder.json"],
            "[Errno 2] No such file or directory: 'no/such/folder.json'",
        ),
    ]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-m", "tvm_ffi.stub.cli", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert (done.returncode, errors_of(done)) == (2, [f"tvm-ffi-stubgen: error: {message}"])


def test_a_refill_without_the_library_leaves_the_package_as_it_is(tmp_path: Path) -> None:
    init = ["--init-pypkg", "kiln-ffi", "--init-lib", "tvm_ffi_testing"]
    assert generate(*init, "--init-prefix", "testing", str(tmp_path)).returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(before) == 2
    refused = stubgen(str(tmp_path))
    assert refused.returncode == 2
    assert "load its library with --imports or --dlls" in refused.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("target", ["python", "rust"])
def test_a_prefix_that_nothing_has(tmp_path: Path, target: str) -> None:
    crate = write(tmp_path / "Cargo.toml", "[package]\n")
    init = ["--init-pypkg", "kiln-ffi", "--init-lib", "tvm_ffi_testing", "--target", target]
    done = generate(*init, "--init-prefix", "tesing.", str(tmp_path / "package"))
    assert done.returncode == 2
    assert errors_of(done) == [
        "tvm-ffi-stubgen: error: --init-prefix: no global function or type has the prefix "
        "`tesing`; did you mean `testing`? --dlls or --imports loads the library that registers it"
    ]
    assert list(tmp_path.iterdir()) == [crate]


def test_a_scaffold_that_fails_makes_no_folder(tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.py", "# tvm-ffi-stubgen(end)\n")
    init = ["--init-pypkg", "kiln-ffi", "--init-lib", "tvm_ffi_testing"]
    done = generate(*init, "--init-prefix", "testing", str(tmp_path))
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == [bad]


def test_pending_writes_are_all_or_none(tmp_path: Path) -> None:
    writes = PendingWrites()
    first = write(tmp_path / "first.py", "old\n")
    first.chmod(0o640)
    writes.put(first, "new\n")
    writes.put(tmp_path / "made" / "deep" / "second.py", "x\n", may_make_folder=True)
    writes.put(tmp_path / "missing" / "third.py", "x\n")
    with pytest.raises(FileNotFoundError, match=r"missing/third\.py"):
        writes.commit()
    assert (first.read_text(), list(tmp_path.iterdir())) == ("old\n", [first])
    (tmp_path / "missing").mkdir()
    assert len(writes.commit()) == 3
    assert (first.read_text(), first.stat().st_mode & 0o777) == ("new\n", 0o640)
    assert writes.changes() == []


def test_usage_errors() -> None:
    assert stubgen().returncode == 1
    assert stubgen("--init-pypkg", "x", "p").returncode == 2
    assert stubgen("--nope").returncode == 2


def test_files_without_markers_and_skipped_files(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.py", "x = 1\n")
    skipped = write(tmp_path / "skipped.py", "# tvm-ffi-stubgen(skip-file)\n" + OBJECTS)
    assert FileInfo.from_file(plain) is None
    assert FileInfo.from_file(skipped) is None
    whole = FileInfo.from_file(plain, include_empty=True)
    assert whole is not None and whole.new_lines() == ("x = 1",)


def test_marker_syntax() -> None:
    assert PYTHON_SYNTAX.begin == "# tvm-ffi-stubgen(begin):"
    assert RUST_SYNTAX.end == "// tvm-ffi-stubgen(end)"
    assert RUST_SYNTAX.directive("field") == "// tvm-ffi-stubgen(field):"


def test_toposort_puts_parents_first() -> None:
    keys = ["testing.TestCxxClassDerivedDerived", "testing.TestCxxClassDerived"]
    keys += ["testing.TestCxxClassBase", "testing.SchemaAllTypes"]
    order = [info.type_key for info in toposort_objects(keys)]
    assert order == [keys[3], keys[2], keys[1], keys[0]]


def test_coverage(tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    assert generate("--coverage-out", str(path)).returncode == 0
    report = json.loads(path.read_text())
    assert list(report) == sorted(report)
    hidden = report["testing.TestCxxClassHiddenField"]
    assert (hidden["verdict"], hidden["reason"]) == ("opaque", "uncovered-bytes")
    assert (hidden["uncovered"], hidden["own_bytes"]) == ([[32, 40]], [24, 48])
    derived = report["testing.TestCxxClassDerived"]
    assert (derived["verdict"], derived["parent"]) == ("complete", "testing.TestCxxClassBase")
    assert (derived["own_bytes"], derived["padding"]) == ([40, 56], [[52, 56]])
    assert report["testing.TestFrozenCxx"]["reason"] == "layout-unknown"
    assert report["testing.TestCxxIntEnum"]["reason"] == "parent-opaque"


def test_classify_by_directive_and_children() -> None:
    base, child = "testing.TestCxxClassBase", "testing.TestCxxClassDerived"
    infos: dict[str, ObjectInfo] = {
        key: object_info_from_type_key(key) for key in ("ffi.Object", base, child)
    }
    verdicts = layout.classify(infos, forced_opaque={base})
    assert verdicts[base].reason == "by-directive"
    assert verdicts[child].reason == "parent-opaque"
    assert layout.classify(infos, unmirrored={child})[child].reason == "no-mirror"
    refused = layout.classify(infos, field_renderable=lambda field: field.name != "v_i32")
    assert refused[base].reason == "unrenderable-field"
    assert layout.align_up(13, 8) == 16
