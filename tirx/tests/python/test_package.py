# SPDX-License-Identifier: Apache-2.0
"""The package: backends, configuration command, modules, passes."""

import json
import subprocess
import sys

import numpy as np
import pytest
import tvm_tirx
from tvm_tirx import backend, config, ir
from tvm_tirx.script import from_source
from tvm_tirx.script import tirx as T


def run_python(code, **env):
    import os

    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )


def test_backends_say_how_they_are():
    status = backend.status()
    assert set(backend.BUILT_IN) <= set(status)
    assert status["cuda"] == "loaded" and backend.is_loaded("cuda")
    assert all(isinstance(text, str) and text for text in status.values())
    backend.load("cuda")


def test_unknown_backend():
    with pytest.raises(ImportError, match=r"expected Python package 'tvm_tirx\.backend\.nope'"):
        backend.load("nope")


def test_backends_can_be_left_out():
    code = (
        "from tvm_tirx.script import tirx as T\nimport tvm_tirx\n"
        "assert not hasattr(T, 'cuda')\ntvm_tirx.backend.load('cuda')\nassert T.cuda.warp_sync\n"
    )
    result = run_python(code, TVM_TIRX_DEVICE_BACKEND_AUTOLOAD="0")
    assert result.returncode == 0, result.stderr


