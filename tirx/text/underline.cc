// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/underline.h"

#include <algorithm>
#include <string_view>

#include "tirx/ir/expr.h"
#include "tirx/text/literal.h"

namespace tvm {
namespace tirx {

namespace {

using ffi::reflection::AccessKind;
using ffi::reflection::AccessStep;

std::string KeyText(const ffi::Any& key) {
  if (auto text = key.as<ffi::String>()) {
    std::string quoted;
    AppendQuoted(&quoted, {text->data(), text->size()});
    return quoted;
  }
  if (auto index = key.as<int64_t>()) return std::to_string(*index);
  if (const auto* var = key.as<GlobalVarObj>()) return "Module." + std::string(var->name_hint);
  if (const auto* var = key.as<VarObj>()) return std::string(var->name);
  return key.GetTypeKey();
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  while (true) {
    size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return lines;
    begin = end + 1;
  }
}

std::string Number(size_t line, size_t width) {
  std::string digits = std::to_string(line);
  return std::string(width - digits.size(), ' ') + digits + " ";
}

}  // namespace

std::string PathText(const ffi::Array<AccessStep>& steps) {
  std::string text = "<root>";
  for (const AccessStep& step : steps) {
    switch (step->kind) {
      case AccessKind::kAttr:
        text += "." + std::string(step->key.cast<ffi::String>());
        break;
      case AccessKind::kArrayItem:
      case AccessKind::kMapItem:
        text += "[" + KeyText(step->key) + "]";
        break;
      case AccessKind::kAttrMissing:
        text += ".<missing:" + std::string(step->key.cast<ffi::String>()) + ">";
        break;
      case AccessKind::kArrayItemMissing:
      case AccessKind::kMapItemMissing:
        text += "[<missing:" + KeyText(step->key) + ">]";
        break;
    }
  }
  return text;
}

std::string NumberLines(const std::string& text) {
  std::vector<std::string_view> lines = SplitLines(text);
  size_t width = std::to_string(lines.size()).size();
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i != 0) out += '\n';
    out += Number(i + 1, width);
    out += lines[i];
  }
  return out;
}

bool Marks::Wanted(const PrinterConfig& config) {
  return config.defined() &&
         (!config->path_to_underline.empty() || !config->path_to_annotate.empty() ||
          !config->obj_to_underline.empty() || !config->obj_to_annotate.empty());
}

Marks::Marks(const PrinterConfig& config) : config_(config) {
  for (const auto& path : config->path_to_underline) {
    Mark mark;
    mark.steps = path->ToSteps();
    underlined_.push_back(std::move(mark));
  }
  for (const auto& [path, comment] : config->path_to_annotate) {
    Mark mark;
    mark.steps = path->ToSteps();
    mark.comment = comment;
    annotated_.push_back(std::move(mark));
  }
}

void Marks::Push(const char* field, int64_t index) {
  int count = 0;
  if (field != nullptr) {
    path_.push_back({StepKind::kAttr, field, 0, {}});
    ++count;
  }
  if (index >= 0) {
    path_.push_back({StepKind::kArrayItem, {}, index, {}});
    ++count;
  }
  pushed_.push_back(count);
}

void Marks::PushKey(const char* field, ffi::Any key) {
  int count = 1;
  if (field != nullptr) {
    path_.push_back({StepKind::kAttr, field, 0, {}});
    ++count;
  }
  path_.push_back({StepKind::kMapItem, {}, 0, std::move(key)});
  pushed_.push_back(count);
}

void Marks::Pop() {
  path_.resize(path_.size() - static_cast<size_t>(pushed_.back()));
  pushed_.pop_back();
}

bool Marks::Same(const PathStep& here, const AccessStep& step) {
  if (here.kind != step->kind) return false;
  switch (here.kind) {
    case AccessKind::kAttr: {
      ffi::String name = step->key.cast<ffi::String>();
      return here.field == std::string_view(name.data(), name.size());
    }
    case AccessKind::kArrayItem:
      return step->key.cast<int64_t>() == here.index;
    default:
      return ffi::AnyEqual()(here.key, step->key);
  }
}

void Marks::Match(Mark* mark, size_t begin, size_t end) const {
  if (path_.size() > mark->steps.size()) return;
  if (mark->found && path_.size() < mark->matched) return;
  for (size_t i = 0; i < path_.size(); ++i) {
    if (!Same(path_[i], mark->steps[static_cast<int64_t>(i)])) return;
  }
  // The first text of a part counts: a parameter's name before its later uses.
  if (mark->found && path_.size() == mark->matched) return;
  mark->found = true;
  mark->matched = path_.size();
  mark->begin = begin;
  mark->end = end;
}

std::string Marks::CurrentPath() const {
  ffi::Array<AccessStep> steps;
  for (const PathStep& step : path_) {
    if (step.kind == AccessKind::kAttr) {
      steps.push_back(AccessStep::Attr(ffi::String(step.field.data(), step.field.size())));
    } else if (step.kind == AccessKind::kArrayItem) {
      steps.push_back(AccessStep::ArrayItem(step.index));
    } else {
      steps.push_back(AccessStep::MapItem(step.key));
    }
  }
  return PathText(steps);
}

