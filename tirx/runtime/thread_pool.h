// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_RUNTIME_THREAD_POOL_H_
#define TIRX_RUNTIME_THREAD_POOL_H_

#include <tvm/runtime/c_backend_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tvm {
namespace runtime {

/// The barrier behind TVMBackendParallelBarrier.
void ParallelBarrier(TVMParallelGroupEnv* env);

/// Threads that run the tasks of parallel loops. The thread that launches runs task 0 itself, so a
/// pool of n threads starts n - 1. One launch at a time; a launch that finds the pool busy, or that
/// comes from inside a task, runs a single task in place.
class ThreadPool {
 public:
  /// The pool of this process. Its size is that of the first use. After a fork the child gets a new
  /// one.
  static ThreadPool& Global();

  explicit ThreadPool(int num_threads);

  int num_threads() const { return num_threads_; }

  /// See TVMBackendParallelLaunch.
  int Launch(FTVMParallelLambda task, void* cdata, int num_task);

 private:
  struct Team;
  friend void ParallelBarrier(TVMParallelGroupEnv* env);

  void StartWorkers();
  void WorkerLoop(int worker);

  const int num_threads_;
  const int64_t spin_count_;
  std::vector<std::thread> workers_;

  std::mutex launch_mutex_;  // held for the length of a launch
  std::mutex mutex_;         // guards team_ with the condition variable
  std::condition_variable wake_;
  Team* team_ = nullptr;
  std::atomic<uint64_t> generation_{0};  // grows by one for each launch
};

/// Number of threads that parallel loops use: TVM_NUM_THREADS, else the processors that this
/// process may run on.
int NumThreads();

}  // namespace runtime
}  // namespace tvm

#endif  // TIRX_RUNTIME_THREAD_POOL_H_
