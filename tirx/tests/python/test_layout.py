# SPDX-License-Identifier: Apache-2.0
"""Layouts: specifications, printed form, positions; views of tensors."""

import pytest
from tvm_tirx.script import from_source
from tvm_tirx.script import tirx as T


def positions(layout, *coord):
    return {str(k): int(v.value) for k, v in layout.apply(*coord).items()}


def test_specification():
    layout = T.TileLayout(T.S[(4, 8) : (8, 1)])
    assert positions(layout, 1, 2) == {"m": 10}
    assert positions(layout, 10) == {"m": 10}
    assert int(layout.size().value) == 32 and int(layout.span().value) == 32
    assert [int(i.extent.value) for i in layout.canonicalize().shard] == [32]


def test_row_major_strides_when_none_are_given():
    shard = T.TileLayout(T.S[8, 16]).shard
    assert [(int(i.extent.value), int(i.stride.value)) for i in shard] == [(8, 16), (16, 1)]


def test_axes_and_replicas():
    lane = T.cuda.Axis.laneid
    spec = T.S[(8, 4) : (4 @ lane, 1 @ lane)] + T.R[2 : 1 @ T.cuda.Axis.warpid]
    layout = T.TileLayout(spec)
    assert positions(layout, 1, 2) == {"laneid": 6}
    assert int(layout.size("laneid").value) == 32
    assert [s.name for s in layout.get_scope()] == ["cuda.thread", "cuda.cta"]
    assert T.TileLayout(T.S[(2,) : (1,)] + 5).offset[T.Axis("m")] == 5


def test_swizzle():
    layout = T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8, 64) : (64, 1)]))
    linear = [0, 8, 64, 65, 72, 128, 511]
    assert [positions(layout, i)["m"] for i in linear] == [0, 8, 72, 73, 64, 144, 455]


@pytest.mark.parametrize(
    "make, kind",
    [
        (lambda: T.S[(4, 8) : (1,)], ValueError),
        (lambda: T.TileLayout(3), TypeError),
        (lambda: T.Tensor((4,), "int8", layout="column"), ValueError),
        (lambda: T.cuda.Axis.nothing, AttributeError),
    ],
)
def test_errors(make, kind):
    with pytest.raises(kind):
        make()


def printed_views(text):
    source = (
        "from tvm_tirx.script import tirx as T\n@T.function(private=True)\ndef f():\n"
        '    L = T.alloc_local((6, 4), "float32", layout="default")\n'
        f"    V = {text}\n"
    )
    return from_source(source).script().splitlines()[-1].split("ty_args=")[1]


@pytest.mark.parametrize(
    "text, shape, iters",
    [
        ("L.view(4, 6)", "(4, 6)", [(4, 6), (6, 1)]),
        ("L.view(-1)", "(24,)", [(24, 1)]),
        ("L.permute(1, 0)", "(4, 6)", [(4, 1), (6, 4)]),
        ('L.rearrange("(a c) b -> c a b", c=2)', "(2, 3, 4)", [(2, 4), (3, 8), (4, 1)]),
        ("L.permute(1, 0).view(2, 2, 6)", "(2, 2, 6)", [(2, 2), (2, 1), (6, 4)]),
    ],
)
def test_views(text, shape, iters):
    shard = ", ".join(f'T.Iter({e}, {s}, "m")' for e, s in iters)
    assert printed_views(text) == (
        f'[T.Tensor({shape}, T.float32, scope="local", '
        f"layout=T.TileLayout.from_iters(shard=[{shard}], replica=[]))])"
    )


def test_view_with_another_size_is_refused():
    with pytest.raises(ValueError, match="same number of elements"):
        printed_views("L.view(5, 5)")
