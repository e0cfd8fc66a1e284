// SPDX-License-Identifier: Apache-2.0
/*!
 * \file json_graph.cc
 * \brief Graphs as JSON text: any text ends in a value or an Error, and a loaded value can be
 * saved, loaded, printed and hashed.
 */
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tvm::ffi;
  fuzz::Succeeds([&] {
    const Any value = FromJSONGraph(json::Parse(String(reinterpret_cast<const char*>(data), size)));
    ReprPrint(value);
    RecursiveHash(value);
    const String saved = json::Stringify(ToJSONGraph(value));
    // Not equal texts: equal strings of two nodes become one.
    const Any again = FromJSONGraph(json::Parse(saved));
    fuzz::Require(json::Stringify(ToJSONGraph(again)) == saved, "a saved graph loads to itself");
  });
  return 0;
}
