// SPDX-License-Identifier: Apache-2.0
// An extension made with this project's headers, for runtimes that are not this project's: classes,
// functions, errors, containers changed by inline code, graphs. Driven by the programs beside it.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

// ---- classes

class PointObj : public Object {
 public:
  int64_t x = 0;
  double weight = 1.5;
  String label = "origin";
  Any extra;

  int64_t Scaled(int64_t factor) const { return x * factor; }
  void Move(int64_t by) { x += by; }

  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 1;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("third_party.Point", PointObj, Object);
};

class Point : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, ObjectRef, PointObj);
};

class SegmentObj : public PointObj {
 public:
  Point end;
  Array<Point> stops;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("third_party.Segment", SegmentObj, PointObj);
};

class Segment : public Point {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Segment, Point, SegmentObj);
};

// ---- containers: a step is one number, then what it needs

enum Step : int64_t { kSet = 0, kErase = 1, kClear = 2, kAppend = 3, kInsert = 4, kPop = 5 };

template <typename MapType>
void ChangeMap(MapType* map, const Array<Any>& steps) {
  for (size_t i = 0; i < steps.size();) {
    switch (steps[i].cast<int64_t>()) {
      case kSet:
        map->Set(steps[i + 1], steps[i + 2]);
        i += 3;
        break;
      case kErase:
        map->erase(steps[i + 1]);
        i += 2;
        break;
      case kClear:
        map->clear();
        i += 1;
        break;
      default:
        TVM_FFI_THROW(ValueError) << "no such step of a map";
    }
  }
}

template <typename Sequence>
void ChangeSequence(Sequence* sequence, const Array<Any>& steps) {
  auto position = [&](size_t i) {
    return sequence->begin() + static_cast<std::ptrdiff_t>(steps[i].cast<int64_t>());
  };
  for (size_t i = 0; i < steps.size();) {
    switch (steps[i].cast<int64_t>()) {
      case kSet:
        sequence->Set(steps[i + 1].cast<int64_t>(), steps[i + 2]);
        i += 3;
        break;
      case kErase:
        sequence->erase(position(i + 1));
        i += 2;
        break;
      case kClear:
        sequence->clear();
        i += 1;
        break;
      case kAppend:
        sequence->push_back(steps[i + 1]);
        i += 2;
        break;
      case kInsert:
        sequence->insert(position(i + 1), steps[i + 2]);
        i += 3;
        break;
      case kPop:
        sequence->pop_back();
        i += 1;
        break;
      default:
        TVM_FFI_THROW(ValueError) << "no such step of a sequence";
    }
  }
}

template <typename MapType>
Array<Any> Pairs(const MapType& map) {
  Array<Any> pairs;
  for (const auto& [key, value] : map) {
    pairs.push_back(key);
    pairs.push_back(value);
  }
  return pairs;
}

// Pairs from the end to the beginning: the other half of the order list.
template <typename MapType>
Array<Any> PairsBackwards(const MapType& map) {
  Array<Any> pairs;
  for (auto it = map.end(); it != map.begin();) {
    --it;
    pairs.push_back((*it).first);
    pairs.push_back((*it).second);
  }
  return pairs;
}

// The values under the keys; nullptr where there is none.
template <typename MapType>
Array<Any> Lookup(const MapType& map, const Array<Any>& keys) {
  Array<Any> values;
  for (const Any& key : keys) {
    auto found = map.find(key);
    values.push_back(found == map.end() ? Any(nullptr) : Any((*found).second));
  }
  return values;
}

// ---- graphs

// Writes a value as text. An object that comes again is written as its number, so that two texts
// are equal only when the graphs share alike. Bits and bytes are written exactly.
class Describer {
 public:
  std::string Describe(const Any& value) {
    Visit(value);
    return std::move(text_);
  }

 private:
  void Bytes(char kind, const char* data, size_t size) {
    static const char* digits = "0123456789abcdef";
    text_ += kind;
    for (size_t i = 0; i < size; ++i) {
      text_ += digits[static_cast<unsigned char>(data[i]) >> 4];
      text_ += digits[static_cast<unsigned char>(data[i]) & 15];
    }
  }

  bool SeenBefore(const Any& value) {
    const void* address = value.cast<ObjectRef>().get();
    auto [found, inserted] = numbers_.emplace(address, numbers_.size());
    text_ += '#' + std::to_string(found->second);
    return !inserted;
  }

  template <typename Container>
  void Items(const Container& items) {
    text_ += '[';
    for (const auto& item : items) {
      Visit(item);
      text_ += ',';
    }
    text_ += ']';
  }

  template <typename MapType>
  void Entries(const MapType& map) {
    text_ += '{';
    for (const auto& [key, value] : map) {
      Visit(key);
      text_ += ':';
      Visit(value);
      text_ += ',';
    }
    text_ += '}';
  }

