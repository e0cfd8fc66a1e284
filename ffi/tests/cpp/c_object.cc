// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "c_call.h"

namespace {

TEST(CVersion, IsTheOneOfTheHeader) {
  TVMFFIVersion version{};
  TVMFFIGetVersion(&version);
  EXPECT_EQ(version.major, 0u);
  EXPECT_EQ(version.minor, 1u);
  EXPECT_EQ(version.patch, 16u);
}

struct Probe {
  TVMFFIObject header;
  std::vector<int> flags;

  Probe() : header{} {
    header.combined_ref_count = (uint64_t{1} << 32) + 1;
    header.type_index = kTVMFFIObject;
    header.deleter = [](void* self, int deleter_flags) {
      static_cast<Probe*>(self)->flags.push_back(deleter_flags);
    };
  }
};

TEST(CObject, LastReferenceRunsTheDeleterOnceWithBothFlags) {
  Probe probe;
  EXPECT_EQ(TVMFFIObjectIncRef(&probe), 0);
  EXPECT_EQ(StrongCount(&probe), 2u);
  EXPECT_EQ(TVMFFIObjectDecRef(&probe), 0);
  EXPECT_TRUE(probe.flags.empty());
  EXPECT_EQ(TVMFFIObjectDecRef(&probe), 0);
  EXPECT_EQ(probe.flags, std::vector<int>{kTVMFFIObjectDeleterFlagBitMaskBoth});
}

TEST(CObject, WeakReferenceKeepsTheMemory) {
  Probe probe;
  probe.header.combined_ref_count += uint64_t{1} << 32;
  TVMFFIObjectDecRef(&probe);
  EXPECT_EQ(probe.flags, std::vector<int>{kTVMFFIObjectDeleterFlagBitMaskStrong});
  EXPECT_EQ(probe.header.combined_ref_count, uint64_t{1} << 32);
}

TEST(CObject, NullMayBeReleased) { EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0); }

TEST(CObject, NoDeleterMeansNeverFreed) {
  Probe probe;
  probe.header.deleter = nullptr;
  EXPECT_EQ(TVMFFIObjectDecRef(&probe), 0);
  EXPECT_TRUE(probe.flags.empty());
}

int released = 0;

TEST(COpaque, OwnsItsHandle) {
  int content = 7;
  TVMFFIObjectHandle object = nullptr;
  auto release = [](void* handle) { released += *static_cast<int*>(handle); };
  released = 0;
  ASSERT_EQ(TVMFFIObjectCreateOpaque(&content, kTVMFFIOpaquePyObject, release, &object), 0);
  EXPECT_EQ(TVMFFIObjectGetTypeIndex(object), kTVMFFIOpaquePyObject);
  EXPECT_EQ(TVMFFIOpaqueObjectGetCellPtr(object)->handle, &content);
  TVMFFIObjectDecRef(object);
  EXPECT_EQ(released, 7);
}

TEST(COpaque, OtherTypesAreRefused) {
  TVMFFIObjectHandle object = nullptr;
  EXPECT_EQ(TVMFFIObjectCreateOpaque(&object, kTVMFFIObject, nullptr, &object), -1);
  EXPECT_EQ(object, nullptr);
  EXPECT_EQ(TakeError().substr(0, 14), "RuntimeError: ");
}

TEST(CAllocator, BuiltinOnePutsTheHeaderBeforeTheBody) {
  TVMFFICustomAllocator* builtin = TVMFFIGetCustomAllocator();
  ASSERT_NE(builtin, nullptr);
  char* body = static_cast<char*>(builtin->allocate(40, 16, kTVMFFIObject, builtin->context));
  ASSERT_NE(body, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(body) % 16, 0u);
  std::memset(body, 0xAB, 40);
  reinterpret_cast<TVMFFIObjectAllocHeader*>(body)[-1].delete_space(body);
}

TEST(CAllocator, CanBeReplacedAndRestored) {
  TVMFFICustomAllocator* builtin = TVMFFIGetCustomAllocator();
  static TVMFFICustomAllocator other = {builtin->allocate, &other};
  EXPECT_EQ(TVMFFISetCustomAllocator(&other), 0);
  EXPECT_EQ(TVMFFIGetCustomAllocator(), &other);
  EXPECT_EQ(TVMFFISetCustomAllocator(nullptr), 0);
  EXPECT_EQ(TVMFFIGetCustomAllocator(), builtin);
}

int num_init_calls = 0;
void* once_handle = nullptr;
void* outer_handle = nullptr;

TEST(CInitOnce, RunsOnceUntilTakenDown) {
  static int target = 0;
  auto init = [](void** result) {
    ++num_init_calls;
    *result = &target;
    return 0;
  };
  EXPECT_EQ(TVMFFIHandleInitOnce(&once_handle, init), 0);
  EXPECT_EQ(TVMFFIHandleInitOnce(&once_handle, init), 0);
  EXPECT_EQ(once_handle, &target);
  EXPECT_EQ(num_init_calls, 1);
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&once_handle, [](void* h) { return h == &target ? 5 : 6; }), 5);
  EXPECT_EQ(once_handle, nullptr);
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&once_handle, [](void*) { return 6; }), 0);
}

TEST(CInitOnce, FailuresAreReported) {
  EXPECT_EQ(TVMFFIHandleInitOnce(&once_handle, [](void**) { return 3; }), 3);
  EXPECT_EQ(TVMFFIHandleInitOnce(&once_handle, [](void**) { return 0; }), -1);
  EXPECT_EQ(TakeError(), "RuntimeError: init_func must return a non-NULL handle");
}

TEST(CInitOnce, OneHandleMayNeedAnotherButNotItself) {
  auto outer = [](void** result) {
    *result = &outer_handle;
    return TVMFFIHandleInitOnce(&once_handle, [](void** r) {
      *r = r;
      return 0;
    });
  };
  EXPECT_EQ(TVMFFIHandleInitOnce(&outer_handle, outer), 0);
  EXPECT_NE(once_handle, nullptr);
  once_handle = outer_handle = nullptr;
  auto itself = [](void**) {
    return TVMFFIHandleInitOnce(&outer_handle, [](void**) { return 0; });
  };
  EXPECT_EQ(TVMFFIHandleInitOnce(&outer_handle, itself), -1);
  EXPECT_EQ(TakeError(), "RuntimeError: init_func needs the handle that it initialises");
}

}  // namespace
