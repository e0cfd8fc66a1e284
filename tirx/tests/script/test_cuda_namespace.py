# SPDX-License-Identifier: Apache-2.0
"""``T.cuda``: functions made of operators, and operators with attribute records."""

import pytest
from tvm_tirx.script import from_source
from tvm_tirx.script import tirx as T

HEAD = """from tvm_tirx.script import tirx as T

@T.function(private=True)
def main(u: T.float32, S: T.Tensor((16,), T.float32, scope="shared"), D: T.Tensor((4,), T.uint32)):
    x: T.float32
    {line}
"""


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("x = T.cuda.warp_sum(u)", 'x[0] = T.cuda.warp_reduce(u, "sum", 32)'),
        ("x = T.cuda.warp_min(u, width=8)", 'x[0] = T.cuda.warp_reduce(u, "min", 8)'),
        ("x = T.cuda.cta_max(u, 4, S.data)", 'x[0] = T.cuda.cta_reduce(u, "max", 4, S.data)'),
        (
            "T.evaluate(T.cuda.sm100_2sm_leader_smem_addr(S.data))",
            "T.evaluate(T.cuda.cvta_generic_to_shared(S.data) & T.uint32(4278190079))",
        ),
        (
            "T.cuda.tcgen05_encode_instr_descriptor(D[0], attrs=T.cuda.TCGen05InstrDescriptorAttrs("
            '"float32", "float16", "float16", 128, 64, 16, False, False, 2, True))',
            'T.cuda.tcgen05_encode_instr_descriptor(D[0], K=16, M=128, N=64, a_dtype="float16", '
            'b_dtype="float16", d_dtype="float32", n_cta_groups=2, neg_a=True, trans_a=False, '
            "trans_b=False)",
        ),
        (
            "T.cuda.tensormap_encode_tiled(D.data, S.data, 1, 2, "
            'attrs=T.cuda.TensorMapEncodeTiledAttr("float32", 2))',
            "T.cuda.tensormap_encode_tiled(D.data, S.data, 1, 2, "
            'descriptor_dtype="float32", rank=2)',
        ),
    ],
)
def test_printed(line, printed):
    text = from_source(HEAD.format(line=line)).script(extra_config={"ir.comment_imports": False})
    assert text.splitlines()[-1].strip() == printed
    assert from_source(text).script(extra_config={"ir.comment_imports": False}) == text


def test_records_refuse_unknown_fields():
    with pytest.raises(TypeError, match="unexpected or repeated field 'zz'"):
        T.cuda.TensorMapEncodeTiledAttr("float32", 2, zz=1)
    with pytest.raises(TypeError, match="takes 7 values"):
        T.cuda.TensorMapEncodeTiledAttr(*range(8))
