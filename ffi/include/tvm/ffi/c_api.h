/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C ABI of tvm-ffi. Valid C99 and C++. Append only: compiled code of other people reads these
 * structures inline. Sizes and offsets are checked by ffi/tests/abi.
 *
 * Ownership words used below:
 *   borrowed  the caller keeps its reference; the callee retains what it wants to keep.
 *   owned     the receiver must release the reference.
 *   stolen    on success the callee takes over the caller's reference.
 *
 * Unless a comment says otherwise an `int` result is 0 on success and -1 on failure; on failure the
 * error object lies in the calling thread's error slot (TVMFFIErrorMoveFromRaised) and `out` is not
 * written.
 */
#ifndef TVM_FFI_C_API_H_
#define TVM_FFI_C_API_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

/* Visibility. A user may define TVM_FFI_DLL first; TVM_FFI_DLL_EXPORT then defaults to it. */
#ifndef TVM_FFI_DLL
#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define TVM_FFI_DLL EMSCRIPTEN_KEEPALIVE
#define TVM_FFI_DLL_EXPORT EMSCRIPTEN_KEEPALIVE
#elif defined(_MSC_VER)
#ifdef TVM_FFI_EXPORTS
#define TVM_FFI_DLL __declspec(dllexport)
#else
#define TVM_FFI_DLL __declspec(dllimport)
#endif
#define TVM_FFI_DLL_EXPORT __declspec(dllexport)
#else
#define TVM_FFI_DLL __attribute__((visibility("default")))
#define TVM_FFI_DLL_EXPORT __attribute__((visibility("default")))
#endif
#endif

#ifndef TVM_FFI_DLL_EXPORT
#define TVM_FFI_DLL_EXPORT TVM_FFI_DLL
#endif

#if defined(_MSC_VER)
#define TVM_FFI_WEAK __declspec(selectany)
#define TVM_FFI_ATTRIBUTE_PURE
#else
#define TVM_FFI_WEAK __attribute__((weak))
#define TVM_FFI_ATTRIBUTE_PURE __attribute__((pure))
#endif

/* Version of this interface. TVMFFIGetVersion reports the one of the loaded library. */
#define TVM_FFI_VERSION_MAJOR 0
#define TVM_FFI_VERSION_MINOR 1
#define TVM_FFI_VERSION_PATCH 16

/* C++ fixes the width of the enums; in C the enumerators are used with int32_t fields. */
/* clang-format off */
#ifdef __cplusplus
#define TVM_FFI_INT32_ENUM(Name) Name : int32_t
#else
#define TVM_FFI_INT32_ENUM(Name) Name
#endif
/* clang-format on */

/* Unnamed unions are C11; every C99 compiler we support has them as an extension. */
#if !defined(__cplusplus) && defined(__GNUC__)
#define TVM_FFI_UNNAMED_UNION __extension__ union
#else
#define TVM_FFI_UNNAMED_UNION union
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- */
/* Values                                                                                         */
/* ---------------------------------------------------------------------------------------------- */

/*
 * What a TVMFFIAny holds. Values below kTVMFFIStaticObjectBegin are stored in the TVMFFIAny itself;
 * all others are references to an object (v_obj).
 */
