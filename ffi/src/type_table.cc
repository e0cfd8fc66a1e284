// SPDX-License-Identifier: Apache-2.0
#include "type_table.h"

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "c_arguments.h"
#include "code_image.h"
#include "loading.h"

namespace tvm {
namespace ffi {
namespace {

std::string_view View(const TVMFFIByteArray& text) { return {text.data, text.size}; }

struct StaticType {
  int32_t index;
  const char* key;
};

// Values that are stored in an Any itself: no parent, no children.
constexpr StaticType kValueTypes[] = {
    {kTVMFFINone, StaticTypeKey::kTVMFFINone},
    {kTVMFFIInt, StaticTypeKey::kTVMFFIInt},
    {kTVMFFIBool, StaticTypeKey::kTVMFFIBool},
    {kTVMFFIFloat, StaticTypeKey::kTVMFFIFloat},
    {kTVMFFIOpaquePtr, StaticTypeKey::kTVMFFIOpaquePtr},
    {kTVMFFIDataType, StaticTypeKey::kTVMFFIDataType},
    {kTVMFFIDevice, StaticTypeKey::kTVMFFIDevice},
    {kTVMFFIDLTensorPtr, StaticTypeKey::kTVMFFIDLTensorPtr},
    {kTVMFFIRawStr, StaticTypeKey::kTVMFFIRawStr},
    {kTVMFFIByteArrayPtr, StaticTypeKey::kTVMFFIByteArrayPtr},
    {kTVMFFIObjectRValueRef, StaticTypeKey::kTVMFFIObjectRValueRef},
    {kTVMFFISmallStr, StaticTypeKey::kTVMFFISmallStr},
    {kTVMFFISmallBytes, StaticTypeKey::kTVMFFISmallBytes},
    {kTVMFFIUnchanged, StaticTypeKey::kTVMFFIUnchanged},
};

// Children of ffi.Object without children of their own. ffi.VisitInterrupt is registered by its
// definition.
constexpr StaticType kObjectTypes[] = {
    {kTVMFFIStr, StaticTypeKey::kTVMFFIStr},
    {kTVMFFIBytes, StaticTypeKey::kTVMFFIBytes},
    {kTVMFFIError, StaticTypeKey::kTVMFFIError},
    {kTVMFFIFunction, StaticTypeKey::kTVMFFIFunction},
    {kTVMFFIShape, StaticTypeKey::kTVMFFIShape},
    {kTVMFFITensor, StaticTypeKey::kTVMFFITensor},
    {kTVMFFIArray, StaticTypeKey::kTVMFFIArray},
    {kTVMFFIMap, StaticTypeKey::kTVMFFIMap},
    {kTVMFFIModule, StaticTypeKey::kTVMFFIModule},
    {kTVMFFIOpaquePyObject, StaticTypeKey::kTVMFFIOpaquePyObject},
    {kTVMFFIList, StaticTypeKey::kTVMFFIList},
    {kTVMFFIDict, StaticTypeKey::kTVMFFIDict},
    {kTVMFFIBigInt, StaticTypeKey::kTVMFFIBigInt},
};

// What a field differs in from the one of its name; empty when nowhere that matters to code that
// was compiled for the other.
std::string DifferenceOfField(std::string_view name, const TVMFFIFieldInfo* first,
                              const TVMFFIFieldInfo& second) {
  const std::string subject = "field `" + std::string(name) + "` ";
  if (first == nullptr) return subject + "is here, but not there";
  auto compare = [&](const char* what, int64_t there, int64_t here) {
    return subject + what + std::to_string(there) + " there, " + std::to_string(here) + " here";
  };
  if (first->offset != second.offset) return compare("lies at byte ", first->offset, second.offset);
  if (first->size != second.size) return compare("has the size ", first->size, second.size);
  const int32_t there = first->field_static_type_index, here = second.field_static_type_index;
  if (there != here && there >= 0 && here >= 0) return subject + "is of another type";
  return "";
}

}  // namespace

TVMFFIByteArray KeepForever(const TVMFFIByteArray& text) {
  if (text.data == nullptr) return {nullptr, 0};
  char* copy = new char[text.size + 1];
  std::memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  return {copy, text.size};
}

TypeTable* TypeTable::Global() {
  static TypeTable* table = new TypeTable();
  return table;
}

TypeTable::TypeTable() {
  const void* const self = reinterpret_cast<const void*>(&TVMFFIGetTypeInfo);
  Entry* object = AddEntry(StaticTypeKey::kTVMFFIObject, kTVMFFIObject, 1, true, nullptr, self);
  object->metadata.total_size = sizeof(TVMFFIObject);
  object->info.metadata = &object->metadata;
  for (const StaticType& type : kValueTypes)
    AddEntry(type.key, type.index, 1, false, nullptr, self);
  for (const StaticType& type : kObjectTypes)
    AddEntry(type.key, type.index, 1, false, object, self);
}

int32_t TypeTable::GetOrAllocIndex(std::string_view key, int32_t static_index, int32_t depth,
                                   int32_t num_child_slots, bool child_slots_can_overflow,
                                   int32_t parent_index, const void* registrant) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto it = by_key_.find(key);
  if (it != by_key_.end()) {
    const Entry* entry = it->second;
    const int32_t index = entry->info.type_index;
    std::string difference = DifferenceOfParent(entry, parent_index);
    if (difference.empty()) return index;
    Repeat repeat = RepeatOf(entry, registrant);
    repeat.harm = Repeat::kClash;
    repeat.difference = std::move(difference);
    lock.unlock();
    // Whether it is settled or not: who merely uses a key has no way to receive an error.
    KeepFirst(repeat);
    return index;
  }
  if (parent_index == -2) return -2;

