// SPDX-License-Identifier: Apache-2.0
#include "tirx/driver/runner.h"

#include <cstdio>
#include <cstdlib>

#include "tirx/ir/analysis.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::string(value) != "0";
}

// Whether `name` is in the comma-separated list.
bool Lists(const std::string& list, const std::string& name) {
  if (list == "all") return true;
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

Runner::Runner() : time_(IsSet("TIRX_TIME")), verify_(IsSet("TIRX_VERIFY")) {
  if (const char* list = std::getenv("TIRX_DUMP")) dump_ = list;
}

Runner::~Runner() {
  if (!time_) return;
  for (const auto& [name, milliseconds] : times_) {
    std::fprintf(stderr, "%10.3f ms  %s\n", milliseconds, name.c_str());
  }
}

void Runner::Record(const char* name, TimePoint start) {
  if (!time_) return;
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  times_.emplace_back(name, spent.count());
}

void Runner::Finished(const char* name, TimePoint start, const IRModule& module) {
  Record(name, start);
  if (!dump_.empty() && Lists(dump_, name)) {
    std::fprintf(stderr, "# after %s\n%s\n", name, Script(module).c_str());
  }
  if (verify_) {
    std::string problem = WellFormedError(module);
    if (!problem.empty()) {
      TVM_FFI_THROW(InternalError) << "The pass " << name << " broke the module: " << problem;
    }
  }
}

}  // namespace tirx
}  // namespace tvm
