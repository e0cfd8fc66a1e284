// SPDX-License-Identifier: Apache-2.0
// ffi._PyClassRegisterTypeAttrColumns: creation, copy and destruction of classes that a binding
// lays out.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "auto_init.h"
#include "register.h"
#include "type_table.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

/// Which bytes of an object own something. Kept forever: objects point to it.
struct ClassLayout {
  int32_t type_index = 0;
  size_t total_size = 0;
  std::vector<size_t> any_offsets;     // 16 bytes: Any, String, Optional<int>, ...
  std::vector<size_t> object_offsets;  // 8 bytes: nullable object pointers
  std::vector<size_t> string_offsets;  // of any_offsets, those that start as the empty String
};

// The layout stands right before the object, so a deleter finds it without a lookup.
constexpr size_t kPrefixBytes = 16;

char* BytesOf(TVMFFIObject* object) { return reinterpret_cast<char*>(object); }
char* BlockOf(TVMFFIObject* object) { return BytesOf(object) - kPrefixBytes; }

const ClassLayout* LayoutOf(TVMFFIObject* object) {
  const ClassLayout* layout = nullptr;
  std::memcpy(&layout, BlockOf(object), sizeof(layout));
  return layout;
}

void DeleteObject(void* self, int flags) {
  auto* object = static_cast<TVMFFIObject*>(self);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) {
    const ClassLayout* layout = LayoutOf(object);
    for (size_t offset : layout->any_offsets)
      reinterpret_cast<Any*>(BytesOf(object) + offset)->~Any();
    for (size_t offset : layout->object_offsets) {
      reinterpret_cast<ObjectRef*>(BytesOf(object) + offset)->~ObjectRef();
    }
  }
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) std::free(BlockOf(object));
}

/// A zeroed object with one reference.
TVMFFIObject* Allocate(const ClassLayout* layout) {
  void* block = std::calloc(1, kPrefixBytes + layout->total_size);
  if (block == nullptr) throw std::bad_alloc();
  std::memcpy(block, &layout, sizeof(layout));
  auto* object = reinterpret_cast<TVMFFIObject*>(static_cast<char*>(block) + kPrefixBytes);
  object->combined_ref_count = (uint64_t{1} << 32) + 1;
  object->type_index = layout->type_index;
  object->deleter = &DeleteObject;
  return object;
}

ObjectRef Adopt(TVMFFIObject* object) {
  return ObjectRef(ffi::detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(object));
}

ObjectRef NewObject(const ClassLayout* layout) {
  TVMFFIObject* object = Allocate(layout);
  for (size_t offset : layout->string_offsets) {
    reinterpret_cast<TVMFFIAny*>(BytesOf(object) + offset)->type_index = kTVMFFISmallStr;
  }
  return Adopt(object);
}

ObjectRef CopyObject(const ClassLayout* layout, const TVMFFIObject* source) {
  WalkScope walk;
  if (source == nullptr || source->type_index != layout->type_index) {
    TVM_FFI_THROW(TypeError) << "Expected an object of type `" << TypeKeyOf(layout->type_index)
                             << "`, but got `"
                             << TypeKeyOf(source == nullptr ? static_cast<int32_t>(kTVMFFINone)
                                                            : source->type_index)
                             << "`";
  }
  TVMFFIObject* object = Allocate(layout);
  const char* from = reinterpret_cast<const char*>(source);
  std::memcpy(BytesOf(object) + sizeof(TVMFFIObject), from + sizeof(TVMFFIObject),
              layout->total_size - sizeof(TVMFFIObject));
  for (size_t offset : layout->any_offsets) {
    new (BytesOf(object) + offset) Any(*reinterpret_cast<const Any*>(from + offset));
  }
  for (size_t offset : layout->object_offsets) {
    new (BytesOf(object) + offset) ObjectRef(*reinterpret_cast<const ObjectRef*>(from + offset));
  }
  return Adopt(object);
}

bool Contains(const std::vector<size_t>& offsets, size_t offset) {
  for (size_t known : offsets) {
    if (known == offset) return true;
  }
  return false;
}

const ClassLayout* MakeLayout(const TVMFFITypeInfo* info, int32_t total_size) {
  if (total_size < static_cast<int32_t>(sizeof(TVMFFIObject))) {
    TVM_FFI_THROW(ValueError) << "total_size of type `" << ViewOfBytes(info->type_key)
                              << "` must be at least the size of an object header, "
                              << sizeof(TVMFFIObject) << ", but got " << total_size;
  }
  auto layout = std::make_unique<ClassLayout>();
  layout->type_index = info->type_index;
  layout->total_size = static_cast<size_t>(total_size);
  const bool is_enum = IsSubtype(info->type_index, EnumObj::RuntimeTypeIndex());
  FieldCursor cursor(info);
  while (const TVMFFIFieldInfo* field = cursor.Next()) {
    if (field->offset < static_cast<int64_t>(sizeof(TVMFFIObject)) || field->size < 0 ||
        field->offset > total_size - field->size) {
      TVM_FFI_THROW(ValueError) << "Field `" << ViewOfBytes(field->name) << "` of type `"
                                << ViewOfBytes(info->type_key)
                                << "` lies outside of total_size=" << total_size;
    }
    const size_t offset = static_cast<size_t>(field->offset);
    const int32_t hint = field->field_static_type_index;
    const bool is_any =
        (hint == kTVMFFIAny || hint == kTVMFFINone) && field->size == sizeof(TVMFFIAny);
    const bool is_object =
        hint >= kTVMFFIStaticObjectBegin || (hint == kTVMFFIAny && field->size == sizeof(void*));
    // Two fields may name one place (IntEnum.value); it is owned once.
    if (is_any && !Contains(layout->any_offsets, offset)) {
      layout->any_offsets.push_back(offset);
      if (is_enum && ViewOfBytes(field->name) == "_str_index")
        layout->string_offsets.push_back(offset);
    } else if (is_object && !Contains(layout->object_offsets, offset)) {
      layout->object_offsets.push_back(offset);
    }
  }
  return layout.release();
}

void RegisterAttr(int32_t type_index, const char* name, const Function& function) {
  const TVMFFIByteArray bytes = reflection::AsByteArray(name);
  const Any held(function);
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFITypeRegisterAttr(type_index, &bytes, reinterpret_cast<const TVMFFIAny*>(&held)));
}

void RegisterPyClass(int32_t type_index, int32_t total_size) {
  const TVMFFITypeInfo* info = TypeTable::Global()->RequireInfo(type_index);
  const ClassLayout* layout = MakeLayout(info, total_size);
  RegisterAutoInit(type_index);
  RegisterAttr(
      type_index, "__ffi_new__",
      Function::FromTyped([layout]() -> ObjectRef { return NewObject(layout); }, "__ffi_new__"));
  RegisterAttr(type_index, "__ffi_shallow_copy__",
               Function::FromTyped(
                   [layout](const ObjectRef& source) -> ObjectRef {
                     return CopyObject(layout, reinterpret_cast<const TVMFFIObject*>(source.get()));
                   },
                   "__ffi_shallow_copy__"));
}

}  // namespace

void RegisterPyClassFunctions() {
  reflection::GlobalDef().def("ffi._PyClassRegisterTypeAttrColumns", &RegisterPyClass);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
