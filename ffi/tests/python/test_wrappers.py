# SPDX-License-Identifier: Apache-2.0
"""Wrappers come and go with every value read: their memory is used again, their state is not."""

from __future__ import annotations

import gc
import sys
import weakref

import tvm_ffi
from tvm_ffi import Object
from tvm_ffi.dataclasses import py_class


@py_class("test_wrappers.Item")
class WrappedItem(Object):
    x: int


@py_class("test_wrappers.Pair")
class WrappedPair(Object):
    first: Object
    second: Object


def test_classes_share_memory_and_nothing_else():
    pair = WrappedPair(WrappedItem(1), WrappedPair(WrappedItem(2), WrappedItem(3)))
    array = tvm_ffi.Array([pair, [1, 2], {"k": pair}])
    before = [
        sys.getrefcount(cls) for cls in (WrappedItem, WrappedPair, tvm_ffi.Array, tvm_ffi.Map)
    ]
    for _ in range(1000):
        first, second = pair.first, pair.second
        assert type(first) is WrappedItem and first.x == 1
        assert type(second) is WrappedPair and second.second.x == 3
        del first
        assert type(array[1]) is tvm_ffi.Array and array[1][1] == 2
        assert type(array[2]) is tvm_ffi.Map and array[2]["k"].first.x == 1
        assert [type(item) for item in array] == [WrappedPair, tvm_ffi.Array, tvm_ffi.Map]
    del second
    after = [sys.getrefcount(cls) for cls in (WrappedItem, WrappedPair, tvm_ffi.Array, tvm_ffi.Map)]
    assert after == before


def test_many_at_once():
    pair = WrappedPair(WrappedItem(1), WrappedItem(2))
    for count in (1, 31, 32, 33, 500):
        kept = [pair.first for _ in range(count)]
        assert len({id(item) for item in kept}) == count
        assert all(item.x == 1 and item.same_as(kept[0]) for item in kept)


def test_weak_references_end_with_their_wrapper():
    pair = WrappedPair(WrappedItem(1), WrappedItem(2))
    ended = []
    for _ in range(100):
        item = pair.first
        ref = weakref.ref(item, ended.append)
        del item
        again = pair.second
        assert ref() is None and weakref.getweakrefcount(again) == 0
        assert again.x == 2
    assert len(ended) == 100


def test_finalizers_are_called_each_time():
    ended = []

    @py_class("test_wrappers.Finalized")
    class Finalized(Object):
        x: int

        def __del__(self):
            ended.append(self.x)

    pair = WrappedPair(Finalized(5), WrappedItem(2))
    assert ended == [5]
    for _ in range(50):
        assert pair.first.x == 5
    assert ended == [5] * 51


def test_a_finalizer_may_come_later():
    @py_class("test_wrappers.Later")
    class Later(Object):
        x: int

    pair = WrappedPair(Later(5), WrappedItem(2))
    for _ in range(50):
        assert pair.first.x == 5
    ended = []
    item = pair.first
    Later.__del__ = lambda self: ended.append(self.x)
    del item
    assert pair.first.x == 5
    assert ended == [5, 5]
    del Later.__del__
    assert pair.first.x == 5 and len(ended) == 2


def test_slots_and_dicts_of_subclasses_start_empty():
    @py_class("test_wrappers.Slotted", slots=False)
    class Slotted(Object):
        __slots__ = ("note",)
        x: int

    @py_class("test_wrappers.Open")
    class Open(Object):
        __slots__ = ("__dict__",)
        x: int

    pair = WrappedPair(Slotted(1), Open(2))
    for _ in range(50):
        for item in (pair.first, pair.second):
            assert not hasattr(item, "note")
            item.note = [item.x]
            assert item.note == [item.x]


def test_garbage_with_wrappers_is_collected():
    ref = None
    for _ in range(100):
        holder = []
        function = tvm_ffi.convert(lambda holder=holder: holder)
        holder.append(tvm_ffi.Array([function, WrappedItem(1)]))
        ref = weakref.ref(holder[0])
        del holder, function
    gc.collect()
    assert ref() is None
