// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/c_api.h>
#include <tvm/runtime/c_backend_api.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Counters {
  std::atomic<int> tasks{0};
  std::atomic<int> sum{0};
  std::vector<int> first, second;
};

TEST(ThreadPool, EveryTaskRunsOnce) {
  for (int round = 0; round < 50; ++round) {
    Counters counters;
    auto task = [](int id, TVMParallelGroupEnv* env, void* data) {
      auto* c = static_cast<Counters*>(data);
      c->sum += id + 1;
      c->tasks = env->num_task;
      return 0;
    };
    ASSERT_EQ(TVMBackendParallelLaunch(task, &counters, 0), 0);
    int n = counters.tasks;
    ASSERT_GE(n, 1);
    EXPECT_EQ(counters.sum, n * (n + 1) / 2);
  }
}

TEST(ThreadPool, BarrierSeparatesPhases) {
  for (int round = 0; round < 50; ++round) {
    Counters counters;
    counters.first.resize(1024);
    counters.second.resize(1024);
    auto task = [](int id, TVMParallelGroupEnv* env, void* data) {
      auto* c = static_cast<Counters*>(data);
      c->first[id] = id + 1;
      TVMBackendParallelBarrier(id, env);
      int neighbour = (id + 1) % env->num_task;
      c->second[id] = c->first[neighbour];
      TVMBackendParallelBarrier(id, env);
      c->tasks = env->num_task;
      return 0;
    };
    ASSERT_EQ(TVMBackendParallelLaunch(task, &counters, 0), 0);
    int n = counters.tasks;
    for (int id = 0; id < n; ++id) EXPECT_EQ(counters.second[id], (id + 1) % n + 1);
  }
}

TEST(ThreadPool, BarrierDoesNotWaitForTasksThatFailed) {
  auto task = [](int id, TVMParallelGroupEnv* env, void* data) {
    if (id == 0) {
      TVMFFIErrorSetRaisedFromCStr("ValueError", "task zero");
      return -1;
    }
    TVMBackendParallelBarrier(id, env);
    return 0;
  };
  ASSERT_EQ(TVMBackendParallelLaunch(task, nullptr, 0), -1);
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  ASSERT_NE(error, nullptr);
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  EXPECT_EQ(std::string(cell->message.data, cell->message.size), "task zero");
  TVMFFIObjectDecRef(error);
}

TEST(ThreadPool, NestedLaunchRunsInPlace) {
  Counters counters;
  auto outer = [](int, TVMParallelGroupEnv*, void* data) {
    auto inner = [](int id, TVMParallelGroupEnv* env, void* inner_data) {
      static_cast<Counters*>(inner_data)->sum += 1;
      return id == 0 && env->num_task == 1 ? 0 : -1;
    };
    return TVMBackendParallelLaunch(inner, data, 0);
  };
  auto count = [](int, TVMParallelGroupEnv* env, void* data) {
    static_cast<Counters*>(data)->tasks = env->num_task;
    return 0;
  };
  ASSERT_EQ(TVMBackendParallelLaunch(count, &counters, 0), 0);
  ASSERT_EQ(TVMBackendParallelLaunch(outer, &counters, 0), 0);
  EXPECT_EQ(counters.sum, counters.tasks);
}

TEST(Workspace, MemoryIsAlignedAndReused) {
  void* first = TVMBackendAllocWorkspace(1, 0, 10000, 1, 8);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  std::memset(first, 7, 10000);
  void* second = TVMBackendAllocWorkspace(1, 0, 10000, 1, 8);
  EXPECT_NE(first, second);
  EXPECT_EQ(TVMBackendFreeWorkspace(1, 0, first), 0);
  void* third = TVMBackendAllocWorkspace(1, 0, 9000, 1, 8);
  EXPECT_EQ(third, first);
  TVMBackendFreeWorkspace(1, 0, third);
  TVMBackendFreeWorkspace(1, 0, second);
}

TEST(Workspace, ADeviceThatIsNotThereIsAnError) {
  EXPECT_EQ(TVMBackendAllocWorkspace(9, 0, 64, 1, 8), nullptr);
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  ASSERT_NE(error, nullptr);
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  EXPECT_EQ(std::string(cell->message.data, cell->message.size), "Device API vpi is not enabled.");
  TVMFFIObjectDecRef(error);
}

}  // namespace
