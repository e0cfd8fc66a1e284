# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments to the global functions: the kind of error, and the beginning of its text."""

from __future__ import annotations

import tvm_ffi
import tvm_ffi.testing

get = tvm_ffi.get_global_func
missing = get("ffi.GetInvalidObject")()
array, table = tvm_ffi.Array([1, 2]), tvm_ffi.Map({"a": 1})
items, entries = tvm_ffi.List([1, 2]), tvm_ffi.Dict({"a": 1})

CALLS = [
    ("ffi.ArrayGetItem", array, 2),
    ("ffi.ArrayGetItem", array, -1),
    ("ffi.ArrayGetItem", items, 0),
    ("ffi.ArrayGetItem", None, 0),
    ("ffi.ArrayGetItem", array, "0"),
    ("ffi.ArraySize", table),
    ("ffi.ListGetItem", items, 5),
    ("ffi.ListSetItem", items, 5, 1),
    ("ffi.ListSetItem", items, -1, 1),
    ("ffi.ListInsert", items, 7, 1),
    ("ffi.ListPop", tvm_ffi.List([]), 0),
    ("ffi.ListErase", items, 9),
    ("ffi.ListEraseRange", items, 1, 0),
    ("ffi.ListEraseRange", items, 0, 9),
    ("ffi.ListReplaceSlice", items, 2, 1, items),
    ("ffi.Map", 1),
    ("ffi.Dict", 1, 2, 3),
    ("ffi.MapGetItem", table, "b"),
    ("ffi.MapGetItem", entries, "a"),
    ("ffi.DictGetItem", entries, "b"),
    ("ffi.DictErase", entries, "nothing"),
    ("ffi.Shape", 1, "x"),
    ("ffi.Shape", 1.5),
    ("ffi.String", 1),
    ("ffi.Bytes", "x"),
    ("ffi.GetGlobalFuncMetadata", "no.such.function"),
    ("ffi.FunctionRemoveGlobal", "no.such.function"),
    ("ffi.MakeObjectFromPackedArgs", "no.such.type"),
    ("ffi.MakeObjectFromPackedArgs", "ffi.Object", "x", 1),
    ("ffi.MakeObjectFromPackedArgs", "ffi.Function"),
    ("ffi.MakeObjectFromPackedArgs", "testing.TestIntPair"),
    ("ffi.MakeObjectFromPackedArgs", "testing.TestIntPair", "a", "x", "b", 1),
    ("ffi.MakeObjectFromPackedArgs", "testing.TestIntPair", "a", 1, "b", 1, "c", 1),
    ("ffi.MakeFieldGetter", 20),
    ("ffi.StructuralEqual", array, array),
    ("ffi.StructuralEqual", missing, missing, False, False),
    ("ffi.StructuralHash", missing, False, False),
    ("ffi.StructuralHash", get("ffi.Map"), False, False),
    ("ffi.StructuralKey", missing),
    ("ffi.StructuralWalk", array, 1, array, 0),
    ("ffi.StructuralWalk", array, tvm_ffi.Array([1]), array, 0),
    ("ffi.StructuralVisit", array, tvm_ffi.Array([(1, 2)])),
    ("ffi.StructuralMap", array, tvm_ffi.Array([(1,)]), tvm_ffi.Array([]), 0),
    ("ffi.StructuralMap", get("ffi.Map"), tvm_ffi.Array([]), tvm_ffi.Array([]), 0),
    ("ffi.StructuralMap", tvm_ffi.Shape((1,)), tvm_ffi.Array([]), tvm_ffi.Array([]), 0),
    ("ffi.DeepCopy", get("ffi.Map")),
    ("ffi.RecursiveLt", 1, "a"),
    ("ffi.RecursiveLt", None, 1),
    ("ffi.RecursiveLt", table, tvm_ffi.Map({"b": 1})),
    ("ffi.RecursiveLt", float("nan"), 1.0),
    ("ffi.ToJSONGraph", get("ffi.Map"), None),
    ("ffi.FromJSONGraph", None),
    ("ffi.FromJSONGraph", array),
    ("ffi.FromJSONGraph", table),
    ("ffi.FromJSONGraphString", "{"),
    ("ffi.FromJSONGraphString", '{"root_index": 1, "nodes": []}'),
    ("ffi.FromJSONGraphString", '{"root_index": "0", "nodes": []}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": {}}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [1]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "no.such.type"}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "int"}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "int", "data": "1"}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "ffi.Map", "data": [0]}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "Device", "data": [1]}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "DataType", "data": "x"}]}'),
    ("ffi.FromJSONGraphString", '{"root_index": 0, "nodes": [{"type": "ffi.Array", "data": [7]}]}'),
    ("ffi.json.Parse", 1),
    ("ffi.json.Stringify", get("ffi.Map"), None),
    ("ffi.json.Stringify", tvm_ffi.Map({1: 1}), None),
    ("ffi.ModuleLoadFromFile", "noformat"),
    ("ffi.ModuleLoadFromFile", "a.nothing"),
    ("ffi.ModuleGetKind", array),
    ("ffi.SystemLib", 1),
    ("ffi.ModuleImportModule", get("ffi.SystemLib")(), array),
    ("ffi.ModuleImportModule", get("ffi.SystemLib")(), get("ffi.SystemLib")()),
    ("ffi.ModuleWriteToFile", get("ffi.SystemLib")(), "a", "b"),
    ("ffi.VisitErrorContext.FindAccessPaths", array, array, True),
    ("testing.test_raise_error", "KeyError", "text"),
]

for number, (name, *arguments) in enumerate(CALLS):
    try:
        outcome = repr(get(name)(*arguments))
    except Exception as error:
        # Texts are for people, so one side may say more; they begin alike.
        text = str(error).splitlines()[:1] or [""]
        outcome = f"{type(error).__name__}: {text[0][:40]}"
        if "(it != type_key" in outcome or outcome.startswith("RuntimeError: Cannot find type"):
            outcome = "RuntimeError: unknown type"  # a sentence here, a failed check there
        if "copy_fn" in outcome or outcome.startswith("RuntimeError: Cannot deep copy"):
            outcome = "RuntimeError: no deep copy"  # the same
    print(f"{number} {name} with {len(arguments)} -> {outcome}")
