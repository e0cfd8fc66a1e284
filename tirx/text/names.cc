// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/names.h"

namespace tvm {
namespace tirx {

std::string ToIdentifier(std::string_view name) {
  if (name.empty()) return "v";
  std::string result;
  result.reserve(name.size() + 1);
  if (name[0] >= '0' && name[0] <= '9') result.push_back('_');
  for (char c : name) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result.push_back(plain ? c : '_');
  }
  return result;
}

bool IsPythonKeyword(std::string_view name) {
  static const auto& keywords = *new std::unordered_set<std::string_view>{
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return keywords.count(name) != 0;
}

std::string NameSupply::Fresh(std::string_view hint) {
  std::string base = ToIdentifier(hint);
  std::string name = base;
  if (Taken(name) || reserved_.count(name) != 0 || IsPythonKeyword(name)) {
    int& suffix = next_suffix_[base];
    do {
      name = base + "_" + std::to_string(++suffix);
    } while (Taken(name) || reserved_.count(name) != 0);
  }
  used_.insert(name);
  given_.push_back(name);
  return name;
}

void NameSupply::ReleaseTo(size_t mark) {
  while (given_.size() > mark) {
    used_.erase(given_.back());
    // A released name may be the next one again for its base.
    size_t underscore = given_.back().rfind('_');
    if (underscore != std::string::npos) next_suffix_.erase(given_.back().substr(0, underscore));
    given_.pop_back();
  }
}

}  // namespace tirx
}  // namespace tvm
