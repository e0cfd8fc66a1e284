// SPDX-License-Identifier: Apache-2.0
#include "library_initializer.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <cstdint>
#endif

namespace tvm {
namespace ffi {

#if defined(__linux__) && defined(__GLIBC__)
namespace {

struct AddressRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// Mapping of the dynamic loader. In glibc it holds nothing that runs for long but dlopen and the
// start of the program; other C libraries are one file with their loader.
AddressRange FindDynamicLoader() {
  AddressRange range;
  range.begin = getauxval(AT_BASE);
  if (range.begin == 0) return range;
  auto visit = [](dl_phdr_info* info, size_t, void* opaque) -> int {
    auto* found = static_cast<AddressRange*>(opaque);
    if (info->dlpi_addr != found->begin) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      uintptr_t end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
      if (end > found->end) found->end = end;
    }
    return 1;
  };
  dl_iterate_phdr(visit, &range);
  return range;
}

struct Walk {
  AddressRange loader;
  uintptr_t inner = 0;  // the frame before: in the end, the initialiser that the loader called
  bool found = false;
};

}  // namespace

std::string LibraryBeingInitialized() {
  static const AddressRange loader = FindDynamicLoader();
  Walk walk{loader};
  auto visit = [](_Unwind_Context* context, void* opaque) -> _Unwind_Reason_Code {
    auto* state = static_cast<Walk*>(opaque);
    uintptr_t address = _Unwind_GetIP(context);
    if (address < state->loader.begin || address >= state->loader.end) {
      state->inner = address;
      return _URC_NO_REASON;
    }
    state->found = true;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(visit, &walk);
  if (!walk.found) return "";
  Dl_info info;
  const bool known = dladdr(reinterpret_cast<void*>(walk.inner), &info) != 0;
  return known && info.dli_fname != nullptr ? info.dli_fname : "a library that is loading";
}

#else

std::string LibraryBeingInitialized() { return ""; }

#endif

}  // namespace ffi
}  // namespace tvm