  Entry* parent = parent_index >= 0 ? FindEntry(parent_index) : nullptr;
  if (parent_index >= 0 && parent == nullptr) {
    TVM_FFI_THROW(InternalError) << "Type `" << key << "` of depth " << depth
                                 << " needs a parent, but the index " << parent_index
                                 << " that it names is no type";
  }
  if (depth != 0) {
    if (parent == nullptr) {
      TVM_FFI_THROW(InternalError)
          << "Type `" << key << "` of depth " << depth << " needs a parent, but names none";
    }
    if (depth != parent->info.type_depth + 1) {
      TVM_FFI_THROW(InternalError)
          << "Type `" << key << "` below `" << View(parent->info.type_key)
          << "` must have the depth " << parent->info.type_depth + 1 << ", but has " << depth;
    }
  }
  if (num_child_slots < 0 || num_child_slots >= kMaxTypes) {
    TVM_FFI_THROW(InternalError) << "Type `" << key << "` asks for " << num_child_slots
                                 << " child slots";
  }

  int32_t num_slots = num_child_slots + 1;
  int32_t index = static_index;
  if (static_index >= 0) {
    if (static_index >= kMaxTypes) {
      TVM_FFI_THROW(InternalError) << "Type `" << key << "` asks for the index " << static_index
                                   << "; indices end at " << kMaxTypes;
    }
    if (const Entry* holder = FindEntry(static_index)) {
      TVM_FFI_THROW(InternalError) << "Conflicting static index " << static_index << " between `"
                                   << View(holder->info.type_key) << "` and `" << key << "`";
    }
  } else {
    if (parent == nullptr) {
      TVM_FFI_THROW(InternalError) << "Type `" << key << "` has neither an index nor a parent";
    }
    index = AllocIndex(parent, num_slots);
  }
  if (parent != nullptr) {
    if (index <= parent->info.type_index) {
      TVM_FFI_THROW(InternalError)
          << "The index " << index << " of type `" << key << "` must be above that of its parent `"
          << View(parent->info.type_key) << "`, " << parent->info.type_index;
    }
    child_slots_can_overflow = child_slots_can_overflow && parent->child_slots_can_overflow;
  }
  AddEntry(key, index, num_slots, child_slots_can_overflow, parent, registrant);
  lock.unlock();
  Loading::NoteRegistration(registrant);
  return index;
}

int32_t TypeTable::AllocPlaceholder(std::string_view key, const void* registrant) {
  std::unique_lock<std::mutex> lock(mutex_);
  Entry* object = RequireEntry(kTVMFFIObject);
  const int32_t index = AllocIndex(object, 1);
  AddEntry(key, index, 1, true, object, registrant);
  lock.unlock();
  // A library that comes back mended defines the key anew.
  Loading::NoteRegistration(registrant, [index] { Global()->ForgetKey(index); });
  return index;
}

std::string TypeTable::DifferenceOfParent(const Entry* entry, int32_t parent_index) const {
  if (parent_index < 0 || entry->ancestors.empty()) return "";
  const TVMFFITypeInfo* first = entry->ancestors.back();
  const TVMFFITypeInfo* second = FindInfo(parent_index);
  if (second == nullptr || first->type_index == parent_index) return "";
  return "its parent is `" + std::string(View(first->type_key)) + "` there, and `" +
         std::string(View(second->type_key)) + "` here";
}

const void* TypeTable::FileOfRedefinition(const void* registrant) const {
  return has_redefinitions_.load() ? CodeImageOf(registrant).base : nullptr;
}

Repeat TypeTable::RepeatOf(const Entry* entry, const void* registrant) {
  return {"type `" + std::string(View(entry->info.type_key)) + "`", Repeat::kNone, "",
          entry->registrant, registrant};
}

Repeat TypeTable::RepeatOf(int32_t type_index, const void* registrant) {
  const void* const file = FileOfRedefinition(registrant);
  std::lock_guard<std::mutex> lock(mutex_);
  const Entry* entry = FindEntry(type_index);
  if (entry == nullptr) {
    return {"type " + std::to_string(type_index), Repeat::kNone, "", nullptr, registrant};
  }
  Repeat repeat = RepeatOf(entry, registrant);
  // This library sets the attribute of the generated constructor, on behalf of the definition.
  static const void* const self = CodeImageOf(reinterpret_cast<const void*>(&KeepForever)).base;
  const bool is_redefinition =
      file != nullptr && (entry->redefined_by == file || (file == self && entry->redefined_by));
  if (!is_redefinition) repeat.first = nullptr;
  return repeat;
}

int32_t TypeTable::AllocIndex(Entry* parent, int32_t num_slots) {
  int32_t index;
  if (parent->allocated_slots + num_slots <= parent->num_slots) {
    index = parent->info.type_index + parent->allocated_slots;
    parent->allocated_slots += num_slots;
  } else {
    if (!parent->child_slots_can_overflow) {
      TVM_FFI_THROW(TypeError) << "No type can derive from `" << View(parent->info.type_key)
                               << "`: the child slots that it reserved are used up";
    }
    if (num_slots > kMaxTypes - next_index_) {
      TVM_FFI_THROW(InternalError) << "All " << kMaxTypes << " type indices are used up";
    }
    index = next_index_;
    next_index_ += num_slots;
  }
  return index;
}

TypeTable::Entry* TypeTable::AddEntry(std::string_view key, int32_t type_index, int32_t num_slots,
                                      bool child_slots_can_overflow, const Entry* parent,
                                      const void* registrant) {
  Entry* entry = new Entry();
  entry->registrant = registrant;
  entry->num_slots = num_slots;
  entry->allocated_slots = 1;
  entry->child_slots_can_overflow = child_slots_can_overflow;
  if (parent != nullptr) {
    entry->ancestors = parent->ancestors;
    entry->ancestors.push_back(&parent->info);
  }
  entry->info.type_index = type_index;
  entry->info.type_depth = static_cast<int32_t>(entry->ancestors.size());
  entry->info.type_key = KeepForever({key.data(), key.size()});
  entry->info.type_ancestors = entry->ancestors.data();
  entry->info.type_key_hash = std::hash<std::string_view>()(key);

  entries_.push_back(entry);
  by_key_.emplace(View(entry->info.type_key), entry);
  std::atomic<Chunk*>& slot = chunks_[type_index >> kChunkBits];
  Chunk* chunk = slot.load(std::memory_order_relaxed);
  if (chunk == nullptr) {
    chunk = new Chunk[size_t{1} << kChunkBits]();
    slot.store(chunk, std::memory_order_release);
  }
  chunk[type_index & ((1 << kChunkBits) - 1)].store(entry, std::memory_order_release);
  return entry;
}

TypeTable::Entry* TypeTable::RequireEntry(int32_t type_index) const {
  Entry* entry = FindEntry(type_index);
  if (entry == nullptr) {
    TVM_FFI_THROW(InternalError) << "Cannot find type info for type_index=" << type_index;
  }
  return entry;
}

int32_t TypeTable::KeyToIndex(std::string_view key) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = by_key_.find(key);
  if (it == by_key_.end()) {
    TVM_FFI_THROW(InternalError) << "Cannot find type `" << key
                                 << "`: no library that is loaded registers it";
  }
  return it->second->info.type_index;
}