typedef enum TVM_FFI_INT32_ENUM(TVMFFITypeIndex) {
  kTVMFFIAny = -1, /* "any type" in field annotations; never the index of a value */
  kTVMFFINone = 0,
  kTVMFFIInt = 1,          /* v_int64 */
  kTVMFFIBool = 2,         /* v_int64, 0 or 1 */
  kTVMFFIFloat = 3,        /* v_float64 */
  kTVMFFIOpaquePtr = 4,    /* v_ptr, not owned */
  kTVMFFIDataType = 5,     /* v_dtype */
  kTVMFFIDevice = 6,       /* v_device */
  kTVMFFIDLTensorPtr = 7,  /* v_ptr is a DLTensor*, not owned */
  kTVMFFIRawStr = 8,       /* v_c_str, NUL-terminated; in views only */
  kTVMFFIByteArrayPtr = 9, /* v_ptr is a TVMFFIByteArray*; in views only */
  kTVMFFIObjectRValueRef =
      10,                 /* v_ptr is a TVMFFIObject** that the callee may empty; in views only */
  kTVMFFISmallStr = 11,   /* v_bytes, length in small_str_len (at most 7) */
  kTVMFFISmallBytes = 12, /* v_bytes, length in small_str_len (at most 7) */
  kTVMFFIUnchanged = 13,  /* marker of structural mutation */
  kTVMFFIStaticObjectBegin = 64,
  kTVMFFIObject = 64,
  kTVMFFIStr = 65,
  kTVMFFIBytes = 66,
  kTVMFFIError = 67,
  kTVMFFIFunction = 68,
  kTVMFFIShape = 69,
  kTVMFFITensor = 70,
  kTVMFFIArray = 71,
  kTVMFFIMap = 72,
  kTVMFFIModule = 73,
  kTVMFFIOpaquePyObject = 74,
  kTVMFFIList = 75,
  kTVMFFIDict = 76,
  kTVMFFIVisitInterrupt = 77,
  kTVMFFIBigInt = 78,
  kTVMFFIStaticObjectEnd = 79, /* moves when a static index is added */
  kTVMFFIDynObjectBegin = 128  /* indices from here on are given out at run time */
} TVMFFITypeIndex;

/* Address of an object header. NULL only where a comment allows it. */
typedef void* TVMFFIObjectHandle;

/* What a deleter has to do. */
typedef enum TVM_FFI_INT32_ENUM(TVMFFIObjectDeleterFlagBitMask) {
  kTVMFFIObjectDeleterFlagBitMaskStrong = 1 << 0, /* run the destructor, keep the memory */
  kTVMFFIObjectDeleterFlagBitMaskWeak = 1 << 1,   /* release the memory */
  kTVMFFIObjectDeleterFlagBitMaskBoth = (kTVMFFIObjectDeleterFlagBitMaskStrong |
                                         kTVMFFIObjectDeleterFlagBitMaskWeak)
} TVMFFIObjectDeleterFlagBitMask;

/*
 * Header of every object. Strong count in the low 32 bits of combined_ref_count, weak count in the
 * high 32 bits; all strong references together hold one weak count, so a new object starts at 2^32
 * + 1.
 */
typedef struct TVMFFIObject {
  uint64_t combined_ref_count;
  int32_t type_index;
  uint32_t __padding; /* 0 */
  TVM_FFI_UNNAMED_UNION {
    /* `self` is the header address, `flags` are TVMFFIObjectDeleterFlagBitMask. May be NULL: never
     * freed. */
    void (*deleter)(void* self, int flags);
    int64_t __ensure_align;
  };
} TVMFFIObject;

/*
 * A value of any type. As AnyView (argument) nothing is owned; as Any (result, container element)
 * an object reference is owned. Bytes that the value does not use are zero: equality and hashing
 * read all 16.
 */
typedef struct TVMFFIAny {
  int32_t type_index;
  TVM_FFI_UNNAMED_UNION {
    uint32_t zero_padding;  /* 0 for everything but small strings and bytes */
    uint32_t small_str_len; /* 0..7 */
  };
  TVM_FFI_UNNAMED_UNION {
    int64_t v_int64;
    double v_float64;
    void* v_ptr;
    const char* v_c_str;
    TVMFFIObject* v_obj;
    DLDataType v_dtype;
    DLDevice v_device;
    char v_bytes[8];
    uint64_t v_uint64;
  };
} TVMFFIAny;

/* `size` bytes at `data`; a view unless a comment says otherwise. */
typedef struct TVMFFIByteArray {
  const char* data;
  size_t size;
} TVMFFIByteArray;

/* Content of ffi.Shape, right after its header. */
typedef struct TVMFFIShapeCell {
  const int64_t* data;
  size_t size;
} TVMFFIShapeCell;

/* Content of ffi.Array and ffi.List, right after the header. */
typedef struct TVMFFISeqCell {
  void* data; /* `size` TVMFFIAny in use of `capacity`; each owned */
  int64_t size;
  int64_t capacity;
  /* Releases `data`; NULL when the elements lie in the object. Never NULL in a List: it must accept
   * NULL and memory from the global operator new. */
  void (*data_deleter)(void* data);
} TVMFFISeqCell;

