"""Random programs in fft_context beside the same done by NumPy to whole lines, in which no order can be wrong: one that comes
out otherwise was warned of, and one that brings its registers back where it must is not."""

import random as chance
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c64, f32

from .transformed import random

CASES = [((2, 60), None), ((3, 12), 4), ((2, 64), 8), ((2, 7), None), ((2, 48), 4)]
#: Steps that go by the place of an element, or of either order, and the order that they take.
STEPS = {
    "read": None, "load": None, "execute": "in", "gain": "in", "cut": "in", "scale": None, "double": None, "keep": None,
    "combine": "kept", "write": "out", "store": "in",
}  # fmt: skip


class Played:
    """Steps written into a kernel and done by NumPy."""

    def __init__(self, steps, shape, registers):
        self.data, self.gains = random(*shape), np.linspace(0.5, 1.5, shape[-1], dtype=np.float32)
        self.line, self.kept, self.expected = self.data, np.zeros_like(self.data), []
        outputs = sum(step in ("write", "store") for step in steps)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with vd.fft.fft_context(shape, max_register_count=registers) as self.ctx:
                types = [Buff[c64], Buff[f32], *[Buff[c64]] * outputs]
                self.source, self.factors, *self.outputs = self.ctx.declare_shader_args(types)
                self.other = self.ctx.allocate_registers("other")
                for step in steps:
                    getattr(self, f"_{step}")()
        self.said = [str(warning.message) for warning in said]

    def is_right(self):
        buffers = [vd.Buffer(self.data.shape, vd.complex64) for _ in self.outputs]
        self.ctx.get_callable()(vd.asbuffer(self.data), vd.asbuffer(self.gains), *buffers)
        found = zip(buffers, self.expected, strict=True)
        return all(abs(buffer.read(0) - line).max() <= 1e-4 * abs(line).max() for buffer, line in found)

    def _read(self):
        for op in self.ctx.reads_iter():
            op.read_from_buffer(self.source)
        self.line = self.data

    def _load(self):
        for op in self.ctx.reads_iter():
            op.register[:] = self.source[op.io_index]
        self.line = self.data

    def _execute(self):
        self.ctx.execute()
        self.line = np.fft.fft(self.line)

    def _shuffle(self):
        self.ctx.register_shuffle()

    def _gain(self):
        for op in self.ctx.reads_iter():
            op.register[:] = op.register * self.factors[op.fft_index]
        self.line = self.line * self.gains

    def _cut(self):
        for op in self.ctx.reads_iter():
            with vc.if_block(op.fft_index >= 5):
                op.register[:] = 0
        self.line = np.where(np.arange(self.line.shape[1]) < 5, self.line, 0)

    def _scale(self):
        self.ctx.registers.normalize()
        self.line = self.line / self.line.shape[1]

    def _double(self):
        for op in self.ctx.reads_iter():
            op.register *= 2
        self.line = self.line * 2

    def _keep(self):
        self.other.read_from_registers(self.ctx.registers)
        self.kept = self.line

    def _combine(self):
        for i in range(self.other.count):
            self.ctx.registers[i] = self.ctx.registers[i] + self.other[i] * 0.5
        self.line = self.line + self.kept * 0.5

    def _write(self):
        for op in self.ctx.writes_iter():
            op.write_to_buffer(self.outputs[len(self.expected)])
        self.expected.append(self.line)

    def _store(self):
        output = self.outputs[len(self.expected)]
        for op in self.ctx.reads_iter():
            output[op.io_index] = op.register
        self.expected.append(self.line)


@pytest.mark.parametrize("seed", range(4))
def test_what_comes_out_wrong_was_warned_of(host, seed):
    draw = chance.Random(seed)
    wrong = 0
    for _ in range(15):
        steps = ["read", *draw.choices([*STEPS, "shuffle"], k=draw.randint(1, 6)), draw.choice(["write", "store"])]
        shape, registers = draw.choice(CASES)
        played = Played(steps, shape, registers)
        right = played.is_right()
        wrong += not right
        assert right or played.said, (steps, shape, registers)
    assert wrong


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_said_of_programs_that_mind_the_order(host, seed):
    draw = chance.Random(seed)
    for _ in range(15):
        steps, now, kept = ["read"], "in", None
        for step in [*draw.choices(list(STEPS), k=draw.randint(2, 8)), "write", "store"]:
            wanted = STEPS[step]
            if wanted == "kept":
                wanted = kept
            if wanted == "out" and now == "in":
                steps.append("execute")
                now = "out"
            elif wanted == "in" and now == "out":
                steps.append("shuffle")
                now = "in"
            steps.append(step)
            now = {"read": "in", "load": "in", "execute": "out"}.get(step, now)
            kept = now if step == "keep" else kept
        shape, registers = draw.choice(CASES)
        played = Played(steps, shape, registers)
        assert not played.said and played.is_right(), (steps, shape, registers)
