// SPDX-License-Identifier: Apache-2.0
// A stream for the CPU: work that is put on it runs later, in order, on a thread of its own. It
// stands for what a GPU library calls a stream; the FFI carries the address of either.
#ifndef KERNEL_LIBRARY_STREAMS_H_
#define KERNEL_LIBRARY_STREAMS_H_

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace kernel_library {

class Stream {
 public:
  Stream() : worker_([this] { Work(); }) {}
  ~Stream() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void Submit(std::function<void()> work) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  // Waits until everything submitted so far has run; throws the first error of it.
  void Synchronize() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      work = nullptr;  // what the work held is released before anyone is told that it is done
      lock.lock();
      if (failure_ == nullptr) failure_ = failure;
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::exception_ptr failure_;
  bool busy_ = false;
  bool closing_ = false;
  std::thread worker_;  // last: it uses all of the above
};

}  // namespace kernel_library
#endif  // KERNEL_LIBRARY_STREAMS_H_
