// SPDX-License-Identifier: Apache-2.0
#include "tirx/target/target.h"

#include <tvm/ffi/cast.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>

namespace tvm {
namespace tirx {
namespace {

using Config = ffi::Map<ffi::String, ffi::Any>;

Config Tags(const ffi::String& name, bool* found) {
  auto lookup = ffi::Function::GetGlobal("target.TagConfig");
  *found = false;
  if (!lookup.has_value()) return Config();
  ffi::Any config = (*lookup)(name);
  if (config == nullptr) return Config();
  *found = true;
  return config.cast<Config>();
}

// The value in the form of the option's type; throws TypeError.
ffi::Any Checked(const ffi::String& name, const std::string& type, const ffi::Any& value) {
  if (type == "str") {
    if (auto text = value.try_cast<ffi::String>()) return *text;
  } else if (type == "int") {
    if (value.type_index() == kTVMFFIInt) return value;
  } else if (type == "bool") {
    if (value.type_index() == kTVMFFIBool || value.type_index() == kTVMFFIInt) {
      return value.cast<bool>();
    }
  } else if (type == "Array<str>") {
    if (auto list = value.try_cast<ffi::Array<ffi::String>>()) return *list;
  } else {
    return value;
  }
  TVM_FFI_THROW(ValueError) << "Option '" << name << "': expected type '" << type << "' but got '"
                            << value.GetTypeKey() << "'";
  throw;
}

// What a kind sets when the user does not.
void AddDefaults(const TargetKind& kind, Config* attrs) {
  auto set = [&](const char* name, ffi::Any value) {
    if (attrs->find(name) == attrs->end()) attrs->Set(name, value);
  };
  std::string name = kind->name;
  if (name == "llvm") {
    if (attrs->find("mcpu") == attrs->end() && attrs->find("mtriple") == attrs->end()) {
      if (auto triple = ffi::Function::GetGlobal("target.llvm_get_system_triple")) {
        attrs->Set("mtriple", (*triple)());
      }
    }
  } else if (name == "cuda") {
    set("max_num_threads", 1024);
    set("thread_warp_size", 32);
    auto arch = attrs->find("arch");
    if (arch != attrs->end()) {
      std::string text = (*arch).second.cast<ffi::String>();
      if (text.compare(0, 3, "sm_") != 0) {
        TVM_FFI_THROW(ValueError) << "CUDA target gets an invalid CUDA arch: -arch=" << text;
      }
    }
  } else if (name == "nvptx") {
    set("mcpu", ffi::String("sm_50"));
    set("mtriple", ffi::String("nvptx64-nvidia-cuda"));
    set("max_num_threads", 1024);
    set("thread_warp_size", 32);
  } else if (name == "opencl") {
    set("max_threads_per_block", 256);
    set("max_shared_memory_per_block", 16384);
    set("max_num_threads", 256);
    set("thread_warp_size", 1);
    set("texture_spatial_limit", 16384);
    set("texture_depth_limit", 2048);
    set("max_function_args", 128);
    set("image_base_address_alignment", 64);
  } else if (name == "vulkan") {
    set("supports_float32", true);
    set("supports_int32", true);
    set("max_threads_per_block", 256);
    set("max_num_threads", 256);
    set("thread_warp_size", 1);
  } else if (name == "metal") {
    set("max_num_threads", 256);
    set("max_threads_per_block", 256);
    set("max_shared_memory_per_block", 32768);
    set("thread_warp_size", 16);
    set("max_function_args", 31);
  } else if (name == "rocm") {
    set("mcpu", ffi::String("gfx900"));
    set("mtriple", ffi::String("amdgcn-amd-amdhsa-hcc"));
    set("thread_warp_size", 64);
    set("max_shared_memory_per_block", 65536);
    set("max_threads_per_block", 256);
    set("max_num_threads", 256);
  } else if (name == "webgpu") {
    set("max_num_threads", 256);
    set("max_shared_memory_per_block", 32768);
    set("thread_warp_size", 1);
    set("supports_subgroups", false);
  }
}

ffi::ObjectPtr<TargetObj> Build(Config config) {
  ffi::String tag;
  if (auto it = config.find("tag"); it != config.end()) tag = (*it).second.cast<ffi::String>();
  if (!tag.empty()) {
    bool found;
    Config base = Tags(tag, &found);
    if (found) {
      for (const auto& [key, value] : config) base.Set(key, value);
      config = base;
    } else if (config.find("kind") == config.end()) {
      TVM_FFI_THROW(ValueError) << "Unknown target tag: " << tag;
    }
  }
  auto kind_at = config.find("kind");
  if (kind_at == config.end()) TVM_FFI_THROW(ValueError) << "Field \"kind\" is not found";
  auto target = ffi::make_object<TargetObj>();
  target->kind = TargetKind::Get((*kind_at).second.cast<ffi::String>());
  target->tag = tag;
  auto options = target->kind.Options();
  ffi::Array<ffi::String> keys;
  for (const auto& [key, value] : config) {
    if (key == "kind" || key == "tag") continue;
    if (value == nullptr) continue;
    if (key == "host") {
      if (auto host = value.as<Target>()) {
        target->host = *host;
      } else if (auto text = value.try_cast<ffi::String>()) {
        target->host = Target(std::string(*text));
      } else {
        target->host = Target(value.cast<Config>());
      }
      continue;
    }
    if (key.size() > 8 && std::string(key).compare(0, 8, "feature.") == 0) {
      target->attrs.Set(key, value);
      continue;
    }
    auto option = options.find(key);
    if (option == options.end()) {
      std::string list = "'kind'";
      for (const auto& [name, type] : options) {
        if (name != "kind") list += ", '" + std::string(name) + "'";
      }
      TVM_FFI_THROW(ValueError) << "Unknown config option '" << key << "'. Known options: " << list;
    }
    ffi::Any checked = Checked(key, (*option).second, value);
    if (key == "keys") {
      keys = checked.cast<ffi::Array<ffi::String>>();
    } else {
      target->attrs.Set(key, checked);
    }
  }
  if (target->kind->name == "test") target->attrs.Set("feature.is_test", true);
  AddDefaults(target->kind, &target->attrs);
  // The keys that were given and the device, or the device and the keys of the kind.
  std::vector<std::string> all;
  auto add = [&](const std::string& key) {
    if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
  };
  for (const ffi::String& key : keys) add(key);
  if (auto it = target->attrs.find("device"); it != target->attrs.end()) {
    add((*it).second.cast<ffi::String>());
  }
  if (target->kind->name == "llvm") {
    if (auto it = target->attrs.find("mtriple"); it != target->attrs.end()) {
      std::string triple = (*it).second.cast<ffi::String>();
      if (triple.find("arm") != std::string::npos || triple.find("aarch64") != std::string::npos) {
        add("arm_cpu");
      }
    }
  }
  if (keys.empty()) {
    for (const ffi::String& key : target->kind->default_keys) add(key);
  }
  for (const std::string& key : all) target->keys.push_back(key);
  return target;
}

// Compact JSON with a blank after each comma and colon.
std::string Spaced(const std::string& json) {
  std::string text;
  bool inside = false;
  for (size_t i = 0; i < json.size(); ++i) {
    text += json[i];
    if (inside && json[i] == '\\') text += json[++i];
    if (json[i] == '"' && (i == 0 || json[i - 1] != '\\')) inside = !inside;
    if (!inside && (json[i] == ',' || json[i] == ':')) text += ' ';
  }
  return text;
}

std::string ConfigText(const Config& config) {
  try {
    return Spaced(ffi::json::Stringify(config));
  } catch (const ffi::Error&) {
    return "{...}";
  }
}

// Adds where the error came from, and keeps its kind.
template <typename F>
auto WithContext(F body, const std::string& context) {
  try {
    return body();
  } catch (const ffi::Error& error) {
    throw ffi::Error(error.kind(), std::string(error.message()) + context, std::string());
  }
}

}  // namespace

Target::Target(const Config& config) {
  data_ = WithContext([&] { return Build(config); },
                      ". Target creation from config dict failed: " + ConfigText(config));
}

Target::Target(const std::string& text) {
  data_ = WithContext(
      [&]() -> ffi::ObjectPtr<TargetObj> {
        if (!text.empty() && text[0] == '{') {
          ffi::String problem;
          ffi::Any parsed = ffi::json::Parse(text, &problem);
          if (!problem.empty()) {
            TVM_FFI_THROW(ValueError) << "Failed to parse target JSON config: " << problem;
          }
          return Build(parsed.cast<Config>());
        }
        bool found;
        Config tagged = Tags(text, &found);
        if (found) return Build(tagged);
        if (text.find(' ') != std::string::npos) {
          TVM_FFI_THROW(ValueError)
              << "Cannot parse target string \"" << text
              << "\". CLI target string form (e.g. \"llvm -mcpu=xxx\") is no longer supported. "
                 "Please use JSON dict form (e.g. {\"kind\": \"llvm\", \"mcpu\": \"xxx\"}) "
                 "instead.";
        }
        Config config;
        config.Set("kind", ffi::String(text));
        return Build(config);
      },
      ". Target creation from string failed: " + text);
}

Target Target::Host() const {
  if (!get()->host.defined()) return Target();
  return ffi::GetRef<Target>(static_cast<const TargetObj*>(get()->host.get()));
}

Target Target::WithHost(const Target& host) const {
  auto copy = ffi::make_object<TargetObj>(*get());
  copy->host = host;
  return Target(copy);
}

Config Target::Export() const {
  Config config;
  config.Set("kind", get()->kind->name);
  config.Set("tag", get()->tag);
  config.Set("keys", get()->keys);
  for (const auto& [key, value] : get()->attrs) config.Set(key, value);
  if (Host().defined()) config.Set("host", Host().Export());
  return config;
}

std::string Target::str() const { return ffi::json::Stringify(Export()); }

int Target::DeviceType() const {
  return static_cast<int>(
      Attr<int64_t>("target_device_type").value_or(get()->kind->default_device_type));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::ObjectDef<TargetKindObj>()
      .def_ro("name", &TargetKindObj::name)
      .def_ro("default_device_type", &TargetKindObj::default_device_type)
      .def_ro("default_keys", &TargetKindObj::default_keys);
  refl::ObjectDef<TargetObj>()
      .def_ro("kind", &TargetObj::kind)
      .def_ro("tag", &TargetObj::tag)
      .def_ro("keys", &TargetObj::keys)
      .def_ro("attrs", &TargetObj::attrs)
      .def_ro("host", &TargetObj::host);
  refl::GlobalDef()
      .def("target.Target",
           [](ffi::Any config) -> Target {
             if (auto target = config.as<Target>()) return *target;
             if (auto text = config.try_cast<ffi::String>()) return Target(std::string(*text));
             return Target(config.cast<Config>());
           })
      .def("target.TargetWithHost",
           [](Target target, Target host) { return target.WithHost(host); })
      .def("target.TargetExport", [](Target target) { return target.Export(); })
      .def("target.TargetStr", [](Target target) { return ffi::String(target.str()); })
      .def("target.TargetDeviceType", [](Target target) { return target.DeviceType(); })
      .def("target.ListKinds", [] { return TargetKind::List(); })
      .def("target.TargetKind", [](ffi::String name) { return TargetKind::Get(name); })
      .def("target.KindOptions", [](ffi::String name) { return TargetKind::Get(name).Options(); });
}

}  // namespace tirx
}  // namespace tvm
