/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DLPack 1.3: the tensor structures that array libraries exchange, and the C exchange table.
 * Valid C99 and C++. Layouts are fixed by the DLPack specification; append only.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DLPACK_EXTERN_C extern "C"
#else
#define DLPACK_EXTERN_C
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 3

#ifdef _WIN32
#ifdef DLPACK_EXPORTS
#define DLPACK_DLL __declspec(dllexport)
#else
#define DLPACK_DLL __declspec(dllimport)
#endif
#else
#define DLPACK_DLL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of a structure. Readers refuse another major version and may ignore the minor one. */
typedef struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/* Kind of memory behind DLTensor.data. The C++ enum has a fixed width so that DLDevice keeps its
 * layout. */
#ifdef __cplusplus
typedef enum DLDeviceType : int32_t {
#else
typedef enum DLDeviceType {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3, /* pinned host memory reachable by CUDA */
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11, /* pinned host memory reachable by ROCm */
  kDLExtDev = 12,   /* reserved for experiments */
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17,
  kDLTrn = 18
} DLDeviceType;

/* One device. `device_id` is 0 for plain host memory. */
typedef struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

/* Kind of one element. Widths are in DLDataType.bits. */
typedef enum DLDataTypeCode {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U, /* `bits` counts the real and the imaginary part together */
  kDLBool = 6U,
  kDLFloat8_e3m4 = 7U,
  kDLFloat8_e4m3 = 8U,
  kDLFloat8_e4m3b11fnuz = 9U,
  kDLFloat8_e4m3fn = 10U,
  kDLFloat8_e4m3fnuz = 11U,
  kDLFloat8_e5m2 = 12U,
  kDLFloat8_e5m2fnuz = 13U,
  kDLFloat8_e8m0fnu = 14U,
  kDLFloat6_e2m3fn = 15U,
  kDLFloat6_e3m2fn = 16U,
  kDLFloat4_e2m1fn = 17U
} DLDataTypeCode;

/* Element type: `lanes` values of `bits` bits. Sub-byte values are packed unless a flag says
 * otherwise. */
typedef struct DLDataType {
  uint8_t code; /* a DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

/* A strided array. Nothing in it is owned. */
typedef struct DLTensor {
  void*
      data; /* the first element is at (char*)data + byte_offset; NULL allowed when there is none */
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;   /* ndim extents; may be NULL when ndim is 0 */
  int64_t* strides; /* ndim steps counted in elements; NULL means compact row-major (before 1.2) */
  uint64_t byte_offset;
} DLTensor;

/* Owning form without a version (the capsule named "dltensor"). */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self); /* called once by the consumer; may be NULL */
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED \
  (1UL << 2UL) /* each sub-byte value fills a byte */

/* Owning form with a version (the capsule named "dltensor_versioned"). */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self); /* called once; may be NULL */
  uint64_t flags;                                         /* DLPACK_FLAG_BITMASK_* */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

/*
 * Exchange functions. Each returns 0, or -1 on failure. Functions that take or return a Python
 * object run with the GIL held and leave a Python exception set when they fail; none of them
 * synchronizes a stream.
 */

/* Allocates a tensor with shape, dtype and device of `prototype`. `*out` is owned by the caller. On
 * failure it calls SetError(error_ctx, kind, message) and returns -1. */
typedef int (*DLPackManagedTensorAllocator)(DLTensor* prototype, DLManagedTensorVersioned** out,
                                            void* error_ctx,
                                            void (*SetError)(void* error_ctx, const char* kind,
                                                             const char* message));

/* `py_object` is a borrowed PyObject*; `*out` is owned by the caller. */
typedef int (*DLPackManagedTensorFromPyObjectNoSync)(void* py_object,
                                                     DLManagedTensorVersioned** out);

/* Fills `*out` with a view that is valid while the borrowed `py_object` lives unchanged. */
typedef int (*DLPackDLTensorFromPyObjectNoSync)(void* py_object, DLTensor* out);

/* Steals `tensor` on success; `*out_py_object` is a new PyObject* reference. */
typedef int (*DLPackManagedTensorToPyObjectNoSync)(DLManagedTensorVersioned* tensor,
                                                   void** out_py_object);

/* Writes the stream on which the producer currently queues work for a device (NULL: the default
 * one). */
typedef int (*DLPackCurrentWorkStream)(DLDeviceType device_type, int32_t device_id,
                                       void** out_current_stream);

/* Head of every version of the table; readers walk `prev_api` until they find a major version they
 * know. */
typedef struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  struct DLPackExchangeAPIHeader* prev_api; /* older table, NULL when there is none */
} DLPackExchangeAPIHeader;

/* Static table behind the Python attribute `__dlpack_c_exchange_api__`; it lives as long as the
 * process. */
typedef struct DLPackExchangeAPI {
  DLPackExchangeAPIHeader header;
  DLPackManagedTensorAllocator managed_tensor_allocator;
  DLPackManagedTensorFromPyObjectNoSync managed_tensor_from_py_object_no_sync;
  DLPackManagedTensorToPyObjectNoSync managed_tensor_to_py_object_no_sync;
  DLPackDLTensorFromPyObjectNoSync dltensor_from_py_object_no_sync; /* may be NULL */
  DLPackCurrentWorkStream current_work_stream;
} DLPackExchangeAPI;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
