// SPDX-License-Identifier: Apache-2.0
/*!
 * \file error.cc
 * \brief Error objects and the pending error of each thread.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <cstring>
#include <new>
#include <string>

namespace tvm {
namespace ffi {
namespace {

std::string ToString(const TVMFFIByteArray* text) {
  return text == nullptr || text->data == nullptr ? std::string()
                                                  : std::string(text->data, text->size);
}

TVMFFIByteArray View(const std::string& text) { return {text.data(), text.size()}; }

// The cell of an ErrorObj points into the strings kept here.
class StoredErrorObj : public ErrorObj {
 public:
  StoredErrorObj(std::string kind, std::string message, std::string backtrace,
                 TVMFFIObjectHandle cause, TVMFFIObjectHandle extra)
      : kind_(std::move(kind)), message_(std::move(message)), backtrace_(std::move(backtrace)) {
    TVMFFIErrorCell* cell = this;
    cell->kind = View(kind_);
    cell->message = View(message_);
    cell->backtrace = View(backtrace_);
    cell->update_backtrace = UpdateBacktrace;
    cell->cause_chain = cause;
    cell->extra_context = extra;
    if (cause != nullptr) detail::ObjectUnsafe::IncRefObjectHandle(cause);
    if (extra != nullptr) detail::ObjectUnsafe::IncRefObjectHandle(extra);
  }
  ~StoredErrorObj() {
    // The current ones: inline code of others may have replaced the context.
    detail::ObjectUnsafe::DecRefObjectHandle(cause_chain);
    detail::ObjectUnsafe::DecRefObjectHandle(extra_context);
  }

 private:
  static void UpdateBacktrace(TVMFFIObjectHandle self, const TVMFFIByteArray* backtrace,
                              int32_t update_mode) {
    auto* error = static_cast<StoredErrorObj*>(static_cast<Object*>(self));
    std::string text = ToString(backtrace);  // a copy: it may be the error's own text
    if (update_mode == kTVMFFIBacktraceUpdateModeReplace) {
      error->backtrace_ = std::move(text);
    } else {
      error->backtrace_ += text;
    }
    static_cast<TVMFFIErrorCell*>(error)->backtrace = View(error->backtrace_);
  }

  std::string kind_, message_, backtrace_;
};

// Owns the pending error of one thread.
struct RaisedSlot {
  TVMFFIObjectHandle error = nullptr;

  ~RaisedSlot() { Replace(nullptr); }

  void Replace(TVMFFIObjectHandle next) {
    TVMFFIObjectHandle old = error;
    error = next;  // first: the old error's destructor may raise
    if (old != nullptr) detail::ObjectUnsafe::DecRefObjectHandle(old);
  }
};

thread_local RaisedSlot raised;

TVMFFIObjectHandle MakeError(std::string kind, std::string message, std::string backtrace,
                             TVMFFIObjectHandle cause, TVMFFIObjectHandle extra) {
  return detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(make_object<StoredErrorObj>(
      std::move(kind), std::move(message), std::move(backtrace), cause, extra));
}

void RaiseHere(const char* kind, std::string message) {
  const TVMFFIByteArray* backtrace = TVMFFIBacktrace(nullptr, 0, nullptr, 0);
  raised.Replace(MakeError(kind == nullptr ? "" : kind, std::move(message), ToString(backtrace),
                           nullptr, nullptr));
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

using tvm::ffi::raised;

int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out) {
  if (out == nullptr) return -1;
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  try {
    *out = tvm::ffi::MakeError(tvm::ffi::ToString(kind), tvm::ffi::ToString(message),
                               tvm::ffi::ToString(backtrace), cause_chain, extra_context);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;  // nothing is raised: there is no memory for an error
  }
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorCreateWithCauseAndExtraContext);
}

int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                      const TVMFFIByteArray* backtrace, TVMFFIObjectHandle* out) {
  return TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, nullptr, nullptr, out);
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  if (error != nullptr && TVMFFIObjectGetTypeIndex(error) != kTVMFFIError) {
    return TVMFFIErrorSetRaisedFromCStr("TypeError",
                                        "TVMFFIErrorSetRaised: the object is no `ffi.Error`");
  }
  if (error != nullptr) tvm::ffi::detail::ObjectUnsafe::IncRefObjectHandle(error);
  raised.Replace(error);
}

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  tvm::ffi::RaiseHere(kind, message == nullptr ? "" : message);
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorSetRaisedFromCStr);
}

void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts,
                                       int32_t num_parts) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  if (message_parts == nullptr) num_parts = 0;
  size_t size = 0;
  for (int32_t i = 0; i < num_parts; ++i) {
    if (message_parts[i] != nullptr) size += std::strlen(message_parts[i]);
  }
  std::string message;
  message.reserve(size);
  for (int32_t i = 0; i < num_parts; ++i) {
    if (message_parts[i] != nullptr) message += message_parts[i];
  }
  tvm::ffi::RaiseHere(kind, std::move(message));
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorSetRaisedFromCStrParts);
}

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* out) {
  if (out == nullptr) return;  // the error stays
  *out = raised.error;
  raised.error = nullptr;
}
