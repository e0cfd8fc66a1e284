// SPDX-License-Identifier: Apache-2.0
// An event loop whose handlers are functions of any language. Handlers may post, set timers, cancel
// them and stop the loop; other threads may post. One mutex guards the queues and is never held
// while a handler runs.
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

using Clock = std::chrono::steady_clock;

class LoopObj : public ffi::Object {
 public:
  int64_t handled = 0;

  // Runs `handler(payload)` after what is queued already. May be called from any thread.
  void Post(ffi::Function handler, ffi::Any payload) {
    TVM_FFI_CHECK(handler != nullptr, TypeError) << "the handler is None";
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ready_.emplace_back(std::move(handler), std::move(payload));
    }
    changed_.notify_one();
  }

  // Runs `handler(number of the timer)` after `milliseconds`. Returns the number, for Cancel.
  int64_t After(double milliseconds, ffi::Function handler) {
    TVM_FFI_CHECK(milliseconds >= 0, ValueError) << "a timer can't end in the past";
    std::lock_guard<std::mutex> lock(mutex_);
    int64_t number = next_timer_++;
    auto delay = std::chrono::duration<double, std::milli>(milliseconds);
    timers_.emplace(Clock::now() + std::chrono::duration_cast<Clock::duration>(delay),
                    std::make_pair(number, std::move(handler)));
    changed_.notify_one();
    return number;
  }

  // Whether the timer was still waiting.
  bool Cancel(int64_t number) {
    // Released after the lock: the last reference to a handler may run any code.
    ffi::Function dropped;
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
      if (timer->second.first != number) continue;
      dropped = std::move(timer->second.second);
      timers_.erase(timer);
      return true;
    }
    return false;
  }

  void Stop() {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_one();
  }

  // Runs handlers until nothing is left to do or Stop was called. An error of a handler leaves the
  // loop as it is, with that handler taken off, and is thrown: Run may be called again to go on.
  int64_t Run() {
    stopped_ = false;
    int64_t before = handled;
    Event event;
    while (Next(&event)) {
      ++handled;
      event.first(event.second);
    }
    return handled - before;
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("event_loop.Loop", LoopObj, ffi::Object);

 private:
  using Event = std::pair<ffi::Function, ffi::Any>;

  bool Next(Event* event) {
    *event = Event(nullptr, nullptr);  // outside the lock, for the reason given in Cancel
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopped_) {
      if (!timers_.empty() && timers_.begin()->first <= Clock::now()) {
        auto [number, handler] = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        *event = Event(std::move(handler), number);
        return true;
      }
      if (!ready_.empty()) {
        *event = std::move(ready_.front());
        ready_.pop_front();
        return true;
      }
      if (timers_.empty()) return false;
      // Short waits: between them Python may raise what a signal asked for, such as
      // KeyboardInterrupt.
      auto until = std::min(timers_.begin()->first, Clock::now() + std::chrono::milliseconds(50));
      changed_.wait_until(lock, until);
      lock.unlock();
      if (TVMFFIEnvCheckSignals() != 0) throw ffi::EnvErrorAlreadySet();
      lock.lock();
    }
    return false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> ready_;
  std::multimap<Clock::time_point, std::pair<int64_t, ffi::Function>> timers_;
  int64_t next_timer_ = 0;
  bool stopped_ = false;
};

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<LoopObj>()
      .def(refl::init<>())
      .def_ro("handled", &LoopObj::handled, "How many handlers have been called.")
      .def("post", &LoopObj::Post)
      .def("after", &LoopObj::After)
      .def("cancel", &LoopObj::Cancel)
      .def("stop", &LoopObj::Stop)
      .def("run", &LoopObj::Run, "Runs until nothing is left; returns how many handlers ran.");
}

}  // namespace
