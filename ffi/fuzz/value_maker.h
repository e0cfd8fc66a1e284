// SPDX-License-Identifier: Apache-2.0
/*!
 * \file value_maker.h
 * \brief Value graphs from bytes: every kind of value, with sharing, cycles and great depth.
 */
#ifndef TVM_FFI_FUZZ_VALUE_MAKER_H_
#define TVM_FFI_FUZZ_VALUE_MAKER_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <vector>

#include "input.h"

namespace fuzz {

class ValueMaker {
 public:
  /*! \param may_be_deep Whether one value may have 100,000 levels (10,000 under the fuzzer). */
  ValueMaker(Input* input, bool may_be_deep) : input_(input), may_be_deep_(may_be_deep) {}
  ~ValueMaker();
  ValueMaker(const ValueMaker&) = delete;
  ValueMaker& operator=(const ValueMaker&) = delete;

  /*! \brief Makes values until the input says so; the last one made is the root. */
  tvm::ffi::Any Make();

  /*! \brief A value made before; None when there is none. */
  tvm::ffi::Any Pick();

  /*! \brief Whether some container may hold itself. */
  bool may_be_cyclic() const { return may_be_cyclic_; }

 private:
  tvm::ffi::Any MakeOne();
  tvm::ffi::Any MakeLeaf();
  tvm::ffi::Any MakeNode();
  tvm::ffi::Any MakeDeep();
  void ChangeContainer();

  Input* input_;
  std::vector<tvm::ffi::Any> pool_;
  bool may_be_cyclic_ = false;
  bool may_be_deep_;
};

/*! \brief Empties every List and Dict below a value, so that its cycles are freed. */
void BreakCycles(const tvm::ffi::Any& root);

}  // namespace fuzz

#endif  // TVM_FFI_FUZZ_VALUE_MAKER_H_
