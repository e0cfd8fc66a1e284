// SPDX-License-Identifier: Apache-2.0
// Builds an ffi.Array in place, in the memory layout that the ABI publishes.
#ifndef TVM_FFI_PYTHON_ARRAY_BUILDER_H_
#define TVM_FFI_PYTHON_ARRAY_BUILDER_H_

#include <new>
#include <utility>

#include "argument.h"
#include "error.h"

namespace tvm::ffi::detail::python {

class ArrayBuilder {
 public:
  ArrayBuilder() = default;
  ArrayBuilder(const ArrayBuilder&) = delete;
  ArrayBuilder& operator=(const ArrayBuilder&) = delete;
  ~ArrayBuilder() {
    if (block_ == nullptr) return;
    ReleaseElements(block_);
    ::operator delete(block_);
  }

  // Makes room for `size` elements in all. False with an exception.
  bool Reserve(int64_t size) {
    if (block_ != nullptr && size <= block_->cell.capacity) return true;
    int64_t used = block_ ? block_->cell.size : 0;
    if (size < used * 2) size = used * 2;
    void* memory = size <= kMaxSize ? ::operator new(SizeFor(size), std::nothrow) : nullptr;
    if (memory == nullptr) {
      PyErr_NoMemory();
      return false;
    }
    auto* made = static_cast<Block*>(memory);
    made->header = {};
    made->header.combined_ref_count = (uint64_t{1} << 32) + 1;
    made->header.type_index = kTVMFFIArray;
    made->header.deleter = Delete;
    made->cell = {ItemsOf(made), used, size, nullptr};
    if (block_ != nullptr) {
      std::memcpy(ItemsOf(made), ItemsOf(block_), static_cast<size_t>(used) * sizeof(TVMFFIAny));
      ::operator delete(block_);
    }
    block_ = made;
    return true;
  }

  // Converts and appends an item, which the caller keeps. False with an exception.
  bool Add(PyObject* item) {
    if (block_->cell.size == block_->cell.capacity && !Reserve(block_->cell.size + 1)) return false;
    TVMFFIAny value;
    if (ConvertPlain(item, &value)) {
      if (value.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(value.v_obj);
    } else if (!ConvertOther(item, &value)) {
      return false;
    }
    ItemsOf(block_)[block_->cell.size++] = value;
    return true;
  }

  // The array, owned by the caller. After Reserve().
  TVMFFIObject* Finish() { return &std::exchange(block_, nullptr)->header; }
  // Table of the first framework tensor among the elements; NULL when there was none.
  const DLPackExchangeAPI* exchange() const { return exchange_; }

 private:
  struct Block {
    TVMFFIObject header;
    TVMFFISeqCell cell;
  };
  static constexpr int64_t kMaxSize = INT64_MAX / 64;

  static size_t SizeFor(int64_t size) {
    return sizeof(Block) + static_cast<size_t>(size) * sizeof(TVMFFIAny);
  }
  static TVMFFIAny* ItemsOf(Block* block) { return reinterpret_cast<TVMFFIAny*>(block + 1); }
  static void ReleaseElements(Block* block) {
    auto* items = static_cast<const TVMFFIAny*>(block->cell.data);
    for (int64_t i = 0; i < block->cell.size; ++i) DecRefAny(items[i]);
    if (block->cell.data_deleter != nullptr) block->cell.data_deleter(block->cell.data);
  }
  // Arrays may be nested deeper than the stack is: beyond some levels they wait for the outermost.
  struct Ending {
    int levels = 0;
    Block* waiting = nullptr;  // linked by cell.capacity
  };
  static constexpr int kMaxLevels = 100;

  static void Delete(void* self, int flags) {
    auto* block = static_cast<Block*>(self);
    if (flags != kTVMFFIObjectDeleterFlagBitMaskBoth) {
      if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) ReleaseElements(block);
      if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ::operator delete(self);
      return;
    }
    static thread_local Ending ending;
    if (ending.levels == kMaxLevels) {
      block->cell.capacity = reinterpret_cast<intptr_t>(std::exchange(ending.waiting, block));
      return;
    }
    ++ending.levels;
    for (;;) {
      ReleaseElements(block);
      ::operator delete(block);
      if (ending.levels != 1 || ending.waiting == nullptr) break;
      block = ending.waiting;
      ending.waiting = reinterpret_cast<Block*>(static_cast<intptr_t>(block->cell.capacity));
    }
    --ending.levels;
  }

  bool ConvertOther(PyObject* item, TVMFFIAny* value) {
    if (PyUnicode_CheckExact(item)) return ConvertOwnedStr(item, value);
    ArgScope scope;
    TVMFFIAny view;
    if (!ConvertSlow(item, &view, &scope)) return false;
    if (exchange_ == nullptr) exchange_ = scope.exchange;
    if (view.type_index >= kTVMFFIStaticObjectBegin) {
      IncRefNative(view.v_obj);
      *value = view;
      return true;
    }
    if (TVMFFIAnyViewToOwnedAny(&view, value) == 0) return true;
    RaiseFor(-1);
    return false;
  }

  Block* block_ = nullptr;
  const DLPackExchangeAPI* exchange_ = nullptr;
};

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_ARRAY_BUILDER_H_