/* Content of ffi.OpaquePyObject, right after its header. */
typedef struct TVMFFIOpaqueObjectCell {
  void* handle; /* owned by the object */
} TVMFFIOpaqueObjectCell;

/* What update_backtrace does with the given text. */
typedef enum TVM_FFI_INT32_ENUM(TVMFFIBacktraceUpdateMode) {
  kTVMFFIBacktraceUpdateModeReplace = 0,
  kTVMFFIBacktraceUpdateModeAppend =
      1 /* frames further out; lines are stored most recent call first */
} TVMFFIBacktraceUpdateMode;

/* Content of ffi.Error, right after its header. */
typedef struct TVMFFIErrorCell {
  TVMFFIByteArray kind;    /* such as "ValueError" */
  TVMFFIByteArray message; /* NUL-terminated */
  /* Lines `  File "<file>", line <n>, in <function>` and a newline, most recent call first. */
  TVMFFIByteArray backtrace;
  /* Copies `backtrace`; `update_mode` is a TVMFFIBacktraceUpdateMode. Never NULL. */
  void (*update_backtrace)(TVMFFIObjectHandle self, const TVMFFIByteArray* backtrace,
                           int32_t update_mode);
  TVMFFIObjectHandle cause_chain;   /* owned Error, or NULL */
  TVMFFIObjectHandle extra_context; /* owned object, or NULL */
} TVMFFIErrorCell;

/*
 * Calling convention of every function. `handle` is the function object (NULL for exported
 * symbols); `args` are borrowed. On entry `result` must hold no object; on 0 it holds an owned
 * value. Every other return value is a failure with the error in the calling thread's slot.
 */
typedef int (*TVMFFISafeCallType)(void* handle, const TVMFFIAny* args, int32_t num_args,
                                  TVMFFIAny* result);

/* Content of ffi.Function, right after its header. */
typedef struct TVMFFIFunctionCell {
  TVMFFISafeCallType safe_call;
  /* NULL, or void (*)(const FunctionObj*, const AnyView*, int32_t, Any*) of the same C++ ABI, which
   * may throw tvm::ffi::Error. */
  void* cpp_call;
} TVMFFIFunctionCell;

/* ---------------------------------------------------------------------------------------------- */
/* Reflection                                                                                     */
/* ---------------------------------------------------------------------------------------------- */

/* Reads a field. `field` is its address, `*result` receives an owned value. */
typedef int (*TVMFFIFieldGetter)(void* field, TVMFFIAny* result);

/* Writes a field. `field` is its address, `value` is borrowed. */
typedef int (*TVMFFIFieldSetter)(void* field, const TVMFFIAny* value);

/* Makes an empty object. `*result` is owned. */
typedef int (*TVMFFIObjectCreator)(TVMFFIObjectHandle* result);

/* TVMFFIFieldInfo.flags and TVMFFIMethodInfo.flags. */
typedef enum TVM_FFI_INT32_ENUM(TVMFFIFieldFlagBitMask) {
  kTVMFFIFieldFlagBitMaskWritable = 1 << 0,           /* the setter may be shown to users */
  kTVMFFIFieldFlagBitMaskHasDefault = 1 << 1,         /* default_value_or_factory is set */
  kTVMFFIFieldFlagBitMaskIsStaticMethod = 1 << 2,     /* method without a self argument */
  kTVMFFIFieldFlagBitMaskSEqHashIgnore = 1 << 3,      /* not part of structural walks */
  kTVMFFIFieldFlagBitMaskSEqHashDefPattern = 1 << 4,  /* opens a pattern definition region */
  kTVMFFIFieldFlagBitMaskDefaultFromFactory = 1 << 5, /* the default is a Function () -> Any */
  kTVMFFIFieldFlagBitMaskReprOff = 1 << 6,
  kTVMFFIFieldFlagBitMaskCompareOff = 1 << 7, /* not part of recursive compare and hash */
  kTVMFFIFieldFlagBitMaskHashOff = 1 << 8,
  kTVMFFIFieldFlagBitMaskInitOff = 1 << 9, /* not a parameter of the generated constructor */
  kTVMFFIFieldFlagBitMaskKwOnly = 1 << 10,
  kTVMFFIFieldFlagBitSetterIsFunctionObj = 1 << 11,  /* setter is a Function (void* field, value) */
  kTVMFFIFieldFlagBitMaskSEqHashDefSimple = 1 << 12, /* opens a simple definition region */
  /* The names of both before 0.1.16. */
  kTVMFFIFieldFlagBitMaskSEqHashDefRecursive = kTVMFFIFieldFlagBitMaskSEqHashDefPattern,
  kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive = kTVMFFIFieldFlagBitMaskSEqHashDefSimple
} TVMFFIFieldFlagBitMask;

