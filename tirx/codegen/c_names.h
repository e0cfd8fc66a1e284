// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_CODEGEN_C_NAMES_H_
#define TIRX_CODEGEN_C_NAMES_H_

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace tvm {
namespace tirx {

/// Identifiers of one text in a C-like language. Every name that is handed out is unique, an
/// identifier, and no word of the language or of its library: a loop variable may be called `new`.
class CNames {
 public:
  CNames();

  /// Takes a name out of circulation.
  void Reserve(const std::string& name) { used_.insert(name); }

  /// Whether `name` is a word of the language or a function of its library.
  static bool IsWord(const std::string& name);

  /// `hint` itself when it is free, else with a number behind it.
  std::string Unique(const std::string& hint);

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;
};

/// `text` as a C string literal.
std::string CStringLiteral(const std::string& text);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_CODEGEN_C_NAMES_H_
