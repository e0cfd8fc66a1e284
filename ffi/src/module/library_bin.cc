// SPDX-License-Identifier: Apache-2.0
#include "library_bin.h"

#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tvm {
namespace ffi {
namespace {

constexpr size_t kWordSize = 8;

[[noreturn]] void Malformed(const char* what) {
  TVM_FFI_THROW(RuntimeError) << "Malformed library binary: " << what;
  TVM_FFI_UNREACHABLE();
}

uint64_t ReadWord(const char* bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < kWordSize; ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

class Reader {
 public:
  Reader(const char* data, uint64_t size) : data_(data), size_(size) {}

  uint64_t Word() {
    if (size_ < kWordSize) Malformed("it ends within a number");
    uint64_t word = ReadWord(data_);
    Skip(kWordSize);
    return word;
  }

  std::vector<uint64_t> Words() {
    uint64_t count = Word();
    if (count > size_ / kWordSize) Malformed("it ends within a list of numbers");
    std::vector<uint64_t> words(count);
    for (uint64_t& word : words) word = Word();
    return words;
  }

  std::string_view Text() {
    uint64_t length = Word();
    if (length > size_) Malformed("it ends within a text");
    std::string_view text(data_, length);
    Skip(length);
    return text;
  }

  bool AtEnd() const { return size_ == 0; }

 private:
  void Skip(uint64_t count) {
    data_ += count;
    size_ -= count;
  }

  const char* data_;
  uint64_t size_;
};

Module LoadFromBytes(std::string_view kind, std::string_view payload) {
  std::string name = "ffi.Module.load_from_bytes." + std::string(kind);
  std::optional<Function> loader = Function::GetGlobal(name);
  if (!loader) {
    TVM_FFI_THROW(RuntimeError) << "Library binary was created using {" << kind
                                << "} but a loader of that name is not registered. Import the "
                                   "package that registers `"
                                << name << "` before loading the library.";
  }
  return (*loader)(Bytes(payload.data(), payload.size())).cast<Module>();
}

}  // namespace

Module LoadLibraryBin(const char* binary, size_t known_size,
                      const std::function<Module()>& make_host) {
  if (known_size != 0 && known_size < kWordSize) Malformed("it ends within its size");
  const uint64_t size = ReadWord(binary);
  if (known_size != 0 && size > known_size - kWordSize) {
    Malformed("its size is larger than what the library holds");
  }
  Reader reader(binary + kWordSize, size);
  std::vector<uint64_t> rows = reader.Words();
  std::vector<uint64_t> children = reader.Words();
  if (rows.size() < 2) Malformed("it holds no module");
  size_t num_modules = rows.size() - 1;
  for (size_t i = 0; i < num_modules; ++i) {
    if (rows[i] > rows[i + 1]) Malformed("the rows of the import tree overlap");
  }
  if (rows.back() > children.size()) Malformed("the import tree names more imports than it has");
  for (uint64_t child : children) {
    if (child >= num_modules) Malformed("the import tree names a module that is not there");
  }

  std::vector<Module> modules;
  modules.reserve(num_modules);
  for (size_t i = 0; i < num_modules; ++i) {
    std::string_view kind = reader.Text();
    modules.push_back(kind == "_lib" ? make_host() : LoadFromBytes(kind, reader.Text()));
  }
  if (!reader.AtEnd()) Malformed("bytes follow the last module");
  for (size_t i = 0; i < num_modules; ++i) {
    for (uint64_t j = rows[i]; j < rows[i + 1]; ++j) modules[i]->ImportModule(modules[children[j]]);
  }
  return modules[0];
}

}  // namespace ffi
}  // namespace tvm