/* How instances take part in structural equality and hashing. */
typedef enum TVM_FFI_INT32_ENUM(TVMFFISEqHashKind) {
  kTVMFFISEqHashKindUnsupported = 0,
  kTVMFFISEqHashKindTreeNode = 1,      /* by fields */
  kTVMFFISEqHashKindFreeVar = 2,       /* a variable: equal by pairing */
  kTVMFFISEqHashKindDAGNode = 3,       /* by fields; sharing must agree */
  kTVMFFISEqHashKindConstTreeNode = 4, /* by fields, identity is a shortcut */
  kTVMFFISEqHashKindUniqueInstance = 5 /* by identity */
} TVMFFISEqHashKind;

/* Region in which variables may be defined. */
typedef enum TVM_FFI_INT32_ENUM(TVMFFIDefRegionKind) {
  kTVMFFIDefRegionKindNone = 0,
  kTVMFFIDefRegionKindPattern = 1, /* also covers fields of the variables found */
  kTVMFFIDefRegionKindSimple = 2,  /* binds only the variables reached directly */
  /* The names of both before 0.1.16. */
  kTVMFFIDefRegionKindRecursive = kTVMFFIDefRegionKindPattern,
  kTVMFFIDefRegionKindNonRecursive = kTVMFFIDefRegionKindSimple
} TVMFFIDefRegionKind;

/* One field of a type. Everything is copied or retained by the type table on registration. */
typedef struct TVMFFIFieldInfo {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;      /* {NULL, 0} when there is none */
  TVMFFIByteArray metadata; /* JSON object text */
  int64_t flags;            /* TVMFFIFieldFlagBitMask */
  int64_t size;             /* bytes */
  int64_t alignment;        /* bytes */
  int64_t offset;           /* bytes from the object header */
  TVMFFIFieldGetter getter;
  void* setter; /* a TVMFFIFieldSetter, or a Function handle when the flag says so */
  TVMFFIAny default_value_or_factory;
  int32_t field_static_type_index; /* index of the declared type, -1 when there is no single one */
} TVMFFIFieldInfo;

/* One method of a type, or a global function. */
typedef struct TVMFFIMethodInfo {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  TVMFFIByteArray metadata; /* JSON object text */
  int64_t flags;
  TVMFFIAny method; /* a Function; instance methods take self as argument 0 */
} TVMFFIMethodInfo;

/* Facts about a reflected type. */
typedef struct TVMFFITypeMetadata {
  TVMFFIByteArray doc;
  TVMFFIObjectCreator creator; /* NULL when objects can't be made without arguments */
  int32_t total_size;          /* bytes */
  TVMFFISEqHashKind structural_eq_hash_kind;
} TVMFFITypeMetadata;

/* Values of one type attribute, indexed by type index - begin_index. The column lives for ever;
 * `data` and `size` change when entries are added, so read them on every access. */
typedef struct TVMFFITypeAttrColumn {
  const TVMFFIAny* data;
  int32_t size;
  int32_t begin_index;
} TVMFFITypeAttrColumn;

