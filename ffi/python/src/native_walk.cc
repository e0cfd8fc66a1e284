// SPDX-License-Identifier: Apache-2.0
// What the cycle collector sees behind a wrapper.
//
// A reference from a native object to a Python object counts as one of the wrapper's own when the
// wrapper is the only owner of that native object. So the walk follows native objects whose strong
// count is one: functions made from Python callables, opaque Python objects, containers, errors and
// reflected fields. Native code that runs without the GIL may change objects meanwhile; then
// nothing is reported, which only keeps garbage until the next collection.
#include "container.h"
#include "function.h"

namespace tvm::ffi::detail::python {

namespace {

class Walk {
 public:
  Walk(visitproc visit, void* arg) : visit_(visit), arg_(arg) {}

  int Run(TVMFFIObject* root) {
    Push(root);
    while (!pending_.empty()) {
      TVMFFIObject* obj = pending_.back();
      pending_.pop_back();
      if (int stop = Enter(obj)) return stop;
    }
    return 0;
  }

 private:
  void Push(TVMFFIObject* obj) {
    if (obj != nullptr && UseCount(obj) == 1) pending_.push_back(obj);
  }
  void Push(const TVMFFIAny& value) {
    if (value.type_index >= kTVMFFIStaticObjectBegin) Push(value.v_obj);
  }

  int Enter(TVMFFIObject* obj) {
    switch (obj->type_index) {
      case kTVMFFIFunction:
        return Visit(CallableOf(obj));
      case kTVMFFIOpaquePyObject:
        return Visit(static_cast<PyObject*>(TVMFFIOpaqueObjectGetCellPtr(obj)->handle));
      case kTVMFFIArray:
      case kTVMFFIList: {
        TVMFFISeqCell* cell = SequenceOf(obj);
        auto* items = static_cast<const TVMFFIAny*>(cell->data);
        for (int64_t i = 0; i < cell->size; ++i) Push(items[i]);
        return 0;
      }
      case kTVMFFIMap:
      case kTVMFFIDict:
        EnterMap(obj);
        return 0;
      case kTVMFFIError: {
        TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(obj);
        Push(static_cast<TVMFFIObject*>(cell->cause_chain));
        Push(static_cast<TVMFFIObject*>(cell->extra_context));
        return 0;
      }
      case kTVMFFIStr:
      case kTVMFFIBytes:
      case kTVMFFIShape:
      case kTVMFFITensor:
      case kTVMFFIModule:
      case kTVMFFIBigInt:
        return 0;
      default:
        EnterFields(obj);
        return 0;
    }
  }

  void EnterMap(TVMFFIObject* map) {
    TVMFFIAny key, value;
    for (MapCursor cursor(map); cursor.Next(map, &key, &value) == MapCursor::Step::kEntry;) {
      Push(key);
      Push(value);
    }
  }

  void EnterFields(TVMFFIObject* obj) {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(obj->type_index);
    for (int32_t depth = 1; depth < info->type_depth; ++depth) {
      EnterOwnFields(obj, info->type_ancestors[depth]);
    }
    EnterOwnFields(obj, info);
  }

  void EnterOwnFields(TVMFFIObject* obj, const TVMFFITypeInfo* info) {
    for (int32_t i = 0; i < info->num_fields; ++i) {
      const TVMFFIFieldInfo& field = info->fields[i];
      char* address = reinterpret_cast<char*>(obj) + field.offset;
      if (field.field_static_type_index >= kTVMFFIStaticObjectBegin &&
          field.size == sizeof(void*)) {
        Push(*reinterpret_cast<TVMFFIObject**>(address));
      } else if (field.size == sizeof(TVMFFIAny) && field.field_static_type_index <= 0) {
        Push(*reinterpret_cast<TVMFFIAny*>(address));
      }
    }
  }

  int Visit(PyObject* value) { return value == nullptr ? 0 : visit_(value, arg_); }

  visitproc visit_;
  void* arg_;
  std::vector<TVMFFIObject*> pending_;
};

}  // namespace

int VisitNative(TVMFFIObject* root, visitproc visit, void* arg) {
  if (rt.native_calls != 0) return 0;
  if (UseCount(root) != 1) return 0;
  return Walk(visit, arg).Run(root);
}

}  // namespace tvm::ffi::detail::python
