// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/op_attrs.h"

#include <tvm/ffi/reflection/registry.h>

namespace tvm {
namespace tirx {
namespace {

namespace refl = ffi::reflection;

template <typename Node>
void RegisterDescriptor(refl::ObjectDef<Node>& def) {
  def.def_ro("M", &Node::M)
      .def_ro("N", &Node::N)
      .def_ro("K", &Node::K)
      .def_ro("trans_a", &Node::trans_a)
      .def_ro("trans_b", &Node::trans_b)
      .def_ro("n_cta_groups", &Node::n_cta_groups, refl::DefaultValue(1))
      .def_ro("neg_a", &Node::neg_a, refl::DefaultValue(false))
      .def_ro("neg_b", &Node::neg_b, refl::DefaultValue(false));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  using Strings = ffi::Array<ffi::String>;
  refl::ObjectDef<CallFFIKernelAttrObj>()
      .def_ro("launch_params", &CallFFIKernelAttrObj::launch_params, refl::DefaultValue(Strings()))
      .def_ro("launch_fields", &CallFFIKernelAttrObj::launch_fields, refl::DefaultValue(Strings()))
      .def_ro("num_kernel_args", &CallFFIKernelAttrObj::num_kernel_args, refl::DefaultValue(-1))
      .def_ro("kernel_attrs", &CallFFIKernelAttrObj::kernel_attrs,
              refl::DefaultValue(ffi::Map<ffi::String, int64_t>()));
  refl::ObjectDef<ScopeAttrsObj>().def_ro("scope", &ScopeAttrsObj::scope);
  refl::ObjectDef<TrnAttrsObj>()
      .def_ro("scope", &TrnAttrsObj::scope)
      .def_ro("max_inst_size", &TrnAttrsObj::max_inst_size, refl::DefaultValue(nullptr))
      .def_ro("opcode", &TrnAttrsObj::opcode, refl::DefaultValue(ffi::String("")))
      .def_ro("reduce_op", &TrnAttrsObj::reduce_op, refl::DefaultValue(ffi::String("sum")))
      .def_ro("op0", &TrnAttrsObj::op0, refl::DefaultValue(ffi::String("")))
      .def_ro("op1", &TrnAttrsObj::op1, refl::DefaultValue(ffi::String("")))
      .def_ro("axes", &TrnAttrsObj::axes, refl::DefaultValue(ffi::Array<int64_t>()))
      .def_ro("negate", &TrnAttrsObj::negate, refl::DefaultValue(false))
      .def_ro("reverse1", &TrnAttrsObj::reverse1, refl::DefaultValue(false));
  refl::ObjectDef<TensorMapEncodeTiledAttrObj>()
      .def_ro("descriptor_dtype", &TensorMapEncodeTiledAttrObj::descriptor_dtype)
      .def_ro("rank", &TensorMapEncodeTiledAttrObj::rank)
      .def_ro("interleave", &TensorMapEncodeTiledAttrObj::interleave, refl::DefaultValue(0))
      .def_ro("swizzle", &TensorMapEncodeTiledAttrObj::swizzle, refl::DefaultValue(0))
      .def_ro("l2_promotion", &TensorMapEncodeTiledAttrObj::l2_promotion, refl::DefaultValue(0))
      .def_ro("oob_fill", &TensorMapEncodeTiledAttrObj::oob_fill, refl::DefaultValue(0))
      .def_ro("force_cu_dtype", &TensorMapEncodeTiledAttrObj::force_cu_dtype,
              refl::DefaultValue(-1));
  {
    using Node = TCGen05InstrDescriptorAttrsObj;
    refl::ObjectDef<Node> def;
    def.def_ro("d_dtype", &Node::d_dtype)
        .def_ro("a_dtype", &Node::a_dtype)
        .def_ro("b_dtype", &Node::b_dtype);
    RegisterDescriptor(def);
    def.def_ro("sat_d", &Node::sat_d, refl::DefaultValue(false))
        .def_ro("is_sparse", &Node::is_sparse, refl::DefaultValue(false));
  }
  {
    using Node = TCGen05InstrDescriptorBlockScaledAttrsObj;
    refl::ObjectDef<Node> def;
    def.def_ro("d_dtype", &Node::d_dtype)
        .def_ro("a_dtype", &Node::a_dtype)
        .def_ro("b_dtype", &Node::b_dtype)
        .def_ro("sfa_dtype", &Node::sfa_dtype)
        .def_ro("sfb_dtype", &Node::sfb_dtype);
    RegisterDescriptor(def);
    def.def_ro("is_sparse", &Node::is_sparse, refl::DefaultValue(false));
  }
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
