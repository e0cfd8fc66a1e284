/* SPDX-License-Identifier: Apache-2.0 */
/* The C headers are valid C99, and their structures and constants have the values of abi.def. */
#include <stddef.h>
#include <stdio.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

/* The offset of a char after one byte is the alignment; C99 has neither alignof nor static_assert.
 */
#define ALIGN_PROBE(type)        \
  struct align_probe_of_##type { \
    char first;                  \
    type value;                  \
  };

#define LAYOUT(type, size, align)                               \
  ALIGN_PROBE(type)                                             \
  typedef char size_of_##type[sizeof(type) == (size) ? 1 : -1]; \
  typedef char align_of_##type[offsetof(struct align_probe_of_##type, value) == (align) ? 1 : -1];
#define OFFSET(type, field, offset) \
  typedef char offset_of_##type##_##field[offsetof(type, field) == (offset) ? 1 : -1];
#define CONSTANT(name, value) typedef char value_of_##name[(name) == (value) ? 1 : -1];
#include "abi.def"

/* The inline accessors, on memory laid out by hand. */
static int CheckAccessors(void) {
  struct {
    TVMFFIObject header;
    union {
      TVMFFIByteArray bytes;
      TVMFFIShapeCell shape;
      TVMFFIErrorCell error;
      TVMFFIFunctionCell function;
      TVMFFIOpaqueObjectCell opaque;
      DLTensor tensor;
    } cell;
  } object;
  TVMFFIAny small;
  TVMFFIByteArray content;
  DLDevice device = TVMFFIDLDeviceFromIntPair(2, 7);
  int failures = 0;

  object.header.type_index = 77;
  failures += TVMFFIObjectGetTypeIndex(&object) != 77;
  failures += TVMFFIBytesGetByteArrayPtr(&object) != &object.cell.bytes;
  failures += TVMFFIShapeGetCellPtr(&object) != &object.cell.shape;
  failures += TVMFFIErrorGetCellPtr(&object) != &object.cell.error;
  failures += TVMFFIFunctionGetCellPtr(&object) != &object.cell.function;
  failures += TVMFFIOpaqueObjectGetCellPtr(&object) != &object.cell.opaque;
  failures += TVMFFITensorGetDLTensorPtr(&object) != &object.cell.tensor;

  small.type_index = kTVMFFISmallStr;
  small.small_str_len = 3;
  small.v_uint64 = 0;
  small.v_bytes[0] = 'a';
  content = TVMFFISmallBytesGetContentByteArray(&small);
  failures += content.data != small.v_bytes || content.size != 3;

  failures += device.device_type != kDLCUDA || device.device_id != 7;
  return failures;
}

/* The library that this program is linked to speaks the version of the header. */
static int CheckVersion(void) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  return version.major != TVM_FFI_VERSION_MAJOR || version.minor != TVM_FFI_VERSION_MINOR ||
         version.patch != TVM_FFI_VERSION_PATCH;
}

int main(void) {
  int failures = CheckAccessors() + CheckVersion();
  if (failures != 0) printf("%d checks failed\n", failures);
  return failures != 0;
}
