# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch, both ways, uncopied. `./dev test --torch` runs this with torch installed."""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest
import tvm_ffi

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
nop = tvm_ffi.get_global_func("testing.nop")


def imported_in_call(tensor):
    """What native code sees of an argument."""
    seen = []
    tvm_ffi.convert(seen.append)(tensor)
    return seen[0]


DTYPES = [
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
]


@pytest.mark.parametrize("name", [name for name in DTYPES if hasattr(torch, name)])
def test_element_types(name):
    source = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, name))
    result = echo(source)
    assert type(result) is torch.Tensor and result.data_ptr() == source.data_ptr()
    assert result.dtype == source.dtype and result.shape == source.shape
    assert torch.equal(result.view(torch.uint8), source.view(torch.uint8))
    tensor = tvm_ffi.from_dlpack(source)
    assert tensor.data_ptr() == source.data_ptr() and tensor.shape == (2, 3)
    assert str(tensor.dtype) == name and str(tensor.device) == "cpu:0"
    back = torch.from_dlpack(tensor)
    assert back.data_ptr() == source.data_ptr() and back.dtype == source.dtype
    assert echo(source.dtype) == name and tvm_ffi.convert(source.dtype) == name


def test_element_types_without_a_counterpart():
    with pytest.raises(ValueError, match=r"Unsupported torch dtype: torch\.qint8"):
        echo(torch.qint8)


LAYOUTS = {
    "scalar": lambda: torch.tensor(3.5),
    "one element": lambda: torch.tensor([7]),
    "empty": lambda: torch.zeros(0, 3),
    "empty in the middle": lambda: torch.zeros(2, 0, 4),
    "transposed": lambda: torch.arange(12.0).reshape(3, 4).t(),
    "every second": lambda: torch.arange(12.0)[::2],
    "every second, from the third": lambda: torch.arange(12.0)[2::2],
    "even steps": lambda: torch.arange(24.0).reshape(2, 3, 4)[:, :, ::2],
    "a column": lambda: torch.arange(12.0).reshape(3, 4)[:, 1:2],
    "expanded": lambda: torch.ones(1, 3).expand(4, 3),
    "seven dimensions": lambda: torch.arange(128).reshape((2,) * 7),
    "an imaginary part": lambda: torch.view_as_complex(torch.arange(8.0).reshape(4, 2)).imag,
    "a parameter": lambda: torch.nn.Parameter(torch.ones(3)),
    "that requires a gradient": lambda: torch.ones(3, requires_grad=True),
    "that has a graph": lambda: torch.ones(3, requires_grad=True) * 2,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name):
    source = LAYOUTS[name]()
    for tensor in (tvm_ffi.from_dlpack(source), tvm_ffi.Array([source]), imported_in_call(source)):
        if isinstance(tensor, tvm_ffi.Array):
            tensor = tvm_ffi.from_dlpack(tensor[0])
        assert tensor.shape == tuple(source.shape)
        assert tensor.data_ptr() == source.data_ptr()
        steps = zip(tensor.strides, source.stride(), source.shape, strict=True)
        assert all(ours == theirs for ours, theirs, size in steps if size > 1)
        back = torch.from_dlpack(tensor)
        assert torch.equal(back, source) and not back.requires_grad
    result = echo(source)
    assert type(result) is torch.Tensor and torch.equal(result, source)
    assert result.data_ptr() == source.data_ptr() and not result.requires_grad


def test_memory_is_shared():
    source = torch.zeros(4)
    np.from_dlpack(imported_in_call(source))[1] = 5
    assert source.tolist() == [0, 5, 0, 0]
    array = np.zeros(3, "float32")
    torch.from_dlpack(tvm_ffi.from_dlpack(array))[2] = 7
    assert array.tolist() == [0, 0, 7]


def test_pending_operations_are_refused():
    conjugate = torch.tensor([1 + 2j, 3 - 4j]).conj()
    for wrong, text in (
        (conjugate, r"holds its conjugate; pass x\.resolve_conj\(\)"),
        (conjugate.imag, r"holds its negative; pass x\.resolve_neg\(\)"),
        (conjugate[0].imag, r"holds its negative; pass x\.resolve_neg\(\)"),
        (torch.stack([conjugate.resolve_conj()] * 3).conj().imag.t(), "holds its negative"),
    ):
        for way in (echo, tvm_ffi.from_dlpack, lambda x: tvm_ffi.Array([x])):
            with pytest.raises(BufferError, match=text):
                way(wrong)
    assert torch.equal(echo(conjugate.resolve_conj()), torch.tensor([1 - 2j, 3 + 4j]))
    assert echo(conjugate.imag.resolve_neg()).tolist() == [-2, 4]
    assert echo(conjugate.real).tolist() == [1, 3]


def fake():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.eye(3).to_sparse(),
        lambda: torch.eye(3).to_sparse_csr(),
        lambda: torch.zeros(3, device="meta"),
        lambda: torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8),
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        fake,
    ],
    ids=["sparse", "csr", "meta", "quantized", "nested", "fake"],
)
def test_tensors_without_plain_memory_raise(make):
    source = make()
    for way in (echo, nop, tvm_ffi.from_dlpack, lambda x: tvm_ffi.Array([x])):
        with pytest.raises((BufferError, RuntimeError, ValueError)):
            way(source)


def test_transformed_tensors_raise():
    with pytest.raises((BufferError, RuntimeError, ValueError)):
        torch.func.vmap(lambda x: echo(x))(torch.zeros(2, 3))
    with pytest.raises((BufferError, RuntimeError, ValueError)):
        torch.func.grad(lambda x: echo(x).sum())(torch.zeros(3))


