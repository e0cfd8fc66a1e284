// SPDX-License-Identifier: Apache-2.0
/*!
 * \file type_attr.cc
 * \brief Columns of type attributes.
 */
#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "c_arguments.h"
#include "code_image.h"
#include "loading.h"
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

// Set by the definition of every reflected type.
constexpr std::string_view kFinalColumn = "__ffi_type_final__";

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

  void Clear(int32_t type_index) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [name, column] : columns_) {
      // The value itself is kept for good, as all values are: somebody may have read it.
      if (type_index < column->header.size) column->values.data()[type_index] = TVMFFIAny{};
    }
  }

  void TakeBack(int32_t type_index, const TVMFFITypeAttrColumn* header) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [name, column] : columns_) {
      if (&column->header == header && type_index < header->size) {
        column->values.data()[type_index] = TVMFFIAny{};
      }
    }
  }

  void Register(int32_t type_index, std::string_view name, const TVMFFIAny& value,
                const void* registrant) {
    if (type_index < 0 || type_index >= TypeTable::kMaxTypes) {
      TVM_FFI_THROW(ValueError) << "TypeAttr `" << name << "` can't have the type index "
                                << type_index;
    }
    const std::optional<Taken> taken = TrySet(type_index, name, value, registrant);
    if (!taken.has_value()) {
      const TVMFFITypeAttrColumn* column = Find(name);
      return Loading::NoteRegistration(
          registrant, [type_index, column] { Global()->TakeBack(type_index, column); });
    }
    Repeat repeat = TypeTable::Global()->RepeatOf(type_index, registrant);
    if (repeat.first == nullptr) {  // the type itself is not defined again
      repeat.subject = "attribute `" + std::string(name) + "` of " + repeat.subject;
      repeat.first = taken->registrant;
    }
    if (name == kFinalColumn && value.type_index == kTVMFFIBool && taken->is_final.has_value() &&
        *taken->is_final != (value.v_int64 != 0)) {
      repeat.harm = Repeat::kClash;
      repeat.difference =
          *taken->is_final ? "final there, but not here" : "final here, but not there";
    }
    if (KeepFirst(repeat)) return;
    TVM_FFI_THROW(RuntimeError) << "TypeAttr `" << name << "` is already registered for type index "
                                << type_index
                                << ".\nEither the type is defined twice or two libraries set the "
                                   "attribute.";
  }

 private:
  struct Column {
    TVMFFITypeAttrColumn header{nullptr, 0, 0};
    RetiringArray<TVMFFIAny> values;
    std::vector<const void*> registrants;  // of the values: an address in the code that set it
  };

  // Who has set a value that may not be set again.
  struct Taken {
    const void* registrant;
    std::optional<bool> is_final;  // the value, if it is a truth value
  };

  std::optional<Taken> TrySet(int32_t type_index, std::string_view name, const TVMFFIAny& value,
                              const void* registrant) {
    Any owned(AnyView::CopyFromTVMFFIAny(value));
    std::lock_guard<std::mutex> lock(mutex_);
    Column* column = FindOrAdd(name);
    if (type_index == kTVMFFINone) return std::nullopt;
    const size_t place = static_cast<size_t>(type_index);
    if (type_index < column->header.size &&
        column->values.data()[place].type_index != kTVMFFINone) {
      const TVMFFIAny& set = column->values.data()[place];
      Taken taken{column->registrants[place], std::nullopt};
      if (set.type_index == kTVMFFIBool) taken.is_final = set.v_int64 != 0;
      return taken;
    }
    column->values.Extend(place + 1, TVMFFIAny{});
    if (column->registrants.size() <= place) column->registrants.resize(place + 1);
    column->registrants[place] = registrant;
    column->values.data()[place] = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(owned));
    // In this order, so that a concurrent reader never sees a size beyond the data it has.
    Publish(&column->header.data, column->values.data());
    Publish(&column->header.size, static_cast<int32_t>(column->values.size()));
    return std::nullopt;
  }

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

void ClearTypeAttrs(int32_t type_index) { TypeAttrTable::Global()->Clear(type_index); }

}  // namespace ffi
}  // namespace tvm

using tvm::ffi::TypeAttrTable;

int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name,
                           const TVMFFIAny* attr_value) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string_view name = TVM_FFI_TEXT_ARGUMENT(attr_name);
  TVM_FFI_REQUIRE_ARGUMENT(attr_value);
  TypeAttrTable::Global()->Register(type_index, name, *attr_value, registrant);
  TVM_FFI_SAFE_CALL_END();
}

const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name) {
  if (attr_name == nullptr || attr_name->data == nullptr) return nullptr;
  return TypeAttrTable::Global()->Find({attr_name->data, attr_name->size});
}
