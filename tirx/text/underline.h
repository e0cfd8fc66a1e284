// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tirx/text/config.h"

namespace tvm {
namespace tirx {

// Remembers which text belongs to the parts that the configuration asks to underline or annotate.
// Exists only when it asks for any.
class Marks {
 public:
  explicit Marks(const PrinterConfig& config);
  static bool Wanted(const PrinterConfig& config);

  // The access path of the part being printed. A field (null for none), then an item of it when
  // `index` is not negative, or an entry by key.
  void Push(const char* field, int64_t index);
  void PushKey(const char* field, ffi::Any key);
  void Pop();
  // The text [begin, end) belongs to `node` at the current path.
  void Add(const ffi::Object* node, size_t begin, size_t end);
  // Text was inserted at `at`; [a, b) and [b, end) changed places.
  void Insert(size_t at, size_t length);
  void Swap(size_t a, size_t b, size_t end);

  // The text with carets, comments, notes, line numbers and skipped lines.
  std::string Render(const std::string& text) const;

 private:
  using StepKind = ffi::reflection::AccessKind;
  struct PathStep {
    StepKind kind;
    std::string_view field;
    int64_t index;
    ffi::Any key;
  };
  struct Mark {
    ffi::Array<ffi::reflection::AccessStep> steps;
    size_t matched = 0;  // steps of the nearest printed ancestor
    bool found = false;
    size_t begin = 0, end = 0;
    std::string comment;  // of an annotation
  };
  static bool Same(const PathStep& here, const ffi::reflection::AccessStep& step);
  void Match(Mark* mark, size_t begin, size_t end) const;
  std::string CurrentPath() const;
  void AddComments(std::string* text, std::vector<Mark>* underlined) const;

  PrinterConfig config_;
  std::vector<PathStep> path_;
  std::vector<int> pushed_;
  std::vector<Mark> underlined_, annotated_;
  // Parts found by object: their paths in order of text.
  std::vector<std::pair<Mark, std::string>> objects_;
};

// Text form of a path: `<root>.body.seq[1]`.
std::string PathText(const ffi::Array<ffi::reflection::AccessStep>& steps);
// The text with a number before each line.
std::string NumberLines(const std::string& text);

}  // namespace tirx
}  // namespace tvm
