# SPDX-License-Identifier: Apache-2.0
"""Maps, dicts, arrays and lists that two sides change in turns.

One side is the extension: inline code of this project's headers. The other is the runtime under
test. A third, in plain Python, says what content and order must be. Random steps insert, overwrite
and delete; after each round both sides and the model must agree.
"""

from __future__ import annotations

import random

import tvm_ffi
from harness import EXTENSION, finish

module = tvm_ffi.load_module(str(EXTENSION))
SET, ERASE, CLEAR, APPEND, INSERT, POP = range(6)
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000, 5000)
LARGE = 100_000


def function(name: str) -> tvm_ffi.Function:
    return tvm_ffi.get_global_func(f"third_party.{name}")


class OrderModel:
    """Insertion order. An overwritten pair keeps its place while the table is small, then moves to
    the end; a table with four pairs grows at the next insertion, whatever its key."""

    def __init__(self) -> None:
        self.pairs: dict = {}
        self.dense = False

    def set(self, key: object, value: object) -> None:
        self.dense = self.dense or len(self.pairs) == 4
        if self.dense:
            self.pairs.pop(key, None)
        self.pairs[key] = value

    def erase(self, key: object) -> None:
        self.pairs.pop(key, None)

    def clear(self) -> None:
        self.pairs.clear()


def make_key(rng: random.Random, count: int) -> object:
    number = rng.randrange(max(1, count))
    kind = number % 5
    if kind == 0:
        return number - count // 2
    if kind == 1:
        return f"{number}"  # up to seven bytes: inside the value
    if kind == 2:
        return f"a key of more bytes {number}"
    if kind == 3:
        return f"{number}".encode() * (1 + number % 3)
    return float(number) + 0.5  # no integer: Python would take both for the same key


def map_steps(rng: random.Random, model: OrderModel, count: int, amount: int) -> list:
    """Random steps, already made on the model. Keys repeat often enough to overwrite."""
    steps: list = []
    for _ in range(amount):
        kind = rng.random()
        if kind < 0.62 or not model.pairs:
            key, value = make_key(rng, count), rng.randrange(1 << 40)
            model.set(key, value)
            steps += [SET, key, value]
        elif kind < 0.9999:
            key = make_key(rng, count)
            model.erase(key)
            steps += [ERASE, key]
        else:
            model.clear()
            steps += [CLEAR]
    return steps


def change_dict(target: tvm_ffi.Dict, steps: list) -> None:
    """The steps, made by the runtime."""
    i = 0
    while i < len(steps):
        if steps[i] == SET:
            target[steps[i + 1]] = steps[i + 2]
            i += 3
        elif steps[i] == ERASE:
            if steps[i + 1] in target:
                del target[steps[i + 1]]
            i += 2
        else:
            target.clear()
            i += 1


def flat(pairs) -> list:
    return [part for pair in pairs for part in pair]


def check_map(kind: str, target: tvm_ffi.Map | tvm_ffi.Dict, model: OrderModel, count: int) -> None:
    want = flat(model.pairs.items())
    assert len(target) == len(model.pairs)
    assert flat(target.items()) == want
    assert list(function(f"{kind}_pairs")(target)) == want
    backwards = flat(reversed(list(model.pairs.items())))
    assert list(function(f"{kind}_pairs_backwards")(target)) == backwards
    probe = random.Random(count)
    keys = [make_key(probe, 2 * count) for _ in range(min(2000, 2 * count))]
    found = [model.pairs.get(key) for key in keys]
    assert list(function(f"{kind}_lookup")(target, keys)) == found
    assert [target.get(key) for key in keys] == found


