// SPDX-License-Identifier: Apache-2.0
// The collector of cycles that consist of native objects alone.
//
// Reference counts never free such a cycle and Python's collector sees none of it, since no wrapper
// is left. Only a change of an object can close a cycle, so every List, Dict and object whose
// content Python code changes is remembered, weakly. At the end of a full collection of Python the
// graph behind those that still live is searched: an object whose strong references all come from
// inside the graph, and that no object with a reference from outside leads to, is garbage. Lists,
// Dicts and objects of Python-defined classes are then emptied, which frees the rest.
//
// Not found: cycles that native code closes, and cycles of C++ classes alone, whose fields can't be
// emptied behind the back of their destructors.
#include "native_cycle.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "native_graph.h"

namespace tvm::ffi::detail::python {

namespace {

constexpr uint64_t kOneWeak = uint64_t{1} << 32;

void IncWeak(TVMFFIObject* obj) {
  __atomic_fetch_add(&obj->combined_ref_count, kOneWeak, __ATOMIC_RELAXED);
}

void DecWeak(TVMFFIObject* obj) {
  if (__atomic_fetch_sub(&obj->combined_ref_count, kOneWeak, __ATOMIC_RELEASE) == kOneWeak) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (obj->deleter) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

// Makes a strong reference from a weak one; false when the object is dead.
bool Lock(TVMFFIObject* obj) {
  uint64_t count = __atomic_load_n(&obj->combined_ref_count, __ATOMIC_RELAXED);
  while (static_cast<uint32_t>(count) != 0) {
    if (__atomic_compare_exchange_n(&obj->combined_ref_count, &count, count + 1, true,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

struct Noted {
  std::mutex mutex;
  std::unordered_set<TVMFFIObject*> objects;  // each a weak reference
  std::unordered_set<int32_t> python_types;
  std::atomic<size_t> size{0};
  size_t next_search = 1024;  // size at which a partial collection searches too
  size_t next_purge = 1024;   // size at which dead objects are looked for
};

Noted& noted() {
  static auto* all = new Noted;  // outlives static destructors, which may drop objects
  return *all;
}

bool CanEmpty(int32_t type_index) {
  return type_index == kTVMFFIList || type_index == kTVMFFIDict ||
         noted().python_types.count(type_index) != 0;
}

// Garbage of one search, each a strong reference.
using Garbage = std::vector<TVMFFIObject*>;

// Requires that nothing changes native objects meanwhile.
Garbage Search() {
  struct Node {
    uint32_t found;  // references from inside the graph and from this search
    bool live;
  };
  std::unordered_map<TVMFFIObject*, Node> nodes;
  std::vector<TVMFFIObject*> order, locked, dead, live;
  std::lock_guard<std::mutex> lock(noted().mutex);
  for (TVMFFIObject* obj : noted().objects) {
    if (!Lock(obj)) {
      dead.push_back(obj);
      continue;
    }
    locked.push_back(obj);
    nodes.emplace(obj, Node{1, false});
    order.push_back(obj);
  }
  for (TVMFFIObject* obj : dead) {
    noted().objects.erase(obj);
    DecWeak(obj);
  }
  noted().size = noted().objects.size();
  noted().next_search = std::max<size_t>(1024, noted().objects.size() * 2);
  for (size_t i = 0; i < order.size(); ++i) {
    ForEachOwned(order[i], [&](TVMFFIObject* child) {
      if (!MayOwn(child->type_index)) return;
      auto [at, fresh] = nodes.emplace(child, Node{0, false});
      if (fresh) order.push_back(child);
      ++at->second.found;
    });
  }
  for (TVMFFIObject* obj : order) {
    Node& node = nodes.find(obj)->second;
    if (node.found == UseCount(obj)) continue;
    node.live = true;
    live.push_back(obj);
  }
  while (!live.empty()) {
    TVMFFIObject* obj = live.back();
    live.pop_back();
    ForEachOwned(obj, [&](TVMFFIObject* child) {
      if (!MayOwn(child->type_index)) return;
      if (!std::exchange(nodes.find(child)->second.live, true)) live.push_back(child);
    });
  }
  Garbage garbage;
  for (TVMFFIObject* obj : order) {
    if (nodes.find(obj)->second.live || !CanEmpty(obj->type_index)) continue;
    IncRefNative(obj);
    garbage.push_back(obj);
  }
  // None of these is the last reference: garbage was given another one, the rest has an owner.
  for (TVMFFIObject* obj : locked) DecRefNative(obj);
  return garbage;
}

void EmptyFields(TVMFFIObject* obj) {
  const OwnedSlots& slots = SlotsOf(obj->type_index);
  char* base = reinterpret_cast<char*>(obj);
  std::vector<TVMFFIObject*> owned;
  for (int64_t offset : slots.any_offsets) {
    TVMFFIAny value = std::exchange(*reinterpret_cast<TVMFFIAny*>(base + offset), TVMFFIAny{});
    if (value.type_index >= kTVMFFIStaticObjectBegin) owned.push_back(value.v_obj);
  }
  for (int64_t offset : slots.object_offsets) {
    owned.push_back(std::exchange(*reinterpret_cast<TVMFFIObject**>(base + offset), nullptr));
  }
  for (TVMFFIObject* child : owned) DecRefNative(child);
}

void Empty(Garbage garbage) {
  static TVMFFIObject* clear_list = FindGlobal("ffi.ListClear");
  static TVMFFIObject* clear_dict = FindGlobal("ffi.DictClear");
  for (TVMFFIObject* obj : garbage) {
    TVMFFIObject* clear = obj->type_index == kTVMFFIList   ? clear_list
                          : obj->type_index == kTVMFFIDict ? clear_dict
                                                           : nullptr;
    if (clear == nullptr) {
      EmptyFields(obj);
      continue;
    }
    TVMFFIAny arg;
    SetObject(&arg, obj);
    AnyRef unused;
    if (!CallConverted(clear, &arg, 1, &unused)) PyErr_WriteUnraisable(nullptr);
  }
  for (TVMFFIObject* obj : garbage) DecRefNative(obj);
}

bool IsDue(PyObject* info) {
  if (noted().size == 0) return false;
  PyObject* number = PyDict_Check(info) ? PyDict_GetItemString(info, "generation") : nullptr;
  long generation = number ? PyLong_AsLong(number) : 2;
  PyErr_Clear();
  return generation >= 2 || noted().size >= noted().next_search;
}

#ifdef Py_GIL_DISABLED
// Only inside a collection do all other threads stand still. So the search happens there, when the
// collector comes to an object of this module; what it has found stays garbage.
std::atomic<bool> search_is_due{false};
Garbage found;

int SearchTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (search_is_due.exchange(false) && rt.native_calls.none()) found = Search();
  return 0;
}

void SearchDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot search_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(SearchTraverse)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(SearchDealloc)},
                              {0, nullptr}};
PyType_Spec search_spec = {"tvm_ffi.core._NativeCycleSearch", sizeof(PyObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, search_slots};

PyTypeObject* search_type = nullptr;
PyObject* searcher = nullptr;

bool InitSearch(PyObject* module) { return MakeType(module, &search_spec, nullptr, &search_type); }

// A new object each time: one that gc.freeze() has put aside would not be come to.
void OnStart(PyObject* info) {
  if (!IsDue(info)) return;
  Py_XSETREF(searcher, search_type->tp_alloc(search_type, 0));
  if (searcher == nullptr) PyErr_Clear();
  search_is_due = true;
}

void OnStop(PyObject*) {
  search_is_due = false;
  Py_CLEAR(searcher);
  Empty(std::exchange(found, Garbage{}));
}
#else
bool InitSearch(PyObject*) { return true; }

void OnStart(PyObject*) {}

void OnStop(PyObject* info) {
  if (rt.native_calls.none() && IsDue(info)) Empty(Search());
}
#endif

// In gc.callbacks.
PyObject* OnCollection(PyObject*, PyObject* args) {
  PyObject *phase, *info;
  if (!PyArg_ParseTuple(args, "UO", &phase, &info)) return nullptr;
  if (PyUnicode_CompareWithASCIIString(phase, "start") == 0) OnStart(info);
  if (PyUnicode_CompareWithASCIIString(phase, "stop") == 0) OnStop(info);
  Py_RETURN_NONE;
}

PyMethodDef on_collection_def = {"collect_native_cycles", OnCollection, METH_VARARGS,
                                 "Frees cycles of native objects after a collection."};

PyObject* NoteStoredFn(PyObject*, PyObject* container) {
  if (!IsObject(container)) {
    PyErr_SetString(PyExc_TypeError, "_note_stored expects an object");
    return nullptr;
  }
  if (TVMFFIObject* handle = AsObject(container)->handle) NoteStored(handle);
  Py_RETURN_NONE;
}

// A copy of a cycle is a cycle, so what a copy is made of counts as changed as well.
PyObject* NoteCopied(PyObject*, PyObject* copy) {
  TVMFFIObject* root = IsObject(copy) ? AsObject(copy)->handle : nullptr;
  if (root == nullptr || !MayHaveNativeCycles() || !MayOwn(root->type_index)) {
    return Py_NewRef(copy);
  }
  std::unordered_set<TVMFFIObject*> seen{root};
  std::vector<TVMFFIObject*> order{root};
  for (size_t i = 0; i < order.size(); ++i) {
    size_t leads_on = 0;
    ForEachOwned(order[i], [&](TVMFFIObject* child) {
      if (!MayOwn(child->type_index)) return;
      ++leads_on;
      if (seen.insert(child).second) order.push_back(child);
    });
    bool may_close = leads_on != 0;
    if (may_close) {
      std::lock_guard<std::mutex> lock(noted().mutex);
      may_close = CanEmpty(order[i]->type_index);
    }
    if (may_close) NoteStored(order[i]);
  }
  return Py_NewRef(copy);
}

PyMethodDef module_functions[] = {
    {"_note_copied", NoteCopied, METH_O,
     "The copy of a graph, of which it is told that its containers may lead back to themselves."},
    {"_note_stored", NoteStoredFn, METH_O,
     "Tells that a container has been given a value that may lead back to it."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

const OwnedSlots& SlotsOf(int32_t type_index) {
  static auto* all = new std::unordered_map<int32_t, OwnedSlots>;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  int32_t num_fields = info->num_fields;
  for (int32_t depth = 1; depth < info->type_depth; ++depth) {
    num_fields += info->type_ancestors[depth]->num_fields;
  }
  OwnedSlots& slots = (*all)[type_index];
  if (slots.num_fields == num_fields) return slots;
  slots = OwnedSlots{};
  slots.num_fields = num_fields;
  auto add = [](std::vector<int64_t>* offsets, int64_t offset) {
    if (std::find(offsets->begin(), offsets->end(), offset) == offsets->end()) {
      offsets->push_back(offset);
    }
  };
  auto own_fields = [&](const TVMFFITypeInfo* type) {
    for (int32_t i = 0; i < type->num_fields; ++i) {
      const TVMFFIFieldInfo& field = type->fields[i];
      if (field.field_static_type_index >= kTVMFFIStaticObjectBegin &&
          field.size == sizeof(void*)) {
        add(&slots.object_offsets, field.offset);
      } else if (field.size == sizeof(TVMFFIAny) && field.field_static_type_index <= 0) {
        add(&slots.any_offsets, field.offset);
      }
    }
  };
  for (int32_t depth = 1; depth < info->type_depth; ++depth) {
    own_fields(info->type_ancestors[depth]);
  }
  own_fields(info);
  return slots;
}

void NoteStored(TVMFFIObject* container) {
  Noted& all = noted();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (!all.objects.insert(container).second) return;
  IncWeak(container);
  if (all.objects.size() >= all.next_purge) {
    // Collections may be rare, and a weak reference keeps the memory of a dead object.
    for (auto at = all.objects.begin(); at != all.objects.end();) {
      TVMFFIObject* obj = *at;
      bool dead = UseCount(obj) == 0;
      at = dead ? all.objects.erase(at) : std::next(at);
      if (dead) DecWeak(obj);
    }
    all.next_purge = std::max<size_t>(1024, all.objects.size() * 2);
  }
  all.size = all.objects.size();
}

void NotePythonType(int32_t type_index) {
  std::lock_guard<std::mutex> lock(noted().mutex);
  noted().python_types.insert(type_index);
}

bool MayHaveNativeCycles() { return noted().size != 0; }

bool InitNativeCycles(PyObject* module) {
  PyRef gc(PyImport_ImportModule("gc"));
  PyRef callbacks(gc ? PyObject_GetAttrString(gc.get(), "callbacks") : nullptr);
  PyRef callback(PyCFunction_New(&on_collection_def, nullptr));
  return InitSearch(module) && callbacks && callback &&
         PyList_Append(callbacks.get(), callback.get()) == 0 &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
