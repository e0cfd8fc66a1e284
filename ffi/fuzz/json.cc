// SPDX-License-Identifier: Apache-2.0
/*!
 * \file json.cc
 * \brief JSON text: parsing any bytes ends in a value or a ValueError, and what the writer writes
 * parses back to the same text.
 */
#include <tvm/ffi/extra/json.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tvm::ffi;
  const String text(reinterpret_cast<const char*>(data), size);
  String message;
  const Any value = json::Parse(text, &message);
  fuzz::Require(fuzz::Succeeds([&] { json::Parse(text); }) == message.empty(),
                "both forms of json::Parse agree");
  if (!message.empty()) {
    fuzz::Require(value == nullptr, "no value comes with an error");
    return 0;
  }
  const String written = json::Stringify(value);
  const String again = json::Stringify(json::Parse(written));
  fuzz::Require(written == again, "written JSON parses back to itself");
  json::Stringify(json::Parse(json::Stringify(value, 2)), -1);
  return 0;
}
