/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors whose data may only be read. The ABI has no field for that, but reserves four zero bytes
 * in every object's header (TVMFFIObject::__padding). Kiln's library and bindings set this bit
 * there on tensor objects over read-only memory; compiled kernels refuse such a tensor for a
 * parameter that they write. Tensors of other runtimes never have it.
 */
#ifndef TVM_FFI_EXTRA_READ_ONLY_H_
#define TVM_FFI_EXTRA_READ_ONLY_H_

/* Bit of TVMFFIObject::__padding, an int32 at byte 12 of the object. */
#define TVM_FFI_TENSOR_READ_ONLY_BIT 1

#endif /* TVM_FFI_EXTRA_READ_ONLY_H_ */
