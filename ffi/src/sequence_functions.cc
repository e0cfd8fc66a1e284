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

#include <algorithm>
#include <utility>
#include <vector>

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
  AnyEqual equal;
  return std::any_of(sequence->begin(), sequence->end(),
                     [&](const Any& element) { return equal(element, value); });
}

Any ListPop(List<Any> list, int64_t index) {
  ListObj* object = list.GetListObj();
  Any value = object->at(index);
  object->erase(index);
  return value;
}

void ListReplaceSlice(List<Any> list, int64_t begin, int64_t end, List<Any> replacement) {
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
      .def("ffi.ListSetItem",
           [](List<Any> list, int64_t i, Any value) { list.Set(i, std::move(value)); })
      .def("ffi.ListAppend", [](List<Any> list, Any value) { list.push_back(value); })
      .def("ffi.ListInsert", [](List<Any> list, int64_t i,
                                Any value) { list.GetListObj()->insert(i, std::move(value)); })
      .def("ffi.ListPop", ListPop)
      .def("ffi.ListErase", [](List<Any> list, int64_t i) { list.GetListObj()->erase(i); })
      .def("ffi.ListEraseRange",
           [](List<Any> list, int64_t begin, int64_t end) { list.GetListObj()->erase(begin, end); })
      .def("ffi.ListReplaceSlice", ListReplaceSlice)
      .def("ffi.ListReverse", [](List<Any> list) { list.GetListObj()->Reverse(); })
      .def("ffi.ListClear", [](List<Any> list) { list.clear(); })
      .def("ffi.ListReserve", [](List<Any> list, int64_t capacity) {
        if (capacity > 0) list.reserve(capacity);
      });
  QuickDef()
      .def_packed("ffi.Shape", [](PackedArgs args, Any* result) { *result = MakeShape(args); })
      .def("ffi.String", [](String text) { return text; })
      .def("ffi.Bytes", [](Bytes bytes) { return bytes; });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