  void Visit(const Any& value) {
    if (value == nullptr) {
      text_ += 'N';
    } else if (auto flag = value.as<bool>()) {
      text_ += *flag ? 'T' : 'F';
    } else if (auto integer = value.as<int64_t>()) {
      text_ += 'i' + std::to_string(*integer);
    } else if (auto number = value.as<double>()) {
      uint64_t bits;
      std::memcpy(&bits, &*number, sizeof(bits));
      text_ += 'f' + std::to_string(bits);
    } else if (auto text = value.as<String>()) {
      Bytes('s', text->data(), text->size());
    } else if (auto bytes = value.as<tvm::ffi::Bytes>()) {
      Bytes('b', bytes->data(), bytes->size());
    } else if (auto dtype = value.as<DLDataType>()) {
      text_ += 'd' + std::string(DLDataTypeToString(*dtype));
    } else if (auto shape = value.as<Shape>()) {
      text_ += 'S';
      for (int64_t extent : *shape) text_ += std::to_string(extent) + ',';
    } else {
      VisitObject(value);
    }
  }

  void VisitObject(const Any& value) {
    if (auto array = value.as<Array<Any>>()) {
      text_ += 'A';
      if (!SeenBefore(value)) Items(*array);
    } else if (auto list = value.as<List<Any>>()) {
      text_ += 'L';
      if (!SeenBefore(value)) Items(*list);
    } else if (auto map = value.as<Map<Any, Any>>()) {
      text_ += 'M';
      if (!SeenBefore(value)) Entries(*map);
    } else if (auto dict = value.as<Dict<Any, Any>>()) {
      text_ += 'D';
      if (!SeenBefore(value)) Entries(*dict);
    } else if (auto point = value.as<Point>()) {
      text_ += 'P';
      if (SeenBefore(value)) return;
      Visit(Any((*point)->x));
      text_ += ',';
      Visit((*point)->extra);
    } else {
      TVM_FFI_THROW(TypeError) << "cannot describe " << value.GetTypeKey();
    }
  }

  std::string text_;
  std::unordered_map<const void*, size_t> numbers_;
};

// Numbers that Python makes as well.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  int64_t Below(int64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(bound));
  }

 private:
  uint64_t state_;
};

// A graph of `count` nodes. A node holds some that were made before it, so most are shared.
Any MakeGraph(int64_t seed, int64_t count) {
  Random random(static_cast<uint64_t>(seed));
  std::vector<Any> nodes{Any(nullptr), Any(true), Any(int64_t{7}), Any(2.5), Any(String("text"))};
  nodes.emplace_back(String("a text of more than seven bytes"));
  nodes.emplace_back(tvm::ffi::Bytes("\0\1", 2));
  nodes.emplace_back(Shape({2, 3}));
  nodes.emplace_back(DLDataType{kDLFloat, 16, 2});
  auto pick = [&] { return nodes[static_cast<size_t>(random.Below(nodes.size()))]; };
  for (int64_t i = 0; i < count; ++i) {
    int64_t kind = random.Below(5);
    int64_t size = random.Below(9);
    if (kind == 0) {
      Array<Any> items;
      for (int64_t k = 0; k < size; ++k) items.push_back(pick());
      nodes.emplace_back(items);
    } else if (kind == 1) {
      List<Any> items;
      for (int64_t k = 0; k < size; ++k) items.push_back(pick());
      nodes.emplace_back(items);
    } else if (kind == 2) {
      Map<Any, Any> map;
      for (int64_t k = 0; k < size; ++k) {
        Any key = pick();
        map.Set(key, pick());
      }
      nodes.emplace_back(map);
    } else if (kind == 3) {
      Dict<Any, Any> dict;
      for (int64_t k = 0; k < size; ++k) {
        Any key = pick();
        dict.Set(key, pick());
      }
      nodes.emplace_back(dict);
    } else {
      ObjectPtr<PointObj> point = make_object<PointObj>();
      point->x = i;
      point->extra = pick();
      nodes.emplace_back(Point(point));
    }
  }
  return Array<Any>(nodes.end() - 3, nodes.end());
}

// ---- functions and errors

int64_t SumTensor(TensorView tensor) {
  TVM_FFI_CHECK(tensor.ndim() == 1, ValueError) << "expected 1 dimension, got " << tensor.ndim();
  TVM_FFI_CHECK(tensor.dtype() == (DLDataType{kDLInt, 32, 1}), TypeError) << "expected int32";
  int64_t sum = 0;
  const int32_t* data = static_cast<const int32_t*>(tensor.data_ptr());
  for (int64_t i = 0; i < tensor.size(0); ++i) sum += data[i * tensor.stride(0)];
  return sum;
}

