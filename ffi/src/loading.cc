// SPDX-License-Identifier: Apache-2.0
#include "loading.h"

#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "library_initializer.h"

namespace tvm {
namespace ffi {
namespace {

constexpr size_t kMaxListed = 5;

// Who has a thing, and what to do about a second one.
struct Holder {
  std::string name;
  std::string way_out;
};

bool IsPythonBinding(const std::string& path) {
  return path.find("/tvm_ffi/core.") != std::string::npos;
}

Holder HolderOf(const Repeat& repeat) {
  const CodeImage first = CodeImageOf(repeat.first);
  const bool is_layout = !repeat.difference.empty();
  if (first.base == nullptr) {
    return {"code that is not loaded any more", "rename one of the two"};
  }
  if (first == CodeImageOf(repeat.second)) {
    return {"the same file",
            "it has two definitions of it, or one in a header that several of its sources include"};
  }
  if (first == CodeImageOf(reinterpret_cast<const void*>(&TVMFFIGetVersion))) {
    TVMFFIVersion version;
    TVMFFIGetVersion(&version);
    return {"tvm_ffi " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                std::to_string(version.patch) + " itself",
            "rename it, or build the library for this release"};
  }
  if (IsPythonBinding(first.path)) {
    return {"Python code", is_layout ? "give one of the two another key"
                                     : "rename one of the two, or call "
                                       "tvm_ffi.remove_global_func before the library is loaded"};
  }
  return {first.path, is_layout ? "give one of the two another key, build both with one "
                                  "definition, or load only one of them"
                                : "rename one of the two, or load only one of them"};
}

std::string ClashText(const Repeat& repeat) {
  const Holder holder = HolderOf(repeat);
  std::string text = repeat.subject + " is already registered by " + holder.name;
  if (!repeat.difference.empty()) text += " with another layout (" + repeat.difference + ")";
  return text + "; " + holder.way_out;
}

bool DoesHarm(const Repeat& repeat) {
  if (repeat.harm != Repeat::kNoneIfSameBuild) return repeat.harm == Repeat::kClash;
  const CodeImage first = CodeImageOf(repeat.first), second = CodeImageOf(repeat.second);
  return first == second || !IsSameBuild(first, second);
}

void WarnOfHarmless(const std::string& path, const Repeat& repeat, size_t further) {
  std::string what = repeat.subject;
  if (further != 0) what += " and " + std::to_string(further) + " more";
  std::fprintf(stderr,
               "[WARNING] %s registers again what %s has registered: %s. The first registration "
               "stays in force; load only one copy.\n",
               path.c_str(), HolderOf(repeat).name.c_str(), what.c_str());
}

// A library that somebody else loads, by plain dlopen or `import`: nobody can be handed an error.
void WarnAtOnce(const std::string& path, const Repeat& repeat) {
  // A clash is told once for a thing, and repeats that do no harm once for a file.
  static std::mutex* mutex = new std::mutex();
  static auto* told = new std::set<std::pair<std::string, std::string>>();
  const bool harm = DoesHarm(repeat);
  {
    std::lock_guard<std::mutex> lock(*mutex);
    if (told->count({path, repeat.subject}) != 0) return;
    if (!told->insert({path, harm ? repeat.subject : ""}).second) return;
  }
  if (!harm) return WarnOfHarmless(path, repeat, 0);
  std::fprintf(stderr, "[WARNING] %s: %s. The first registration stays in force.\n", path.c_str(),
               ClashText(repeat).c_str());
}

}  // namespace

thread_local Loading* Loading::innermost_ = nullptr;
std::atomic<int> Loading::num_active_{0};

namespace {

// Loads of all threads, and what they keep.
struct Loads {
  std::mutex mutex;
  std::vector<Loading*> active;

