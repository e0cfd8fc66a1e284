// SPDX-License-Identifier: Apache-2.0
#include "code_image.h"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif
#if defined(__linux__)
#include <elf.h>
#include <errno.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>
#endif

namespace tvm {
namespace ffi {

#if defined(_WIN32)

CodeImage CodeImageOf(const void*) { return {}; }

#elif !defined(__linux__)

CodeImage CodeImageOf(const void* address) {
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0) return {};
  return {info.dli_fbase, info.dli_fname == nullptr ? "" : info.dli_fname};
}

#endif

#if defined(__linux__)

namespace {

// Address of the first byte of a file, 0 when nothing of it is mapped.
uintptr_t BaseOf(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) return info.dlpi_addr + segment.p_vaddr / 4096 * 4096;
  }
  return 0;
}

struct Search {
  uintptr_t address;
  CodeImage found;
};

int FindImage(dl_phdr_info* info, size_t, void* opaque) {
  auto* search = static_cast<Search*>(opaque);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search->address < begin ||
        search->address - begin >= segment.p_memsz) {
      continue;
    }
    const bool is_program = info->dlpi_name == nullptr || *info->dlpi_name == '\0';
    search->found = {reinterpret_cast<const void*>(BaseOf(*info)),
                     is_program ? program_invocation_name : info->dlpi_name};
    return 1;
  }
  return 0;
}

struct Bytes {
  uintptr_t offset;  // in the file's own addresses
  std::string_view content;
};

struct ReadOnlyParts {
  uintptr_t base;
  std::vector<Bytes> segments;
  std::string_view build_id;
};

// The build id in a segment of notes; empty when it holds none.
std::string_view FindBuildId(std::string_view notes) {
  constexpr std::string_view kOwner("GNU\0", 4);
  auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof(note)) {
    std::memcpy(&note, notes.data(), sizeof(note));
    notes.remove_prefix(sizeof(note));
    const size_t name = padded(note.n_namesz), content = padded(note.n_descsz);
    if (name > notes.size() || content > notes.size() - name) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == kOwner) {
      return notes.substr(name, note.n_descsz);
    }
    notes.remove_prefix(name + content);
  }
  return {};
}

int CollectParts(dl_phdr_info* info, size_t, void* opaque) {
  auto* parts = static_cast<ReadOnlyParts*>(opaque);
  const ElfW(Phdr)* const end = info->dlpi_phdr + info->dlpi_phnum;
  if (BaseOf(*info) != parts->base) return 0;
  for (const ElfW(Phdr)* segment = info->dlpi_phdr; segment != end; ++segment) {
    if ((segment->p_flags & (PF_R | PF_W)) != PF_R) continue;
    const std::string_view content(
        reinterpret_cast<const char*>(info->dlpi_addr + segment->p_vaddr), segment->p_memsz);
    if (segment->p_type == PT_LOAD) parts->segments.push_back({segment->p_vaddr, content});
    if (segment->p_type == PT_NOTE && parts->build_id.empty()) {
      parts->build_id = FindBuildId(content);
    }
  }
  return 1;
}

}  // namespace

// Not by dladdr, which takes the lock that a thread in dlopen holds.
CodeImage CodeImageOf(const void* address) {
  if (address == nullptr) return {};
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(FindImage, &search);
  return search.found;
}

std::vector<const void*> BasesOfImages() {
  std::vector<const void*> bases;
  auto visit = [](dl_phdr_info* info, size_t, void* opaque) -> int {
    auto* into = static_cast<std::vector<const void*>*>(opaque);
    into->push_back(reinterpret_cast<const void*>(BaseOf(*info)));
    return 0;
  };
  dl_iterate_phdr(visit, &bases);
  std::sort(bases.begin(), bases.end(), std::less<const void*>());
  return bases;
}

CodeImage CodeImageOfHandle(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr) return {};
  return CodeImageOf(map->l_ld);
}

// In memory, because the files may have been replaced since they were loaded.
bool IsSameBuild(const CodeImage& a, const CodeImage& b) {
  ReadOnlyParts of_a{reinterpret_cast<uintptr_t>(a.base), {}, {}};
  ReadOnlyParts of_b{reinterpret_cast<uintptr_t>(b.base), {}, {}};
  if (dl_iterate_phdr(CollectParts, &of_a) == 0 || dl_iterate_phdr(CollectParts, &of_b) == 0) {
    return false;
  }
  if (!of_a.build_id.empty() && !of_b.build_id.empty()) return of_a.build_id == of_b.build_id;
  if (of_a.segments.empty() || of_a.segments.size() != of_b.segments.size()) return false;
  for (size_t i = 0; i < of_a.segments.size(); ++i) {
    if (of_a.segments[i].offset != of_b.segments[i].offset ||
        of_a.segments[i].content != of_b.segments[i].content) {
      return false;
    }
  }
  return true;
}

#else

CodeImage CodeImageOfHandle(void*) { return {}; }
std::vector<const void*> BasesOfImages() { return {}; }
bool IsSameBuild(const CodeImage&, const CodeImage&) { return false; }

#endif

}  // namespace ffi
}  // namespace tvm
