// SPDX-License-Identifier: Apache-2.0
/*!
 * \file replay.cc
 * \brief Runs a fuzz target on files and on all files of folders, without a fuzzer.
 *
 * With `--cuts` every input is also given cut after each of its first bytes, so one kept case
 * covers its truncations.
 */
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "input.h"

namespace {

constexpr size_t kCutsAtMost = 64;

// From an allocation of its own size: sanitizers then see reads behind its end.
void RunOn(const std::vector<char>& bytes, size_t size) {
  auto exact = std::make_unique<uint8_t[]>(size);
  std::copy_n(bytes.begin(), size, exact.get());
  LLVMFuzzerTestOneInput(exact.get(), size);
}

void RunFile(const std::filesystem::path& path, bool cuts) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (size_t size = 0; cuts && size < std::min(bytes.size(), kCutsAtMost); ++size) {
    RunOn(bytes, size);
  }
  RunOn(bytes, bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  int num_files = 0;
  bool cuts = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--cuts") {
      cuts = true;
      continue;
    }
    if (!std::filesystem::is_directory(argv[i])) {
      RunFile(argv[i], cuts);
      ++num_files;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      RunFile(entry.path(), cuts);
      ++num_files;
    }
  }
  std::printf("%d inputs\n", num_files);
  return num_files == 0 ? 1 : 0;  // a corpus that is not found is a fault of the build
}
