// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/memory.h
 *  Making objects: make_object, make_arc and objects with trailing storage.
 */
#ifndef TVM_FFI_MEMORY_H_
#define TVM_FFI_MEMORY_H_

#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace tvm {
namespace ffi {

/*! Deleter of an object; `obj` is the header, `flags` are TVMFFIObjectDeleterFlagBitMask. */
using FObjectDeleter = void (*)(void* obj, int flags);

namespace detail {

/*! Allocates `size` bytes. Throws std::bad_alloc. */
template <size_t align>
TVM_FFI_INLINE void* AlignedAlloc(size_t size) {
  static_assert(align != 0 && (align & (align - 1)) == 0, "alignment must be a power of two");
#if defined(_MSC_VER)
  void* ptr = _aligned_malloc(size, align);
#else
  void* ptr;
  if constexpr (align <= alignof(std::max_align_t)) {
    ptr = std::malloc(size);
  } else if (posix_memalign(&ptr, align, size) != 0) {
    ptr = nullptr;
  }
#endif
  if (TVM_FFI_PREDICT_FALSE(ptr == nullptr)) throw std::bad_alloc();
  return ptr;
}

TVM_FFI_INLINE void AlignedFree(void* ptr) {
#if defined(_MSC_VER)
  _aligned_free(ptr);
#else
  std::free(ptr);
#endif
}

/*! Turns raw memory into a live object with one reference. `Derived` says where memory comes from.
 */
template <typename Derived>
class ObjAllocatorBase {
 public:
  template <typename T, typename... Args>
  ObjectPtr<T> make_object(Args&&... args) {
    using Handler = typename Derived::template Handler<T>;
    static_assert(is_object_subclass_v<T>, "make_object makes Object types only");
    T* ptr = Handler::New(static_cast<Derived*>(this), std::forward<Args>(args)...);
    return Adopt<T>(ptr, Handler::Deleter());
  }

  template <typename ArrayType, typename ElemType, typename... Args>
  ObjectPtr<ArrayType> make_inplace_array(size_t num_elems, Args&&... args) {
    using Handler = typename Derived::template ArrayHandler<ArrayType, ElemType>;
    static_assert(is_object_subclass_v<ArrayType>, "make_inplace_array makes Object types only");
    ArrayType* ptr =
        Handler::New(static_cast<Derived*>(this), num_elems, std::forward<Args>(args)...);
    return Adopt<ArrayType>(ptr, Handler::Deleter());
  }

 private:
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> Adopt(T* ptr, FObjectDeleter deleter) {
    TVMFFIObject* header = ObjectUnsafe::GetHeader(ptr);
    header->combined_ref_count = kSingleRef;
    header->type_index = T::RuntimeTypeIndex();
    header->__padding = 0;
    header->deleter = deleter;
    return ObjectUnsafe::ObjectPtrFromOwned<T>(header);
  }
};

/*! Memory from the C heap. */
class SimpleObjAllocator : public ObjAllocatorBase<SimpleObjAllocator> {
 public:
  template <typename T>
  class Handler {
   public:
    template <typename... Args>
    TVM_FFI_INLINE static T* New(SimpleObjAllocator*, Args&&... args) {
      Block block(AlignedAlloc<alignof(T)>(sizeof(T)));
      T* obj = new (block.memory) T(std::forward<Args>(args)...);
      block.memory = nullptr;
      return obj;
    }
    static FObjectDeleter Deleter() { return &Delete<T>; }
  };

  template <typename ArrayType, typename ElemType>
  class ArrayHandler {
   public:
    template <typename... Args>
    TVM_FFI_INLINE static ArrayType* New(SimpleObjAllocator*, size_t num_elems, Args&&... args) {
      static_assert(
          alignof(ArrayType) % alignof(ElemType) == 0 && sizeof(ArrayType) % alignof(ElemType) == 0,
          "elements must be aligned right after the object");
      constexpr size_t kLimit =
          (static_cast<size_t>(-1) >> 1) - sizeof(ArrayType) - alignof(ArrayType);
      if (TVM_FFI_PREDICT_FALSE(num_elems > kLimit / sizeof(ElemType))) throw std::bad_alloc();
      constexpr size_t kAlign = alignof(ArrayType);
      size_t size = sizeof(ArrayType) + num_elems * sizeof(ElemType);
      size = (size + kAlign - 1) & ~(kAlign - 1);
      Block block(AlignedAlloc<kAlign>(size));
      ArrayType* obj = new (block.memory) ArrayType(std::forward<Args>(args)...);
      block.memory = nullptr;
      return obj;
    }
    static FObjectDeleter Deleter() { return &Delete<ArrayType>; }
  };

 private:
  /*! Frees the memory when the constructor throws. */
  struct Block {
    explicit Block(void* ptr) : memory(ptr) {}
    ~Block() {
      if (memory != nullptr) AlignedFree(memory);
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void* memory;
  };

  template <typename T>
  static void Delete(void* header, int flags) {
    T* obj = static_cast<T*>(static_cast<Object*>(header));
    if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
      // The exact type is known, so no virtual call is wanted.
      obj->T::~T();
    }
    if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) AlignedFree(static_cast<void*>(obj));
  }
};

}  // namespace detail

/*! \brief Makes a `T` from constructor arguments. Memory is released when the constructor throws.
 */
template <typename T, typename... Args>
inline ObjectPtr<T> make_object(Args&&... args) {
  return detail::SimpleObjAllocator().make_object<T>(std::forward<Args>(args)...);
}

/*! \brief The same as a pointer that is never null. */
template <typename T, typename... Args>
inline Arc<T> make_arc(Args&&... args) {
  return detail::ObjectUnsafe::ArcFromObjectPtr<T>(make_object<T>(std::forward<Args>(args)...));
}

/*!
 * \brief Makes an `ArrayType` followed by room for `num_elems` elements, right after
 * sizeof(ArrayType).
 *
 * The elements are neither constructed nor destroyed: that is the business of `ArrayType`.
 */
template <typename ArrayType, typename ElemType, typename... Args>
inline ObjectPtr<ArrayType> make_inplace_array_object(size_t num_elems, Args&&... args) {
  return detail::SimpleObjAllocator().make_inplace_array<ArrayType, ElemType>(
      num_elems, std::forward<Args>(args)...);
}

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_MEMORY_H_
