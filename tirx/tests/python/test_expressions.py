# SPDX-License-Identifier: Apache-2.0
"""Expressions built from Python."""

import pytest
from tvm_tirx import ir, tirx
from tvm_tirx.script import tirx as T

x = T.Var("x", "int32")
y = T.Var("y", "int64")
a = T.Var("a", "float32")
A = T.Var("A", T.Tensor((4, x), "float32"))


@pytest.mark.parametrize(
    "expression, text, kind",
    [
        (lambda: x + 1, "x + 1", "Add"),
        (lambda: 2 - x, "2 - x", "Sub"),
        (lambda: -x, "x * -1", "Mul"),
        (lambda: 2 // x, "2 // x", "FloorDiv"),
        (lambda: x % 2, "x % 2", "FloorMod"),
        (lambda: 1 << x, "1 << x", "LShift"),
        (lambda: ~x, "~x", "BitwiseNot"),
        (lambda: x > 3, "x > 3", "GT"),
        (lambda: 3 > x, "x < 3", "LT"),
        (lambda: x + y, 'T.Cast("int64", x) + y', "Add"),
        (lambda: x + a, 'T.Cast("float32", x) + a', "Add"),
        (lambda: 2.5 * a, "T.float32(2.5) * a", "Mul"),
        (lambda: x + 0, "x", "Var"),
        (lambda: A[0, 1], "A[0, 1]", "TensorLoad"),
        (lambda: A[0:2, x], "A[0:2, x:x + 1]", "TensorRegion"),
        (lambda: A.data, "A.data", "Call"),
        (lambda: A.ptr_to([0, 3]), "T.address_of(A[0, 3])", "Call"),
        (lambda: x.astype("int64"), 'T.Cast("int64", x)', "Cast"),
        (lambda: T.exp(a), "T.exp(a)", "Call"),
        (lambda: T.pow(a, y=a), "T.pow(a, a)", "Call"),
        (lambda: T.ceildiv(x, 8), "(x + 8 - 1) // 8", "FloorDiv"),
        (lambda: T.int32x4(3), "T.Broadcast(3, 4)", "Broadcast"),
        (lambda: T.float32("inf"), 'T.float32("inf")', "FloatImm"),
        (lambda: T.Let(x + 1, {x: 3}), "T.Let(x + 1, where={x: 3})", "Let"),
        (lambda: T.max_value(ty="int8"), "T.int8(127)", "IntImm"),
        (lambda: ir.Tuple([x, a]), "(x, a)", "Tuple"),
        (lambda: T.reinterpret(a, ty="int32"), "T.reinterpret(a, ty=T.int32)", "Call"),
    ],
)
def test_operator(expression, text, kind):
    value = expression()
    assert repr(value) == text
    assert type(value).__name__ == kind


def test_comparison_outside_of_a_script_is_deferred():
    assert bool(x == x) and not bool(x == y) and bool(x != y)
    assert x in [y, x] and x not in [y]
    assert {x: 1}[x] == 1
    assert repr(x == 1) == "EqualOp(x, 1)"
    assert repr((x == 1).asobject()) == "x == 1"
    assert repr(T.Select(x == 1, 2, 3)) == "T.Select(x == 1, 2, 3)"
    assert repr((x != 1).ty) == "T.bool"


def test_constants_compare_by_value():
    assert bool(T.int32(3) == 3) and not bool(T.int32(3) == 4)
    assert int(T.int64(7)) == 7 and float(T.float32(0.5)) == 0.5
    assert T.StringImm("a") == "a" and T.StringImm("a") != "b"


def test_expressions_have_no_truth_value():
    with pytest.raises(ValueError, match="Cannot use and / or / not operator to Expr"):
        bool(x > 1)
    with pytest.raises(TypeError, match="not iterable"):
        list(x)


def test_attributes_come_from_the_type():
    assert A.shape[0] == 4 and A.dtype == "float32" and A.scope == "global"
    with pytest.raises(AttributeError, match="'Var' object has no attribute 'shape'"):
        x.shape  # noqa: B018


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: T.pow(a), TypeError, "prim.pow: missing operand 'y'"),
        (lambda: T.pow(a, a, zz=1), TypeError, r"prim.pow: unexpected keyword operands \('zz',\)"),
        (lambda: T.pow(a, a, y=1), TypeError, "prim.pow: multiple values for 'y'"),
        (lambda: T.exp(a, a), TypeError, "takes 1 operands, but 2 were given"),
        (lambda: T.uint8(256), ValueError, "Literal value 256 exceeds maximum of uint8"),
        (lambda: T.int32(2**31), ValueError, "Literal value 2147483648 exceeds range of int32"),
        (lambda: T.Add(x, y), TypeError, "int32 vs. int64"),
        (lambda: x / 2, RuntimeError, "multiple types of integer divisions"),
        (lambda: A[0, 0, 0], IndexError, "Too many indices for a 2-dimensional tensor"),
        (lambda: x[0], TypeError, "cannot be indexed"),
        (lambda: T.Tensor((4,), "flot32"), ValueError, "flot32"),
        (lambda: T.Tensor((4,), "float32", "nowhere"), ValueError, "nowhere"),
        (lambda: T.PrimType("handle"), TypeError, "PtrType"),
        (lambda: ir.Op.get("zz.zz"), AttributeError, "Operator zz.zz is not registered"),
        (lambda: ir.Op(), RuntimeError, "Cannot create op, use get instead"),
        (
            lambda: T.region("prim.exp", [a]),
            TypeError,
            "prim.exp does not support region construction: FRegionGetBodyParams is required",
        ),
    ],
)
def test_error(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_types():
    assert T.int32 == ir.PrimType("int32") and T.i32 == T.int32 and T.int32 != T.int64
    assert hash(T.int32) == hash(ir.PrimType("int32"))
    tensor = T.Tensor(4, "float32", "shared", align=16)
    assert repr(tensor) == 'T.Tensor((4,), T.float32, scope="shared", data_alignment=16)'
    assert repr(T.Ptr("int8", "shared")) == 'T.Ptr(T.int8, "shared")'
    assert repr(T.Tuple(T.int32, T.bool)) == "T.Tuple(T.int32, T.bool)"
    assert repr(T.float8_e4m3fnx4) == "T.float8_e4m3fnx4"


def test_operators_describe_themselves():
    op = ir.Op.get("prim.pow")
    assert [str(info.name) for info in op.args_info] == ["x", "y"]
    assert str(ir.Op.get("tirx.call_extern").var_args_info.name) == "args"
    assert "prim.exp" in ir.Op.list_op_names()
    assert op.get_attr("TCallEffectKind") == ir.CallEffectKind.Pure
    assert ir.Op.get_attr_map("TCallEffectKind")[op] == 1
    assert ir.Op.get_attr_map("nothing") is None


def test_operator_attributes_can_be_added():
    ir.register_op_attr("test.python_op", "TestColumn", 3)
    op = ir.Op.get("test.python_op")
    assert op.get_attr("TestColumn") == 3
    with pytest.raises(ValueError, match="already registered"):
        op.set_attr("TestColumn", 4)
    op.set_attr("TestColumn", 5, override=True)
    assert ir.Op.get_attr_map("TestColumn")[op] == 5
    op.set_signature(["first", ("second", "its meaning")], var_args="rest")
    assert [str(i.name) for i in op.args_info] == ["first", "second"]


def test_structural_equality_and_json():
    def make(name):
        v = T.Var(name, "int32")
        return ir.LambdaExpr([T.int32], lambda p: p * 2 + 1) if v is not None else None

    assert ir.structural_equal(make("p"), make("q"))
    again = ir.load_json(ir.save_json(make("p")))
    ir.assert_structural_equal(again, make("p"))
    with pytest.raises(ValueError, match="StructuralEqual check failed, caused by lhs at"):
        ir.assert_structural_equal(T.int32(1), T.int32(2))


def test_logaddexp():
    a = ir.Var("a", "float32")
    assert str(tirx.logaddexp(a, 2.0)) == "T.log(T.exp(a) + T.exp(T.float32(2.0)))"


def test_scalable_lanes():
    assert str(tirx.get_vscale_expr("int8")) == "16 * T.vscale()"
    assert str(tirx.get_vscale_expr("float32", 256)) == "8 * T.vscale()"


def test_intrinsic_lowering_is_a_column():
    tirx.register_intrin_lowering("prim.exp", "test_backend", f=lambda call: call)
    with pytest.raises(ValueError, match="already registered"):
        tirx.register_intrin_lowering("prim.exp", "test_backend", f=lambda call: call)
    assert ir.Op.get("prim.exp").has_attr("test_backend.FLowerIntrinsic")
    ir.Op.get("prim.exp").reset_attr("test_backend.FLowerIntrinsic")


def test_backends_are_found_under_the_compiler():
    from tvm_tirx.backend import cuda

    assert tirx.cuda is cuda
    with pytest.raises(AttributeError):
        _ = tirx.no_such_backend
