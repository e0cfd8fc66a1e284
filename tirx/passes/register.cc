// SPDX-License-Identifier: Apache-2.0
// The passes as global functions `tirx.transform.<Name>`, from a module to a module.
#include <tvm/ffi/reflection/registry.h>

#include "tirx/passes/annotate_entry_func.h"
#include "tirx/passes/bind_target.h"
#include "tirx/passes/common_subexpr_elim.h"
#include "tirx/passes/convert_ssa.h"
#include "tirx/passes/decorate_device_scope.h"
#include "tirx/passes/flatten_tensor.h"
#include "tirx/passes/lower_intrin.h"
#include "tirx/passes/make_packed_api.h"
#include "tirx/passes/remove_no_op.h"
#include "tirx/passes/skip_assert.h"
#include "tirx/passes/unroll_loop.h"
#include "tirx/passes/vectorize_loop.h"
#include "tirx/passes/verify_bounds.h"

namespace tvm {
namespace tirx {

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def("tirx.transform.AnnotateEntryFunc", AnnotateEntryFunc)
      .def("tirx.transform.BindTarget", BindTarget)
      .def("tirx.transform.CommonSubexprElim", CommonSubexprElim)
      .def("tirx.transform.ConvertSSA", ConvertSSA)
      .def("tirx.transform.DecorateDeviceScope", DecorateDeviceScope)
      .def("tirx.transform.FlattenTensor", FlattenTensor)
      .def("tirx.transform.InsertBoundChecks", InsertBoundChecks)
      .def("tirx.transform.LowerIntrin", LowerIntrin)
      .def("tirx.transform.MakePackedAPI", MakePackedAPI)
      .def("tirx.transform.RemoveNoOp", RemoveNoOp)
      .def("tirx.transform.SkipAssert", SkipAssert)
      .def("tirx.transform.UnrollLoop", UnrollLoop)
      .def("tirx.transform.VectorizeLoop", VectorizeLoop)
      .def("tirx.transform.VerifyBounds", VerifyBounds);
}

}  // namespace tirx
}  // namespace tvm