  static Loads& Global() {
    static Loads* loads = new Loads();
    return *loads;
  }
};

}  // namespace

Loading::Loading() : outer_(innermost_), mapped_before_(BasesOfImages()) {
  innermost_ = this;
  // Threads of initialisers must not be the first to touch variables of threads: that may take the
  // lock of the dynamic loader. Those of this library have just been touched.
  static_cast<void>(std::uncaught_exceptions());
  Loads& loads = Loads::Global();
  std::lock_guard<std::mutex> lock(loads.mutex);
  loads.active.push_back(this);
  num_active_.fetch_add(1);
}

Loading::~Loading() {
  innermost_ = outer_;
  Loads& loads = Loads::Global();
  std::lock_guard<std::mutex> lock(loads.mutex);
  loads.active.erase(std::find(loads.active.begin(), loads.active.end(), this));
  num_active_.fetch_sub(1);
}

Loading* Loading::Find(const void* registrant) {
  if (innermost_ != nullptr) return innermost_;
  const std::vector<Loading*>& active = Loads::Global().active;
  if (active.empty()) return nullptr;
  const void* const base = CodeImageOf(registrant).base;
  for (auto it = active.rbegin(); base != nullptr && it != active.rend(); ++it) {
    const std::vector<const void*>& before = (*it)->mapped_before_;
    if (!before.empty() &&
        !std::binary_search(before.begin(), before.end(), base, std::less<const void*>())) {
      return *it;
    }
  }
  return nullptr;
}

void Loading::Note(const void* registrant, std::function<void()> undo) {
  std::lock_guard<std::mutex> lock(Loads::Global().mutex);
  Loading* loading = Find(registrant);
  if (loading != nullptr) loading->registered_.push_back({registrant, std::move(undo)});
}

void Loading::NoteError(const Error& error) {
  std::lock_guard<std::mutex> lock(Loads::Global().mutex);
  if (!error_.has_value()) error_ = error;
}

bool Loading::NoteErrorOf(const void* registrant, const Error& error) {
  std::lock_guard<std::mutex> lock(Loads::Global().mutex);
  Loading* loading = Find(registrant);
  if (loading == nullptr) return false;
  if (!loading->error_.has_value()) loading->error_ = error;
  return true;
}

bool Loading::NoteRepeat(const Repeat& repeat) {
  std::lock_guard<std::mutex> lock(Loads::Global().mutex);
  Loading* loading = Find(repeat.second);
  if (loading == nullptr) return false;
  loading->AddRepeat(repeat);
  return true;
}

bool KeepFirst(const Repeat& repeat) {
  if (Loading::NoteRepeat(repeat)) return true;
  const std::string library = LibraryBeingInitialized();
  if (library.empty()) return false;
  WarnAtOnce(library, repeat);
  return true;
}

bool KeepError(const Error& error, const void* registrant) {
  if (Loading::NoteErrorOf(registrant, error)) return true;
  const std::string library = LibraryBeingInitialized();
  if (library.empty()) return false;
  std::fprintf(stderr, "[WARNING] %s: %s: %s\n", library.c_str(), error.kind().c_str(),
               error.message().c_str());
  return true;
}

void Loading::AddRepeat(const Repeat& repeat) {
  auto is_same = [&](const Clash& clash) { return clash.subject == repeat.subject; };
  if (std::any_of(clashes_.begin(), clashes_.end(), is_same)) return;
  if (DoesHarm(repeat)) {
    clashes_.push_back({repeat.subject, ClashText(repeat), CodeImageOf(repeat.second)});
    return;
  }
  if (std::find(repeated_.begin(), repeated_.end(), repeat.subject) != repeated_.end()) return;
  repeated_.push_back(repeat.subject);
  if (!repeat_.has_value()) repeat_ = repeat;
}

std::optional<Error> Loading::Finish(const std::string& path, const CodeImage& image) {
  if (!error_.has_value() && clashes_.empty()) {
    if (repeat_.has_value()) WarnOfHarmless(path, *repeat_, repeated_.size() - 1);
    return std::nullopt;
  }
  std::vector<Registration> registered;
  {
    // A thread that an initialiser has left running may still be at it.
    // The undoing takes locks of its own.
    std::lock_guard<std::mutex> lock(Loads::Global().mutex);
    registered = registered_;
  }
  // Only what this file has registered itself: a library that it needs stays in use, and its
  // initialisers do not run a second time.
  for (auto it = registered.rbegin(); it != registered.rend(); ++it) {
    if (it->undo && (image.base == nullptr || CodeImageOf(it->registrant) == image)) it->undo();
  }
  const std::string start = "Failed to initialize shared library " + path + ": ";
  if (error_.has_value()) {
    return Error(error_->kind(), start + error_->kind() + ": " + error_->message(),
                 error_->backtrace(), error_, std::nullopt);
  }
  std::string text;
  for (size_t i = 0; i < std::min(clashes_.size(), kMaxListed); ++i) {
    const Clash& clash = clashes_[i];
    if (clashes_.size() > 1) text += "\n- ";
    if (image.base != nullptr && !(clash.by == image) && clash.by.base != nullptr) {
      text += "in " + clash.by.path + ", ";
    }
    text += clash.text;
  }
  if (clashes_.size() > kMaxListed) {
    text += "\n- and " + std::to_string(clashes_.size() - kMaxListed) + " more";
  }
  return Error("RuntimeError", start + text, "");
}

}  // namespace ffi
}  // namespace tvm
