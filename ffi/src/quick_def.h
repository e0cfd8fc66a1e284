// SPDX-License-Identifier: Apache-2.0
/*!
 * \file quick_def.h
 * \brief Registration of functions that a binding calls with its interpreter lock held.
 */
#ifndef TVM_FFI_SRC_QUICK_DEF_H_
#define TVM_FFI_SRC_QUICK_DEF_H_

#include <tvm/ffi/reflection/registry.h>

#include <utility>

namespace tvm {
namespace ffi {

/*! \brief As reflection::GlobalDef, for functions that neither block nor wait for another thread:
 * a binding keeps its interpreter lock while they run, which keeps its other threads from changing
 * what they read. Walks over values are among them; what their hooks do is up to these. */
class QuickDef {
 public:
  template <typename F>
  QuickDef& def(const char* name, F&& f) {
    reflection::GlobalDef().def(name, std::forward<F>(f), NeverBlocks());
    return *this;
  }
  template <typename F>
  QuickDef& def_packed(const char* name, F&& f) {
    reflection::GlobalDef().def_packed(name, std::forward<F>(f), NeverBlocks());
    return *this;
  }

 private:
  static reflection::Metadata NeverBlocks() { return {{"never_blocks", true}}; }
};

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_QUICK_DEF_H_
