// SPDX-License-Identifier: Apache-2.0
// Structures, constants and value classes as C++ sees them. Everything is checked by the compiler;
// running the program checks what depends on the library.
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <type_traits>

#define LAYOUT(type, size, align) static_assert(sizeof(type) == (size) && alignof(type) == (align));
#define OFFSET(type, field, offset) static_assert(offsetof(type, field) == (offset));
#define CONSTANT(name, value) static_assert(static_cast<long>(name) == (value));
#include "abi.def"

namespace ffi = tvm::ffi;

// Values: one TVMFFIAny, or one pointer.
static_assert(sizeof(ffi::Any) == 16 && sizeof(ffi::AnyView) == 16);
static_assert(std::is_trivially_copyable_v<ffi::AnyView> &&
              std::is_standard_layout_v<ffi::AnyView>);
static_assert(!std::is_trivially_destructible_v<ffi::Any>);
static_assert(sizeof(ffi::String) == 16 && sizeof(ffi::Bytes) == 16 && sizeof(ffi::BigInt) == 16);
static_assert(sizeof(ffi::ObjectRef) == 8 && sizeof(ffi::ObjectPtr<ffi::Object>) == 8);
static_assert(sizeof(ffi::Arc<ffi::Object>) == 8 && sizeof(ffi::WeakObjectPtr<ffi::Object>) == 8);
static_assert(sizeof(ffi::Function) == 8 && sizeof(ffi::TypedFunction<int(int)>) == 8);
static_assert(sizeof(ffi::Array<int>) == 8 && sizeof(ffi::List<int>) == 8);
static_assert(sizeof(ffi::Map<int, int>) == 8 && sizeof(ffi::Dict<int, int>) == 8);
static_assert(sizeof(ffi::Tuple<int, ffi::String>) == 8 && sizeof(ffi::Shape) == 8);
static_assert(sizeof(ffi::Tensor) == 8 && sizeof(ffi::TensorView) == 48);
static_assert(sizeof(ffi::ShapeView) == 16);
static_assert(sizeof(ffi::Variant<int, ffi::String>) == 16);
static_assert(sizeof(ffi::Expected<int>) == 16 && sizeof(ffi::Expected<void>) == 16);
static_assert(sizeof(ffi::Error) == 16);

// Optional: a pointer, a value, or what std::optional makes of it.
static_assert(sizeof(ffi::Optional<ffi::ObjectRef>) == 8);
static_assert(sizeof(ffi::Optional<ffi::ObjectPtr<ffi::Object>>) == 8);
static_assert(sizeof(ffi::Optional<ffi::Arc<ffi::Object>>) == 8);
static_assert(sizeof(ffi::Optional<int>) == 16 && sizeof(ffi::Optional<ffi::String>) == 16);
static_assert(sizeof(ffi::Optional<ffi::TensorView>) == 56);
static_assert(sizeof(ffi::Optional<ffi::Any>) == 24);

// Objects: the cell follows the 24 bytes of the header.
static_assert(sizeof(ffi::Object) == 24);
static_assert(sizeof(ffi::detail::StringObj) == 40 && sizeof(ffi::detail::BytesObj) == 40);
static_assert(sizeof(ffi::ErrorObj) == 96);
static_assert(sizeof(ffi::FunctionObj) == 40);
static_assert(sizeof(ffi::ShapeObj) == 40);
static_assert(sizeof(ffi::ArrayObj) == 56 && sizeof(ffi::ListObj) == 56);
static_assert(sizeof(ffi::detail::BigIntObj) == 32);
static_assert(sizeof(ffi::EnumObj) == 48 && sizeof(ffi::EnumStateObj) == 48);
static_assert(sizeof(ffi::reflection::AccessStepObj) == 48);
static_assert(sizeof(ffi::reflection::AccessPathObj) == 48);

// Built-in types that compiled code compares by number.
static_assert(ffi::detail::StringObj::_type_index == 65 &&
              ffi::detail::BytesObj::_type_index == 66);
static_assert(ffi::ErrorObj::_type_index == 67 && ffi::FunctionObj::_type_index == 68);
static_assert(ffi::ShapeObj::_type_index == 69 && ffi::TensorObj::_type_index == 70);
static_assert(ffi::ArrayObj::_type_index == 71 && ffi::MapObj::_type_index == 72);
static_assert(ffi::ListObj::_type_index == 75 && ffi::DictObj::_type_index == 76);

namespace {

class PolymorphicObj : public ffi::Object {
 public:
  virtual ~PolymorphicObj() = default;
  virtual int Answer() const { return 42; }
  int64_t field = 7;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.abi.Polymorphic", PolymorphicObj, ffi::Object);
};

int failures = 0;

void Check(bool condition, const char* text) {
  if (condition) return;
  std::printf("failed: %s\n", text);
  ++failures;
}
#define CHECK_THAT(condition) Check(condition, #condition)

const TVMFFIAny& Raw(const ffi::Any& value) {
  return *ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value);
}

