// SPDX-License-Identifier: Apache-2.0
/*!
 * \file structural.cc
 * \brief The generic algorithms on value graphs of any shape: each ends in a result or an Error,
 * nothing leaks, and copies equal what they were copied from.
 */
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/extra/structural_mutate.h>

#include "algo_nodes.h"
#include "input.h"
#include "value_maker.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using fuzz::Succeeds;
using Callbacks = Array<Tuple<int32_t, Function>>;
using MutateCallbacks = Array<Tuple<int32_t, Function, bool>>;

// What callbacks do comes from the input as well.
class Behaviour {
 public:
  explicit Behaviour(fuzz::Input* input) : seed_(input->Take<uint32_t>()) {}

  bool Fails() { return Next() % 64 == 0; }
  uint32_t Next() { return seed_ = seed_ * 1664525 + 1013904223, seed_ >> 16; }

 private:
  uint32_t seed_;
};

void Compare(const Any& a, const Any& b, uint8_t flags) {
  const bool map_free_vars = flags & 1, skip_tensor = flags & 2;
  bool equal = false;
  const bool compared =
      Succeeds([&] { equal = StructuralEqual::Equal(a, b, map_free_vars, skip_tensor); });
  Succeeds([&] {
    const bool same =
        !StructuralEqual::GetFirstMismatch(a, b, map_free_vars, skip_tensor).has_value();
    fuzz::Require(!compared || same == equal, "a mismatch is found exactly when values differ");
  });
  Succeeds([&] { static_cast<void>(StructuralKey(a) == StructuralKey(b)); });
  Succeeds([&] { RecursiveEq(a, b); });
  Succeeds([&] { RecursiveLt(a, b); });
  Succeeds([&] { RecursiveGe(a, b); });
}

void Hash(const Any& a, uint8_t flags) {
  Succeeds([&] {
    const uint64_t hash = StructuralHash::Hash(a, flags & 1, flags & 2);
    fuzz::Require(hash == StructuralHash::Hash(a, flags & 1, flags & 2), "hashes repeat");
  });
  Succeeds([&] { fuzz::Require(RecursiveHash(a) == RecursiveHash(a), "hashes repeat"); });
}

void Copy(const Any& a) {
  Succeeds([&] {
    const Any copy = DeepCopy(a);
    String first, second;
    if (Succeeds([&] { first = ReprPrint(a), second = ReprPrint(copy); })) {
      fuzz::Require(first == second, "a copy prints like its source");
    }
    fuzz::BreakCycles(copy);
  });
}

void Serialize(const Any& a) {
  Succeeds([&] {
    const Any graph = ToJSONGraph(a);
    String text;
    if (!Succeeds([&] { text = json::Stringify(graph); })) return;
    const Any again = FromJSONGraph(json::Parse(text));
    ReprPrint(again);
  });
}

void Visit(const Any& a, Behaviour* behaviour, int order) {
  Function walk = Function::FromTyped([&](const Any&) -> int64_t {
    if (behaviour->Fails()) TVM_FFI_THROW(ValueError) << "callback";
    return behaviour->Next() % 8 == 0;
  });
  Function visit = Function::FromTyped([&](const Any& value, const ObjectRef& visitor) -> Any {
    if (behaviour->Fails()) TVM_FFI_THROW(ValueError) << "callback";
    if (behaviour->Next() % 8 == 0) return Call("ffi.VisitInterrupt", value);
    return Call("ffi.StructuralVisitorDefaultVisit", visitor, value);
  });
  const Callbacks none;
  const auto all = [](const Function& function) {
    return Callbacks{Tuple<int32_t, Function>(-1, function)};
  };
  Succeeds([&] { Call("ffi.StructuralWalk", a, all(walk), none, order); });
  Succeeds([&] { Call("ffi.StructuralVisit", a, all(visit)); });
}

void Mutate(const Any& a, Behaviour* behaviour, const Any& other, int order) {
  Function map = Function::FromTyped([&](const Any& value) -> Any {
    if (behaviour->Fails()) TVM_FFI_THROW(ValueError) << "callback";
    return behaviour->Next() % 4 == 0 ? other : value;
  });
  Function mutate = Function::FromTyped([&](const Any& value, const ObjectRef& mutator) -> Any {
    if (behaviour->Fails()) TVM_FFI_THROW(ValueError) << "callback";
    if (behaviour->Next() % 4 == 0) return other;
    return Call("ffi.StructuralMutatorDefaultMutate", mutator, value);
  });
  const Callbacks none;
  const auto use = [](Any made) {
    Succeeds([&] { ReprPrint(made); });
    fuzz::BreakCycles(made);
  };
  // Of a copy: mutation may change lists and dicts in place.
  Any copy = a;
  Succeeds([&] { copy = DeepCopy(a); });
  Succeeds([&] {
    use(Call("ffi.StructuralMap", copy, Callbacks{Tuple<int32_t, Function>(-1, map)}, none, order));
  });
  fuzz::BreakCycles(copy);
  copy = a;
  Succeeds([&] { copy = DeepCopy(a); });
  Succeeds([&] {
    use(Call("ffi.StructuralMutate", std::move(copy),
             MutateCallbacks{Tuple<int32_t, Function, bool>(-1, mutate, false)}));
  });
  fuzz::BreakCycles(copy);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const uint8_t what = input.Byte();
  const uint8_t flags = input.Byte();
  Behaviour behaviour(&input);
  fuzz::ValueMaker maker(&input, flags == 255);
  const Any a = maker.Make();
  const Any b = maker.Make();
  if (what & 1) Compare(a, b, flags);
  if (what & 2) Hash(a, flags);
  if (what & 4) Copy(a);
  if (what & 8) Serialize(a);
  if (what & 16) Visit(a, &behaviour, flags & 4);
  if (what & 32) Succeeds([&] { ReprPrint(a); });
  if (what & 64) Mutate(a, &behaviour, maker.Pick(), flags & 4);
  return 0;
}
