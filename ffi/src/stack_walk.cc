// SPDX-License-Identifier: Apache-2.0
/*!
 * \file stack_walk.cc
 * \brief Stack walks with remembered rules.
 *
 * The unwinder of the compiler interprets the call frame information of every frame of every trace.
 * Here the result for an address - where the caller's frame begins and where it left rbp - is kept,
 * as long as no file was loaded or unloaded. Only what ordinary functions use is understood; any
 * other frame (signal handlers, realigned stacks, code that a compiler made at run time) makes the
 * whole walk fail, and the caller falls back.
 */
#include "stack_walk.h"

#include "thread_owned.h"

#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__)
#define TVM_FFI_QUICK_STACK_WALK 1
#include <link.h>

#include <cstring>
#include <new>
#include <unordered_map>
#include <utility>
#endif

namespace tvm {
namespace ffi {

#if TVM_FFI_QUICK_STACK_WALK

// What libgcc exports for unwinders.
extern "C" {
struct dwarf_eh_bases {
  void* tbase;
  void* dbase;
  void* func;
};
const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);
}

namespace {

constexpr uint64_t kRbp = 6;  // DWARF numbers of registers
constexpr uint64_t kRsp = 7;
constexpr uint64_t kReturnAddress = 16;
constexpr int64_t kNotSaved = INT64_MAX;

// How to get from a frame to that of its caller.
struct FrameRule {
  bool usable = false;
  bool is_last = false;            // the return address is undefined: the start of a thread
  bool cfa_from_rbp = false;       // else from rsp
  int64_t cfa_offset = 0;          // of the caller's rsp after the return, from that register
  int64_t rbp_offset = kNotSaved;  // from there, of the saved rbp
};

class Reader {
 public:
  Reader(const uint8_t* data, const uint8_t* end) : at_(data), end_(end) {}
  bool done() const { return at_ >= end_; }
  bool failed() const { return failed_; }
  const uint8_t* at() const { return at_; }

  void Skip(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) {
      failed_ = true;
      at_ = end_;
    } else {
      at_ += size;
    }
  }
  template <typename T>
  T Fixed() {
    T value = 0;
    const uint8_t* from = at_;
    Skip(sizeof(T));
    if (!failed_) std::memcpy(&value, from, sizeof(T));
    return value;
  }
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Fixed<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  int64_t Signed() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64;) {
      const uint8_t byte = Fixed<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) == 0) {
        if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
      }
    }
    failed_ = true;
    return 0;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

// Bytes of a pointer in an encoding of .eh_frame; 0 for one that is not handled.
size_t EncodedSize(uint8_t encoding) {
  if (encoding == 0xff) return 0;
  if ((encoding & 0x70) == 0x50) return 0;  // aligned
  switch (encoding & 0x07) {
    case 0:
    case 4:
      return 8;
    case 2:
      return 2;
    case 3:
      return 4;
    default:
      return 0;
  }
}

// The part of a row of call frame information that a walk needs.
struct Row {
  uint64_t cfa_register = kRsp;
  int64_t cfa_offset = 0;
  int64_t rbp_offset = kNotSaved;
  int64_t return_offset = kNotSaved;
  bool return_undefined = false;
  bool odd = false;  // something that is not handled
};

class FrameInterpreter {
 public:
  // The rule at a return address; unusable when it is of a kind that is not handled.
  static FrameRule RuleAt(uintptr_t return_address) {
    FrameRule rule;
    dwarf_eh_bases bases{};
    const auto* fde = static_cast<const uint8_t*>(
        _Unwind_Find_FDE(reinterpret_cast<void*>(return_address - 1), &bases));
    if (fde == nullptr) return rule;
    FrameInterpreter interpreter(reinterpret_cast<uintptr_t>(bases.func), return_address);
    if (!interpreter.Run(fde)) return rule;
    const Row& row = interpreter.row_;
    if (row.odd) return rule;
    rule.is_last = row.return_undefined;
    rule.cfa_from_rbp = row.cfa_register == kRbp;
    rule.cfa_offset = row.cfa_offset;
    rule.rbp_offset = row.rbp_offset;
    rule.usable = rule.is_last || ((row.cfa_register == kRsp || row.cfa_register == kRbp) &&
                                   row.return_offset == -8);
    return rule;
  }

 private:
  FrameInterpreter(uintptr_t function, uintptr_t return_address)
      : location_(function), return_address_(return_address) {}

