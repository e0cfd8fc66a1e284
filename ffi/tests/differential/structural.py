# SPDX-License-Identifier: Apache-2.0
"""Structural algorithms over random graphs with sharing, variables and definition regions."""

from __future__ import annotations

import random
from typing import Any

import tvm_ffi
from tvm_ffi import Object
from tvm_ffi.dataclasses import field, py_class

get = tvm_ffi.get_global_func
show, equal, hash_of = get("ffi.ReprPrint"), get("ffi.StructuralEqual"), get("ffi.StructuralHash")
mismatch, walk, map_values = (
    get("ffi.GetFirstStructuralMismatch"),
    get("ffi.StructuralWalk"),
    get("ffi.StructuralMap"),
)
mutate, deep_copy = get("ffi.StructuralMutate"), get("ffi.DeepCopy")
Array, List, Map, Dict = tvm_ffi.Array, tvm_ffi.List, tvm_ffi.Map, tvm_ffi.Dict


@py_class(type_key="kiln.diff.Tree", structural_eq="tree")
class Tree(Object):
    a: Any
    b: Any = 1


@py_class(type_key="kiln.diff.Var", structural_eq="var")
class Var(Object):
    name: str = field(structural_eq="ignore")
    ty: Any = None


@py_class(type_key="kiln.diff.Dag", structural_eq="dag")
class Dag(Object):
    a: Any


@py_class(type_key="kiln.diff.Const", structural_eq="const-tree")
class Const(Object):
    a: Any


@py_class(type_key="kiln.diff.Fn", structural_eq="tree")
class Fn(Object):
    params: Any = field(structural_eq="def-pattern")
    body: Any


@py_class(type_key="kiln.diff.Fn2", structural_eq="tree")
class Fn2(Object):
    params: Any = field(structural_eq="def-simple")
    body: Any


def attempt(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def build(rng: random.Random, depth: int, pool: list[Any]) -> Any:
    """A random value; now and then one that was made before."""
    if pool and rng.random() < 0.25:
        return rng.choice(pool)
    if depth == 0:
        return rng.choice(
            [None, True, 3, 2.5, "ab", "a longer text", b"xy", tvm_ffi.Shape((1, 2)), 2**70]
        )
    value = grow(rng, depth - 1, pool)
    pool.append(value)
    return value


def grow(rng: random.Random, depth: int, pool: list[Any]) -> Any:
    kind = rng.randrange(10)
    if kind < 2:
        return (Array, List)[kind]([build(rng, depth, pool) for _ in range(rng.randrange(4))])
    if kind < 4:
        keys = [
            rng.choice([rng.randrange(9), "k" + str(rng.randrange(9)), b"k", 1.5])
            for _ in range(rng.randrange(7))
        ]
        variables = [v for v in pool if isinstance(v, Var)]
        if variables and rng.random() < 0.3:
            keys.append(rng.choice(variables))
        return (Map, Dict)[kind - 2]({key: build(rng, depth, pool) for key in keys})
    if kind == 4:
        return Var("v" + str(len(pool)), build(rng, min(depth, 1), pool))
    if kind == 5:
        return Dag(build(rng, depth, pool))
    if kind == 6:
        return Const(build(rng, depth, pool))
    return (Tree, Fn, Fn2)[kind - 7](build(rng, depth, pool), build(rng, depth, pool))


def has_free_variables(value: Any) -> bool:
    """Hashes of free variables are addresses, which differ from run to run."""
    return "kiln.diff.Var" in show(value)


for seed in range(150):
    rng = random.Random(seed)
    a = build(rng, 5, [])
    b = build(random.Random(seed), 5, [])
    c = build(random.Random(seed + 1), 5, [])
    print(seed, show(a)[:200])
    print(
        " equal",
        [
            attempt(equal, x, y, m, False)
            for m in (False, True)
            for x, y in ((a, b), (a, c), (a, a))
        ],
    )
    for x, y in ((a, b), (a, c)):
        paths = attempt(mismatch, x, y, seed % 2 == 0, False)
        print(
            " paths",
            paths if isinstance(paths, str) or paths is None else [str(p)[:200] for p in paths],
        )
    print(
        " hash",
        attempt(hash_of, a, True, False)
        if has_free_variables(a)
        else attempt(hash_of, a, False, False),
    )
    for order in (0, 1):
        met: list[Any] = []
        walk(a, [], [(-1, lambda v, kind, met=met: met.append((show(v)[:40], int(kind))))], order)
        print(" walk", met)
        changed = attempt(map_values, a, [(1, lambda v: v + 1)], [], order)
        print(" map", show(changed)[:400] if not isinstance(changed, str) else changed)
        changed = attempt(
            map_values,
            a,
            [(Var.__tvm_ffi_type_info__.type_index, lambda v: Var(v.name + "'"))],
            [],
            order,
        )
        print(" map", show(changed)[:400] if not isinstance(changed, str) else changed)
    changed = attempt(mutate, a, [(1, lambda v, m: v + 1, False)])
    print(" mutate", show(changed)[:400] if not isinstance(changed, str) else changed)
    copy = attempt(deep_copy, a)
    print(
        " copy",
        copy
        if isinstance(copy, str)
        else (show(copy) == show(a), attempt(equal, a, copy, True, False)),
    )
