// SPDX-License-Identifier: Apache-2.0
/*!
 * \file value.cc
 * \brief Owned values made from borrowed ones and from bytes.
 */
#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/string.h>

#include <cstring>

#include "c_arguments.h"

namespace tvm {
namespace ffi {
namespace {

// Layout: word count, then the words, least significant first, in two's complement.
class BigIntStorage : public Object {
 public:
  explicit BigIntStorage(size_t num_words) : num_words(num_words) {}

  int64_t* words() { return reinterpret_cast<int64_t*>(this + 1); }
  const int64_t* words() const { return reinterpret_cast<const int64_t*>(this + 1); }

  static int32_t RuntimeTypeIndex() { return kTVMFFIBigInt; }

  size_t num_words;
};
static_assert(sizeof(BigIntStorage) == 32);

// Words that carry the value: those above repeat the sign.
size_t SignificantWords(const char* bytes, size_t num_words) {
  auto word = [bytes](size_t i) {
    int64_t value;
    std::memcpy(&value, bytes + i * sizeof(value), sizeof(value));
    return value;
  };
  while (num_words > 1 && word(num_words - 1) == (word(num_words - 2) < 0 ? -1 : 0)) --num_words;
  return num_words;
}

TVMFFIAny BigIntFromBytes(const TVMFFIByteArray& input) {
  if (input.size % sizeof(int64_t) != 0) {
    TVM_FFI_THROW(ValueError) << "BigInt content must contain whole 64-bit words";
  }
  TVMFFIAny result{};
  result.type_index = kTVMFFIInt;
  size_t num_words = SignificantWords(input.data, input.size / sizeof(int64_t));
  if (num_words <= 1) {
    if (num_words == 1) std::memcpy(&result.v_int64, input.data, sizeof(int64_t));
    return result;
  }
  ObjectPtr<BigIntStorage> big =
      make_inplace_array_object<BigIntStorage, int64_t>(num_words, num_words);
  std::memcpy(big->words(), input.data, num_words * sizeof(int64_t));
  result.type_index = kTVMFFIBigInt;
  result.v_obj = detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(big));
  return result;
}

template <typename T>
TVMFFIAny CopyBytes(const TVMFFIByteArray* input, const char* function, const char* argument) {
  const std::string_view bytes = TextArgument(input, function, argument);
  return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(T(bytes.data(), bytes.size())));
}

// Inline code handles the plain cases itself and comes here for the others.
TVMFFIAny OwnView(const TVMFFIAny& view) {
  switch (view.type_index) {
    case kTVMFFIRawStr:
      if (view.v_c_str == nullptr) TVM_FFI_THROW(ValueError) << "A `const char*` value is null";
      return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(String(view.v_c_str)));
    case kTVMFFIByteArrayPtr: {
      const auto* bytes = static_cast<const TVMFFIByteArray*>(view.v_ptr);
      return CopyBytes<Bytes>(bytes, "TVMFFIAnyViewToOwnedAny", "any_view");
    }
    case kTVMFFIObjectRValueRef: {
      TVMFFIObject** slot = static_cast<TVMFFIObject**>(view.v_ptr);
      if (slot == nullptr || *slot == nullptr)
        TVM_FFI_THROW(InternalError) << "RValueRef already moved";
      TVMFFIAny owned{};
      owned.type_index = (*slot)->type_index;
      owned.v_obj = *slot;
      *slot = nullptr;
      return owned;
    }
    default:
      if (view.type_index >= kTVMFFIStaticObjectBegin) {
        if (view.v_obj == nullptr) {
          TVM_FFI_THROW(ValueError)
              << "A value of type index " << view.type_index << " holds no object";
        }
        detail::ObjectUnsafe::IncRefObjectHandle(view.v_obj);
      }
      return view;
  }
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* any_view, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(any_view);
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = tvm::ffi::OwnView(*any_view);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = tvm::ffi::CopyBytes<tvm::ffi::String>(input, __func__, "input");
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = tvm::ffi::CopyBytes<tvm::ffi::Bytes>(input, __func__, "input");
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_TEXT_ARGUMENT(input);
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = tvm::ffi::BigIntFromBytes(*input);
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value) {
  if (value == nullptr || (value->type_index != kTVMFFIInt &&
                           (value->type_index != kTVMFFIBigInt || value->v_obj == nullptr))) {
    return {nullptr, 0};
  }
  if (value->type_index == kTVMFFIInt) {
    return {reinterpret_cast<const char*>(&value->v_int64), sizeof(int64_t)};
  }
  const auto* big = static_cast<const tvm::ffi::BigIntStorage*>(
      reinterpret_cast<const tvm::ffi::Object*>(value->v_obj));
  return {reinterpret_cast<const char*>(big->words()), big->num_words * sizeof(int64_t)};
}