// The words of a fresh object, and of one with a vptr, whose header is not at its start.
void CheckObjects() {
  auto ptr = ffi::make_object<PolymorphicObj>();
  auto* header = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(ptr);
  CHECK_THAT(reinterpret_cast<char*>(header) == reinterpret_cast<char*>(ptr.get()) + 8);
  CHECK_THAT(header->combined_ref_count == 0x100000001ULL);
  CHECK_THAT(header->type_index == PolymorphicObj::RuntimeTypeIndex());
  CHECK_THAT(header->type_index >= kTVMFFIDynObjectBegin);
  CHECK_THAT(header->__padding == 0);
  CHECK_THAT(ptr->Answer() == 42);
  ffi::WeakObjectPtr<PolymorphicObj> weak = ptr;
  CHECK_THAT(header->combined_ref_count == 0x200000001ULL);
  auto second = ptr;
  CHECK_THAT(header->combined_ref_count == 0x200000002ULL);
}

// Unused bytes are zero; small strings are inline, longer ones follow their object.
void CheckValues() {
  CHECK_THAT(Raw(ffi::Any(true)).v_int64 == 1);
  CHECK_THAT(Raw(ffi::Any(DLDataType{kDLFloat, 32, 4})).v_uint64 == 0x0004200200000000ULL >> 32);
  const ffi::Any small = ffi::String("abcdefg");
  CHECK_THAT(Raw(small).type_index == kTVMFFISmallStr && Raw(small).small_str_len == 7);
  CHECK_THAT(std::memcmp(Raw(small).v_bytes, "abcdefg", 8) == 0);
  const ffi::Any heap = ffi::String("abcdefgh");
  CHECK_THAT(Raw(heap).type_index == kTVMFFIStr && Raw(heap).zero_padding == 0);
  const char* self = reinterpret_cast<const char*>(Raw(heap).v_obj);
  const TVMFFIByteArray* bytes = TVMFFIBytesGetByteArrayPtr(Raw(heap).v_obj);
  CHECK_THAT(bytes->data == self + 40 && bytes->size == 8 && bytes->data[8] == '\0');
  const ffi::Any from_std = ffi::String(std::string("ab"));
  CHECK_THAT(Raw(from_std).type_index == kTVMFFIStr);
}

// Function and error cells lie where compiled code reads them.
void CheckCells() {
  ffi::Function func = ffi::Function::FromTyped([](int x) { return x + 1; });
  auto* handle = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(func);
  TVMFFIAny arg, result;
  ffi::detail::SetPODAny(&arg, kTVMFFIInt, 41);
  ffi::detail::SetNoneAny(&result);
  CHECK_THAT(TVMFFIFunctionGetCellPtr(handle)->safe_call(handle, &arg, 1, &result) == 0);
  CHECK_THAT(result.type_index == kTVMFFIInt && result.v_int64 == 42);

  ffi::Error error("ValueError", "text", "");
  // vptr first, then the handle.
  TVMFFIObject* held;
  std::memcpy(&held, reinterpret_cast<char*>(&error) + 8, sizeof(held));
  CHECK_THAT(held == ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error));
  CHECK_THAT(std::strcmp(TVMFFIErrorGetCellPtr(held)->message.data, "text") == 0);
}

// AnyHash is shared by every library in the process; the numbers are part of the interface.
void CheckHashes() {
  ffi::AnyHash hash;
  CHECK_THAT(ffi::detail::StableHashCombine(1, 2) == 2654435834ULL);
  CHECK_THAT(ffi::detail::StableHashBytes("hello world", 11) == 1085901259ULL);
  CHECK_THAT(ffi::detail::StableHashBytes("abc", 3) == 6513249ULL);
  CHECK_THAT(ffi::detail::StableHashBytes("0123456789abcde", 15) == 1088788846ULL);
  CHECK_THAT(hash(ffi::Any(42)) == 2654435874ULL);
  CHECK_THAT(hash(ffi::Any(nullptr)) == 2654435769ULL);
  CHECK_THAT(hash(ffi::Any(true)) == 2654435896ULL);
  CHECK_THAT(hash(ffi::Any(1.5)) == 4609434221268138618ULL);
  CHECK_THAT(hash(ffi::Any(ffi::String())) == 2654440008ULL);
  CHECK_THAT(hash(ffi::Any(ffi::String("abc"))) == 2660953131ULL);
  CHECK_THAT(hash(ffi::Any(ffi::String(std::string("abc")))) == 2660953131ULL);
  CHECK_THAT(hash(ffi::Any(ffi::String("hello world"))) == 3740341141ULL);
  CHECK_THAT(hash(ffi::Any(ffi::Bytes("abc", 3))) == 2660953320ULL);
  CHECK_THAT(hash(ffi::Any(ffi::BigInt(1) << 70)) == 2654440898ULL);
}

}  // namespace

int main() {
  CheckObjects();
  CheckValues();
  CheckCells();
  CheckHashes();
  return failures == 0 ? 0 : 1;
}
