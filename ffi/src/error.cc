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
#include <string_view>
#include <utility>

#include "thread_owned.h"

namespace tvm {
namespace ffi {
namespace {

std::string_view ViewOf(const TVMFFIByteArray* text) {
  return text == nullptr || text->data == nullptr ? std::string_view()
                                                  : std::string_view(text->data, text->size);
}

// Its three texts follow the object, so that an error is one block of memory.
class StoredErrorObj : public ErrorObj {
 public:
  StoredErrorObj(std::string_view kind, std::string_view message, std::string_view backtrace,
                 TVMFFIObjectHandle cause, TVMFFIObjectHandle extra) {
    TVMFFIErrorCell* cell = this;
    char* room = reinterpret_cast<char*>(this + 1);
    cell->kind = Store(kind, &room);
    cell->message = Store(message, &room);
    cell->backtrace = Store(backtrace, &room);
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
  // With a NUL behind it, which std::exception::what needs.
  static TVMFFIByteArray Store(std::string_view text, char** room) {
    TVMFFIByteArray stored = {*room, text.size()};
    if (!text.empty()) std::memcpy(*room, text.data(), text.size());
    (*room)[text.size()] = '\0';
    *room += text.size() + 1;
    return stored;
  }
  static void UpdateBacktrace(TVMFFIObjectHandle self, const TVMFFIByteArray* backtrace,
                              int32_t update_mode) {
    auto* error = static_cast<StoredErrorObj*>(static_cast<Object*>(self));
    TVMFFIByteArray& current = static_cast<TVMFFIErrorCell*>(error)->backtrace;
    std::string text;  // apart: `backtrace` may be the error's own text
    if (update_mode != kTVMFFIBacktraceUpdateModeReplace) text = ViewOf(&current);
    text += ViewOf(backtrace);
    error->updated_backtrace_ = std::move(text);
    current = {error->updated_backtrace_.data(), error->updated_backtrace_.size()};
  }

  std::string updated_backtrace_;
};

// Owns the pending error of one thread. No destructor: see CallAtThreadEnd.
struct RaisedSlot {
  TVMFFIObjectHandle error;
  bool ends;  // whether End will be called

  void Replace(TVMFFIObjectHandle next) {
    TVMFFIObjectHandle old = error;
    error = next;  // first: the old error's destructor may raise
    if (next != nullptr && !ends) {
      ends = true;
      CallAtThreadEnd<&End>(this);
    }
    if (old != nullptr) detail::ObjectUnsafe::DecRefObjectHandle(old);
  }
  static void End(void* self) {
    auto* slot = static_cast<RaisedSlot*>(self);
    slot->ends = false;
    slot->Replace(nullptr);
  }
};

thread_local RaisedSlot raised = {nullptr, false};

TVMFFIObjectHandle MakeError(std::string_view kind, std::string_view message,
                             std::string_view backtrace, TVMFFIObjectHandle cause,
                             TVMFFIObjectHandle extra) {
  return detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      make_inplace_array_object<StoredErrorObj, char>(
          kind.size() + message.size() + backtrace.size() + 3, kind, message, backtrace, cause,
          extra));
}

void RaiseHere(const char* kind, std::string_view message) {
  const TVMFFIByteArray* backtrace = TVMFFIBacktrace(nullptr, 0, nullptr, 0);
  raised.Replace(
      MakeError(kind == nullptr ? "" : kind, message, ViewOf(backtrace), nullptr, nullptr));
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
    *out = tvm::ffi::MakeError(tvm::ffi::ViewOf(kind), tvm::ffi::ViewOf(message),
                               tvm::ffi::ViewOf(backtrace), cause_chain, extra_context);
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
  tvm::ffi::RaiseHere(kind, message);
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorSetRaisedFromCStrParts);
}

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* out) {
  if (out == nullptr) return;  // the error stays
  *out = raised.error;
  raised.error = nullptr;
}
