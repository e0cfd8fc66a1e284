// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/location.h"

#include <mutex>
#include <string>
#include <unordered_map>

namespace tvm {
namespace tirx {

const Location& Location::Unknown() {
  // Never destroyed: nodes may outlive static destruction.
  static const Location& unknown = *new Location(ffi::make_object<UnknownLocObj>());
  return unknown;
}

SourceName SourceName::Get(const ffi::String& name) {
  static std::mutex& mutex = *new std::mutex;
  static auto& names = *new std::unordered_map<std::string, SourceName>;
  std::lock_guard<std::mutex> lock(mutex);
  SourceName& entry = names[std::string(name)];
  if (!entry.defined()) {
    auto node = ffi::make_object<SourceNameObj>();
    node->name = name;
    entry = SourceName(std::move(node));
  }
  return entry;
}

SourceLoc::SourceLoc(SourceName source_name, int64_t start_line, int64_t start_column,
                     int64_t end_line, int64_t end_column) {
  auto node = ffi::make_object<SourceLocObj>();
  node->source_name = std::move(source_name);
  node->start_line = start_line;
  node->start_column = start_column;
  node->end_line = end_line;
  node->end_column = end_column;
  data_ = std::move(node);
}

CallSiteLoc::CallSiteLoc(Location callee, Location caller) {
  auto node = ffi::make_object<CallSiteLocObj>();
  node->callee = OrUnknown(std::move(callee));
  node->caller = OrUnknown(std::move(caller));
  data_ = std::move(node);
}

}  // namespace tirx
}  // namespace tvm
