// SPDX-License-Identifier: Apache-2.0
#include "walk_lock.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>

#include "argument.h"
#include "function.h"
#include "runtime.h"

namespace tvm::ffi::detail::python {

#ifdef Py_GIL_DISABLED

namespace {

struct ThreadRecord {
  Group group = Group::kNone;
  bool queued = false;   // the place was given by the queue
  size_t place = 0;      // 1 + index among the places
  uint64_t entries = 0;  // into Python code
};
thread_local ThreadRecord record;

class GroupLock {
 public:
  void Enter(Group group) {
    if (group != Group::kAlone) {
      std::atomic<intptr_t>& count = CountOf(group);
      count.fetch_add(1);
      if (open_.load() == group) {
        record.queued = false;
        return;
      }
      count.fetch_sub(1);
    }
    Queue(group);
  }

  void Leave(Group group) {
    if (!record.queued) {
      CountOf(group).fetch_sub(1);
      if (open_.load() == group) return;
      std::lock_guard<std::mutex> lock(mutex_);
      Advance();
      return;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    --queued_inside_;
    Advance();
  }

  void BeforeFork() { mutex_.lock(); }
  void InParent() { mutex_.unlock(); }
  // Only this thread goes on in the child.
  void InChild() {
    new (this) GroupLock;
    if (record.group == Group::kNone) return;
    record.queued = true;
    queued_inside_ = 1;
    open_ = record.group == Group::kAlone ? Group::kNone : record.group;
  }

 private:
  struct Waiter {
    Group group;
    Waiter* next = nullptr;
    bool admitted = false;
    std::condition_variable wake{};
  };

  // Threads count in several places, so that they don't fight for one.
  struct alignas(64) Place {
    std::atomic<intptr_t> changing{0}, walking{0};
  };
  static constexpr size_t kPlaces = 32;
  // A thread that has to wait asks again for so long, the first times without going to sleep,
  // before it makes the others wait for it. Those that run meanwhile go on as they like: if each
  // change and each walk made the others take turns, all would wait for threads that the system has
  // put aside.
  static constexpr int kYields = 8;
  static constexpr std::chrono::microseconds kNap{250};
  static constexpr std::chrono::milliseconds kPatience{2};

  std::atomic<intptr_t>& CountOf(Group group) {
    if (record.place == 0) record.place = 1 + next_place_.fetch_add(1) % kPlaces;
    Place& place = places_[record.place - 1];
    return group == Group::kChanging ? place.changing : place.walking;
  }

  void Queue(Group group) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (TryTake(group)) return;
    for (int i = 0; i < kYields; ++i) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
      if (TryTake(group)) return;
    }
    PyThreadState* state = PyThreadState_GetUnchecked();
    lock.unlock();
    if (state != nullptr) PyEval_SaveThread();
    WaitFor(group);
    if (state != nullptr) {
      ShutdownBarrier barrier;
      PyEval_RestoreThread(state);
      barrier.Pass();
    }
  }

  void WaitFor(Group group) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (TryTake(group)) return;
      }
      std::this_thread::sleep_for(kNap);
    }
    Waiter waiter{group};
    std::unique_lock<std::mutex> lock(mutex_);
    if (TryTake(group)) return;
    record.queued = true;
    open_ = Group::kNone;
    Waiter** last = &first_;
    while (*last != nullptr) last = &(*last)->next;
    *last = &waiter;
    Advance();
    Wait(&waiter, &lock);
  }

  // A place, if it can be had at once and nobody is in the queue. Under the mutex.
  bool TryTake(Group group) {
    if (open_.load() == group) {
      CountOf(group).fetch_add(1);
      record.queued = false;
      return true;
    }
    if (first_ != nullptr) return false;
    Group before = open_.exchange(Group::kNone);
    if (!Empty()) {
      open_ = before;
      return false;
    }
    record.queued = group == Group::kAlone;
    if (record.queued) {
      queued_inside_ = 1;
    } else {
      CountOf(group).fetch_add(1);
      open_ = group;
    }
    return true;
  }

  void Wait(Waiter* waiter, std::unique_lock<std::mutex>* lock) {
    while (!waiter->admitted) {
      if (rt.alive) {
        waiter->wake.wait_for(*lock, std::chrono::seconds(1));
        continue;
      }
      // The interpreter stops daemon threads wherever they are: what they hold is never given back.
      waiter->wake.wait_for(*lock, std::chrono::milliseconds(100));
      if (waiter->admitted) return;
      Waiter** at = &first_;
      while (*at != waiter) at = &(*at)->next;
      *at = waiter->next;
      ++queued_inside_;
      return;
    }
  }

  bool Empty() const {
    if (queued_inside_ != 0) return false;
    for (const Place& place : places_) {
      if (place.changing.load() != 0 || place.walking.load() != 0) return false;
    }
    return true;
  }

  // Lets those in that are next, once nobody has a place. Under the mutex.
  void Advance() {
    if (open_.load() != Group::kNone || !Empty()) return;
    if (first_ == nullptr) {
      open_ = Group::kChanging;
      return;
    }
    // All of the first one's kind, for those behind may come and go for long.
    Group group = first_->group;
    for (Waiter** at = &first_; *at != nullptr;) {
      Waiter* waiter = *at;
      if (waiter->group != group) {
        at = &waiter->next;
        continue;
      }
      *at = waiter->next;
      waiter->admitted = true;
      ++queued_inside_;
      waiter->wake.notify_one();
      if (group == Group::kAlone) return;
    }
    if (first_ == nullptr) open_ = group;
  }

  std::atomic<Group> open_{Group::kChanging};  // who may enter without the queue; kNone: nobody
  std::atomic<size_t> next_place_{0};
  Place places_[kPlaces];
  std::mutex mutex_;
  Waiter* first_ = nullptr;
  intptr_t queued_inside_ = 0;
};

