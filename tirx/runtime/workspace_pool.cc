// SPDX-License-Identifier: Apache-2.0
#include "tirx/runtime/workspace_pool.h"

#include <algorithm>
#include <vector>

#include "tirx/runtime/device_api.h"

namespace tvm {
namespace runtime {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kMaxIdleBlocks =
    16;  // more than a kernel nests; bounds what idle memory a thread keeps

struct Block {
  DLDevice device;
  void* data;
  size_t nbytes;
};

bool SameDevice(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

class WorkspacePool {
 public:
  ~WorkspacePool() {
    for (const Block& block : idle_) Release(block);
  }

  void* Alloc(DLDevice device, size_t nbytes) {
    nbytes = std::max(kPage, (nbytes + kPage - 1) / kPage * kPage);
    // The smallest idle block that is large enough, but not one that wastes more than half.
    auto best = idle_.end();
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      if (!SameDevice(it->device, device) || it->nbytes < nbytes || it->nbytes / 2 > nbytes)
        continue;
      if (best == idle_.end() || it->nbytes < best->nbytes) best = it;
    }
    if (best != idle_.end()) {
      busy_.push_back(*best);
      idle_.erase(best);
    } else {
      void* data =
          DeviceAPI::Get(device.device_type)->AllocDataSpace(device, nbytes, kAllocAlignment);
      busy_.push_back(Block{device, data, nbytes});
    }
    return busy_.back().data;
  }

  void Free(DLDevice device, void* data) {
    // Freed mostly in reverse order of allocation.
    auto it =
        std::find_if(busy_.rbegin(), busy_.rend(), [&](const Block& b) { return b.data == data; });
    if (it == busy_.rend()) {
      Release(Block{device, data, 0});
      return;
    }
    idle_.push_back(*it);
    busy_.erase(std::next(it).base());
    if (idle_.size() > kMaxIdleBlocks) {
      Release(idle_.front());
      idle_.erase(idle_.begin());
    }
  }

 private:
  static void Release(const Block& block) {
    DeviceAPI* api = DeviceAPI::Get(block.device.device_type, /*required=*/false);
    if (api != nullptr) api->FreeDataSpace(block.device, block.data);
  }

  std::vector<Block> idle_;
  std::vector<Block> busy_;
};

WorkspacePool& Local() {
  thread_local WorkspacePool pool;
  return pool;
}

}  // namespace

void* AllocWorkspace(DLDevice device, size_t nbytes) { return Local().Alloc(device, nbytes); }

void FreeWorkspace(DLDevice device, void* data) { Local().Free(device, data); }

}  // namespace runtime
}  // namespace tvm
