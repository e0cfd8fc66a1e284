// SPDX-License-Identifier: Apache-2.0
// The kinds of targets and their options: one row each.
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "tirx/target/target.h"

namespace tvm {
namespace tirx {
namespace {

struct KindRow {
  const char* name;
  int device_type;
  const char* keys;     // comma separated
  const char* options;  // name:type, blank separated, after those that every kind has
};

// Types are those of FFI values.
constexpr const char* kCommonOptions =
    "kind:str keys:Array<str> tag:str device:str model:str libs:Array<str> host:target.Target "
    "from_device:int target_device_type:int";

constexpr KindRow kKinds[] = {
    {"llvm", 1, "cpu",
     "mattr:Array<str> mcpu:str mtriple:str mfloat-abi:str mabi:str num-cores:int fast-math:bool "
     "fast-math-nnan:bool fast-math-ninf:bool fast-math-nsz:bool fast-math-arcp:bool "
     "fast-math-contract:bool fast-math-reassoc:bool opt-level:int cl-opt:Array<str> "
     "vector-width:int"},
    {"c", 1, "cpu", "mcpu:str march:str workspace-byte-alignment:int constants-byte-alignment:int"},
    {"cuda", 2, "cuda,gpu",
     "arch:str mcpu:str max_shared_memory_per_block:int max_threads_per_block:int "
     "registers_per_block:int l2_cache_size_bytes:int max_num_threads:int thread_warp_size:int "
     "backend_config:Map<str, Any>"},
    {"cuda_host", 1, "cpu", ""},
    {"nvptx", 2, "cuda,gpu", "mcpu:str mtriple:str max_num_threads:int thread_warp_size:int"},
    {"opencl", 4, "opencl,gpu",
     "max_threads_per_block:int max_shared_memory_per_block:int max_num_threads:int "
     "thread_warp_size:int texture_spatial_limit:int texture_depth_limit:int "
     "max_function_args:int image_base_address_alignment:int"},
    {"vulkan", 7, "vulkan,gpu",
     "mattr:Array<str> supports_float16:bool supports_float32:bool supports_float64:bool "
     "supports_int8:bool supports_int16:bool supports_int32:bool supports_int64:bool "
     "supports_8bit_buffer:bool supports_16bit_buffer:bool "
     "supports_storage_buffer_storage_class:bool "
     "supports_push_descriptor:bool supports_dedicated_allocation:bool "
     "supports_integer_dot_product:bool supports_cooperative_matrix:bool "
     "supported_subgroup_operations:int max_num_threads:int max_threads_per_block:int "
     "thread_warp_size:int max_block_size_x:int max_block_size_y:int max_block_size_z:int "
     "max_push_constants_size:int max_uniform_buffer_range:int max_storage_buffer_range:int "
     "max_per_stage_descriptor_storage_buffer:int max_shared_memory_per_block:int "
     "device_type:str device_name:str driver_name:str driver_version:int vulkan_api_version:int "
     "max_spirv_version:int"},
    {"metal", 8, "metal,gpu",
     "max_num_threads:int max_threads_per_block:int max_shared_memory_per_block:int "
     "thread_warp_size:int max_function_args:int"},
    {"rocm", 10, "rocm,gpu",
     "mcpu:str mtriple:str mattr:Array<str> max_num_threads:int max_threads_per_block:int "
     "max_shared_memory_per_block:int thread_warp_size:int"},
    {"ext_dev", 12, "", ""},
    {"webgpu", 15, "webgpu,gpu",
     "max_num_threads:int max_shared_memory_per_block:int thread_warp_size:int "
     "supports_subgroups:bool"},
    {"hexagon", 16, "hexagon,cpu",
     "mattr:Array<str> mcpu:str mtriple:str llvm-options:Array<str> num-cores:int "
     "vtcm-capacity:int"},
    {"trn", 18, "",
     "partition_size:int max_sbuf_size_per_partition:int max_psum_size_per_partition:int "
     "num-cores:int"},
    {"composite", 1, "", "devices:Array<Target>"},
    {"test", 1, "", ""},
};

void AddOptions(std::string_view text, ffi::Map<ffi::String, ffi::String>* out) {
  // A type may hold a blank (Map<str, Any>), a name may not: split at the blanks before names.
  while (!text.empty()) {
    size_t colon = text.find(':');
    std::string name(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    size_t end = text.find(' ');
    if (size_t open = text.find('<'); open < end) end = text.find('>') + 1;
    if (end > text.size()) end = text.size();
    out->Set(name, ffi::String(std::string(text.substr(0, end))));
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
}

const KindRow* FindRow(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

}  // namespace

TargetKind TargetKind::Get(const ffi::String& name) {
  static const auto* kinds = [] {
    auto* made = new std::unordered_map<std::string, TargetKind>();
    for (const KindRow& row : kKinds) {
      auto kind = ffi::make_object<TargetKindObj>();
      kind->name = row.name;
      kind->default_device_type = row.device_type;
      std::string keys = row.keys;
      while (!keys.empty()) {
        size_t comma = keys.find(',');
        kind->default_keys.push_back(keys.substr(0, comma));
        keys = comma == std::string::npos ? "" : keys.substr(comma + 1);
      }
      made->emplace(row.name, TargetKind(kind));
    }
    return made;
  }();
  auto it = kinds->find(std::string(name));
  if (it == kinds->end()) {
    TVM_FFI_THROW(ValueError) << "Target kind \"" << name << "\" is not defined";
  }
  return it->second;
}

ffi::Array<ffi::String> TargetKind::List() {
  ffi::Array<ffi::String> names;
  for (const KindRow& row : kKinds) names.push_back(row.name);
  return names;
}

ffi::Map<ffi::String, ffi::String> TargetKind::Options() const {
  ffi::Map<ffi::String, ffi::String> options;
  AddOptions(kCommonOptions, &options);
  AddOptions(FindRow(std::string(get()->name))->options, &options);
  return options;
}

}  // namespace tirx
}  // namespace tvm
