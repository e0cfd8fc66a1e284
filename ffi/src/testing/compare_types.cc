// SPDX-License-Identifier: Apache-2.0
// Types for recursive comparison and hashing: ignored fields, and hooks that look at the key alone.
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <utility>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class TestCompareObj : public Object {
 public:
  int64_t key = 0;
  String name;
  int64_t ignored_field = 0;

  TestCompareObj() = default;
  TestCompareObj(int64_t k, String n, int64_t ignored)
      : key(k), name(std::move(n)), ignored_field(ignored) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCompare", TestCompareObj, Object);
};

class TestHashObj : public Object {
 public:
  int64_t key = 0;
  String name;
  int64_t hash_ignored = 0;

  TestHashObj() = default;
  TestHashObj(int64_t k, String n, int64_t ignored)
      : key(k), name(std::move(n)), hash_ignored(ignored) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestHash", TestHashObj, Object);
};

class TestCustomHashObj : public Object {
 public:
  int64_t key = 0;
  String label;

  TestCustomHashObj() = default;
  TestCustomHashObj(int64_t k, String l) : key(k), label(std::move(l)) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCustomHash", TestCustomHashObj, Object);
};

class TestCustomCompareObj : public Object {
 public:
  int64_t key = 0;
  String label;

  TestCustomCompareObj() = default;
  TestCustomCompareObj(int64_t k, String l) : key(k), label(std::move(l)) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCustomCompare", TestCustomCompareObj, Object);
};

// An invalid combination on purpose: equality without a hash.
class TestEqWithoutHashObj : public Object {
 public:
  int64_t key = 0;
  String label;

  TestEqWithoutHashObj() = default;
  TestEqWithoutHashObj(int64_t k, String l) : key(k), label(std::move(l)) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestEqWithoutHash", TestEqWithoutHashObj, Object);
};

template <typename T>
int64_t HashKey(const T* self, const Function& hash) {
  return hash(self->key).template cast<int64_t>();
}

template <typename T>
bool EqKey(const T* lhs, const T* rhs, const Function& eq) {
  return eq(lhs->key, rhs->key).template cast<bool>();
}

template <typename T>
int32_t CompareKey(const T* lhs, const T* rhs, const Function& compare) {
  return compare(lhs->key, rhs->key).template cast<int32_t>();
}

void RegisterTypes() {
  refl::ObjectDef<TestCompareObj>()
      .def(refl::init<int64_t, String, int64_t>())
      .def_ro("key", &TestCompareObj::key)
      .def_ro("name", &TestCompareObj::name)
      .def_ro("ignored_field", &TestCompareObj::ignored_field, refl::compare(false));
  refl::ObjectDef<TestHashObj>()
      .def(refl::init<int64_t, String, int64_t>())
      .def_ro("key", &TestHashObj::key)
      .def_ro("name", &TestHashObj::name)
      .def_ro("hash_ignored", &TestHashObj::hash_ignored, refl::hash(false));
  refl::ObjectDef<TestCustomHashObj>()
      .def(refl::init<int64_t, String>())
      .def_ro("key", &TestCustomHashObj::key)
      .def_ro("label", &TestCustomHashObj::label)
      .def_type_attr("__ffi_hash__", &HashKey<TestCustomHashObj>);
  refl::ObjectDef<TestCustomCompareObj>()
      .def(refl::init<int64_t, String>())
      .def_ro("key", &TestCustomCompareObj::key)
      .def_ro("label", &TestCustomCompareObj::label)
      .def_type_attr("__ffi_hash__", &HashKey<TestCustomCompareObj>)
      .def_type_attr("__ffi_eq__", &EqKey<TestCustomCompareObj>)
      .def_type_attr("__ffi_compare__", &CompareKey<TestCustomCompareObj>);
  refl::ObjectDef<TestEqWithoutHashObj>()
      .def(refl::init<int64_t, String>())
      .def_ro("key", &TestEqWithoutHashObj::key)
      .def_ro("label", &TestEqWithoutHashObj::label)
      .def_type_attr("__ffi_eq__", &EqKey<TestEqWithoutHashObj>);
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
