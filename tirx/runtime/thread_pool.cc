// SPDX-License-Identifier: Apache-2.0
#include "tirx/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace tvm {
namespace runtime {
namespace {

// Set while a thread runs a task, so that a nested launch stays on it.
thread_local bool inside_task = false;

std::atomic<ThreadPool*> global_pool{nullptr};

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int64_t EnvNumber(const char* name, int64_t fallback) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  char* end = nullptr;
  int64_t value = std::strtoll(text, &end, 10);
  return *end == '\0' ? value : fallback;
}

int UsableProcessors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

// Pins a worker to one of the processors that this process may use.
void BindToProcessor(int worker) {
#if defined(__linux__)
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return;
  int wanted = worker % std::max(1, CPU_COUNT(&usable));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable) || wanted-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
    return;
  }
#endif
}

}  // namespace

int NumThreads() {
  int64_t wanted = EnvNumber("TVM_NUM_THREADS", 0);
  if (wanted <= 0) wanted = UsableProcessors();
  return static_cast<int>(std::min<int64_t>(wanted, 1024));
}

// One launch. Lives on the stack of the launching thread.
struct ThreadPool::Team {
  FTVMParallelLambda task;
  void* cdata;
  TVMParallelGroupEnv env;
  std::atomic<int> next_task{1};  // task 0 belongs to the launcher
  std::atomic<int> running{0};    // workers that still look at this object
  std::atomic<int> ended{0};      // tasks that returned
  // Barrier: arrivals of the current round; the last one starts the next round.
  std::atomic<int> arrived{0};
  std::atomic<int> round{0};
  std::mutex error_mutex;
  int failed_task = -1;
  TVMFFIObjectHandle error = nullptr;

  void Run(int task_id) {
    inside_task = true;
    int status = task(task_id, &env, cdata);
    inside_task = false;
    if (status != 0) {
      TVMFFIObjectHandle raised = nullptr;
      TVMFFIErrorMoveFromRaised(&raised);
      std::lock_guard<std::mutex> lock(error_mutex);
      if (failed_task < 0 || task_id < failed_task) {
        std::swap(error, raised);
        failed_task = task_id;
      }
      if (raised != nullptr) TVMFFIObjectDecRef(raised);
    }
    ended.fetch_add(1, std::memory_order_acq_rel);
  }

  void Barrier() {
    int current = round.load(std::memory_order_acquire);
    arrived.fetch_add(1, std::memory_order_acq_rel);
    for (int spins = 0; round.load(std::memory_order_acquire) == current; ++spins) {
      // A task that ended (early or by an error) will never arrive.
      int here = arrived.load(std::memory_order_acquire);
      if (here > 0 && here + ended.load(std::memory_order_acquire) >= env.num_task) {
        if (arrived.compare_exchange_strong(here, 0, std::memory_order_acq_rel)) {
          round.fetch_add(1, std::memory_order_release);
          return;
        }
      }
      if (spins < 1000) {
        Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }
};

void ParallelBarrier(TVMParallelGroupEnv* env) {
  if (env->num_task > 1 && env->sync_handle != nullptr) {
    // sync_handle is the team; only Launch of this file makes one.
    static_cast<ThreadPool::Team*>(env->sync_handle)->Barrier();
  }
}

ThreadPool& ThreadPool::Global() {
  ThreadPool* pool = global_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  static std::mutex create_mutex;
  std::lock_guard<std::mutex> lock(create_mutex);
  pool = global_pool.load(std::memory_order_acquire);
  if (pool == nullptr) {
    static bool registered = false;
    if (!registered) {
      registered = true;
      // The threads don't survive a fork: the child leaks the object and makes another.
      pthread_atfork(nullptr, nullptr, [] { global_pool.store(nullptr); });
    }
    // Never destroyed: workers wait on it until the process ends.
    pool = new ThreadPool(NumThreads());
    global_pool.store(pool, std::memory_order_release);
  }
  return *pool;
}

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads), spin_count_(EnvNumber("TVM_THREAD_POOL_SPIN_COUNT", 20000)) {}

void ThreadPool::StartWorkers() {
  workers_.reserve(num_threads_ - 1);
  for (int i = 0; i < num_threads_ - 1; ++i) {
    workers_.emplace_back([this, i] { WorkerLoop(i); });
    workers_.back().detach();
  }
}

void ThreadPool::WorkerLoop(int worker) {
  if (EnvNumber("TVM_BIND_THREADS", 0) != 0) BindToProcessor(worker + 1);
  uint64_t seen = 0;
  for (;;) {
    for (int64_t i = 0; i < spin_count_; ++i) {
      if (generation_.load(std::memory_order_acquire) != seen) break;
      Pause();
    }
    Team* team;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
      seen = generation_.load(std::memory_order_relaxed);
      team = team_;
      if (team == nullptr) continue;  // that launch is over already
      team->running.fetch_add(1, std::memory_order_relaxed);
    }
    for (;;) {
      int task_id = team->next_task.fetch_add(1, std::memory_order_relaxed);
      if (task_id >= team->env.num_task) break;
      team->Run(task_id);
    }
    team->running.fetch_sub(1, std::memory_order_release);
  }
}

int ThreadPool::Launch(FTVMParallelLambda task, void* cdata, int num_task) {
  int wanted = num_task <= 0 ? num_threads_ : std::min(num_task, num_threads_);
  std::unique_lock<std::mutex> launch(launch_mutex_, std::defer_lock);
  if (wanted <= 1 || inside_task || !launch.try_lock()) {
    TVMParallelGroupEnv env{nullptr, 1};
    bool outer = inside_task;
    inside_task = true;
    int status = task(0, &env, cdata);
    inside_task = outer;
    return status == 0 ? 0 : -1;
  }
  if (workers_.empty()) StartWorkers();
  Team team{};
  team.task = task;
  team.cdata = cdata;
  team.env = TVMParallelGroupEnv{&team, wanted};
  {
    std::lock_guard<std::mutex> lock(mutex_);
    team_ = &team;
    generation_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  team.Run(0);
  // Tasks that use the barrier need a thread each, all others are taken by whoever is free.
  for (int spins = 0; team.ended.load(std::memory_order_acquire) < wanted; ++spins) {
    if (spins < 2000) {
      Pause();
    } else {
      std::this_thread::yield();
    }
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    team_ = nullptr;
  }
  while (team.running.load(std::memory_order_acquire) != 0) Pause();
  if (team.failed_task < 0) return 0;
  if (team.error != nullptr) {
    TVMFFIErrorSetRaised(team.error);
    TVMFFIObjectDecRef(team.error);
  }
  return -1;
}

}  // namespace runtime
}  // namespace tvm
