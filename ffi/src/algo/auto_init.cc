// SPDX-License-Identifier: Apache-2.0
// `__ffi_init__` generated from the fields of a type (ffi-abi 11.1), and
// ffi.MakeObjectFromPackedArgs.
#include "auto_init.h"

#include <tvm/ffi/error.h>
#include <tvm/ffi/reflection/registry.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "register.h"
#include "sentinel.h"
#include "type_table.h"
#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

/// `text` with every line but the first indented by two spaces, as the inner part of a message.
std::string Indented(const std::string& text) {
  std::string out = "  ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

class AutoInit {
 public:
  explicit AutoInit(const TVMFFITypeInfo* info)
      : info_(info), prefix_(ViewOfBytes(info->type_key)) {
    prefix_ += ".__ffi_init__() ";
    FieldCursor cursor(info);
    while (const TVMFFIFieldInfo* field = cursor.Next()) fields_.push_back(*field);
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (Has(i, kTVMFFIFieldFlagBitMaskInitOff)) continue;
      index_of_.emplace(ViewOfBytes(fields_[i].name), i);
      if (!Has(i, kTVMFFIFieldFlagBitMaskKwOnly) && !Has(i, kTVMFFIFieldFlagBitMaskHasDefault)) {
        positional_.push_back(i);
      }
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      constexpr int64_t kOut = kTVMFFIFieldFlagBitMaskInitOff | kTVMFFIFieldFlagBitMaskKwOnly;
      if (!Has(i, kOut) && Has(i, kTVMFFIFieldFlagBitMaskHasDefault)) positional_.push_back(i);
    }
  }

  Any Make(const AnyView* args, int32_t num_args) const {
    const TVMFFIAny* raw = reinterpret_cast<const TVMFFIAny*>(args);
    int32_t num_positional = 0;
    while (num_positional < num_args &&
           !(IsObject(raw[num_positional]) && raw[num_positional].v_obj == KwargsSentinel())) {
      ++num_positional;
    }
    if (static_cast<size_t>(num_positional) > positional_.size()) {
      TVM_FFI_THROW(TypeError) << prefix_ << "takes at most " << positional_.size()
                               << " positional argument(s), but " << num_positional
                               << " were given";
    }
    if (num_positional < num_args && (num_args - num_positional - 1) % 2 != 0) {
      TVM_FFI_THROW(TypeError) << prefix_
                               << "KWARGS requires an even number of key-value arguments";
    }
    Any object = CreateEmpty(info_);
    const TVMFFIObject* header = Raw(object).v_obj;
    std::vector<bool> is_set(fields_.size(), false);
    for (int32_t i = 0; i < num_positional; ++i) {
      const size_t field = positional_[static_cast<size_t>(i)];
      SetField(header, field, raw[i], "field '");
      is_set[field] = true;
    }
    for (int32_t i = num_positional + 1; i + 1 < num_args; i += 2) {
      const String name = args[i].cast<String>();
      auto it = index_of_.find(std::string_view(name.data(), name.size()));
      if (it == index_of_.end()) {
        TVM_FFI_THROW(TypeError) << prefix_ << "got an unexpected keyword argument '" << name
                                 << "'";
      }
      if (is_set[it->second]) {
        TVM_FFI_THROW(TypeError) << prefix_ << "got multiple values for argument '" << name << "'";
      }
      SetField(header, it->second, raw[i + 1], "field '");
      is_set[it->second] = true;
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (is_set[i]) continue;
      if (Has(i, kTVMFFIFieldFlagBitMaskHasDefault)) {
        const Any value = FieldDefault(&fields_[i]);
        SetField(header, i, Raw(value), "default for field '");
      } else if (!Has(i, kTVMFFIFieldFlagBitMaskInitOff)) {
        TVM_FFI_THROW(TypeError) << prefix_ << "missing required "
                                 << (Has(i, kTVMFFIFieldFlagBitMaskKwOnly) ? "keyword-only argument"
                                                                           : "argument")
                                 << ": '" << ViewOfBytes(fields_[i].name) << "'";
      }
    }
    return object;
  }

 private:
  bool Has(size_t field, int64_t flags) const { return (fields_[field].flags & flags) != 0; }

  void SetField(const TVMFFIObject* header, size_t field, const TVMFFIAny& value,
                const char* what) const {
    try {
      WriteField(header, &fields_[field], value);
    } catch (const Error& inner) {
      // An exception of the embedding interpreter is not ours to describe.
      if (inner.kind() == "EnvErrorAlreadySet") throw;
      std::string message = prefix_;
      message += what;
      message += ViewOfBytes(fields_[field].name);
      message += "':\n";
      message += Indented(inner.message());
      throw Error(inner.kind(), message, inner.backtrace(), inner, inner.extra_context());
    }
  }

  const TVMFFITypeInfo* info_;
  std::string prefix_;
  std::vector<TVMFFIFieldInfo>
      fields_;  // all fields, ancestors first; the strings they point to live forever
  std::vector<size_t> positional_;
  std::unordered_map<std::string_view, size_t> index_of_;
};