/* One entry of the type table; its address never changes. */
typedef struct TVMFFITypeInfo {
  int32_t type_index;
  int32_t type_depth; /* number of ancestors */
  TVMFFIByteArray type_key;
  const struct TVMFFITypeInfo** type_ancestors; /* [d]: the ancestor at depth d < type_depth */
  uint64_t type_key_hash;
  int32_t num_fields; /* own fields only */
  int32_t num_methods;
  const TVMFFIFieldInfo* fields; /* may move when a field is registered */
  const TVMFFIMethodInfo* methods;
  const TVMFFITypeMetadata* metadata; /* NULL until registered */
} TVMFFITypeInfo;

/* ---------------------------------------------------------------------------------------------- */
/* Version, objects, types                                                                        */
/* ---------------------------------------------------------------------------------------------- */

typedef struct TVMFFIVersion {
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
} TVMFFIVersion;

/* Lies immediately before the body that a custom allocator returns. */
typedef struct TVMFFIObjectAllocHeader {
  void (*delete_space)(void* body); /* reclaims the whole allocation */
} TVMFFIObjectAllocHeader;

/* Allocator of object bodies. */
typedef struct TVMFFICustomAllocator {
  /* Returns `size` bytes preceded by a TVMFFIObjectAllocHeader, or NULL with the error set. */
  void* (*allocate)(size_t size, size_t alignment, int32_t type_index, void* context);
  void* context;
} TVMFFICustomAllocator;

/* Writes the version of the loaded library. Never fails. */
TVM_FFI_DLL void TVMFFIGetVersion(TVMFFIVersion* out_version);

/* Adds a strong reference. `obj` is not NULL. Returns 0. Thread-safe. */
TVM_FFI_DLL int TVMFFIObjectIncRef(TVMFFIObjectHandle obj);

/* Gives up a strong reference; the last one destroys the object. NULL is allowed. Returns 0.
 * Thread-safe. */
TVM_FFI_DLL int TVMFFIObjectDecRef(TVMFFIObjectHandle obj);

/* Wraps `handle`, which is stolen on success; `deleter` (may be NULL) is called once with it.
 * `type_index` must be kTVMFFIOpaquePyObject (else RuntimeError). `*out` is owned. */
TVM_FFI_DLL int TVMFFIObjectCreateOpaque(void* handle, int32_t type_index,
                                         void (*deleter)(void* handle), TVMFFIObjectHandle* out);

/* Index of a registered type key. Fails with InternalError when the key is unknown. */
TVM_FFI_DLL int TVMFFITypeKeyToIndex(const TVMFFIByteArray* type_key, int32_t* out_tindex);

/*
 * Returns the index of `type_key`, registering it when it is new. A known key ignores all other
 * arguments. `static_type_index` >= 0 asks for that index. `parent_type_index` -2 only looks up and
 * returns -2 on a miss. Contradictions end the process with a message. The caller serializes
 * registrations.
 */
TVM_FFI_DLL int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray* type_key,
                                              int32_t static_type_index, int32_t type_depth,
                                              int32_t num_child_slots,
                                              int32_t child_slots_can_overflow,
                                              int32_t parent_type_index);

/* Entry of a registered index; an unknown one ends the process with a message. The address is
 * permanent. */
TVM_FFI_DLL const TVMFFITypeInfo* TVMFFIGetTypeInfo(int32_t type_index) TVM_FFI_ATTRIBUTE_PURE;

/* Adds a field to a type; `info` is borrowed, copied, its values retained. A duplicate is
 * InternalError. */
TVM_FFI_DLL int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo* info);

/* Adds a method to a type; `info` is borrowed, copied, the method retained. Duplicates are
 * appended. */
TVM_FFI_DLL int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo* info);

/* Sets the metadata of a type, once (else RuntimeError); `metadata` is borrowed and copied. */
TVM_FFI_DLL int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata* metadata);

/* Sets the attribute `attr_name` of a type; `attr_value` is borrowed and copied as an owned value.
 * Type index 0 only makes sure that the column exists. A slot that is set already is RuntimeError.
 */
TVM_FFI_DLL int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name,
                                       const TVMFFIAny* attr_value);

/* Column of an attribute, NULL when nobody created it. The address is permanent. */
TVM_FFI_DLL const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name);

