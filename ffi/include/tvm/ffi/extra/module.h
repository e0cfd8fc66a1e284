// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/module.h
 * \brief Modules: named functions from a shared library, a device binary or any other source.
 */
#ifndef TVM_FFI_EXTRA_MODULE_H_
#define TVM_FFI_EXTRA_MODULE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <utility>

namespace tvm {
namespace ffi {

class Module;

/*!
 * \brief Base of all module kinds.
 *
 * Code compiled elsewhere calls these virtual functions, so their order is part of the ABI.
 * Subclasses share the type key `ffi.Module` and declare none of their own.
 */
class TVM_FFI_EXTRA_CXX_API ModuleObj : public Object {
 public:
  /*! \brief Name of the kind, such as "library" or "cuda"; lives as long as the program. */
  virtual const char* kind() const = 0;
  /*! \brief Or of Module::ModulePropertyMask. */
  virtual int GetPropertyMask() const { return 0; }
  /*!
   * \brief The function of that name, nothing when the module has none.
   *
   * The function keeps alive whatever it needs of the module.
   */
  virtual Optional<ffi::Function> GetFunction(const String& name) = 0;
  /*! \brief Whether GetFunction finds something; override it where that is cheaper to tell. */
  virtual bool ImplementsFunction(const String& name) { return GetFunction(name).has_value(); }
  /*! \brief Documentation of a function. */
  virtual Optional<String> GetFunctionDoc(const String& /*name*/) { return std::nullopt; }
  /*! \brief JSON metadata of a function, with its `type_schema`. */
  virtual Optional<String> GetFunctionMetadata(const String& /*name*/) { return std::nullopt; }
  /*! \brief Writes the module to a file in one of GetWriteFormats(). */
  virtual void WriteToFile(const String& /*file_name*/, const String& /*format*/) const {
    TVM_FFI_THROW(RuntimeError) << "Module[" << kind() << "] does not support WriteToFile";
  }
  virtual Array<String> GetWriteFormats() const { return Array<String>(); }
  /*! \brief Bytes from which `ffi.Module.load_from_bytes.<kind>` makes the module again; not empty.
   */
  virtual Bytes SaveToBytes() const {
    TVM_FFI_THROW(RuntimeError) << "Module[" << kind() << "] does not support SaveToBytes";
    TVM_FFI_UNREACHABLE();
  }
  /*! \brief Source text, empty when there is none. */
  virtual String InspectSource(const String& /*format*/) const { return String(); }
  /*! \brief Makes the functions of `other` visible to this module; RuntimeError on a cycle. */
  virtual void ImportModule(const Module& other);
  virtual void ClearImports();

  // The same with a choice to look into the imports as well, depth first.
  Optional<ffi::Function> GetFunction(const String& name, bool query_imports);
  bool ImplementsFunction(const String& name, bool query_imports);
  Optional<String> GetFunctionDoc(const String& name, bool query_imports);
  Optional<String> GetFunctionMetadata(const String& name, bool query_imports);

  const Array<Any>& imports() const { return this->imports_; }

  /// \cond Doxygen_Suppress
  struct InternalUnsafe;

  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIModule;
  static constexpr const bool _type_final = true;
  static constexpr const bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIModule, ModuleObj, Object);
  /// \endcond

 protected:
  friend struct InternalUnsafe;

  /*! \brief Imported modules, in the order of import. */
  Array<Any> imports_;

 private:
  // Functions found through the imports; it keeps them alive for callers that borrow them.
  Map<String, ffi::Function> import_lookup_cache_;
};

/*! \brief Reference to a module. */
class Module : public ObjectRef {
 public:
  /*! \brief What a module can do. */
  enum ModulePropertyMask : int {
    /*! \brief SaveToBytes works. */
    kBinarySerializable = 0b001,
    /*! \brief GetFunction works. */
    kRunnable = 0b010,
    /*! \brief WriteToFile gives something a compiler can link. */
    kCompilationExportable = 0b100
  };

  explicit Module(const ObjectPtr<ModuleObj>& ptr) : ObjectRef(ObjectPtr<Object>(ptr)) {}

  /*! \brief Loads a module by the extension of the file: `ffi.Module.load_from_file.<ext>`. */
  TVM_FFI_EXTRA_CXX_API static Module LoadFromFile(const String& file_name);
  /*! \brief Calls `callback(name, address)` for each symbol that loaded libraries are given. */
  TVM_FFI_EXTRA_CXX_API static void VisitContextSymbols(
      const ffi::TypedFunction<void(String, void*)>& callback);

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Module, ObjectRef, ModuleObj);
  /// \endcond
};

/*! \brief Names of the symbols in compiled libraries. */
namespace symbol {
/*! \brief Before the name of every exported function. */
constexpr const char* tvm_ffi_symbol_prefix = "__tvm_ffi_";
/*! \brief Default entry function, found under the name `main`. */
constexpr const char* tvm_ffi_main = "__tvm_ffi_main";
/*! \brief Variable that receives the address of the library module. */
constexpr const char* tvm_ffi_library_ctx = "__tvm_ffi__library_ctx";
/*! \brief Serialized imports of the library. */
constexpr const char* tvm_ffi_library_bin = "__tvm_ffi__library_bin";
/*! \brief Before the name of a function whose result is the metadata of another. */
constexpr const char* tvm_ffi_metadata_prefix = "__tvm_ffi__metadata_";
/*! \brief Before the name of a function whose result is the documentation of another. */
constexpr const char* tvm_ffi_doc_prefix = "__tvm_ffi__doc_";
}  // namespace symbol

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_MODULE_H_