  bool Run(const uint8_t* fde) {
    uint32_t length;
    int32_t cie_delta;
    std::memcpy(&length, fde, 4);
    std::memcpy(&cie_delta, fde + 4, 4);
    if (length == 0xffffffff) return false;
    const uint8_t* cie = fde + 4 - cie_delta;
    uint32_t cie_length;
    std::memcpy(&cie_length, cie, 4);
    if (cie_length == 0xffffffff) return false;

    Reader head(cie + 8, cie + 4 + cie_length);
    const uint8_t version = head.Fixed<uint8_t>();
    if (version != 1 && version != 3) return false;
    const char* augmentation = reinterpret_cast<const char*>(head.at());
    head.Skip(std::strlen(augmentation) + 1);
    if (augmentation[0] != 'z') return false;
    code_align_ = head.Unsigned();
    data_align_ = head.Signed();
    const uint64_t column = version == 1 ? head.Fixed<uint8_t>() : head.Unsigned();
    if (column != kReturnAddress) return false;
    const uint64_t augmentation_size = head.Unsigned();
    const uint8_t* instructions = head.at() + augmentation_size;
    uint8_t encoding = 0;
    for (const char* what = augmentation + 1; *what != '\0'; ++what) {
      if (*what == 'R') {
        encoding = head.Fixed<uint8_t>();
      } else if (*what == 'L') {
        head.Skip(1);
      } else if (*what == 'P') {
        const size_t size = EncodedSize(head.Fixed<uint8_t>());
        if (size == 0) return false;
        head.Skip(size);
      } else {
        return false;  // a signal frame, or something new
      }
    }
    const size_t pointer_size = EncodedSize(encoding);
    if (head.failed() || pointer_size == 0) return false;
    if (!Execute(Reader(instructions, cie + 4 + cie_length), /*is_initial=*/true)) return false;
    initial_ = row_;

    Reader body(fde + 8, fde + 4 + length);
    body.Skip(2 * pointer_size);
    body.Skip(body.Unsigned());
    return !body.failed() && Execute(body, /*is_initial=*/false);
  }

  void Offset(uint64_t reg, int64_t offset) {
    if (reg == kRbp) row_.rbp_offset = offset;
    if (reg == kReturnAddress) {
      row_.return_offset = offset;
      row_.return_undefined = false;
    }
  }
  void Restore(uint64_t reg) {
    if (reg == kRbp) row_.rbp_offset = initial_.rbp_offset;
    if (reg == kReturnAddress) {
      row_.return_offset = initial_.return_offset;
      row_.return_undefined = initial_.return_undefined;
    }
  }
  // A rule for a register that is not an offset.
  void Other(uint64_t reg) {
    if (reg == kRbp || reg == kReturnAddress) row_.odd = true;
  }

  // Runs up to the row of the return address.
  bool Execute(Reader code, bool is_initial) {
    while (!code.done() && (is_initial || location_ < return_address_)) {
      const uint8_t byte = code.Fixed<uint8_t>();
      const uint8_t operand = byte & 0x3f;
      switch (byte & 0xc0) {
        case 0x40:
          location_ += operand * code_align_;
          continue;
        case 0x80:
          Offset(operand, static_cast<int64_t>(code.Unsigned()) * data_align_);
          continue;
        case 0xc0:
          Restore(operand);
          continue;
        default:
          break;
      }
      switch (byte) {
        case 0x00:  // nop
          break;
        case 0x02:  // advance_loc1, 2, 4
          location_ += code.Fixed<uint8_t>() * code_align_;
          break;
        case 0x03:
          location_ += code.Fixed<uint16_t>() * code_align_;
          break;
        case 0x04:
          location_ += code.Fixed<uint32_t>() * code_align_;
          break;
        case 0x05: {  // offset_extended
          const uint64_t reg = code.Unsigned();
          Offset(reg, static_cast<int64_t>(code.Unsigned()) * data_align_);
          break;
        }
        case 0x06:  // restore_extended
          Restore(code.Unsigned());
          break;
        case 0x07: {  // undefined
          const uint64_t reg = code.Unsigned();
          if (reg == kReturnAddress) row_.return_undefined = true;
          break;  // an undefined rbp is of no use to the callers either
        }
        case 0x08: {  // same_value
          const uint64_t reg = code.Unsigned();
          if (reg == kRbp) row_.rbp_offset = kNotSaved;
          if (reg == kReturnAddress) row_.odd = true;
          break;
        }
        case 0x09: {  // register
          Other(code.Unsigned());
          code.Unsigned();
          break;
        }
        case 0x0a:  // remember_state
          if (depth_ == kMaxDepth) return false;
          remembered_[depth_++] = row_;
          break;
        case 0x0b:  // restore_state
          if (depth_ == 0) return false;
          row_ = remembered_[--depth_];
          break;
        case 0x0c:  // def_cfa
          row_.cfa_register = code.Unsigned();
          row_.cfa_offset = static_cast<int64_t>(code.Unsigned());
          break;
        case 0x0d:  // def_cfa_register
          row_.cfa_register = code.Unsigned();
          break;
        case 0x0e:  // def_cfa_offset
          row_.cfa_offset = static_cast<int64_t>(code.Unsigned());
          break;
        case 0x10:    // expression
        case 0x16: {  // val_expression
          Other(code.Unsigned());
          code.Skip(code.Unsigned());
          break;
        }
        case 0x11: {  // offset_extended_sf
          const uint64_t reg = code.Unsigned();
          Offset(reg, code.Signed() * data_align_);
          break;
        }
        case 0x12:  // def_cfa_sf
          row_.cfa_register = code.Unsigned();
          row_.cfa_offset = code.Signed() * data_align_;
          break;
        case 0x13:  // def_cfa_offset_sf
          row_.cfa_offset = code.Signed() * data_align_;
          break;
        case 0x2e:  // GNU_args_size
          code.Unsigned();
          break;
        default:  // def_cfa_expression and what is rarer
          return false;
      }
      if (code.failed()) return false;
    }
    return !code.failed();
  }

