// SPDX-License-Identifier: Apache-2.0
/*!
 * \file map_functions.cc
 * \brief Global functions of maps and dicts.
 */
#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <utility>

#include "algo/sentinel.h"
#include "algo/walk_scope.h"
#include "quick_def.h"

namespace tvm {
namespace ffi {
namespace {

template <typename MapRef>
void MakeMap(PackedArgs args, Any* result) {
  TVM_FFI_ICHECK_EQ(args.size() % 2, 0)
      << "keys and values come in pairs, but there are " << args.size() << " arguments";
  MapRef map;
  for (int i = 0; i < args.size(); i += 2) map.Set(Any(args[i]), Any(args[i + 1]));
  *result = std::move(map);
}

template <typename MapObjT>
int64_t Size(const MapObjT* map) {
  return static_cast<int64_t>(map->size());
}

template <typename MapObjT>
Any GetItem(const MapObjT* map, const Any& key) {
  return map->at(key);
}

template <typename MapObjT>
int64_t Count(const MapObjT* map, const Any& key) {
  return static_cast<int64_t>(map->count(key));
}

template <typename MapObjT>
Any GetItemOrMissing(const MapObjT* map, const Any& key) {
  auto it = map->find(key);
  if (it != map->end()) return it->second;
  TVMFFIAny missing{};
  missing.type_index = kTVMFFIObject;
  missing.v_obj = const_cast<TVMFFIObject*>(algo::MissingSentinel());
  return Any(AnyView::CopyFromTVMFFIAny(missing));
}

// f(0) is the key, f(1) the value at the position; every other command advances and tells whether
// there is an entry at the new position. Retains the container.
template <typename MapObjT>
class ForwardIterator {
 public:
  explicit ForwardIterator(const MapObjT* map)
      : map_(GetObjectPtr<Object>(const_cast<MapObjT*>(map))),
        position_(map->begin()),
        size_(map->size()) {}

  Any operator()(int64_t command) const {
    const MapObjT* map = static_cast<const MapObjT*>(map_.get());
    // Positions mean nothing after entries came or went.
    if (map->size() != size_) {
      TVM_FFI_THROW(RuntimeError) << MapObjT::_type_key << " changed size during iteration";
    }
    if (command == 0 || command == 1) {
      if (position_ == map->end()) {
        TVM_FFI_THROW(IndexError) << "The iterator is at the end of the " << MapObjT::_type_key;
      }
      return command == 0 ? position_->first : position_->second;
    }
    if (position_ == map->end()) return false;
    ++position_;
    return position_ != map->end();
  }

 private:
  ObjectPtr<Object> map_;
  mutable typename MapObjT::iterator position_;
  size_t size_;
};

template <typename MapObjT>
Function MakeForwardIterator(const MapObjT* map) {
  return Function::FromTyped(ForwardIterator<MapObjT>(map));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  QuickDef()
      .def_packed("ffi.Map", MakeMap<Map<Any, Any>>)
      .def("ffi.MapSize", Size<MapObj>)
      .def("ffi.MapGetItem", GetItem<MapObj>)
      .def("ffi.MapCount", Count<MapObj>)
      .def("ffi.MapGetItemOrMissing", GetItemOrMissing<MapObj>)
      .def("ffi.MapForwardIterFunctor", MakeForwardIterator<MapObj>);
  QuickDef()
      .def_packed("ffi.Dict", MakeMap<Dict<Any, Any>>)
      .def("ffi.DictSize", Size<DictObj>)
      .def("ffi.DictGetItem", GetItem<DictObj>)
      .def("ffi.DictCount", Count<DictObj>)
      .def("ffi.DictGetItemOrMissing", GetItemOrMissing<DictObj>)
      .def("ffi.DictForwardIterFunctor", MakeForwardIterator<DictObj>)
      .def("ffi.DictSetItem",
           [](Dict<Any, Any> dict, Any key, Any value) {
             algo::ChangeScope change;
             dict.Set(key, value);
           })
      .def("ffi.DictErase",
           [](Dict<Any, Any> dict, const Any& key) {
             algo::ChangeScope change;
             dict.erase(key);
           })
      .def("ffi.DictClear", [](Dict<Any, Any> dict) {
        algo::ChangeScope change;
        dict.clear();
      });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
