"""Random programs beside a model in NumPy: tensors of all kinds, operations, evals, timeouts, rebuilds, several sequences.

VD_TEST_FULL=1 runs 10,000 of them.
"""

import os
import random

import numpy as np
import pytest
from vkdispatch import kp

from .conftest import ASKED, opened

COUNT = 10_000 if os.environ.get("VD_TEST_FULL") else 200
BATCH = 50
SIZE = 5
KINDS = [kp.MemoryTypes.device, kp.MemoryTypes.host, kp.MemoryTypes.storage]


class Model:
    """A tensor: its elements on the device, and those that data() shows."""

    def __init__(self, manager, rng):
        self.kind = rng.choice(KINDS)
        values = np.float32([rng.randrange(-3, 4) for _ in range(SIZE)])
        self.real = manager.tensor(values, self.kind)
        self.device = np.zeros(SIZE, np.float32) if self.kind is kp.MemoryTypes.device else values.copy()
        self.mirror = values.copy() if self.kind is kp.MemoryTypes.device else None

    @property
    def seen(self):
        return self.device if self.mirror is None else self.mirror

    def check(self):
        if self.kind is not kp.MemoryTypes.storage:
            assert np.array_equal(self.real.data(), self.seen, equal_nan=True)


class SyncDevice:
    def __init__(self, program):
        self.models = program.some(1)
        self.real = kp.OpSyncDevice([m.real for m in self.models])

    def run(self):
        for m in self.models:
            if m.mirror is not None:
                m.device[:] = m.mirror


class SyncLocal(SyncDevice):
    def __init__(self, program):
        self.models = program.some(1)
        self.real = kp.OpSyncLocal([m.real for m in self.models])

    def run(self):
        for m in self.models:
            if m.mirror is not None:
                m.mirror[:] = m.device


class Copy:
    def __init__(self, program):
        self.models = program.some(2)
        self.real = kp.OpCopy([m.real for m in self.models])

    def run(self):
        source, *targets = self.models
        for m in targets:
            m.device[:] = source.device
            if m.mirror is not None and source.kind is not kp.MemoryTypes.storage:
                m.mirror[:] = source.seen


class Fill:
    def __init__(self, program):
        self.model, self.value = program.rng.choice(program.tensors), program.rng.randrange(-4, 5)
        self.real = kp.OpFill(self.model.real, self.value)

    def run(self):
        self.model.device[:] = self.value


class Mult:
    def __init__(self, program):
        self.program = program
        self.algorithm = program.manager.algorithm([])
        self.models = [program.rng.choice(program.tensors) for _ in range(3)]
        self.real = kp.OpMult([m.real for m in self.models], self.algorithm)
        program.products.append(self)

    def rebuild(self):
        self.models = [self.program.rng.choice(self.program.tensors) for _ in range(3)]
        kp.OpMult([m.real for m in self.models], self.algorithm)

    def run(self):
        a, b, out = self.models
        with np.errstate(all="ignore"):
            out.device[:] = a.device * b.device


class Sequence:
    """A sequence: its operations, the first of those that run, and whether it records."""

    def __init__(self, manager):
        self.real = manager.sequence()
        self.operations, self.first, self.recording = [], 0, False

    def record(self, operation):
        if not self.recording:
            self.first, self.recording = len(self.operations), True
        self.operations.append(operation)
        self.real.record(operation.real)

    def run(self):
        self.recording = False
        for operation in self.operations[self.first :]:
            operation.run()


class Program:
    def __init__(self, manager, seed):
        self.manager, self.rng, self.products = manager, random.Random(seed), []
        self.tensors = [Model(manager, self.rng) for _ in range(self.rng.randrange(2, 6))]
        self.sequences = [Sequence(manager) for _ in range(self.rng.randrange(1, 4))]

    def some(self, fewest):
        return self.rng.sample(self.tensors, self.rng.randrange(fewest, len(self.tensors) + 1))

    def operation(self):
        return self.rng.choice([SyncDevice, SyncLocal, SyncLocal, Copy, Fill, Mult])(self)

    def step(self):
        rng, sq = self.rng, self.rng.choice(self.sequences)
        action = rng.choice(
            ["record"] * 6
            + ["eval"] * 3
            + ["async"] * 2
            + ["one", "one async", "write", "rebuild", "clear", "rerecord", "data"]
        )
        if action == "record":
            sq.record(self.operation())
        elif action == "eval":
            assert sq.real.eval() is sq.real
            sq.run()
        elif action == "async":
            sq.real.eval_async()  # which the next call of the sequence awaits
            sq.run()
        elif action in ("one", "one async"):
            operation = self.operation()
            if action == "one":
                sq.real.eval(operation.real)
            else:
                sq.real.eval_async(operation.real)
                if rng.random() < 0.5:
                    sq.real.eval_await(rng.randrange(3))
                sq.real.eval_await()
            sq.operations, sq.first = [operation], 0
            sq.run()
        elif action == "write":
            for other in self.sequences:
                other.real.eval_await()
            m = rng.choice(self.tensors)
            if m.kind is not kp.MemoryTypes.storage:
                at, value = rng.randrange(SIZE), rng.randrange(-3, 4)
                m.real.data()[at] = m.seen[at] = value
        elif action == "rebuild" and self.products:
            rng.choice(self.products).rebuild()
        elif action == "clear":
            sq.real.clear()
            sq.operations, sq.first, sq.recording = [], 0, False
        elif action == "rerecord":
            sq.real.rerecord()
            sq.first, sq.recording = 0, bool(sq.operations)
        elif action == "data":
            rng.choice(self.tensors).check()

    def run(self):
        for _ in range(self.rng.randrange(5, 40)):
            self.step()
        for sq in self.sequences:
            sq.real.eval_await()
            assert sq.real.is_recording() == sq.recording and not sq.real.is_running()
        for m in self.tensors:
            m.check()


@pytest.fixture(scope="module", params=[ASKED] if ASKED else ["vulkan", "opencl", "host"])
def shared(request):
    """One Manager for all programs, so that a kernel is compiled once."""
    made = opened(request.param)
    yield made
    made.destroy()


@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_programs_compute_what_the_model_does(shared, first):
    for seed in range(first, min(first + BATCH, COUNT)):
        try:
            Program(shared, seed).run()
        except BaseException as error:
            raise AssertionError(f"program {seed}") from error
