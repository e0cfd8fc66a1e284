// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tvm {
namespace ffi {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

constexpr unsigned char kNativeClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr std::string_view kFfiSymbolPrefix = "TVMFFI";

class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status;
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) return;
    is_regular_ = S_ISREG(status.st_mode);
    size_ = static_cast<uint64_t>(status.st_size);
  }
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_regular() const { return is_regular_; }
  uint64_t size() const { return size_; }

  bool Holds(uint64_t offset, uint64_t count) const {
    return count <= size_ && offset <= size_ - count;
  }

  bool Read(uint64_t offset, void* out, uint64_t count) const {
    if (!Holds(offset, count)) return false;
    char* to = static_cast<char*>(out);
    while (count != 0) {
      const ssize_t got = pread(descriptor_, to, count, static_cast<off_t>(offset));
      if (got <= 0) return false;
      to += got;
      offset += static_cast<uint64_t>(got);
      count -= static_cast<uint64_t>(got);
    }
    return true;
  }

  // Entries of a table; empty when it does not lie in the file.
  template <typename Entry>
  std::vector<Entry> ReadTable(uint64_t offset, uint64_t count) const {
    if (count > size_ / sizeof(Entry) || !Holds(offset, count * sizeof(Entry))) return {};
    std::vector<Entry> entries(count);
    if (!Read(offset, entries.data(), count * sizeof(Entry))) entries.clear();
    return entries;
  }

 private:
  int descriptor_;
  bool is_regular_ = false;
  uint64_t size_ = 0;
};

std::string NameOfMachine(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "32-bit Arm";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "64-bit PowerPC";
    case EM_S390:
      return "s390";
    default:
      return "machine " + std::to_string(machine);
  }
}

// The header of the file that this code was loaded from.
const Header* OwnHeader() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&InspectLibraryFile), &info) == 0) return nullptr;
  const auto* header = static_cast<const Header*>(info.dli_fbase);
  return std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 ? header : nullptr;
}

std::string FaultOfOtherFormat(const File& file) {
  char start[8] = {};
  file.Read(0, start, std::min<uint64_t>(sizeof(start), file.size()));
  const std::string_view text(start, sizeof(start));
  auto starts_with = [&](std::string_view what) { return text.substr(0, what.size()) == what; };
  if (file.size() == 0) return "the file is empty; build or copy it again";
  if (starts_with("!<arch>")) return "the file is a static archive; link it with `c++ -shared`";
  if (starts_with("MZ")) return "the file is a Windows library; build it for this system";
  if (starts_with("\xcf\xfa\xed\xfe") || starts_with("\xca\xfe\xba\xbe")) {
    return "the file is a macOS library; build it for this system";
  }
  return "the file is not a shared library (it has no ELF header)";
}

std::string FaultOfHeader(const Header& header) {
  const bool little = header.e_ident[EI_DATA] == ELFDATA2LSB;
  // Fields of a file of the other byte order would have to be turned around to be named.
  const Header* own = OwnHeader();
  const bool same_order = own == nullptr || own->e_ident[EI_DATA] == header.e_ident[EI_DATA];
  if (header.e_ident[EI_CLASS] != kNativeClass || !same_order ||
      (own != nullptr && header.e_machine != own->e_machine)) {
    std::string built_for = same_order ? NameOfMachine(header.e_machine)
                            : little   ? "a little-endian machine"
                                       : "a big-endian machine";
    if (header.e_ident[EI_CLASS] != kNativeClass) {
      built_for += header.e_ident[EI_CLASS] == ELFCLASS64 ? " (64-bit)" : " (32-bit)";
    }
    return "the file is built for " + built_for + ", but this process runs on " +
           (own == nullptr ? "another machine" : NameOfMachine(own->e_machine)) +
           "; build it for this machine";
  }
  switch (header.e_type) {
    case ET_DYN:
      return "";
    case ET_REL:
      return "the file is an object file; link it with `c++ -shared`";
    default:
      return "the file is not a shared library (ELF type " + std::to_string(header.e_type) + ")";
  }
}