void MakeObjectFromPackedArgs(PackedArgs args, Any* result) {
  TVM_FFI_ICHECK(args.size() % 2 == 1)
      << "a type is followed by names and values in pairs, but there are " << args.size()
      << " arguments";
  int32_t type_index = 0;
  if (auto key = args[0].try_cast<String>()) {
    const TVMFFIByteArray bytes{key->data(), key->size()};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&bytes, &type_index));
  } else {
    type_index = args[0].cast<int32_t>();
  }
  const TVMFFITypeInfo* info = TypeTable::Global()->RequireInfo(type_index);
  const int num_values = (args.size() - 1) / 2;
  std::vector<String> names;
  names.reserve(static_cast<size_t>(num_values));
  std::vector<bool> used(static_cast<size_t>(num_values), false);
  Any object = CreateEmpty(info);
  const TVMFFIObject* header = Raw(object).v_obj;
  for (int i = 0; i < num_values; ++i) names.push_back(args[2 * i + 1].cast<String>());
  FieldCursor cursor(info);
  while (const TVMFFIFieldInfo* field = cursor.Next()) {
    bool found = false;
    for (size_t i = 0; i < names.size() && !found; ++i) {
      if (used[i] || std::string_view(names[i].data(), names[i].size()) != ViewOfBytes(field->name))
        continue;
      used[i] = true;
      found = true;
      const AnyView value = args[static_cast<int>(2 * i + 2)];
      WriteField(header, field, reinterpret_cast<const TVMFFIAny&>(value));
    }
    if (found) continue;
    if ((field->flags & kTVMFFIFieldFlagBitMaskHasDefault) == 0) {
      TVM_FFI_THROW(TypeError) << "Required field `" << ViewOfBytes(field->name)
                               << "` not set in type `" << ViewOfBytes(info->type_key) << "`";
    }
    const Any value = FieldDefault(field);
    WriteField(header, field, Raw(value));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (used[i]) continue;
    TVM_FFI_THROW(TypeError) << "Type `" << ViewOfBytes(info->type_key) << "` does not have field `"
                             << names[i] << "`";
  }
  *result = std::move(object);
}

}  // namespace

void RegisterAutoInit(int32_t type_index) {
  const TVMFFITypeInfo* info = TypeTable::Global()->RequireInfo(type_index);
  auto init = std::make_shared<const AutoInit>(info);
  const Any function(
      Function::FromPacked([init](const AnyView* args, int32_t num_args, Any* result) {
        *result = init->Make(args, num_args);
      }));
  const TVMFFIByteArray name = reflection::AsByteArray("__ffi_init__");
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFITypeRegisterAttr(type_index, &name, reinterpret_cast<const TVMFFIAny*>(&function)));
}

void RegisterAutoInitFunctions() {
  reflection::GlobalDef()
      .def_packed("ffi.MakeObjectFromPackedArgs", &MakeObjectFromPackedArgs)
      .def("ffi._RegisterFFIInit",
           [](int32_t type_index) -> void { RegisterAutoInit(type_index); });
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
