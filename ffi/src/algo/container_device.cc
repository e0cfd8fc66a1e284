// SPDX-License-Identifier: Apache-2.0
// ffi.ContainerFindFirstNonCPUDevice: where the tensors of a nested argument live.
#include <tvm/ffi/device.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <unordered_set>
#include <vector>

#include "quick_def.h"
#include "register.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

/// Device of the first tensor, in order, that is not on the CPU; cpu:0 when there is none. Values
/// of maps count, keys don't.
DLDevice FindFirstNonCPUDevice(const Any& root) {
  WalkScope walk;
  struct Frame {
    TVMFFIAny owner;
    int64_t index = 0;
    MapCursor map;
  };
  std::vector<Frame> stack;
  std::unordered_set<const TVMFFIObject*> seen;
  DLDevice found{kDLCPU, 0};
  // True when `v` is the answer; containers met for the first time are pushed.
  auto visit = [&](const TVMFFIAny& v) {
    switch (v.type_index) {
      case kTVMFFITensor:
        found = CellOf<DLTensor>(v).device;
        return found.device_type != kDLCPU;
      case kTVMFFIDLTensorPtr:
        found = static_cast<const DLTensor*>(v.v_ptr)->device;
        return found.device_type != kDLCPU;
      case kTVMFFIArray:
      case kTVMFFIList:
      case kTVMFFIMap:
      case kTVMFFIDict: {
        if (StrongCount(v) > 1 && !seen.insert(v.v_obj).second) return false;
        Frame frame{v, 0, MapCursor()};
        if (v.type_index == kTVMFFIMap || v.type_index == kTVMFFIDict) frame.map = MapCursor(v);
        stack.push_back(frame);
        return false;
      }
      default:
        return false;
    }
  };
  if (visit(Raw(root))) return found;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.owner.type_index == kTVMFFIArray || frame.owner.type_index == kTVMFFIList) {
      const TVMFFISeqCell& seq = SeqOf(frame.owner);
      if (frame.index == seq.size) {
        stack.pop_back();
      } else if (visit(SeqItem(seq, frame.index++))) {
        return found;
      }
    } else {
      const MapCursor::Entry entry = frame.map.Next();
      if (!entry) {
        stack.pop_back();
      } else if (visit(*entry.value)) {
        return found;
      }
    }
  }
  return DLDevice{kDLCPU, 0};
}

}  // namespace

void RegisterContainerDevice() {
  QuickDef().def("ffi.ContainerFindFirstNonCPUDevice", &FindFirstNonCPUDevice);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