void Raise(const String& kind, const String& message) {
  throw Error(std::string(kind), std::string(message),
              TVMFFIBacktrace(__FILE__, __LINE__, "Raise", 0));
}

// Calls the function; an error comes back as its kind and message.
Any Try(const Function& function, const Any& argument) {
  try {
    return function(argument);
  } catch (const Error& error) {
    return Array<String>{String(error.kind()), String(error.message())};
  }
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>()
      .def(refl::init<>())
      .def_rw("x", &PointObj::x, "Position.")
      .def_rw("weight", &PointObj::weight)
      .def_rw("label", &PointObj::label)
      .def_rw("extra", &PointObj::extra)
      .def("scaled", &PointObj::Scaled, "The position times a factor.")
      .def("move", &PointObj::Move)
      .def_static("at", [](int64_t x) {
        ObjectPtr<PointObj> point = make_object<PointObj>();
        point->x = x;
        return Point(point);
      });
  refl::ObjectDef<SegmentObj>()
      .def_rw("end", &SegmentObj::end)
      .def_rw("stops", &SegmentObj::stops)
      .def_static("between", [](Point a, Point b, Array<Point> stops) {
        ObjectPtr<SegmentObj> segment = make_object<SegmentObj>();
        segment->x = a->x;
        segment->end = std::move(b);
        segment->stops = std::move(stops);
        return Segment(segment);
      });
  using AnyMap = Map<Any, Any>;
  using AnyDict = Dict<Any, Any>;
  refl::GlobalDef()
      .def("third_party.sum_points",
           [](const Array<Point>& points) {
             int64_t sum = 0;
             for (const Point& point : points) sum += point->x;
             return sum;
           })
      .def("third_party.is_segment",
           [](const ObjectRef& object) { return object->IsInstance<SegmentObj>(); })
      .def("third_party.joined",
           [](const Variant<String, Array<String>>& parts, Optional<String> separator) {
             if (auto text = parts.as<String>()) return *text;
             std::string joined;
             for (const String& part : parts.get<Array<String>>()) {
               if (!joined.empty()) joined += separator.value_or("/");
               joined += part;
             }
             return String(joined);
           })
      .def("third_party.swapped",
           [](const Tuple<int64_t, String>& pair) {
             return Tuple<String, int64_t>(pair.get<1>(), pair.get<0>());
           })
      .def("third_party.adder",
           [](int64_t a) { return Function::FromTyped([a](int64_t b) { return a + b; }); })
      .def("third_party.sum_tensor", SumTensor)
      .def("third_party.raise", Raise)
      .def("third_party.try", Try)
      .def("third_party.apply", [](const Function& f, const Any& argument) { return f(argument); })
      .def("third_party.map_changed",
           [](AnyMap map, const Array<Any>& steps) {
             ChangeMap(&map, steps);
             return map;
           })
      .def("third_party.dict_change",
           [](AnyDict dict, const Array<Any>& steps) { ChangeMap(&dict, steps); })
      .def("third_party.array_changed",
           [](Array<Any> array, const Array<Any>& steps) {
             ChangeSequence(&array, steps);
             return array;
           })
      .def("third_party.list_change",
           [](List<Any> list, const Array<Any>& steps) { ChangeSequence(&list, steps); })
      .def("third_party.new_map", [] { return AnyMap(); })
      .def("third_party.new_dict", [] { return AnyDict(); })
      .def("third_party.new_list", [] { return List<Any>(); })
      .def("third_party.map_pairs", Pairs<AnyMap>)
      .def("third_party.dict_pairs", Pairs<AnyDict>)
      .def("third_party.map_pairs_backwards", PairsBackwards<AnyMap>)
      .def("third_party.dict_pairs_backwards", PairsBackwards<AnyDict>)
      .def("third_party.map_lookup", Lookup<AnyMap>)
      .def("third_party.dict_lookup", Lookup<AnyDict>)
      .def("third_party.describe", [](const Any& value) { return Describer().Describe(value); })
      .def("third_party.address",
           [](const ObjectRef& object) { return reinterpret_cast<int64_t>(object.get()); })
      .def("third_party.make_graph", MakeGraph);
}

int64_t Add(int64_t a, int64_t b) { return a + b; }
String Greet(const String& name) { return String("hello " + std::string(name)); }
void Fail(int64_t code) { TVM_FFI_THROW(IndexError) << "code " << code; }
Array<int64_t> TwiceAll(const Array<int64_t>& items) {
  return items.Map([](int64_t item) { return item * 2; });
}
Dict<String, int64_t> CountWords(const List<String>& words) {
  Dict<String, int64_t> counts;
  for (const String& word : words) counts.Set(word, counts.count(word) ? counts.at(word) + 1 : 1);
  return counts;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, Add)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(greet, Greet)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, Fail)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice_all, TwiceAll)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_words, CountWords)
