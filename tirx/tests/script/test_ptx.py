# SPDX-License-Identifier: Apache-2.0
"""The PTX dialect: how instructions are chosen, checked and printed."""

import pytest
from tvm_tirx.script import from_source
from tvm_tirx.script import tirx as T

HEAD = """from tvm_tirx.script import tirx as T

@T.function(private=True)
def main(u: T.float32, p: T.bool, A: T.Tensor((16,), T.float32), S: T.Tensor((16,), T.uint32, scope="shared")):
    x: T.float32
    i: T.uint32
    l: T.uint64
    {line}
"""  # noqa: E501


def built(line):
    text = from_source(HEAD.format(line=line)).script(extra_config={"ir.comment_imports": False})
    assert from_source(text).script(extra_config={"ir.comment_imports": False}) == text
    return text.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("T.ptx.mul.rn.f32(x, u, u)", 'T.ptx.mul(x[0], u, u, "rn", "", "", "f32", "")'),
        ('T.ptx["mov.b32"](x, u)', 'T.ptx.mov(x[0], u, "b32", "")'),
        (
            "T.ptx.add.ftz.rn.f32(x, u, 1)",
            'T.ptx.add(x[0], u, T.float32(1.0), "rn", "ftz", "", "f32", "", "")',
        ),
        ("T.ptx.add.u32(i, i, 1)", 'T.ptx.add(i[0], i[0], T.uint32(1), "", "u32", "")'),
        (
            "T.ptx.add.rn.f32(x, u, u, pred=p)",
            'T.ptx.add(x[0], u, u, p, "rn", "", "", "f32", "", "pred")',
        ),
        (
            "T.ptx.add.rn.f32(x, u, u, pred=p, preserve_dst=True)",
            'T.ptx.add(x[0], u, u, p, "rn", "", "", "f32", "", "pred,keep")',
        ),
        ("T.ptx.selp.f32(x, u, u, p)", 'T.ptx.selp(x[0], u, u, p, "f32", "p3")'),
        (
            "T.ptx.selp.f32(x, u, u, T.ptx.pred(i))",
            'T.ptx.selp(x[0], u, u, i[0], "f32", "p3")',
        ),
        ('T.ptx["mov.b64"](l, i, i)', 'T.ptx.mov(l[0], i[0], i[0], "b64", "")'),
        ('T.ptx["mov.b64"](T.ptx.SINK, i, l)', 'T.ptx.mov(i[0], l[0], "b64", "s0")'),
        ("T.ptx.bar.sync(0)", 'T.ptx.bar(T.uint32(0), "", "sync", "")'),
        ("T.ptx.cp.async_.wait_group(0)", 'T.ptx.cp(T.int32(0), "async", "wait_group", "")'),
        (
            "T.ptx.fence.proxy.async_.shared__cta()",
            'T.ptx.fence("proxy", "async", "shared::cta", "")',
        ),
        (
            "T.ptx.st.shared.u32(T.ptx.addr(S.data, 4), 1)",
            "T.ptx.st(T.ptx.addr(T.cuda.cvta_generic_to_shared(S.data), 4), T.uint32(1), "
            '"", "", "", "shared", "", "", "", "u32", "")',
        ),
        (
            'T.ptx["ld.global.L2::cache_hint.f32"](x, A.data, l)',
            'T.ptx.ld(x[0], A.data, l[0], "", "", "", "global", "", "", "", "L2::cache_hint", '
            '"", "f32", "")',
        ),
    ],
)
def test_instruction(line, printed):
    assert built(line) == printed


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("T.ptx.zzz(x)", AttributeError, "'zzz' is not a ptx instruction; known families: abs"),
        ('T.ptx["zzz.f32"](x)', KeyError, "does not start with a ptx instruction family"),
        (
            "T.ptx.mul.rn.qq(x, u, u)",
            AttributeError,
            "'qq' is not a valid modifier for 'mul'; open slots: ftz",
        ),
        ("T.ptx.mul.rn.f32(x, u)", ValueError, r"mul expects 3 operand\(s\) \(d, a, b\), got 2"),
        ("T.ptx.mul.rn.f32(u, u, u)", ValueError, "destination 'd' must be a writable scalar"),
        ("T.ptx.add.u32(x, i, 1)", ValueError, r"must have dtype uint32 \(from .u32\)"),
        ("T.ptx.mov.b32(x, 1.0)", ValueError, "the float literal 1.0 is ambiguous"),
        ("T.ptx.fma.rn.f32(x, u, u, u, preserve_dst=True)", ValueError, "requires pred"),
        ("T.ptx.wgmma.wait_group.sync.aligned(9)", ValueError, "must be one of 0, 1, 2"),
        ("T.ptx.selp.f32(x, u, u, i)", ValueError, "is a .pred argument"),
        ("T.ptx.st.shared.u32(l, 1)", ValueError, "must be a shared-scope pointer"),
    ],
)
def test_refused(line, kind, message):
    with pytest.raises(kind, match=message):
        built(line)


def test_address_with_offset_is_not_nested():
    with pytest.raises(ValueError, match="cannot be nested"):
        T.ptx.addr(T.ptx.addr(0, 4), 4)


def test_discovery():
    assert "global_" in dir(T.ptx.ld)
    assert "and_" in dir(T.ptx)
    assert repr(T.ptx.mul.rn.f32) == "<T.ptx.mul.rn.f32>"
    assert "instruction families" in repr(T.ptx)


def test_instruction_on_tiles():
    source = """from tvm_tirx.script import tirx as T

@T.function(private=True)
def main(bias: T.float32):
    P = T.alloc_local((6, 2), "float32", layout=T.TileLayout(T.S[(6, 2) : (2, 1)]))
    T.cuda.tile.apply(T.ptx["mov.b32"], P[1:5, 0:2], bias)
    T.cuda.tile.apply("mov.b32", P[1:5, 0:2], bias, pred=True)
"""
    text = from_source(source).script(extra_config={"ir.comment_imports": False})
    scope = 'scope=T.ThreadScope("cuda.thread")'
    lines = [line.strip() for line in text.splitlines()[-2:]]
    assert lines == [
        f'T.cuda.tile.apply("mov.b32", (P[1:5, 0:2], bias), (), {scope})',
        f'T.cuda.tile.apply("mov.b32", (P[1:5, 0:2], bias), (("pred", T.bool(True)),), {scope})',
    ]
    assert from_source(text).script(extra_config={"ir.comment_imports": False}) == text
