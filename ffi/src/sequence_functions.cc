// SPDX-License-Identifier: Apache-2.0
/*!
 * \file sequence_functions.cc
 * \brief Global functions of arrays, lists and shapes.
 */
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <utility>
#include <vector>

#include "algo/walk_scope.h"
#include "quick_def.h"

namespace tvm {
namespace ffi {
namespace {

// Sequence of the arguments, each taken over as an owned value.
template <typename Seq>
void MakeSequence(PackedArgs args, Any* result) {
  *result = Seq(args.data(), args.data() + args.size());
}

template <typename SeqObj>
bool Contains(const SeqObj* sequence, const Any& value) {
  algo::WalkScope walk;
  const size_t size = sequence->size();
  for (size_t i = 0; i < size && i < sequence->size(); ++i) {
    const Any element = sequence->at(static_cast<int64_t>(i));  // a hook may change a List
    if (AnyEqual()(element, value)) return true;
  }
  return false;
}

Any ListPop(List<Any> list, int64_t index) {
  algo::ChangeScope change;
  ListObj* object = list.GetListObj();
  Any value = object->at(index);
  object->erase(index);
  return value;
}

void ListReplaceSlice(List<Any> list, int64_t begin, int64_t end, List<Any> replacement) {
  algo::ChangeScope change;
  ListObj* object = list.GetListObj();
  // A copy first: the replacement may be the list itself.
  std::vector<Any> values(replacement.begin(), replacement.end());
  // What is replaced ends last, as its end may run code that changes the list.
  std::vector<Any> replaced;
  if (0 <= begin && begin <= end && end <= static_cast<int64_t>(list.size())) {
    replaced.assign(list.begin() + begin, list.begin() + end);
  }
  object->erase(begin, end);
  object->insert(begin, values.begin(), values.end());
}

// `change` applied to a list that other threads may hold.
template <typename... Args>
auto Changing(void (*change)(ListObj*, Args...)) {
  return [change](const List<Any>& list, Args... args) {
    algo::ChangeScope scope;
    change(list.GetListObj(), std::move(args)...);
  };
}

Shape MakeShape(PackedArgs args) {
  std::vector<int64_t> dims;
  dims.reserve(static_cast<size_t>(args.size()));
  for (int i = 0; i < args.size(); ++i) {
    std::optional<int64_t> dim = args[i].try_cast<int64_t>();
    if (!dim) TVM_FFI_THROW(ValueError) << "Expect shape to take list of int arguments";
    dims.push_back(*dim);
  }
  return Shape(std::move(dims));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  QuickDef()
      .def_packed("ffi.Array", MakeSequence<Array<Any>>)
      .def("ffi.ArrayGetItem", [](const ArrayObj* array, int64_t i) -> Any { return array->at(i); })
      .def("ffi.ArraySize",
           [](const ArrayObj* array) { return static_cast<int64_t>(array->size()); })
      .def("ffi.ArrayContains", Contains<ArrayObj>);
  QuickDef()
      .def_packed("ffi.List", MakeSequence<List<Any>>)
      .def("ffi.ListGetItem", [](const ListObj* list, int64_t i) -> Any { return list->at(i); })
      .def("ffi.ListSize", [](const ListObj* list) { return static_cast<int64_t>(list->size()); })
      .def("ffi.ListContains", Contains<ListObj>)
      .def("ffi.ListSetItem", Changing(+[](ListObj* list, int64_t i, Any value) {
             list->SetItem(i, std::move(value));
           }))
      .def("ffi.ListAppend",
           Changing(+[](ListObj* list, Any value) { list->Append(std::move(value)); }))
      .def("ffi.ListInsert", Changing(+[](ListObj* list, int64_t i, Any value) {
             list->insert(i, std::move(value));
           }))
      .def("ffi.ListPop", ListPop)
      .def("ffi.ListErase", Changing(+[](ListObj* list, int64_t i) { list->erase(i); }))
      .def("ffi.ListEraseRange",
           Changing(+[](ListObj* list, int64_t begin, int64_t end) { list->erase(begin, end); }))
      .def("ffi.ListReplaceSlice", ListReplaceSlice)
      .def("ffi.ListReverse", Changing(+[](ListObj* list) { list->Reverse(); }))
      .def("ffi.ListClear", Changing(+[](ListObj* list) { list->clear(); }))
      .def("ffi.ListReserve", Changing(+[](ListObj* list, int64_t capacity) {
             if (capacity > 0) list->Reserve(capacity);
           }));
  QuickDef()
      .def_packed("ffi.Shape", [](PackedArgs args, Any* result) { *result = MakeShape(args); })
      .def("ffi.String", [](String text) { return text; })
      .def("ffi.Bytes", [](Bytes bytes) { return bytes; });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
