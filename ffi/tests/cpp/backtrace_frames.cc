// SPDX-License-Identifier: Apache-2.0
// Every frame of a stack is in its trace, whatever its function does with the stack pointer.
#include <alloca.h>
#include <gtest/gtest.h>
#include <tvm/ffi/c_api.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace backtrace_frames {

std::string Trace() {
  const TVMFFIByteArray* text = TVMFFIBacktrace(nullptr, 0, nullptr, 1);
  return std::string(text->data, text->size);
}

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Recursions: `keep` and the memory clobber keep the compiler from merging their frames.
__attribute__((noinline)) std::string Plain(int n) {
  std::string trace = n > 1 ? Plain(n - 1) : Trace();
  asm volatile("" ::: "memory");
  return trace;
}
__attribute__((noinline)) std::string Alloca(int n) {
  char* room = static_cast<char*>(alloca(static_cast<size_t>(n) * 100));
  std::memset(room, n, static_cast<size_t>(n) * 100);
  asm volatile("" ::"r"(room) : "memory");
  std::string trace = n > 1 ? Alloca(n - 1) : Plain(3);
  asm volatile("" ::"r"(room) : "memory");
  return trace;
}
__attribute__((noinline)) std::string Realigned(int n) {
  alignas(64) char room[128];
  std::memset(room, n, sizeof(room));
  asm volatile("" ::"r"(room) : "memory");
  std::string trace = n > 1 ? Realigned(n - 1) : Alloca(4);
  asm volatile("" ::"r"(room) : "memory");
  return trace;
}

std::string* sorted_trace = nullptr;
int Compare(const void* a, const void* b) {
  *sorted_trace = Plain(2);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

std::string* signal_trace = nullptr;
void OnSignal(int) { *signal_trace = Plain(2); }
__attribute__((noinline)) void RaiseIt() {
  std::raise(SIGUSR1);
  asm volatile("" ::: "memory");
}

TEST(BacktraceFrames, AllOfThemAreThere) {
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time from what is remembered
    const std::string trace = Realigned(5);
    EXPECT_EQ(CountOf(trace, "in backtrace_frames::Plain"), 3) << trace;
    EXPECT_EQ(CountOf(trace, "in backtrace_frames::Alloca"), 4) << trace;
    EXPECT_EQ(CountOf(trace, "in backtrace_frames::Realigned"), 5) << trace;
    EXPECT_EQ(CountOf(trace, ", in main\n"), 1) << trace;
  }
}

TEST(BacktraceFrames, ThroughCodeOfOthers) {
  std::string trace;
  sorted_trace = &trace;
  int numbers[] = {2, 1};
  std::qsort(numbers, 2, sizeof(int), Compare);
  EXPECT_EQ(CountOf(trace, "in backtrace_frames::Plain"), 2) << trace;
  EXPECT_EQ(CountOf(trace, "in backtrace_frames::Compare"), 1) << trace;
  EXPECT_EQ(CountOf(trace, ", in main\n"), 1) << trace;
}

TEST(BacktraceFrames, FromASignalHandler) {
  std::string trace;
  signal_trace = &trace;
  auto old = std::signal(SIGUSR1, OnSignal);
  RaiseIt();
  std::signal(SIGUSR1, old);
  EXPECT_EQ(CountOf(trace, "in backtrace_frames::OnSignal"), 1) << trace;
  EXPECT_EQ(CountOf(trace, "in backtrace_frames::RaiseIt"), 1) << trace;
  EXPECT_EQ(CountOf(trace, ", in main\n"), 1) << trace;
}

TEST(BacktraceFrames, OfAThread) {
  std::string trace;
  std::thread([&] { trace = Plain(4); }).join();
  EXPECT_EQ(CountOf(trace, "in backtrace_frames::Plain"), 4) << trace;
  EXPECT_EQ(CountOf(trace, ", in main\n"), 0) << trace;
}

}  // namespace backtrace_frames
