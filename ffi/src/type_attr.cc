// SPDX-License-Identifier: Apache-2.0
/*!
 * \file type_attr.cc
 * \brief Columns of type attributes.
 */
#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "c_arguments.h"
#include "library_initializer.h"
#include "retiring_array.h"
#include "type_table.h"

namespace tvm {
namespace ffi {
namespace {

// Columns that exist from the start. Inline code of extensions looks them up once and remembers
// the result, a missing column included.
constexpr const char* kEnsuredColumns[] = {
    "__ffi_new__",
    "__ffi_init__",
    "__ffi_shallow_copy__",
    "__any_hash__",
    "__any_equal__",
    "__ffi_repr__",
    "__ffi_hash__",
    "__ffi_eq__",
    "__ffi_compare__",
    "__s_equal__",
    "__s_hash__",
    "__data_to_json__",
    "__data_from_json__",
    "__ffi_enum__",
    "__s_visit__",
    "__s_mutate__",
    "__s_maybe_inplace_mutate__",
};

class TypeAttrTable {
 public:
  // Never destroyed: columns are read until the last line of the process.
  static TypeAttrTable* Global() {
    static TypeAttrTable* table = new TypeAttrTable();
    return table;
  }

  const TVMFFITypeAttrColumn* Find(std::string_view name) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = columns_.find(name);
    return it == columns_.end() ? nullptr : &it->second->header;
  }

  void Register(int32_t type_index, std::string_view name, const TVMFFIAny& value) {
    if (type_index < 0 || type_index >= TypeTable::kMaxTypes) {
      TVM_FFI_THROW(ValueError) << "TypeAttr `" << name << "` can't have the type index "
                                << type_index;
    }
    Any owned(AnyView::CopyFromTVMFFIAny(value));
    std::lock_guard<std::mutex> lock(mutex_);
    Column* column = FindOrAdd(name);
    if (type_index == kTVMFFINone) return;
    if (type_index < column->header.size &&
        column->values.data()[type_index].type_index != kTVMFFINone) {
      TVM_FFI_THROW(RuntimeError) << "TypeAttr `" << name
                                  << "` is already registered for type index " << type_index
                                  << ".\nEither the type is defined twice or two libraries set the "
                                     "attribute.";
    }
    column->values.Extend(static_cast<size_t>(type_index) + 1, TVMFFIAny{});
    column->values.data()[type_index] = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(owned));
    // In this order, so that a concurrent reader never sees a size beyond the data it has.
    Publish(&column->header.data, column->values.data());
    Publish(&column->header.size, static_cast<int32_t>(column->values.size()));
  }

 private:
  struct Column {
    TVMFFITypeAttrColumn header{nullptr, 0, 0};
    RetiringArray<TVMFFIAny> values;
  };

  TypeAttrTable() {
    for (const char* name : kEnsuredColumns) FindOrAdd(name);
  }

  Column* FindOrAdd(std::string_view name) {
    auto it = columns_.find(name);
    if (it != columns_.end()) return it->second;
    TVMFFIByteArray key = KeepForever({name.data(), name.size()});
    Column* column = new Column();
    columns_.emplace(std::string_view(key.data, key.size), column);
    return column;
  }

  std::mutex mutex_;
  std::unordered_map<std::string_view, Column*> columns_;
};

}  // namespace
}  // namespace ffi
}  // namespace tvm

using tvm::ffi::TypeAttrTable;

int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name,
                           const TVMFFIAny* attr_value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string_view name = TVM_FFI_TEXT_ARGUMENT(attr_name);
  TVM_FFI_REQUIRE_ARGUMENT(attr_value);
  tvm::ffi::RegisterOrWarn(
      tvm::ffi::kQuiet, [&] { TypeAttrTable::Global()->Register(type_index, name, *attr_value); });
  TVM_FFI_SAFE_CALL_END();
}

const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name) {
  if (attr_name == nullptr || attr_name->data == nullptr) return nullptr;
  return TypeAttrTable::Global()->Find({attr_name->data, attr_name->size});
}