/* Allocator in force. Never NULL. */
TVM_FFI_DLL TVMFFICustomAllocator* TVMFFIGetCustomAllocator(void);

/* Replaces the allocator; NULL brings the built-in one back. The pointer is kept for ever. Not
 * synchronized. */
TVM_FFI_DLL int TVMFFISetCustomAllocator(TVMFFICustomAllocator* allocator);

/*
 * Fills `*handle_addr` once: when it is NULL calls `init_func` under a process-wide lock and stores
 * its result. Returns what a failing init_func returned; a NULL result is RuntimeError. init_func
 * must not call this function again.
 */
TVM_FFI_DLL int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result));

/* Empties `*handle_addr` and calls `deinit_func` with the old value unless that was NULL. */
TVM_FFI_DLL int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit_func)(void* handle));

/* ---------------------------------------------------------------------------------------------- */
/* Values and functions                                                                           */
/* ---------------------------------------------------------------------------------------------- */

/* Makes an owned value from a borrowed one: retains objects, copies raw strings and byte arrays,
 * takes the object out of an rvalue reference (InternalError when it is gone). `*out` is
 * overwritten, not released. */
TVM_FFI_DLL int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* any_view, TVMFFIAny* out);

/* Copies `input` into an owned string value. `*out` is overwritten, not released. */
TVM_FFI_DLL int TVMFFIStringFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out);

/* Copies `input` into an owned bytes value. `*out` is overwritten, not released. */
TVM_FFI_DLL int TVMFFIBytesFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out);

/* Makes an integer from native 64-bit words, least significant first, two's complement. Gives
 * kTVMFFIInt when it fits. A size that is not a multiple of 8 is ValueError. `*out` is owned. */
TVM_FFI_DLL int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out);

/* Words of a kTVMFFIInt or kTVMFFIBigInt value, borrowed from it (from `*value` itself for the
 * former). */
TVM_FFI_DLL TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value);

/* Parses text such as "float32x4". ValueError when it is not a data type. */
TVM_FFI_DLL int TVMFFIDataTypeFromString(const TVMFFIByteArray* str, DLDataType* out);

/* Prints a data type as an owned string. ValueError when it has no text form. */
TVM_FFI_DLL int TVMFFIDataTypeToString(const DLDataType* dtype, TVMFFIAny* out);

/*
 * Makes a function object that calls safe_call(self, ...). `deleter` (may be NULL) runs with `self`
 * when the function dies. When both are NULL safe_call receives the function object. `*out` is
 * owned.
 */
TVM_FFI_DLL int TVMFFIFunctionCreate(void* self, TVMFFISafeCallType safe_call,
                                     void (*deleter)(void* self), TVMFFIObjectHandle* out);

/* Calls `func`; see TVMFFISafeCallType for `args` and `result`. */
TVM_FFI_DLL int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny* args, int32_t num_args,
                                   TVMFFIAny* result);

/* `*out` is the owned global function, or NULL when there is none of that name. Returns 0. */
TVM_FFI_DLL int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle* out);

/* Registers `f` (borrowed, retained). A taken name is RuntimeError unless `allow_override`. */
TVM_FFI_DLL int TVMFFIFunctionSetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle f,
                                        int allow_override);

/* As TVMFFIFunctionSetGlobal, with documentation and metadata. `method_info` is borrowed and
 * copied. */
TVM_FFI_DLL int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo* method_info,
                                                      int allow_override);

/* ---------------------------------------------------------------------------------------------- */
/* Errors                                                                                         */
/* ---------------------------------------------------------------------------------------------- */

/* Makes an error object; the texts are copied. `*out` is owned. Fails only without memory, and then
 * sets no error. */
TVM_FFI_DLL int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                                  const TVMFFIByteArray* backtrace, TVMFFIObjectHandle* out);

/* As TVMFFIErrorCreate; `cause_chain` and `extra_context` are borrowed and retained, each may be
 * NULL. */
TVM_FFI_DLL int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out);

/* Puts `error` (borrowed, retained) in this thread's slot in place of what was there. */
TVM_FFI_DLL void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);

/* Makes an error with the current backtrace and puts it in this thread's slot. */
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);