def check_dicts(count: int, rounds: int) -> None:
    for maker in (tvm_ffi.Dict, function("new_dict")):
        rng = random.Random(count)
        target = maker({}) if maker is tvm_ffi.Dict else maker()
        model = OrderModel()
        for round_number in range(rounds):
            steps = map_steps(rng, model, count, 1 + 2 * count // rounds)
            if round_number % 2 == (maker is tvm_ffi.Dict):
                function("dict_change")(target, steps)
            else:
                change_dict(target, steps)
            check_map("dict", target, model, count)


def check_maps(count: int, rounds: int) -> None:
    rng = random.Random(count)
    model = OrderModel()
    start = {make_key(rng, count): i for i in range(count // 2)}
    for key, value in start.items():
        model.set(key, value)
    target = tvm_ffi.Map(start)
    check_map("map", target, model, count)
    for _ in range(rounds):
        before, pairs = target, flat(target.items())
        target = function("map_changed")(before, map_steps(rng, model, count, 1 + count // 3))
        check_map("map", target, model, count)
        assert flat(before.items()) == pairs, "a shared map changed"
    # A map that one side made is the beginning of one that the other makes.
    again = OrderModel()
    for key, value in model.pairs.items():
        again.set(key, value)
    check_map("map", tvm_ffi.Map(dict(target.items())), again, count)
    made = function("map_changed")(
        function("new_map")(), flat((SET, *pair) for pair in target.items())
    )
    check_map("map", made, again, count)


def sequence_steps(rng: random.Random, model: list, count: int, amount: int) -> list:
    steps: list = []
    for _ in range(amount):
        kind = rng.random()
        value = rng.choice([rng.randrange(1 << 40), "text", "a longer text", 0.5])
        place = rng.randrange(max(1, len(model)))
        if kind < 0.5 or not model:
            model.append(value)
            steps += [APPEND, value]
        elif kind < 0.65:
            model.insert(place, value)
            steps += [INSERT, place, value]
        elif kind < 0.8:
            model[place] = value
            steps += [SET, place, value]
        elif kind < 0.9:
            del model[place]
            steps += [ERASE, place]
        elif kind < 0.9995:
            model.pop()
            steps += [POP]
        else:
            model.clear()
            steps += [CLEAR]
    return steps


def change_list(target: tvm_ffi.List, steps: list) -> None:
    i = 0
    while i < len(steps):
        if steps[i] == SET:
            target[steps[i + 1]] = steps[i + 2]
            i += 3
        elif steps[i] == ERASE:
            del target[steps[i + 1]]
            i += 2
        elif steps[i] == APPEND:
            target.append(steps[i + 1])
            i += 2
        elif steps[i] == INSERT:
            target.insert(steps[i + 1], steps[i + 2])
            i += 3
        elif steps[i] == POP:
            target.pop()
            i += 1
        else:
            target.clear()
            i += 1


def check_sequences(count: int, rounds: int) -> None:
    amount = 1 + 2 * count // rounds
    for maker in (tvm_ffi.List, function("new_list")):
        rng = random.Random(count)
        target = maker([]) if maker is tvm_ffi.List else maker()
        model: list = []
        for round_number in range(rounds):
            steps = sequence_steps(rng, model, count, amount)
            if round_number % 2 == (maker is tvm_ffi.List):
                function("list_change")(target, steps)
            else:
                change_list(target, steps)
            assert list(target) == model
    rng = random.Random(count)
    model = list(range(count))
    array = tvm_ffi.Array(model)
    for _ in range(rounds):
        before, items = array, list(array)
        array = function("array_changed")(before, sequence_steps(rng, model, count, amount))
        assert list(array) == model
        assert list(before) == items, "a shared array changed"


def check_large() -> None:
    """100,000 entries, made by one side, changed by the other."""
    rng = random.Random(LARGE)
    values = {make_key(rng, 4 * LARGE): i for i in range(3 * LARGE)}
    values = dict(list(values.items())[:LARGE])
    assert len(values) == LARGE
    model = OrderModel()
    for key, value in values.items():
        model.set(key, value)
    steps = flat((SET, key, value) for key, value in values.items())
    by_runtime = tvm_ffi.Dict(values)
    by_extension = function("new_dict")()
    function("dict_change")(by_extension, steps)
    check_map("dict", by_runtime, model, LARGE)
    check_map("dict", by_extension, model, LARGE)
    check_map("map", function("map_changed")(function("new_map")(), steps), model, LARGE)
    check_map("map", tvm_ffi.Map(values), model, LARGE)
    more = map_steps(rng, model, 4 * LARGE, LARGE // 2)
    function("dict_change")(by_runtime, more)
    change_dict(by_extension, more)
    check_map("dict", by_runtime, model, LARGE)
    check_map("dict", by_extension, model, LARGE)
    items = list(range(LARGE))
    assert list(tvm_ffi.Array(items)) == items
    made = function("new_list")()
    function("list_change")(made, flat((APPEND, item) for item in items))
    assert list(made) == items


for size in SIZES:
    check_dicts(size, 8)
    check_maps(size, 4)
    check_sequences(size, 6)
check_large()
finish()
