// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/expr.h"

namespace tvm {
namespace tirx {

// Attribute records that operators name in TIRX_OP_ATTRS.

// How a kernel is launched: names of the launch operands behind the kernel arguments.
struct CallFFIKernelAttrObj : AttrsObj {
  ffi::Array<ffi::String> launch_params, launch_fields;
  int64_t num_kernel_args = -1;
  ffi::Map<ffi::String, int64_t> kernel_attrs;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.CallFFIKernelAttr", CallFFIKernelAttrObj, AttrsObj);
};

// The threads that carry out a tile instruction together.
struct ScopeAttrsObj : AttrsObj {
  ThreadScope scope;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.tensor.ScopeAttrs", ScopeAttrsObj, AttrsObj);
};

// A tile instruction of Trainium.
struct TrnAttrsObj : AttrsObj {
  ThreadScope scope;
  ffi::Optional<int64_t> max_inst_size;
  ffi::String opcode, reduce_op, op0, op1;
  ffi::Array<int64_t> axes;
  bool negate = false, reverse1 = false;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.tensor.TrnAttrs", TrnAttrsObj, AttrsObj);
};

// The construction of a tensor-map descriptor on the host.
struct TensorMapEncodeTiledAttrObj : AttrsObj {
  DLDataType descriptor_dtype = Void();
  int64_t rank = 0, interleave = 0, swizzle = 0, l2_promotion = 0, oob_fill = 0;
  int64_t force_cu_dtype = -1;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.cuda.TensorMapEncodeTiledAttr",
                                    TensorMapEncodeTiledAttrObj, AttrsObj);
};

// An instruction descriptor of the fifth-generation tensor cores.
struct TCGen05InstrDescriptorAttrsObj : AttrsObj {
  ffi::String d_dtype, a_dtype, b_dtype;
  int64_t M = 0, N = 0, K = 0;
  bool trans_a = false, trans_b = false;
  int64_t n_cta_groups = 1;
  bool neg_a = false, neg_b = false, sat_d = false, is_sparse = false;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.cuda.TCGen05InstrDescriptorAttrs",
                                    TCGen05InstrDescriptorAttrsObj, AttrsObj);
};
struct TCGen05InstrDescriptorBlockScaledAttrsObj : AttrsObj {
  ffi::String d_dtype, a_dtype, b_dtype, sfa_dtype, sfb_dtype;
  int64_t M = 0, N = 0, K = 0;
  bool trans_a = false, trans_b = false;
  int64_t n_cta_groups = 1;
  bool neg_a = false, neg_b = false, is_sparse = false;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.cuda.TCGen05InstrDescriptorBlockScaledAttrs",
                                    TCGen05InstrDescriptorBlockScaledAttrsObj, AttrsObj);
};

}  // namespace tirx
}  // namespace tvm
