// SPDX-License-Identifier: Apache-2.0
// A function built by hand, compiled by the whole pipeline, and called as a C caller would.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include "tirx/driver/pipeline.h"
#include "tirx/ir/module.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace {

// B[i] = A[i] * k + i for i in [0, n)
Function Scale(int64_t n) {
  TensorType tensor({int32(n)}, PrimType(Float(32)));
  Var a("A", tensor), b("B", tensor), k("k", Float(32)), i("i", Int(32));
  Expr value = add(mul(TensorLoad(a, {i}), k), cast(i, Float(32)));
  For loop(i, int32(0), int32(n), int32(1), ForKind::Serial, SeqStmt({TensorStore(b, {i}, value)}));
  Function function({a, b, k}, SeqStmt({loop}));
  return function.WithAttr(attr::kGlobalSymbol, ffi::String("scale"));
}

DLTensor View(float* data, int64_t* shape) {
  DLTensor tensor{};
  tensor.data = data;
  tensor.device = DLDevice{kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = Float(32);
  tensor.shape = shape;
  return tensor;
}

TEST(LLVMBackend, RunsAFunctionBuiltByHand) {
  ffi::Module module = Compile(IRModule::FromExpr(Scale(5)), Target("llvm"));
  EXPECT_STREQ(module->kind(), "llvm");
  ffi::Function scale = module->GetFunction("scale", false).value();
  float a[5] = {1, 2, 3, 4, 5}, b[5] = {};
  int64_t shape[1] = {5};
  DLTensor left = View(a, shape), right = View(b, shape);
  scale(&left, &right, 10.0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(b[i], a[i] * 10 + static_cast<float>(i));
}

TEST(LLVMBackend, TheFunctionOutlivesTheModule) {
  ffi::Function scale;
  {
    ffi::Module module = Compile(IRModule::FromExpr(Scale(2)), Target("llvm"));
    scale = module->GetFunction("scale", false).value();
  }
  float a[2] = {1, 2}, b[2] = {};
  int64_t shape[1] = {2};
  DLTensor left = View(a, shape), right = View(b, shape);
  scale(&left, &right, 3);
  EXPECT_EQ(b[1], 7.0f);
}

TEST(LLVMBackend, WrongArgumentsAreErrors) {
  ffi::Module module = Compile(IRModule::FromExpr(Scale(5)), Target("llvm"));
  ffi::Function scale = module->GetFunction("main", false).value();
  float a[4] = {};
  int64_t shape[1] = {4};
  DLTensor tensor = View(a, shape);
  try {
    scale(&tensor, &tensor, 1.0);
    FAIL() << "the extent is wrong";
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    EXPECT_EQ(error.message(),
              "Invalid A.shape[0] on argument #0 when calling:\n  `scale(A: Tensor([5], float32), "
              "B: Tensor([5], float32), k: float32)`,\n  expected 5");
  }
}

TEST(LLVMBackend, ModulesOfOneNameDoNotMeet) {
  ffi::Module five = Compile(IRModule::FromExpr(Scale(5)), Target("llvm"));
  ffi::Module two = Compile(IRModule::FromExpr(Scale(2)), Target("llvm"));
  float a[5] = {1, 1, 1, 1, 1}, b[5] = {};
  int64_t shape[1] = {2};
  DLTensor left = View(a, shape), right = View(b, shape);
  two->GetFunction("scale", false).value()(&left, &right, 1.0);
  EXPECT_EQ(b[1], 2.0f);
  EXPECT_ANY_THROW(five->GetFunction("scale", false).value()(&left, &right, 1.0));
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