/* The same; the message is the concatenation of the parts, NULL parts are skipped. */
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts,
                                                   int32_t num_parts);

/* Takes the error out of this thread's slot. `*out` is owned, NULL when there was none. */
TVM_FFI_DLL void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* out);

/* Backtrace of the caller, most recent call first. `filename` and `func` (NULL allowed) give the
 * first line. With `cross_ffi_boundary` 0 it stops at the language boundary. Valid until this
 * thread's next call. */
TVM_FFI_DLL const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno,
                                                   const char* func, int cross_ffi_boundary);

/* ---------------------------------------------------------------------------------------------- */
/* Tensors                                                                                        */
/* ---------------------------------------------------------------------------------------------- */

/* Wraps `from`, which is stolen on success and untouched on failure. RuntimeError when the data is
 * not aligned to `require_alignment` bytes (0: any) or not compact while `require_contiguous`.
 * `*out` is owned. */
TVM_FFI_DLL int TVMFFITensorFromDLPack(DLManagedTensor* from, int32_t require_alignment,
                                       int32_t require_contiguous, TVMFFIObjectHandle* out);

/* The same for the versioned form. Padded sub-byte elements are RuntimeError. */
TVM_FFI_DLL int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned* from,
                                                int32_t require_alignment,
                                                int32_t require_contiguous,
                                                TVMFFIObjectHandle* out);

/* Makes a DLPack wrapper that retains the tensor `from` (borrowed). `*out` is owned; call its
 * deleter. */
TVM_FFI_DLL int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor** out);

/* The same for the versioned form. */
TVM_FFI_DLL int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from,
                                              DLManagedTensorVersioned** out);

/* Makes a tensor with data and geometry of `prototype` that retains `source` (borrowed). Nothing is
 * checked against `source`. prototype->strides must not be NULL (InternalError). `*out` is owned.
 */
TVM_FFI_DLL int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor* prototype,
                                             TVMFFIObjectHandle* out);

/* ---------------------------------------------------------------------------------------------- */
/* Inline accessors. Each takes a live object of the named type and returns memory that the object
 * owns. */
/* ---------------------------------------------------------------------------------------------- */

static inline int32_t TVMFFIObjectGetTypeIndex(TVMFFIObjectHandle obj) {
  return ((const TVMFFIObject*)obj)->type_index;
}

/* Content of a kTVMFFISmallStr or kTVMFFISmallBytes value; points into `*value`. */
static inline TVMFFIByteArray TVMFFISmallBytesGetContentByteArray(const TVMFFIAny* value) {
  TVMFFIByteArray content;
  content.data = value->v_bytes;
  content.size = value->small_str_len;
  return content;
}

/* ffi.String or ffi.Bytes. */
static inline TVMFFIByteArray* TVMFFIBytesGetByteArrayPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIByteArray*)((char*)obj + sizeof(TVMFFIObject));
}

/* ffi.Error. */
static inline TVMFFIErrorCell* TVMFFIErrorGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIErrorCell*)((char*)obj + sizeof(TVMFFIObject));
}

/* ffi.Function. */
static inline TVMFFIFunctionCell* TVMFFIFunctionGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIFunctionCell*)((char*)obj + sizeof(TVMFFIObject));
}

/* ffi.OpaquePyObject. */
static inline TVMFFIOpaqueObjectCell* TVMFFIOpaqueObjectGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIOpaqueObjectCell*)((char*)obj + sizeof(TVMFFIObject));
}

/* ffi.Shape. */
static inline TVMFFIShapeCell* TVMFFIShapeGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIShapeCell*)((char*)obj + sizeof(TVMFFIObject));
}

/* ffi.Tensor. */
static inline DLTensor* TVMFFITensorGetDLTensorPtr(TVMFFIObjectHandle obj) {
  return (DLTensor*)((char*)obj + sizeof(TVMFFIObject));
}

static inline DLDevice TVMFFIDLDeviceFromIntPair(int32_t device_type, int32_t device_id) {
  DLDevice device;
  device.device_type = (DLDeviceType)device_type;
  device.device_id = device_id;
  return device;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_C_API_H_ */
