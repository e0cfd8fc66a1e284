// SPDX-License-Identifier: Apache-2.0
#include "symbolizer.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#if TVM_FFI_USE_LIBBACKTRACE
#include <backtrace.h>
#endif
#if defined(__GNUC__)
#include <cxxabi.h>
#endif
#if defined(__linux__)
#include <link.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

namespace tvm {
namespace ffi {
namespace {

std::string Demangle(const char* symbol) {
  if (symbol == nullptr) return {};
  std::string name = symbol;
#if defined(__GNUC__)
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  if (text != nullptr) name = text.get();
#endif
  // Parts that the compiler split off, such as "f(int) [clone .cold]", are still that function.
  size_t clone = name.find(" [clone ");
  if (clone != std::string::npos) name.resize(clone);
  return name;
}

std::string ExportedName(uintptr_t address) {
#if defined(__unix__) || defined(__APPLE__)
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(address), &info) != 0) return Demangle(info.dli_sname);
#endif
  return {};
}

#if TVM_FFI_USE_LIBBACKTRACE

// Runs what C code calls back: exceptions may not pass its frames, so one waits until Rethrow().
class CallbackGuard {
 public:
  template <typename Body>
  bool Run(Body&& body) noexcept {
    try {
      body();
      return true;
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  void Rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

template <typename T>
struct Guarded {
  T value{};
  CallbackGuard guard;
};

struct LoadedCode {
  std::vector<std::pair<uintptr_t, uintptr_t>> segments;
  unsigned long long num_unloads = 0;  // NOLINT(runtime/int): type of the loader's counter

  bool Contains(uintptr_t address) const {
    for (const auto& [begin, end] : segments) {
      if (address >= begin && address < end) return true;
    }
    return false;
  }
};

LoadedCode FindLoadedCode() {
  Guarded<LoadedCode> code;
#if defined(__linux__)
  auto visit = [](dl_phdr_info* info, size_t, void* opaque) -> int {
    auto* out = static_cast<Guarded<LoadedCode>*>(opaque);
    LoadedCode* found = &out->value;
    found->num_unloads = info->dlpi_subs;
    const bool ok = out->guard.Run([&] {
      for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
        uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
        found->segments.emplace_back(begin, begin + segment.p_memsz);
      }
    });
    return ok ? 0 : 1;
  };
  dl_iterate_phdr(visit, &code);
  code.guard.Rethrow();
#endif
  return std::move(code.value);
}

void IgnoreError(void*, const char*, int) {}

// libbacktrace reads the list of loaded files once per state and can't release a state. A new state
// is made only when an address lies in a file that the last one does not know.
class Resolver {
 public:
  static Resolver* Global() {
    static Resolver* resolver = new Resolver();
    return resolver;
  }

  uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

  std::vector<SourceFrames> Resolve(const std::vector<uintptr_t>& addresses) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<SourceFrames> result;
    result.reserve(addresses.size());
    bool checked = false;
    for (uintptr_t address : addresses) {
      auto it = cache_.find(address);
      if (it == cache_.end()) {
        if (!checked) {
          checked = true;
          Refresh(addresses);
        }
        if (cache_.size() >= kMaxCached) cache_.clear();
        it = cache_.emplace(address, Lookup(address)).first;
      }
      result.push_back(it->second);
    }
    return result;
  }

 private:
  static constexpr size_t kMaxCached = 1 << 14;
  static constexpr int kMaxStates = 64;

  void Refresh(const std::vector<uintptr_t>& addresses) {
    LoadedCode now = FindLoadedCode();
    bool stale = state_ == nullptr || now.num_unloads != known_.num_unloads;
    for (uintptr_t address : addresses) {
      stale = stale || (!known_.Contains(address) && now.Contains(address));
    }
    if (!stale || num_states_ >= kMaxStates) return;
    generation_.fetch_add(1, std::memory_order_relaxed);
    cache_.clear();
    known_ = std::move(now);
    state_ = backtrace_create_state(nullptr, /*threaded=*/1, IgnoreError, nullptr);
    ++num_states_;
    // Makes it read the list now; every file of `known_` is in it.
    auto ignore = [](void*, uintptr_t, const char*, int, const char*) { return 0; };
    backtrace_pcinfo(state_, addresses.front(), ignore, IgnoreError, nullptr);
  }

  SourceFrames Lookup(uintptr_t address) {
    auto frames = std::make_shared<std::vector<SourceFrame>>();
    if (state_ != nullptr && known_.Contains(address)) {
      auto add = [](void* opaque, uintptr_t, const char* file, int line, const char* function) {
        auto* out = static_cast<Guarded<std::vector<SourceFrame>*>*>(opaque);
        if (file == nullptr && function == nullptr) return 0;
        const bool ok = out->guard.Run([&] {
          out->value->push_back({Demangle(function), file == nullptr ? "" : file, line});
        });
        return ok ? 0 : 1;
      };
      Guarded<std::vector<SourceFrame>*> lines{frames.get(), {}};
      backtrace_pcinfo(state_, address, add, IgnoreError, &lines);
      lines.guard.Rethrow();
      // Debug information names local functions without their scope; the symbol table has all of
      // it.
      Guarded<std::string> symbol;
      auto name = [](void* opaque, uintptr_t, const char* text, uintptr_t, uintptr_t) {
        auto* out = static_cast<Guarded<std::string>*>(opaque);
        out->guard.Run([&] { out->value = Demangle(text); });
      };
      backtrace_syminfo(state_, address, name, IgnoreError, &symbol);
      symbol.guard.Rethrow();
      if (!symbol.value.empty()) {
        if (frames->empty()) frames->emplace_back();
        frames->back().function = std::move(symbol.value);
      }
    }
    if (frames->empty()) {
      std::string exported = ExportedName(address);
      if (!exported.empty()) frames->push_back({std::move(exported), "", 0});
    }
    return frames;
  }

  std::mutex mutex_;
  std::atomic<uint64_t> generation_{0};
  backtrace_state* state_ = nullptr;
  int num_states_ = 0;
  LoadedCode known_;
  std::unordered_map<uintptr_t, SourceFrames> cache_;
};

#endif  // TVM_FFI_USE_LIBBACKTRACE

}  // namespace

std::vector<SourceFrames> Symbolize(const std::vector<uintptr_t>& addresses) {
#if TVM_FFI_USE_LIBBACKTRACE
  return Resolver::Global()->Resolve(addresses);
#else
  std::vector<SourceFrames> result;
  for (uintptr_t address : addresses) {
    auto frames = std::make_shared<std::vector<SourceFrame>>();
    std::string exported = ExportedName(address);
    if (!exported.empty()) frames->push_back({std::move(exported), "", 0});
    result.push_back(std::move(frames));
  }
  return result;
#endif
}

uint64_t SymbolGeneration() {
#if TVM_FFI_USE_LIBBACKTRACE
  return Resolver::Global()->generation();
#else
  return 0;
#endif
}

}  // namespace ffi
}  // namespace tvm
