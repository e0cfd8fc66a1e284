// SPDX-License-Identifier: Apache-2.0
#include "value_maker.h"

#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <unordered_set>
#include <utility>

#include "algo_nodes.h"

namespace fuzz {

using namespace tvm::ffi;

namespace {

// Sanitizers are slow: the fuzzer has a tenth of the levels, and a small stack instead.
#if defined(TVM_FFI_FUZZ)
constexpr int kGreatDepth = 10000;
#else
constexpr int kGreatDepth = 100000;
#endif
constexpr size_t kValuesAtMost = 400;

Any BigIntOf(const std::string& words) {
  const TVMFFIByteArray bytes{words.data(), words.size() / 8 * 8};
  Any out;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIBigIntFromByteArray(&bytes, reinterpret_cast<TVMFFIAny*>(&out)));
  return out;
}

}  // namespace

Any ValueMaker::Pick() { return pool_.empty() ? Any() : pool_[input_->Below(pool_.size())]; }

Any ValueMaker::Make() {
  for (size_t count = 0; count < kValuesAtMost && !input_->AtEnd(); ++count) {
    if (input_->Below(16) == 0) break;
    pool_.push_back(MakeOne());
  }
  return pool_.empty() ? Any() : pool_.back();
}

Any ValueMaker::MakeOne() {
  switch (input_->Below(16)) {
    case 0:
    case 1:
    case 2:
      return MakeLeaf();
    case 3:
      ChangeContainer();
      return Pick();
    case 4:
      return MakeDeep();
    case 5:
    case 6: {
      Array<Any> out;
      for (size_t i = input_->Below(6); i > 0; --i) out.push_back(Pick());
      return out;
    }
    case 7: {
      List<Any> out;
      for (size_t i = input_->Below(6); i > 0; --i) out.push_back(Pick());
      return out;
    }
    case 8: {
      Map<Any, Any> out;
      for (size_t i = input_->Below(12); i > 0; --i) out.Set(Pick(), Pick());
      return out;
    }
    case 9: {
      Dict<Any, Any> out;
      for (size_t i = input_->Below(12); i > 0; --i) out.Set(Pick(), Pick());
      return out;
    }
    default:
      return MakeNode();
  }
}

Any ValueMaker::MakeLeaf() {
  switch (input_->Below(14)) {
    case 0:
      return Any();
    case 1:
      return static_cast<int64_t>(input_->Below(4));
    case 2:
      return input_->Take<int64_t>();
    case 3:
      return input_->Take<double>();
    case 4:
      return input_->Below(2) == 0;
    case 5:
      return String(input_->Text(3));
    case 6:
      return String(input_->Text(40));
    case 7:
      return Bytes(input_->Text(3));
    case 8:
      return Bytes(input_->Text(40));
    case 9:
      return BigIntOf(input_->Text(40));
    case 10:
      return input_->Take<DLDataType>();
    case 11:
      return input_->Take<DLDevice>();
    case 12:
      return Shape({static_cast<int64_t>(input_->Below(4)), input_->Take<int64_t>()});
    default:
      return static_cast<void*>(nullptr);
  }
}

Any ValueMaker::MakeNode() {
  using namespace algo_nodes;
  switch (input_->Below(8)) {
    case 0:
    case 1:
      return Tree(Pick(), Pick());
    case 2:
      return New<VarObj>(input_->Text(2), Pick());
    case 3:
      return New<DagObj>(Pick());
    case 4:
      return New<ConstObj>(Pick());
    case 5:
      return New<SingleObj>(Pick());
    case 6:
      return New<FnObj>(Pick(), Pick());
    default:
      return New<Fn2Obj>(Pick(), Pick());
  }
}

Any ValueMaker::MakeDeep() {
  using namespace algo_nodes;
  int depth = static_cast<int>(input_->Below(200));
  if (depth == 199 && std::exchange(may_be_deep_, false)) depth = kGreatDepth;
  const size_t kind = input_->Below(7);
  Any value = Pick();
  for (int i = 0; i < depth; ++i) {
    switch (kind) {
      case 0:
        value = Array<Any>{std::move(value)};
        break;
      case 1:
        value = List<Any>{std::move(value)};
        break;
      case 2:
        value = Map<Any, Any>{{String("k"), std::move(value)}};
        break;
      case 3:
        value = Dict<Any, Any>{{1, std::move(value)}};
        break;
      case 4:
        value = Tree(std::move(value));
        break;
      case 5:
        value = New<DagObj>(std::move(value));
        break;
      default:
        value = New<FnObj>(algo_nodes::Var("v"), std::move(value));
    }
  }
  return value;
}

void ValueMaker::ChangeContainer() {
  const Any container = Pick();
  if (container.type_index() == kTVMFFIList) {
    container.cast<List<Any>>().push_back(Pick());
    may_be_cyclic_ = true;
  } else if (container.type_index() == kTVMFFIDict) {
    container.cast<Dict<Any, Any>>().Set(Pick(), Pick());
    may_be_cyclic_ = true;
  }
}

ValueMaker::~ValueMaker() {
  if (!may_be_cyclic_) return;
  for (const Any& value : pool_) BreakCycles(value);
}

void BreakCycles(const Any& root) {
  std::vector<Any> pending{root}, containers;
  std::unordered_set<const void*> seen;
  auto add = [&](const Any& value) {
    if (value.type_index() < kTVMFFIStaticObjectBegin) return;
    if (seen.insert(value.cast<ObjectRef>().get()).second) pending.push_back(value);
  };
  while (!pending.empty()) {
    const Any value = std::move(pending.back());
    pending.pop_back();
    switch (value.type_index()) {
      case kTVMFFIArray:
        for (const Any& item : value.cast<Array<Any>>()) add(item);
        break;
      case kTVMFFIList:
        containers.push_back(value);
        for (const Any& item : value.cast<List<Any>>()) add(item);
        break;
      case kTVMFFIMap:
        for (const auto& [key, item] : value.cast<Map<Any, Any>>()) add(key), add(item);
        break;
      case kTVMFFIDict:
        containers.push_back(value);
        for (const auto& [key, item] : value.cast<Dict<Any, Any>>()) add(key), add(item);
        break;
      default:
        if (value.type_index() < kTVMFFIDynObjectBegin) break;
        reflection::ForEachFieldInfo(
            TVMFFIGetTypeInfo(value.type_index()), [&](const TVMFFIFieldInfo* field) {
              add(reflection::FieldGetter(field)(value.cast<ObjectRef>().get()));
            });
    }
  }
  for (const Any& container : containers) {
    if (container.type_index() == kTVMFFIList) {
      container.cast<List<Any>>().clear();
    } else {
      container.cast<Dict<Any, Any>>().clear();
    }
  }
}

}  // namespace fuzz