// Outlives the static destructors, which may drop objects.
GroupLock& group_lock() {
  static auto* lock = new GroupLock;
  return *lock;
}

void SwitchTo(Group group) {
  if (record.group != Group::kNone) group_lock().Leave(record.group);
  if (group != Group::kNone) group_lock().Enter(group);
  record.group = group;
}

int32_t EnterHook(int32_t group) {
  auto wanted = static_cast<Group>(group);
  // Who changes under a NativeSection has locked the object already.
  if (wanted == Group::kAlone && record.group == Group::kChanging) wanted = Group::kChanging;
  return static_cast<int32_t>(EnterGroup(wanted));
}
void LeaveHook(int32_t outer) { LeaveGroup(static_cast<Group>(outer)); }
uint64_t EntriesHook() { return record.entries; }

}  // namespace

Group EnterGroup(Group group) {
  Group outer = record.group;
  if (outer != group && outer != Group::kAlone) SwitchTo(group);
  return outer;
}

void LeaveGroup(Group outer) {
  if (record.group != outer) SwitchTo(outer);
}

Group BeginOutside() {
  ++record.entries;
  Group outer = record.group;
  if (outer != Group::kNone) SwitchTo(Group::kNone);
  return outer;
}

#else

namespace {

int32_t HoldsInterpreterHook() { return PyGILState_Check(); }

int32_t TakeInterpreterHook() {
  if (!rt.alive || PyGILState_Check() != 0) return 0;
  ShutdownBarrier barrier;
  auto state = static_cast<int32_t>(PyGILState_Ensure());
  barrier.Pass();
  return 1 + state;
}

void DropInterpreterHook(int32_t taken) {
  if (taken == 0 || PyGILState_Check() == 0) return;
  PyGILState_Release(static_cast<PyGILState_STATE>(taken - 1));
}

}  // namespace

#endif

bool InitWalkLock() {
  NativeRef set_hooks(FindGlobal("ffi._SetWalkHooks"));
  if (!set_hooks) return true;  // a library of another origin
  TVMFFIAny args[6];
  auto set = [&args](int at, void* hook) { SetPtr(&args[at], hook); };
#ifdef Py_GIL_DISABLED
  group_lock();
  if (pthread_atfork([] { group_lock().BeforeFork(); }, [] { group_lock().InParent(); },
                     [] { group_lock().InChild(); }) != 0) {
    PyErr_NoMemory();
    return false;
  }
  set(0, reinterpret_cast<void*>(EnterHook));
  set(1, reinterpret_cast<void*>(LeaveHook));
  set(2, nullptr);
  set(3, nullptr);
  set(4, nullptr);
  set(5, reinterpret_cast<void*>(EntriesHook));
#else
  set(0, nullptr);
  set(1, nullptr);
  set(2, reinterpret_cast<void*>(HoldsInterpreterHook));
  set(3, reinterpret_cast<void*>(TakeInterpreterHook));
  set(4, reinterpret_cast<void*>(DropInterpreterHook));
  set(5, nullptr);
#endif
  AnyRef nothing;
  return CallConverted(set_hooks.get(), args, 6, &nothing);
}

}  // namespace tvm::ffi::detail::python
