// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_DRIVER_RUNNER_H_
#define TIRX_DRIVER_RUNNER_H_

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Runs the passes of one compilation by name, and watches them:
///   TIRX_DUMP=all or names, comma separated   prints the module after those passes, on stderr
///   TIRX_TIME=1                               prints the time of each pass at the end
///   TIRX_VERIFY=1                             checks after each pass that the module is
///   well-formed
class Runner {
 public:
  Runner();
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  template <typename Pass, typename... Args>
  IRModule operator()(const char* name, Pass pass, IRModule module, Args&&... args) {
    auto start = std::chrono::steady_clock::now();
    module = pass(std::move(module), std::forward<Args>(args)...);
    Finished(name, start, module);
    return module;
  }

  /// The time of a step that gives something other than a module.
  template <typename Step>
  auto Timed(const char* name, Step step) {
    auto start = std::chrono::steady_clock::now();
    auto result = step();
    Record(name, start);
    return result;
  }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  void Record(const char* name, TimePoint start);
  void Finished(const char* name, TimePoint start, const IRModule& module);

  std::string dump_;
  bool time_ = false;
  bool verify_ = false;
  std::vector<std::pair<std::string, double>> times_;  // milliseconds
};

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_DRIVER_RUNNER_H_