std::string Truncated(const File& file, uint64_t offset, uint64_t count) {
  // An end that does not fit 64 bits is nonsense like any other.
  uint64_t end = 0;
  const std::string reach = __builtin_add_overflow(offset, count, &end)
                                ? "far beyond its end"
                                : "to byte " + std::to_string(end);
  return "the file is truncated or damaged: it has " + std::to_string(file.size()) +
         " bytes, but its parts reach " + reach + "; build or copy it again";
}

std::string FaultOfExtents(const File& file, const Header& header) {
  if (header.e_phentsize != sizeof(Segment)) {
    return "the file is damaged: its program headers have the size " +
           std::to_string(header.e_phentsize) + "; build or copy it again";
  }
  const uint64_t segment_bytes = uint64_t{header.e_phnum} * sizeof(Segment);
  if (!file.Holds(header.e_phoff, segment_bytes)) {
    return Truncated(file, header.e_phoff, segment_bytes);
  }
  bool has_dynamic = false;
  for (const Segment& segment : file.ReadTable<Segment>(header.e_phoff, header.e_phnum)) {
    if (!file.Holds(segment.p_offset, segment.p_filesz)) {
      return Truncated(file, segment.p_offset, segment.p_filesz);
    }
    has_dynamic |= segment.p_type == PT_DYNAMIC;
  }
  if (!has_dynamic) {
    return "the file is not a shared library (it has no dynamic section)";
  }
  // The loader needs no sections, and tools may have removed them; a cut file has lost them first.
  if (header.e_shoff != 0) {
    const uint64_t section_bytes = uint64_t{header.e_shnum} * header.e_shentsize;
    if (!file.Holds(header.e_shoff, section_bytes)) {
      return Truncated(file, header.e_shoff, section_bytes);
    }
  }
  return "";
}

std::vector<std::string> NeededFfiSymbols(const File& file, const Header& header) {
  std::vector<std::string> needed;
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Section)) return needed;
  const auto sections = file.ReadTable<Section>(header.e_shoff, header.e_shnum);
  for (const Section& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Section& text_section = sections[section.sh_link];
    const auto symbols =
        file.ReadTable<Symbol>(section.sh_offset, section.sh_size / sizeof(Symbol));
    const auto text = file.ReadTable<char>(text_section.sh_offset, text_section.sh_size);
    for (const Symbol& symbol : symbols) {
      const bool is_weak = (symbol.st_info >> 4) == STB_WEAK;
      if (symbol.st_shndx != SHN_UNDEF || is_weak || symbol.st_name >= text.size()) continue;
      const char* name = text.data() + symbol.st_name;
      const size_t length = strnlen(name, text.size() - symbol.st_name);
      if (std::string_view(name, length).substr(0, kFfiSymbolPrefix.size()) == kFfiSymbolPrefix) {
        needed.emplace_back(name, length);
      }
    }
  }
  return needed;
}

}  // namespace

LibraryFile InspectLibraryFile(const std::string& path) {
  LibraryFile result;
  const File file(path);
  if (!file.is_regular()) return result;
  Header header;
  if (!file.Read(0, &header, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    char magic[SELFMAG];
    const bool is_elf = file.Read(0, magic, SELFMAG) && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
    result.fault = is_elf ? Truncated(file, 0, sizeof(header)) : FaultOfOtherFormat(file);
    return result;
  }
  result.fault = FaultOfHeader(header);
  if (result.fault.empty()) result.fault = FaultOfExtents(file, header);
  if (result.fault.empty()) result.needed_ffi_symbols = NeededFfiSymbols(file, header);
  return result;
}

}  // namespace ffi
}  // namespace tvm

#else  // defined(__linux__)

namespace tvm {
namespace ffi {

LibraryFile InspectLibraryFile(const std::string&) { return LibraryFile(); }

}  // namespace ffi
}  // namespace tvm

#endif  // defined(__linux__)