def test_broken_backend_of_another_distribution_warns(tmp_path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tvm_tirx.backends]\nbroken = broken_mod:register\n")
    (tmp_path / "broken_mod.py").write_text("def register():\n    raise OSError('no device')\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport warnings\n"
        "with warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('always')\n"
        "    from tvm_tirx import backend\n    s = backend.status()\n"
        "assert \"Failed to autoload tvm backend 'broken': no device\" in str(seen[-1].message)\n"
        "assert 'no device' in s['broken'] and s['cuda'] == 'loaded'\n"
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr


def test_config_loads_no_library(capsys):
    assert config.main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == tvm_tirx.__version__
    assert config.main(["--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"version", "include_dir", "library_dir", "cmake_dir", "libraries"}
    assert config.main(["--link-static", "--libs"]) == 1
    assert "Static linking is unavailable" in capsys.readouterr().err
    assert config.main(["metal", "--libs"]) == 1
    assert "Component 'metal' is unavailable" in capsys.readouterr().err


def simple():
    return from_source(
        '@T.function\ndef f(A: T.Tensor((4,), "int32")):\n    A[0] = 1\n', extra_vars={"T": T}
    )


def test_module_methods():
    module = tvm_tirx.IRModule({"f": simple()})
    assert "f" in module and "g" not in module
    with pytest.raises(ValueError, match='Cannot find global var "zz" in the Module'):
        module["zz"]
    copy = module.clone()
    copy["g"] = simple().with_attr("global_symbol", "g")
    assert "g" in copy and "g" not in module
    assert module.with_attr("k", 1).get_attr("k") == 1 and module.get_attr("k") is None
    assert ir.structural_equal(module, tvm_tirx.IRModule({"f": simple()}))
    module.update(copy)
    assert [str(v.name_hint) for v in module.get_global_vars()] == ["f", "g"]


def test_function_methods():
    function = simple()
    assert function.without_attr("global_symbol").attrs.get("global_symbol") is None
    assert len(function.with_body([]).body) == 0
    assert repr(function.ret_type) == "T.Tuple()"


def test_passes_and_instruments():
    from tvm_tirx import transform

    seen = []

    @transform.pass_instrument
    class Watch:
        def run_before_pass(self, mod, info):
            seen.append(info.name)

        def should_run(self, mod, info):
            return info.name != "skipped"

    @transform.module_pass(opt_level=0, name="first")
    def first(mod, ctx):
        return mod.with_attr("first", True)

    @transform.module_pass(opt_level=0, name="skipped")
    def skipped(mod, ctx):
        raise AssertionError

    @transform.module_pass(opt_level=3, name="late")
    def late(mod, ctx):
        return mod.with_attr("late", True)

    @tvm_tirx.tirx.transform.function_pass(opt_level=0, name="mark")
    def mark(func, mod, ctx):
        return func.with_attr("marked", ctx.opt_level)

    module = tvm_tirx.IRModule({"f": simple()})
    both = transform.Sequential([first, skipped, late, mark])
    with transform.PassContext(opt_level=2, instruments=[Watch()]):
        result = both(module)
    assert seen == ["sequential", "first", "mark"]
    assert result.get_attr("first") and result.get_attr("late") is None
    assert result["f"].attrs["marked"] == 2
    with transform.PassContext(required_pass=["late"], disabled_pass=["skipped", "first"]):
        result = both(module)
    assert result.get_attr("late") and result.get_attr("first") is None
    with pytest.raises(ValueError, match="Please provide opt_level for the module pass"):
        transform.module_pass(name="x")
    with pytest.raises(AttributeError, match="Invalid config option 'zz'"):
        transform.PassContext(config={"zz": 1})
    with pytest.raises(TypeError, match="does not have field `zz`"):
        transform.PassContext(config={"tirx.UnrollLoop": {"zz": 1}})


def test_builder_by_hand():
    from tvm_tirx.script.ir_builder import IRBuilder

    with IRBuilder() as builder:
        with T.function_():
            T.func_name_("built")
            A = T.arg_("A", T.Tensor((4,), "float32"))
            with T.serial(4) as i:
                with T.if_(i > 2):
                    with T.then_():
                        T.tensor_store(A, [i], 1.0)
                    with T.else_():
                        T.evaluate(A[i])
            assert IRBuilder.is_in_scope()
    assert builder.get().script().splitlines()[-5:] == [
        "    for v in range(4):",
        "        if v > 2:",
        "            A[v] = T.float32(1.0)",
        "        else:",
        "            T.evaluate(A[v])",
    ]
    assert not IRBuilder.is_in_scope()


def test_builder_refuses_statements_outside():
    with pytest.raises(RuntimeError, match="No IRBuilder is entered"):
        T.evaluate(T.call_extern("f", ty="int32"))


def test_show_without_terminal(capsys):
    simple().show()
    assert "A[0] = 1" in capsys.readouterr().out


def test_lower_gives_the_module_that_code_is_made_of():
    from tvm_tirx import tirx
    from tvm_tirx.script import tirx as T

    @T.function
    def twice(A: T.Tensor((4,), "int32")):
        for i in range(4):
            A[i] = A[i] * 2

    text = tirx.lower(twice, target="llvm")["twice"].script()
    assert "def __tvm_ffi_twice(" in text and "Mismatched A.ndim" in text
    assert "A[i] = A[i] * 2" in text


def test_a_second_copy_of_the_compiler_library_does_no_harm(tmp_path):
    import shutil
    import subprocess
    import sys

    from tvm_tirx import libinfo

    copy = tmp_path / "libcopy.so"
    shutil.copy(libinfo.find_library("tvm_tirx_compiler"), copy)
    program = f"""
import numpy as np, tvm_ffi, tvm_tirx
from tvm_tirx.script import from_source
tvm_ffi.load_module({str(copy)!r})
text = ["from tvm_tirx.script import tirx as T", "@T.function"]
text += ["def f(A: T.Tensor((2,), 'int32')):", "    A[0] = 7"]
f = from_source("\\n".join(text))
a = np.zeros(2, "int32")
tvm_tirx.tirx.compile(f, target="llvm")["f"](a)
print(a.tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[7, 0]\n", done.stderr[-2000:]


def test_a_function_that_is_not_compiled_says_so():
    @T.function
    def add_one(A: T.Tensor((16,), "float32")):
        for i in range(16):
            A[i] = A[i] + 1.0

    with pytest.raises(TypeError, match=r"`add_one` is a program, not compiled code; compile it"):
        add_one(np.zeros(16, "float32"))
    call = add_one(3)  # an expression
    assert list(call.args) == [3]