void TypeTable::ForgetKey(int32_t type_index) {
  std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  if (type_index < kTVMFFIDynObjectBegin) {
    TVM_FFI_THROW(ValueError) << "The key of the built-in type `" << View(entry->info.type_key)
                              << "` can't be freed";
  }
  auto it = by_key_.find(View(entry->info.type_key));
  if (it != by_key_.end() && it->second == entry) by_key_.erase(it);
}

void TypeTable::RegisterField(int32_t type_index, const TVMFFIFieldInfo& field,
                              const void* registrant) {
  const void* const file = FileOfRedefinition(registrant);
  std::unique_lock<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  std::string_view name = View(field.name);
  const TVMFFIFieldInfo* known = nullptr;
  for (int32_t i = 0; i < entry->info.num_fields; ++i) {
    if (View(entry->info.fields[i].name) == name) known = &entry->info.fields[i];
  }
  if (known != nullptr || (file != nullptr && entry->redefined_by == file)) {
    Repeat repeat = RepeatOf(entry, registrant);
    repeat.difference = DifferenceOfField(name, known, field);
    if (!repeat.difference.empty()) repeat.harm = Repeat::kClash;
    lock.unlock();
    if (KeepFirst(repeat)) return;
    if (known != nullptr) {
      TVM_FFI_THROW(InternalError) << "Duplicate field name \"" << name << "\" in type \""
                                   << View(entry->info.type_key) << "\"";
    }
    lock.lock();
  }
  for (const TVMFFITypeInfo* ancestor : entry->ancestors) {
    for (int32_t i = 0; i < ancestor->num_fields; ++i) {
      if (View(ancestor->fields[i].name) != name) continue;
      std::fprintf(
          stderr,
          "[WARNING] Field \"%.*s\" in type \"%s\" duplicates an ancestor field in \"%s\". "
          "Both are kept and lookups by name find one of them; rename the field.\n",
          static_cast<int>(name.size()), name.data(), entry->info.type_key.data,
          ancestor->type_key.data);
    }
  }

  const bool owns_setter =
      (field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) && field.setter != nullptr;
  if (owns_setter && TVMFFIObjectGetTypeIndex(field.setter) != kTVMFFIFunction) {
    TVM_FFI_THROW(TypeError) << "The setter of field `" << name << "` must be a `ffi.Function`, "
                             << "but got `"
                             << TypeIndexToTypeKey(TVMFFIObjectGetTypeIndex(field.setter)) << "`";
  }

  TVMFFIFieldInfo copy = field;
  copy.name = KeepForever(field.name);
  copy.doc = KeepForever(field.doc);
  copy.metadata = KeepForever(field.metadata);
  Any default_value;
  if (field.flags & kTVMFFIFieldFlagBitMaskHasDefault) {
    default_value = AnyView::CopyFromTVMFFIAny(field.default_value_or_factory);
  }
  copy.default_value_or_factory = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(default_value));
  if (owns_setter) detail::ObjectUnsafe::IncRefObjectHandle(field.setter);
  entry->fields.Append(copy);
  Publish(&entry->info.fields, entry->fields.data());
  Publish(&entry->info.num_fields, entry->info.num_fields + 1);
  lock.unlock();
  Loading::NoteRegistration(registrant, [type_index, kept = copy.name.data] {
    Global()->TakeBackField(type_index, kept);
  });
}

