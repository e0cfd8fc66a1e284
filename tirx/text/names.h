// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tvm {
namespace tirx {

// `name` as a Python identifier: other characters become `_`, a leading digit gets one in front,
// an empty name is `v`.
std::string ToIdentifier(std::string_view name);
// Whether Python reserves the word.
bool IsPythonKeyword(std::string_view name);

// Hands out names that differ. A taken or reserved name gets _1, _2, ...
class NameSupply {
 public:
  void Reserve(std::string name) { reserved_.insert(std::move(name)); }
  std::string Fresh(std::string_view hint);
  // Makes names given after `mark` free again.
  size_t Mark() const { return given_.size(); }
  void ReleaseTo(size_t mark);
  // Takes a released name again.
  void Retake(const std::string& name) { used_.insert(name); }

 private:
  bool Taken(const std::string& name) const { return used_.count(name) != 0; }
  std::unordered_set<std::string> used_, reserved_;
  // Next suffix to try for a name, so that many variables of one name take linear time.
  std::unordered_map<std::string, int> next_suffix_;
  std::vector<std::string> given_;
};

}  // namespace tirx
}  // namespace tvm