  static constexpr int kMaxDepth = 8;

  uintptr_t location_;
  uintptr_t return_address_;
  uint64_t code_align_ = 1;
  int64_t data_align_ = 1;
  Row row_;
  Row initial_;
  Row remembered_[kMaxDepth];
  int depth_ = 0;
};

// The rules that a thread knows, for code of loaded files.
class RuleCache {
 public:
  // Forgets everything when a file was loaded or unloaded: an address may be that of other code.
  void Refresh() {
    Loaded now;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* opaque) -> int {
          *static_cast<Loaded*>(opaque) = {info->dlpi_adds, info->dlpi_subs};
          return 1;
        },
        &now);
    constexpr size_t kMaxRules = 8192;
    if (now == loaded_ && rules_.size() < kMaxRules) return;
    rules_.clear();
    Segments found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* opaque) -> int {
          return static_cast<Segments*>(opaque)->Add(*info) ? 0 : 1;
        },
        &found);
    if (found.no_memory) throw std::bad_alloc();
    code_ = std::move(found.code);
    loaded_ = now;
  }

  const FrameRule& RuleAt(uintptr_t return_address) {
    auto [it, is_new] = rules_.try_emplace(return_address);
    // Code in no file, such as that of a just-in-time compiler, may change without a sign.
    if (is_new && IsLoaded(return_address - 1)) {
      it->second = FrameInterpreter::RuleAt(return_address);
    }
    return it->second;
  }

 private:
  using Range = std::pair<uintptr_t, uintptr_t>;
  // What is loaded. Exceptions may not pass the loader's frames, which hold a lock.
  struct Segments {
    std::vector<Range> code;
    bool no_memory = false;

    bool Add(const dl_phdr_info& info) noexcept {
      try {
        for (int i = 0; i < info.dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info.dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
          const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
          code.emplace_back(begin, begin + segment.p_memsz);
        }
      } catch (const std::bad_alloc&) {
        no_memory = true;
      }
      return !no_memory;
    }
  };
  struct Loaded {
    unsigned long long adds = 0;  // NOLINT(runtime/int): types of the loader's counters
    unsigned long long subs = 0;  // NOLINT(runtime/int)
    bool operator==(const Loaded&) const = default;
  };

  bool IsLoaded(uintptr_t address) const {
    for (const Range& range : code_) {
      if (address >= range.first && address < range.second) return true;
    }
    return false;
  }

  Loaded loaded_;
  std::vector<Range> code_;
  std::unordered_map<uintptr_t, FrameRule> rules_;
};

// Reads a word of the stack, red zones of a sanitizer or not.
__attribute__((no_sanitize("address", "thread"))) inline uintptr_t WordAt(uintptr_t address) {
  return *reinterpret_cast<const uintptr_t*>(address);
}

}  // namespace

// Its frame pointer is the start of the walk.
__attribute__((noinline)) bool WalkStackQuickly(size_t skip, size_t max_frames,
                                                bool (*stop)(uintptr_t address, void* opaque),
                                                void* opaque, std::vector<uintptr_t>* addresses) {
  RuleCache& cache = ThreadOwned<RuleCache>();
  cache.Refresh();
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t return_address = WordAt(frame + 8);
  uintptr_t rsp = frame + 16;
  uintptr_t rbp = WordAt(frame);
  while (return_address != 0 && addresses->size() < max_frames) {
    if (skip > 0) {
      --skip;
    } else {
      addresses->push_back(return_address - 1);
      if (stop(return_address - 1, opaque)) return true;
    }
    const FrameRule& rule = cache.RuleAt(return_address);
    if (!rule.usable) return false;
    if (rule.is_last) return true;
    const uintptr_t caller =
        (rule.cfa_from_rbp ? rbp : rsp) + static_cast<uintptr_t>(rule.cfa_offset);
    // The stack grows down: callers are above. Else the rule is not for this frame.
    if (caller <= rsp || caller % sizeof(uintptr_t) != 0) return false;
    return_address = WordAt(caller - 8);
    if (rule.rbp_offset != kNotSaved) {
      rbp = WordAt(caller + static_cast<uintptr_t>(rule.rbp_offset));
    }
    rsp = caller;
  }
  return true;
}

#else

bool WalkStackQuickly(size_t, size_t, bool (*)(uintptr_t, void*), void*, std::vector<uintptr_t>*) {
  return false;
}

#endif

}  // namespace ffi
}  // namespace tvm