def test_subclasses():
    class Mine(torch.Tensor):
        pass

    source = torch.arange(3.0).as_subclass(Mine)
    result = echo(source)
    assert isinstance(result, torch.Tensor) and result.data_ptr() == source.data_ptr()


def test_results_are_torch_tensors():
    source = torch.zeros(2)
    values = tvm_ffi.convert(lambda x: [x, {"k": [x, np.zeros(3)]}])(source)
    assert type(values[0]) is torch.Tensor and type(values[1]["k"][1]) is torch.Tensor
    assert values[1]["k"][0].data_ptr() == source.data_ptr()
    assert isinstance(echo(np.zeros(2)), tvm_ffi.Tensor)
    assert type(echo([source, 3])[0]) is torch.Tensor
    assert type(echo(echo([source]))[0]) is torch.Tensor
    seen = []
    tvm_ffi.convert_func(lambda x: seen.append(type(x)), torch.Tensor)(np.zeros(3))
    assert seen == [torch.Tensor]


def test_other_values_of_torch():
    assert echo(torch.Size([1, 2])) == [1, 2]
    device = torch.device("cuda:1")
    assert echo(device) is device
    assert str(tvm_ffi.device(str(device))) == "cuda:1"


# ---- lifetimes ---------------------------------------------------------------------------------


def owner():
    """A tensor and a weak reference to its memory."""
    array = np.zeros(1000, "float32").view(type("Owned", (np.ndarray,), {}))
    return torch.from_dlpack(tvm_ffi.from_dlpack(array)), weakref.ref(array)


def test_a_call_keeps_nothing():
    source, memory = owner()
    ref = weakref.ref(source)
    for _ in range(50):  # more than the blocks that are kept
        nop(source, source, source, *[source] * 20)
    with pytest.raises(BufferError):
        nop(source, torch.zeros(2, dtype=torch.complex64).conj())
    assert sys.getrefcount(source) == 2 and memory() is not None
    del source
    assert ref() is None and memory() is None


@pytest.mark.parametrize(
    "keep",
    [
        lambda x: tvm_ffi.Array([x]),
        lambda x: tvm_ffi.Array([x] * 40),
        imported_in_call,
        tvm_ffi.from_dlpack,
        echo,
        lambda x: echo([x, x])[1],
        lambda x: torch.from_dlpack(imported_in_call(x)),
    ],
)
def test_what_native_code_keeps_stays(keep):
    source, memory = owner()
    kept = keep(source)
    del source
    gc.collect()
    assert memory() is not None
    del kept
    gc.collect()
    assert memory() is None


def test_memory_given_up_on_another_thread():
    source, memory = owner()
    kept = [tvm_ffi.Array([source])]
    del source
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert memory() is None


def test_threads():
    wrong = []

    def work(number):
        source = torch.full((3, number + 1), number)
        for _ in range(2000):
            result = echo(source)
            if result.shape != source.shape or result[0, 0] != number:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- surroundings of a call --------------------------------------------------------------------


def test_native_code_allocates_with_torch():
    import tvm_ffi.cpp

    source = """
    tvm::ffi::Tensor zeros_like(tvm::ffi::TensorView x) {
      using tvm::ffi::Tensor;
      Tensor made = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
      for (int64_t i = 0; i < x.numel(); ++i) static_cast<float*>(made.data_ptr())[i] = 0;
      return made;
    }
    """
    zeros_like = tvm_ffi.cpp.load_inline(
        "torch_allocation", cpp_sources=source, functions="zeros_like"
    ).zeros_like
    result = zeros_like(torch.ones(2, 3))
    assert type(result) is torch.Tensor and result.tolist() == [[0, 0, 0], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="alloc"):
        zeros_like(np.ones((2, 3), "float32"))  # the allocator went with the call


def test_the_stream_context_leaves_what_it_entered():
    steps = []

    class Context:
        def __enter__(self):
            steps.append("in")

        def __exit__(self, *args):
            steps.append("out")

    if torch.cuda.is_available():
        with tvm_ffi.use_torch_stream(Context()):
            current = torch.cuda.current_stream()
            device = tvm_ffi.device(str(current.device))
            assert tvm_ffi.get_raw_stream(device) == current.cuda_stream
    else:
        with pytest.raises((RuntimeError, AssertionError)):
            tvm_ffi.use_torch_stream(Context()).__enter__()
    assert steps == ["in", "out"]


def test_importing_the_package_leaves_torch_alone():
    program = "import sys, tvm_ffi; print('torch' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.strip() == "False"


def test_torch_imported_after_the_package():
    program = (
        "import tvm_ffi; f = tvm_ffi.convert(lambda x: x); import torch;"
        "x = torch.zeros(3); y = f(x); print(type(y) is torch.Tensor, y.data_ptr() == x.data_ptr())"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.strip() == "True True", told.stderr


@pytest.mark.parametrize("use", [tvm_ffi.convert(lambda x: x), tvm_ffi.from_dlpack])
def test_refusals_have_no_stack_dump(use):
    for tensor, text in [
        (
            torch.eye(3).to_sparse(),
            "Cannot access data pointer of Tensor that doesn't have storage",
        ),
        (torch.ones(3, device="meta"), "Cannot pack tensors on meta"),
    ]:
        with pytest.raises((RuntimeError, BufferError)) as caught:
            use(tensor)
        assert str(caught.value) == text
