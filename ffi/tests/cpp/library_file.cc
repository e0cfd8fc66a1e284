// SPDX-License-Identifier: Apache-2.0
// Library files that can't be loaded: each ends in an error that names the file and the way out.
#include <gtest/gtest.h>
#include <tvm/ffi/extra/module.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "algo_nodes.h"

#if defined(__linux__)
#include <elf.h>

namespace {

using algo_nodes::ErrorOf;
using tvm::ffi::Module;

class LibraryFile : public ::testing::Test {
 protected:
  LibraryFile() {
    std::ifstream file(TVM_FFI_TEST_SAMPLE_LIBRARY, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    folder = std::filesystem::temp_directory_path() / ("library_file_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    path = folder / "sample.so";
  }
  ~LibraryFile() override { std::filesystem::remove_all(folder); }

  // What loading a file of these bytes says, after the words that all errors share.
  std::string ErrorOfLoading(const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string error = ErrorOf([&] { Module::LoadFromFile(path.string()); });
    const std::string prefix =
        "InternalError: Failed to load dynamic shared library " + path.string() + ": ";
    EXPECT_EQ(error.compare(0, prefix.size(), prefix), 0) << error;
    return error.substr(std::min(prefix.size(), error.size()));
  }

  template <typename T>
  std::string Changed(size_t offset, T value) const {
    std::string bytes = good;
    bytes.replace(offset, sizeof(T), reinterpret_cast<const char*>(&value), sizeof(T));
    return bytes;
  }

  std::string good;
  std::filesystem::path folder, path;
};

TEST_F(LibraryFile, GoodOneLoads) {
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_TRUE(Module::LoadFromFile(path.string())->ImplementsFunction("add"));
}

TEST_F(LibraryFile, TruncatedAnywhere) {
  EXPECT_EQ(ErrorOfLoading(""), "the file is empty; build or copy it again");
  for (size_t size : {size_t{4}, size_t{63}, size_t{64}, size_t{200}, size_t{4096}, good.size() / 2,
                      good.size() - 1}) {
    const std::string error = ErrorOfLoading(good.substr(0, size));
    EXPECT_EQ(error.find("the file is truncated or damaged: it has " + std::to_string(size) +
                         " bytes, but its parts reach to byte "),
              0u)
        << error;
    EXPECT_NE(error.find("; build or copy it again"), std::string::npos) << error;
  }
}

TEST_F(LibraryFile, PartsFarBeyondTheEnd) {
  const std::string error = ErrorOfLoading(Changed(offsetof(Elf64_Ehdr, e_phoff), ~uint64_t{7}));
  EXPECT_NE(error.find("its parts reach far beyond its end"), std::string::npos) << error;
  EXPECT_EQ(ErrorOfLoading(Changed(offsetof(Elf64_Ehdr, e_phentsize), uint16_t{3})),
            "the file is damaged: its program headers have the size 3; build or copy it again");
}

TEST_F(LibraryFile, OtherMachines) {
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof(header));
  const std::string here = header.e_machine == EM_X86_64    ? "x86-64"
                           : header.e_machine == EM_AARCH64 ? "AArch64"
                                                            : "";
  if (here.empty()) GTEST_SKIP() << "a machine whose name is not known here";
  const bool is_x86 = here == "x86-64";
  const std::string runs_on = ", but this process runs on " + here + "; build it for this machine";
  EXPECT_EQ(ErrorOfLoading(Changed(offsetof(Elf64_Ehdr, e_machine),
                                   uint16_t{is_x86 ? uint16_t{EM_AARCH64} : uint16_t{EM_X86_64}})),
            std::string("the file is built for ") + (is_x86 ? "AArch64" : "x86-64") + runs_on);
  EXPECT_EQ(ErrorOfLoading(Changed(offsetof(Elf64_Ehdr, e_machine), uint16_t{9999})),
            "the file is built for machine 9999" + runs_on);
  EXPECT_EQ(ErrorOfLoading(Changed(EI_CLASS, char{ELFCLASS32})),
            "the file is built for " + here + " (32-bit)" + runs_on);
  EXPECT_EQ(ErrorOfLoading(Changed(EI_DATA, char{ELFDATA2MSB})),
            "the file is built for a big-endian machine" + runs_on);
}

TEST_F(LibraryFile, OtherKindsOfFiles) {
  EXPECT_EQ(ErrorOfLoading(Changed(offsetof(Elf64_Ehdr, e_type), uint16_t{ET_REL})),
            "the file is an object file; link it with `c++ -shared`");
  EXPECT_EQ(ErrorOfLoading(Changed(offsetof(Elf64_Ehdr, e_type), uint16_t{ET_CORE})),
            "the file is not a shared library (ELF type 4)");
  EXPECT_EQ(ErrorOfLoading("!<arch>\nmembers"),
            "the file is a static archive; link it with `c++ -shared`");
  EXPECT_EQ(ErrorOfLoading("MZ and more"),
            "the file is a Windows library; build it for this system");
  EXPECT_EQ(ErrorOfLoading("int main() {}"),
            "the file is not a shared library (it has no ELF header)");
}

TEST_F(LibraryFile, MissingPathIsNamedOnce) {
  const std::string missing = (folder / "missing.so").string();
  EXPECT_EQ(ErrorOf([&] { Module::LoadFromFile(missing); }),
            "InternalError: Failed to load dynamic shared library " + missing +
                ": cannot open shared object file: No such file or directory");
}

TEST_F(LibraryFile, NewerReleasesAreToldBeforeTheirCodeRuns) {
  const std::string error = ErrorOf([] { Module::LoadFromFile(TVM_FFI_TEST_NEWER_LIBRARY); });
  EXPECT_EQ(error,
            std::string("InternalError: Failed to load dynamic shared library ") +
                TVM_FFI_TEST_NEWER_LIBRARY +
                ": undefined symbol: TVMFFIFunctionOfTheNextRelease; the library was built with a "
                "newer version of tvm_ffi than this (0.1.16): update tvm_ffi, or build the "
                "library again");
}

TEST_F(LibraryFile, ImportTreesLongerThanTheirSymbol) {
  EXPECT_EQ(ErrorOf([] { Module::LoadFromFile(TVM_FFI_TEST_CUT_IMPORT_TREE_LIBRARY); }),
            "RuntimeError: Malformed library binary: its size is larger than what the library "
            "holds");
}

}  // namespace

#endif  // defined(__linux__)
