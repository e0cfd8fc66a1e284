// SPDX-License-Identifier: Apache-2.0
/// \file walk_scope.h
/// \brief Keeps changes of values by other threads out of a walk over them.
///
/// A walk reads Lists, Dicts and fields without locks of their own. A binding whose interpreter
/// runs threads at once installs hooks (`ffi._SetWalkHooks`): they let a walk wait for changes that
/// are being made, and changes wait for walks. A binding whose interpreter runs one thread at a
/// time installs hooks that keep the interpreter during a walk. Without hooks all of this is a test
/// for null: native threads agree between themselves.
///
/// Nobody waits in here while it holds a place: code of the interpreter that a walk calls gives the
/// place of its thread back meanwhile. So a walk meets changes where hooks run, and only there.
#ifndef TVM_FFI_SRC_ALGO_WALK_SCOPE_H_
#define TVM_FFI_SRC_ALGO_WALK_SCOPE_H_

#include <tvm/ffi/error.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

namespace tvm {
namespace ffi {
namespace algo {

/// What a thread does with values that others see. The numbers are those that hooks get.
enum class WalkGroup : int32_t {
  kNone = 0,
  kChanging = 1,  // for the binding: it keeps changes of one object apart itself
  kWalking = 2,   // any number of threads
  kAlone = 3,     // a change that no other change may meet
};

struct WalkHooks {
  /// Waits for a place in a group; the place of the thread in another group is given up. Nothing
  /// happens when the present place allows as much. \returns what leave() needs.
  int32_t (*enter)(int32_t group);
  void (*leave)(int32_t outer);
  /// Whether this thread holds the interpreter.
  int32_t (*holds_interpreter)();
  /// Takes the interpreter unless this thread holds it. \returns what drop_interpreter() needs.
  int32_t (*take_interpreter)();
  void (*drop_interpreter)(int32_t taken);
  /// How often this thread has gone from native code into the interpreter.
  uint64_t (*interpreter_entries)();
};

/// Any member may be null. Set once, kept for ever.
extern std::atomic<const WalkHooks*> walk_hooks;

/// A place in a group while alive.
class GroupScope {
 public:
  explicit GroupScope(WalkGroup group) : hooks_(walk_hooks.load(std::memory_order_acquire)) {
    if (hooks_ == nullptr) return;
    if (hooks_->enter == nullptr) {
      hooks_ = nullptr;
    } else {
      outer_ = hooks_->enter(static_cast<int32_t>(group));
    }
  }
  ~GroupScope() {
    if (hooks_ != nullptr) hooks_->leave(outer_);
  }
  GroupScope(const GroupScope&) = delete;
  GroupScope& operator=(const GroupScope&) = delete;

 private:
  const WalkHooks* hooks_;
  int32_t outer_ = 0;
};

/// Stands in every function that reads what it finds in a value.
class WalkScope : public GroupScope {
 public:
  WalkScope() : GroupScope(WalkGroup::kWalking) {}
};

/// Around one change of an object that others may hold.
class ChangeScope : public GroupScope {
 public:
  ChangeScope() : GroupScope(WalkGroup::kAlone) {}
};

/// Whether code of the interpreter has run on this thread since this was made. Where nothing can
/// change during a walk in any case, it never has.
class InterpreterWatch {
 public:
  InterpreterWatch() : entries_(Entries()) {}
  bool HasRun() const { return Entries() != entries_; }

 private:
  static uint64_t Entries() {
    const WalkHooks* hooks = walk_hooks.load(std::memory_order_acquire);
    return hooks == nullptr || hooks->interpreter_entries == nullptr ? 0
                                                                     : hooks->interpreter_entries();
  }
  uint64_t entries_;
};

/// Holds the interpreter while alive, when it is needed.
class InterpreterScope {
 public:
  explicit InterpreterScope(bool needed) {
    if (!needed) return;
    hooks_ = walk_hooks.load(std::memory_order_acquire);
    taken_ = hooks_->take_interpreter();
  }
  ~InterpreterScope() {
    if (hooks_ != nullptr) hooks_->drop_interpreter(taken_);
  }
  InterpreterScope(const InterpreterScope&) = delete;
  InterpreterScope& operator=(const InterpreterScope&) = delete;

 private:
  const WalkHooks* hooks_ = nullptr;
  int32_t taken_ = 0;
};

/// The way from a function that a hook was given back to its walk.
template <typename Walker>
class WalkLink {
  struct State {
    Walker* walker = nullptr;
    const std::thread::id thread = std::this_thread::get_id();
    bool holds_interpreter = false;
  };

 public:
  explicit WalkLink(Walker* walker) : state_(std::make_shared<State>()) { state_->walker = walker; }
  ~WalkLink() { state_->walker = nullptr; }
  WalkLink(const WalkLink&) = delete;
  WalkLink& operator=(const WalkLink&) = delete;

  /// What such a function keeps.
  class Handle {
   public:
    /// Runs `body(walker)`. RuntimeError on a thread that is not that of the walk, and once the
    /// walk is over. `function` names what was called, with the hook that got it.
    template <typename Body>
    auto Enter(const char* function, Body&& body) const {
      if (state_->thread != std::this_thread::get_id()) {
        TVM_FFI_THROW(RuntimeError) << function << " was called on another thread";
      }
      if (state_->walker == nullptr) {
        TVM_FFI_THROW(RuntimeError) << function << " was called after the hook returned";
      }
      // Callers may have let go of an interpreter that the walk relies on.
      InterpreterScope interpreter(state_->holds_interpreter);
      return body(state_->walker);
    }

   private:
    friend class WalkLink;
    explicit Handle(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };

  Handle ForHook() const {
    const WalkHooks* hooks = walk_hooks.load(std::memory_order_acquire);
    state_->holds_interpreter =
        hooks != nullptr && hooks->holds_interpreter != nullptr && hooks->holds_interpreter() != 0;
    return Handle(state_);
  }

 private:
  const std::shared_ptr<State> state_;
};

/// Lets one thread at a time use a visitor or mutator, which hooks may hand to other threads.
class EngineOwner {
 public:
  EngineOwner() = default;
  EngineOwner(const EngineOwner&) {}
  EngineOwner& operator=(const EngineOwner&) { return *this; }

  class Scope {
   public:
    /// \throws RuntimeError when another thread is using it.
    Scope(EngineOwner* owner, const char* what) : owner_(owner) {
      const void* const self = ThisThread();
      const void* user = nullptr;
      if (owner->user_.load(std::memory_order_relaxed) == self) return;
      if (!owner->user_.compare_exchange_strong(user, self, std::memory_order_acquire)) {
        TVM_FFI_THROW(RuntimeError) << what << " is in use by another thread";
      }
      entered_ = true;
    }
    ~Scope() {
      if (entered_) owner_->user_.store(nullptr, std::memory_order_release);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    static const void* ThisThread() {
      static thread_local const char place = 0;
      return &place;
    }
    EngineOwner* owner_;
    bool entered_ = false;
  };

 private:
  std::atomic<const void*> user_{nullptr};
};

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_WALK_SCOPE_H_
