# SPDX-License-Identifier: Apache-2.0
"""A wrapper never holds an object that the methods of its class are not written for."""

from __future__ import annotations

import pickle

import pytest
import tvm_ffi
from tvm_ffi import core


def test_a_state_of_another_type_is_refused():
    empty = core.Function.__new__(core.Function)
    with pytest.raises(
        TypeError, match=r"the pickled state holds an object of type `ffi\.Array`, which is no "
    ):
        empty.__setstate__(tvm_ffi.Array([1]).__getstate__())
    with pytest.raises(ValueError):
        empty(1)
    with pytest.raises(TypeError, match=r"`ffi\.Array`"):
        tvm_ffi.Map.__new__(tvm_ffi.Map).__setstate__(tvm_ffi.Array([1]).__getstate__())


def test_a_tampered_pickle_is_refused():
    class Forged:
        def __reduce__(self):
            return core._new_object, (core.Function,), tvm_ffi.Array([1]).__getstate__()

    with pytest.raises(TypeError, match=r"`ffi\.Array`"):
        pickle.loads(pickle.dumps(Forged()))


def test_a_moved_object_of_another_type_is_refused_and_stays():
    numbers = tvm_ffi.Array([1, 2])
    empty = core.Function.__new__(core.Function)
    with pytest.raises(TypeError, match=r"the other wrapper holds an object of type `ffi\.Array`"):
        empty.__move_handle_from__(numbers)
    assert list(numbers) == [1, 2]


def test_base_classes_and_subclasses_take_what_fits():
    class Numbers(tvm_ffi.Array):
        pass

    for cls in (tvm_ffi.Array, Numbers, tvm_ffi.Object):
        made = core._new_object(cls)
        made.__setstate__(tvm_ffi.Array([1, 2]).__getstate__())
        assert tvm_ffi.structural_equal(made, tvm_ffi.Array([1, 2]))
