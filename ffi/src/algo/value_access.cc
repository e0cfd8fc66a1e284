// SPDX-License-Identifier: Apache-2.0
#include "value_access.h"

#include <optional>

#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {

void WriteField(const TVMFFIObject* header, const TVMFFIFieldInfo* field, const TVMFFIAny& value) {
  void* address = FieldAddress(header, field);
  if (field->setter == nullptr) {
    TVM_FFI_THROW(TypeError) << "Field `" << ViewOfBytes(field->name) << "` has no setter";
  }
  if ((field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) == 0) {
    // Conversion to the type of the field may read a List or Dict.
    const bool reads = value.type_index >= kTVMFFIArray && value.type_index <= kTVMFFIDict;
    std::optional<WalkScope> walk;
    if (reads) walk.emplace();
    TVM_FFI_CHECK_SAFE_CALL(reinterpret_cast<TVMFFIFieldSetter>(field->setter)(address, &value));
    return;
  }
  TVMFFIAny args[2] = {};
  args[0].type_index = kTVMFFIOpaquePtr;
  args[0].v_ptr = address;
  args[1] = value;
  Any ignored;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIFunctionCall(field->setter, args, 2, reinterpret_cast<TVMFFIAny*>(&ignored)));
}

Any FieldDefault(const TVMFFIFieldInfo* field) {
  if ((field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) == 0) {
    return Own(field->default_value_or_factory);
  }
  Any out;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(field->default_value_or_factory.v_obj, nullptr, 0,
                                             reinterpret_cast<TVMFFIAny*>(&out)));
  return out;
}

bool IsSubtype(int32_t type_index, int32_t ancestor) {
  if (type_index == ancestor) return true;
  if (type_index < kTVMFFIStaticObjectBegin || ancestor < kTVMFFIStaticObjectBegin) return false;
  if (ancestor == kTVMFFIObject) return true;
  if (type_index < ancestor) return false;
  const TVMFFITypeInfo* info = TypeInfoOf(type_index);
  const int32_t depth = TypeInfoOf(ancestor)->type_depth;
  return info->type_depth > depth && info->type_ancestors[depth]->type_index == ancestor;
}

bool DynamicMatch(int32_t actual, int32_t target) {
  return ffi::detail::RuntimeTypeIndexMatch(actual, target);
}

namespace {
const HookColumn& NewColumn() {
  static const HookColumn column("__ffi_new__");
  return column;
}
}  // namespace

bool CanCreate(const TVMFFITypeInfo* info) {
  if (info->metadata != nullptr && info->metadata->creator != nullptr) return true;
  return NewColumn().Find(info->type_index) != nullptr;
}

Any CreateEmpty(const TVMFFITypeInfo* info) {
  if (info->metadata != nullptr && info->metadata->creator != nullptr) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(info->metadata->creator(&handle));
    TVMFFIAny raw{};
    raw.type_index = static_cast<TVMFFIObject*>(handle)->type_index;
    raw.v_obj = static_cast<TVMFFIObject*>(handle);
    return ffi::detail::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
  }
  Function create = NewColumn().FindFunction(info->type_index, "__ffi_new__");
  if (create == nullptr) {
    TVM_FFI_THROW(RuntimeError) << "Type `" << ViewOfBytes(info->type_key)
                                << "` does not support reflection creation (no native creator or "
                                   "__ffi_new__ type attr)";
  }
  Any out = create();
  if (!IsObject(Raw(out))) {
    TVM_FFI_THROW(TypeError) << "__ffi_new__ of type `" << ViewOfBytes(info->type_key)
                             << "` must return an object, but got `"
                             << TypeKeyOf(Raw(out).type_index) << "`";
  }
  return out;
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
