# SPDX-License-Identifier: Apache-2.0
"""``core.String``: text whose characters lie in the native string that it came from."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import sys
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import core

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
use_count = tvm_ffi.get_global_func("testing.object_use_count")
TEXT = "text of more than seven bytes"


def native_text(value=TEXT):
    text = echo(value)
    assert type(text) is core.String
    return text


@pytest.mark.parametrize(
    "value", [TEXT, "x" * 8, "y" * 100_000, "not ASCII: \u00e9\u4e2d\U0001f600"]
)
def test_it_is_a_str(value):
    text = native_text(value)
    assert text == value and value == text and hash(text) == hash(value)
    assert {value: 1}[text] == 1 and {text: 1}[value] == 1
    assert len(text) == len(value) and text[1:-1] == value[1:-1] and text.upper() == value.upper()
    assert text.encode() == value.encode() and f"{text}!" == value + "!" and text * 2 == value * 2
    assert json.loads(json.dumps(text)) == value and sys.getsizeof(text) > 0
    for other in (str(text), pickle.loads(pickle.dumps(text)), copy.copy(text), "".join([text])):
        assert other == value
    joined = text
    joined += " and more"
    assert joined == value + " and more" and text == value
    assert getattr(type("Named", (), {text: 3}), value) == 3
    assert int(native_text("12345678901")) == 12345678901


def test_it_outlives_what_it_came_from():
    array = tvm_ffi.Array([TEXT])
    text = array[0]
    del array
    kept = [native_text(f"text number {i}") for i in range(1000)]
    assert text == TEXT and kept[999] == "text number 999"
    plain = str(text)
    del text
    assert plain == TEXT


def test_another_native_string_may_be_attached():
    text = native_text()
    first = text._tvm_ffi_cached_object
    assert use_count(first) == 2
    text._tvm_ffi_cached_object = first
    assert use_count(first) == 2 and text == TEXT
    other = native_text("something else that is long")._tvm_ffi_cached_object
    text._tvm_ffi_cached_object = other
    assert (use_count(first), use_count(other)) == (2, 2) and text == TEXT
    text._tvm_ffi_cached_object = first
    assert (use_count(first), use_count(other)) == (2, 1)
    text._tvm_ffi_cached_object = None
    assert text._tvm_ffi_cached_object is None and use_count(first) == 2
    text._tvm_ffi_cached_object = first
    assert use_count(first) == 2
    text._tvm_ffi_cached_object = None
    del text
    assert use_count(first) == 1
    text = core.String("made in Python")
    text._tvm_ffi_cached_object = first
    assert use_count(first) == 2 and text == "made in Python"
    del text
    assert use_count(first) == 1