void TypeTable::RegisterMethod(int32_t type_index, const TVMFFIMethodInfo& method,
                               const void* registrant) {
  const void* const file = FileOfRedefinition(registrant);
  std::unique_lock<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  if (file != nullptr && entry->redefined_by == file) {
    const Repeat repeat = RepeatOf(entry, registrant);
    lock.unlock();
    if (KeepFirst(repeat)) return;
    lock.lock();
  }
  TVMFFIMethodInfo copy = method;
  copy.name = KeepForever(method.name);
  copy.doc = KeepForever(method.doc);
  copy.metadata = KeepForever(method.metadata);
  Any function(AnyView::CopyFromTVMFFIAny(method.method));
  copy.method = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(function));
  entry->methods.Append(copy);
  Publish(&entry->info.methods, entry->methods.data());
  Publish(&entry->info.num_methods, entry->info.num_methods + 1);
  lock.unlock();
  Loading::NoteRegistration(registrant, [type_index, kept = copy.name.data] {
    Global()->TakeBackMethod(type_index, kept);
  });
}

void TypeTable::RegisterMetadata(int32_t type_index, const TVMFFITypeMetadata& metadata,
                                 const void* registrant) {
  std::unique_lock<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  if (entry->info.metadata != nullptr) {
    Repeat repeat = RepeatOf(entry, registrant);
    const int32_t there = entry->info.metadata->total_size, here = metadata.total_size;
    if (there != here) {
      repeat.harm = Repeat::kClash;
      repeat.difference = std::to_string(there) + " bytes there, " + std::to_string(here) + " here";
    }
    lock.unlock();
    if (KeepFirst(repeat)) {
      const void* const base = CodeImageOf(registrant).base;
      lock.lock();
      entry->redefined_by = base;
      has_redefinitions_.store(true);
      return;
    }
    try {
      TVM_FFI_THROW(RuntimeError) << "Overriding " << View(entry->info.type_key)
                                  << ", possible causes:\n"
                                  << "- the type is defined twice under this key\n"
                                  << "- two libraries that define it are loaded in this process";
    } catch (const Error& error) {
      std::fprintf(stderr, "%s", error.FullMessage().c_str());
      throw;
    }
  }
  entry->registrant = registrant;
  entry->metadata = metadata;
  entry->metadata.doc = KeepForever(metadata.doc);
  Publish(&entry->info.metadata, &entry->metadata);
  lock.unlock();
  Loading::NoteRegistration(registrant, [this, type_index] { TakeBackDefinition(type_index); });
}

