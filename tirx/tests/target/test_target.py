# SPDX-License-Identifier: Apache-2.0
"""Targets: kinds, options, tags, errors."""

from __future__ import annotations

import pytest
from tvm_tirx import tirx
from tvm_tirx.script import tirx as T
from tvm_tirx.target import Target, TargetKind, list_tags, register_tag


def test_kind_names_and_defaults():
    assert str(Target("c")) == '{"kind":"c","tag":"","keys":["cpu"]}'
    cuda = Target("cuda")
    assert cuda.export() == {
        "kind": "cuda",
        "tag": "",
        "keys": ["cuda", "gpu"],
        "max_num_threads": 1024,
        "thread_warp_size": 32,
    }
    assert cuda.get_target_device_type() == 2
    assert cuda.max_num_threads == 1024
    assert set(Target.list_kinds()) >= {"llvm", "c", "cuda", "metal", "opencl", "vulkan", "webgpu"}


def test_keys_and_devices():
    assert list(Target({"kind": "llvm", "mcpu": "x", "device": "dev"}).keys) == ["dev", "cpu"]
    given = Target({"kind": "llvm", "mcpu": "x", "keys": ["a", "cpu"], "device": "dev"})
    assert list(given.keys) == ["a", "cpu", "dev"]
    assert "arm_cpu" in Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu"}).keys


def test_hosts():
    target = Target("cuda", host="c")
    assert target.host.kind.name == "c"
    assert Target("cuda").with_host("c").host.kind.name == "c"
    assert Target({"kind": "llvm", "host": "c"}).host.kind.name == "c"


def test_tags():
    tags = list_tags()
    assert len(tags) >= 267
    a100 = Target("nvidia/nvidia-a100")
    assert (a100.arch, a100.l2_cache_size_bytes, a100.tag) == ("sm_80", 41943040, "")
    tagged = Target({"tag": "nvidia/nvidia-a100", "max_num_threads": 5})
    assert (tagged.tag, tagged.arch, tagged.max_num_threads) == ("nvidia/nvidia-a100", "sm_80", 5)
    for name, target in tags.items():
        assert Target(target.export()).export() == target.export(), name
    register_tag("test/mine", {"kind": "c", "march": "x"}, override=True)
    assert Target("test/mine").march == "x"
    with pytest.raises(ValueError, match="registered already"):
        register_tag("test/mine", {"kind": "c"})


ERRORS = [
    ("nokind", 'Target kind "nokind" is not defined. Target creation from string failed: nokind'),
    (
        "llvm -mcpu=skylake",
        'Cannot parse target string "llvm -mcpu=skylake". CLI target string form',
    ),
    ("{bad", "Failed to parse target JSON config: "),
    (
        {"kind": "llvm", "zzz": 1},
        "Unknown config option 'zzz'. Known options: 'kind', 'keys', 'tag'",
    ),
    ({"kind": "llvm", "mcpu": 3}, "Option 'mcpu': expected type 'str' but got 'int'"),
    (
        {"mcpu": "x"},
        'Field "kind" is not found. Target creation from config dict failed: {"mcpu": "x"}',
    ),
    ({"kind": "cuda", "arch": "foo"}, "CUDA target gets an invalid CUDA arch: -arch=foo"),
    ({"tag": "nope"}, "Unknown target tag: nope"),
]


@pytest.mark.parametrize("config, text", ERRORS)
def test_errors(config, text):
    with pytest.raises(ValueError) as caught:
        Target(config)
    assert text in str(caught.value)


def test_python_errors():
    with pytest.raises(ValueError, match="target has to be a string or dictionary"):
        Target(3)
    with pytest.raises(ValueError, match="target host has to be a string or dictionary"):
        Target("llvm", host=3)
    with pytest.raises(AttributeError, match="'Target' object has no attribute 'zzz'"):
        _ = Target("c").zzz
    with pytest.raises(RuntimeError, match="Target context required"):
        Target.current(allow_none=False)


def test_context():
    with Target("c") as outer:
        assert Target.current().same_as(outer)
        with Target("llvm"):
            assert Target.current().kind.name == "llvm"
        assert Target.current().kind.name == "c"
    assert Target.current() is None


def test_features_and_options():
    assert Target("test").features.is_test
    assert Target("c").features.is_test is None
    assert TargetKind.options_from_name("c")["march"] == "str"


def test_device_code_without_a_builder():
    @T.function
    def kernel(A: T.Tensor((8,), "float32")):
        with T.device_entry():
            with T.launch_thread("blockIdx.x", 8) as b:
                A[b] = T.float32(1)

    with pytest.raises(ValueError, match=r"Cannot find global function target\.build\.trn"):
        tirx.compile(kernel, target="trn")


def test_host_code_for_a_device_target():
    import numpy as np

    @T.function
    def host(A: T.Tensor((8,), "float32")):
        A[0] = T.float32(3)

    a = np.zeros(8, "float32")
    tirx.compile(host, target="cuda")["host"](a)
    assert a[0] == 3