void Marks::Add(const ffi::Object* node, size_t begin, size_t end) {
  for (Mark& mark : underlined_) Match(&mark, begin, end);
  for (Mark& mark : annotated_) Match(&mark, begin, end);
  for (const ffi::ObjectRef& object : config_->obj_to_underline) {
    if (object.get() != node) continue;
    Mark mark;
    mark.found = true;
    mark.begin = begin;
    mark.end = end;
    objects_.emplace_back(std::move(mark), CurrentPath());
  }
  for (const auto& [object, comment] : config_->obj_to_annotate) {
    if (object.get() != node) continue;
    Mark mark;
    mark.found = true;
    mark.matched = mark.steps.size();
    mark.begin = begin;
    mark.end = end;
    mark.comment = comment;
    annotated_.push_back(std::move(mark));
  }
}

namespace {

template <typename Marks, typename Objects, typename F>
void ForEachSpan(Marks* first, Marks* second, Objects* objects, F f) {
  for (auto* list : {first, second}) {
    for (auto& mark : *list) {
      if (mark.found) f(&mark.begin, &mark.end);
    }
  }
  for (auto& [mark, path] : *objects) f(&mark.begin, &mark.end);
}

}  // namespace

void Marks::Insert(size_t at, size_t length) {
  ForEachSpan(&underlined_, &annotated_, &objects_, [&](size_t* begin, size_t* end) {
    if (*begin >= at) *begin += length;
    if (*end > at) *end += length;
  });
}

void Marks::Swap(size_t a, size_t b, size_t end_of_text) {
  size_t forward = end_of_text - b, back = b - a;
  ForEachSpan(&underlined_, &annotated_, &objects_, [&](size_t* begin, size_t* end) {
    if (*begin < a || *begin == *end) return;
    if (*begin >= b) {
      *begin -= back;
      *end -= back;
    } else if (*end <= b) {
      *begin += forward;
      *end += forward;
    }
  });
}

void Marks::AddComments(std::string* text, std::vector<Mark>* underlined) const {
  // From the back, so that earlier positions stay valid.
  std::vector<const Mark*> order;
  for (const Mark& mark : annotated_) {
    if (mark.found) order.push_back(&mark);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Mark* a, const Mark* b) { return a->begin > b->begin; });
  for (const Mark* mark : order) {
    std::string_view span = std::string_view(*text).substr(mark->begin, mark->end - mark->begin);
    while (!span.empty() && span.back() == '\n') span.remove_suffix(1);
    size_t line_begin = text->rfind('\n', mark->begin);
    line_begin = line_begin == std::string::npos || mark->begin == 0 ? 0 : line_begin + 1;
    size_t at;
    std::string comment;
    if (span.find('\n') != std::string_view::npos) {
      at = line_begin;
      comment = std::string(mark->begin - line_begin, ' ') + "# " + mark->comment + "\n";
    } else {
      at = text->find('\n', mark->begin);
      if (at == std::string::npos) at = text->size();
      comment = "  # " + mark->comment;
    }
    text->insert(at, comment);
    for (Mark& other : *underlined) {
      if (other.begin >= at) other.begin += comment.size();
      if (other.end > at) other.end += comment.size();
    }
  }
}

std::string Marks::Render(const std::string& original) const {
  std::string text = original;
  std::vector<Mark> underlined;
  std::string header;
  for (const Mark& mark : underlined_) {
    header += "Access path: " + PathText(mark.steps) + "\n";
    bool exact = mark.found && mark.matched == mark.steps.size();
    if (!exact && config_->render_invisible_path_info) {
      header += "Note: The underlined object is the nearest visible parent of this path.\n";
    }
    if (mark.found) underlined.push_back(mark);
  }
  for (const auto& [mark, path] : objects_) {
    header += "Access path: " + path + "\n";
    underlined.push_back(mark);
  }
  if (!header.empty()) header += "\n";
  AddComments(&text, &underlined);

  std::vector<std::string_view> lines = SplitLines(text);
  std::vector<std::string> carets(lines.size());
  size_t begin = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    size_t end = begin + lines[i].size();
    for (const Mark& mark : underlined) {
      size_t from = std::max(mark.begin, begin), to = std::min(mark.end, end);
      if (from >= to) continue;
      size_t indent = lines[i].find_first_not_of(' ');
      if (indent == std::string_view::npos) continue;
      from = std::max(from, begin + indent);
      if (from >= to) continue;
      if (carets[i].size() < to - begin) carets[i].resize(to - begin, ' ');
      std::fill(carets[i].begin() + static_cast<int64_t>(from - begin),
                carets[i].begin() + static_cast<int64_t>(to - begin), '^');
    }
    begin = end + 1;
  }

  int64_t context = config_->num_context_lines;
  bool any = std::any_of(carets.begin(), carets.end(), [](const auto& c) { return !c.empty(); });
  std::vector<bool> kept(lines.size(), context < 0 || !any);
  for (size_t i = 0; context >= 0 && i < lines.size(); ++i) {
    if (carets[i].empty()) continue;
    size_t distance = static_cast<size_t>(context);
    size_t from = i > distance ? i - distance : 0;
    size_t to = std::min(lines.size() - 1, i + distance);
    for (size_t k = from; k <= to; ++k) kept[k] = true;
  }

  std::string out = header;
  size_t width = config_->print_line_numbers ? std::to_string(lines.size()).size() : 0;
  for (size_t i = 0; i < lines.size();) {
    if (!kept[i]) {
      size_t next = i;
      while (next < lines.size() && !kept[next]) ++next;
      out += "(... " + std::to_string(next - i) + " lines skipped ...)\n";
      i = next;
      continue;
    }
    if (width != 0) out += Number(i + 1, width);
    out += lines[i];
    out += '\n';
    if (!carets[i].empty()) {
      if (width != 0) out += std::string(width + 1, ' ');
      out += carets[i];
      out += '\n';
    }
    ++i;
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace tirx
}  // namespace tvm