// The name was copied for one part alone, so its address tells which part it is.
void TypeTable::TakeBackField(int32_t type_index, const char* kept_name) {
  std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  for (size_t i = entry->fields.size(); i-- > 0;) {
    if (entry->fields.data()[i].name.data != kept_name) continue;
    entry->fields.Remove(i);
    Publish(&entry->info.num_fields, static_cast<int32_t>(entry->fields.size()));
    Publish(&entry->info.fields, entry->fields.data());
    return;
  }
}

void TypeTable::TakeBackMethod(int32_t type_index, const char* kept_name) {
  std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  for (size_t i = entry->methods.size(); i-- > 0;) {
    if (entry->methods.data()[i].name.data != kept_name) continue;
    entry->methods.Remove(i);
    Publish(&entry->info.num_methods, static_cast<int32_t>(entry->methods.size()));
    Publish(&entry->info.methods, entry->methods.data());
    return;
  }
}

void TypeTable::TakeBackDefinition(int32_t type_index) {
  ClearTypeAttrs(type_index);
  std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = RequireEntry(type_index);
  Publish(&entry->info.metadata, nullptr);
  Publish(&entry->info.num_fields, 0);
  Publish(&entry->info.num_methods, 0);
  entry->fields.Clear();
  entry->methods.Clear();
}

std::vector<std::string_view> TypeTable::Keys() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Entry*> sorted = entries_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry* a, const Entry* b) { return a->info.type_index < b->info.type_index; });
  std::vector<std::string_view> keys;
  keys.reserve(sorted.size());
  for (const Entry* entry : sorted) {
    std::string_view key = View(entry->info.type_key);
    auto it = by_key_.find(key);
    if (it != by_key_.end() && it->second == entry) keys.push_back(key);
  }
  return keys;
}

}  // namespace ffi
}  // namespace tvm

using tvm::ffi::TypeTable;

int TVMFFITypeKeyToIndex(const TVMFFIByteArray* type_key, int32_t* out_tindex) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(out_tindex);
  *out_tindex = TypeTable::Global()->KeyToIndex(TVM_FFI_TEXT_ARGUMENT(type_key));
  TVM_FFI_SAFE_CALL_END();
}

int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray* type_key, int32_t static_type_index,
                                  int32_t type_depth, int32_t num_child_slots,
                                  int32_t child_slots_can_overflow, int32_t parent_type_index) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  const std::string_view key = TVM_FFI_TEXT_ARGUMENT(type_key);
  try {
    return TypeTable::Global()->GetOrAllocIndex(key, static_type_index, type_depth, num_child_slots,
                                                child_slots_can_overflow != 0, parent_type_index,
                                                registrant);
  } catch (const tvm::ffi::Error& error) {
    if (!tvm::ffi::KeepError(error, registrant)) throw;
    // The library goes on with an index that nobody else uses.
    return TypeTable::Global()->AllocPlaceholder(key, registrant);
  }
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFITypeGetOrAllocIndex);
}

const TVMFFITypeInfo* TVMFFIGetTypeInfo(int32_t type_index) {
  const TVMFFITypeInfo* info = TypeTable::Global()->FindInfo(type_index);
  if (info != nullptr) return info;
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  return TypeTable::Global()->RequireInfo(type_index);
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIGetTypeInfo);
}

int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo* info) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(info);
  TVM_FFI_TEXT_ARGUMENT(&info->name);
  TVM_FFI_TEXT_ARGUMENT(&info->doc);
  TVM_FFI_TEXT_ARGUMENT(&info->metadata);
  TypeTable::Global()->RegisterField(type_index, *info, registrant);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo* info) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(info);
  TVM_FFI_TEXT_ARGUMENT(&info->name);
  TVM_FFI_TEXT_ARGUMENT(&info->doc);
  TVM_FFI_TEXT_ARGUMENT(&info->metadata);
  TypeTable::Global()->RegisterMethod(type_index, *info, registrant);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata* metadata) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(metadata);
  TVM_FFI_TEXT_ARGUMENT(&metadata->doc);
  TypeTable::Global()->RegisterMetadata(type_index, *metadata, registrant);
  TVM_FFI_SAFE_CALL_END();
}
