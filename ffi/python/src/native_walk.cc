// SPDX-License-Identifier: Apache-2.0
// What the cycle collector sees behind a wrapper.
//
// A reference from a native object to a Python object counts as one of the wrapper's own when
// nothing but the wrapper keeps that native object alive: every strong reference to it is the
// wrapper's or comes from an object of which that holds too. Then no other wrapper reports the same
// reference. Native code that runs without the GIL may change objects meanwhile; then nothing is
// reported, which only keeps garbage until the next collection.
#include <unordered_map>

#include "native_cycle.h"
#include "native_graph.h"

namespace tvm::ffi::detail::python {

namespace {

// Objects that are entered before it is known whether the wrapper owns them all. The bound keeps a
// collection linear when many wrappers lead to one large graph.
constexpr size_t kMaxGuesses = 256;

// Leads neither to Python nor to other objects.
bool IsLeaf(const TVMFFIObject* obj) {
  return !MayOwn(obj->type_index) && HeldByNative(obj) == nullptr;
}

class Walk {
 public:
  Walk(TVMFFIObject* root, visitproc visit, void* arg) : root_(root), visit_(visit), arg_(arg) {}

  int Run() {
    bool guess = MayHaveNativeCycles();
    if (UseCount(root_) == 1) {
      pending_.push_back(root_);
    } else if (guess) {
      shared_[root_] = {1, false};
    } else {
      return 0;
    }
    if (int stop = EnterOwned()) return stop;
    return guess && !shared_.empty() ? EnterCycles() : 0;
  }

 private:
  struct Shared {
    uint32_t seen;  // references found so far
    bool entered;
  };

  // Visits what the objects hold of which all references have been found. That is everything that
  // the wrapper owns, apart from cycles and what lies behind them.
  int EnterOwned() {
    while (!pending_.empty()) {
      TVMFFIObject* obj = pending_.back();
      pending_.pop_back();
      if (PyObject* held = HeldByNative(obj)) {
        if (int stop = visit_(held, arg_)) return stop;
        continue;
      }
      ForEachOwned(obj, [this](TVMFFIObject* child) {
        if (IsLeaf(child)) return;
        uint32_t count = UseCount(child);
        if (count != 1) {
          Shared& shared = shared_[child];
          if (++shared.seen != count || shared.entered) return;
          shared.entered = true;
        }
        pending_.push_back(child);
      });
    }
    return 0;
  }

  // The rest are shared objects with references that were not found yet. These may lie in cycles
  // behind the objects themselves: follow them all, then take away what others hold.
  int EnterCycles() {
    struct Node {
      uint32_t missing;
      bool live;
    };
    std::unordered_map<TVMFFIObject*, Node> nodes;
    std::vector<TVMFFIObject*> order;
    for (const auto& [obj, shared] : shared_) {
      if (shared.entered) continue;
      nodes.emplace(obj, Node{UseCount(obj) - shared.seen, false});
      order.push_back(obj);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      if (order.size() > kMaxGuesses) return 0;
      ForEachOwned(order[i], [&](TVMFFIObject* child) {
        if (IsLeaf(child)) return;
        auto [at, fresh] = nodes.emplace(child, Node{UseCount(child), false});
        if (fresh) order.push_back(child);
        --at->second.missing;
      });
    }
    std::vector<TVMFFIObject*> live;
    for (TVMFFIObject* obj : order) {
      Node& node = nodes.find(obj)->second;
      if (node.missing == 0) continue;
      node.live = true;
      live.push_back(obj);
    }
    while (!live.empty()) {
      TVMFFIObject* obj = live.back();
      live.pop_back();
      ForEachOwned(obj, [&](TVMFFIObject* child) {
        if (!IsLeaf(child) && !std::exchange(nodes.find(child)->second.live, true)) {
          live.push_back(child);
        }
      });
    }
    for (TVMFFIObject* obj : order) {
      PyObject* held = nodes.find(obj)->second.live ? nullptr : HeldByNative(obj);
      if (held == nullptr) continue;
      if (int stop = visit_(held, arg_)) return stop;
    }
    return 0;
  }

  TVMFFIObject* root_;
  visitproc visit_;
  void* arg_;
  std::vector<TVMFFIObject*> pending_;
  std::unordered_map<TVMFFIObject*, Shared> shared_;
};

}  // namespace

int VisitNative(TVMFFIObject* root, visitproc visit, void* arg) {
  if (!rt.native_calls.none()) return 0;
  return Walk(root, visit, arg).Run();
}

}  // namespace tvm::ffi::detail::python
