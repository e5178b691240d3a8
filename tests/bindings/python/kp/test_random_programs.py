"""Programs drawn at random, beside a model in NumPy: tensors and images of all kinds, operations, evals, timeouts, rebuilds.

A program that fails tells its number and its steps. VD_TEST_PROGRAM=number runs that one alone, VD_TEST_STEPS=count its first
steps.
"""

import asyncio
import os
import time

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32, u32
from vkdispatch.kp.operations import OpRecordVd

from . import sequence_model as model
from .conftest import ASKED, BACKENDS, opened
from .shaders import spirv

FULL = bool(os.environ.get("VD_TEST_FULL"))
SEED = int(os.environ.get("VD_TEST_SEED", "20260131"))
ONE = os.environ.get("VD_TEST_PROGRAM")
STEPS = int(os.environ.get("VD_TEST_STEPS", "1000"))
SIZES = (1, 3, 64, 260)
EXTENTS = {1: (1, 1, 1), 64: (4, 8, 2), 260: (13, 5, 4)}
COMPUTED = ("float32", "int32", "uint32")
DTYPES = (*COMPUTED, "float64", "bool", "int8", "uint8", "int16", "uint16", "int64", "uint64", "float16", "complex64")


def traced(kind):
    @vd.shader("out.size")
    def affine(out: Buff[kind], x: Buff[kind], a: Const[kind], b: Const[kind]):
        i = vc.global_invocation_id().x
        out[i] = x[i] * a + b

    @vd.shader("out.size")
    def blend(out: Buff[kind], x: Buff[kind], a: Const[kind], b: Const[kind]):
        i = vc.global_invocation_id().x
        out[i] = out[i] - x[i] * a + b

    return affine, blend


TRACED = dict(zip(COMPUTED, map(traced, (f32, i32, u32)), strict=True))
GLSL = """
layout (local_size_x = 1) in;
layout (constant_id = 0) const T s = T(1);
layout (set = 0, binding = 0) buffer A { T y[]; };
layout (set = 0, binding = 1) buffer B { T x[]; };
layout (push_constant) uniform P { T a; T b; };
void main() { uint i = gl_GlobalInvocationID.x; y[i] = BODY; }
"""
BODIES = ("x[i] * a + b * s", "y[i] - x[i] * a + b * s")


def affine(out, x, a, b):
    out[:] = x * out.dtype.type(a) + out.dtype.type(b)


def blend(out, x, a, b):
    out[:] = out - x * out.dtype.type(a) + out.dtype.type(b)


def multiply(x, y, out):
    out[:] = x * y


async def awaited(sequence):
    return await sequence


def shares_device_and_host(manager):
    """Whether kernels see what the host puts into memory of type deviceAndHost without a sync."""
    one, out = manager.tensor([5.0], kp.MemoryTypes.deviceAndHost), manager.tensor([0.0])
    manager.sequence().record(kp.OpCopy([one, out])).record(kp.OpSyncLocal([out])).eval()
    return out.data()[0] == 5.0


class Program:
    """Objects of kp with those of the model, and the steps that both take."""

    def __init__(self, manager, shared, number):
        self.manager, self.shared = manager, shared
        self.draw = np.random.default_rng([SEED, number])
        self.tensors, self.algorithms, self.multipliers, self.sequences, self.said = [], [], [], [], []
        # The tensors that the operations of each sequence touch, and those of its work in flight.
        self.touched, self.flying = {}, {}

    def pick(self, choices):
        return choices[int(self.draw.integers(len(choices)))]

    def say(self, *words):
        self.said.append(" ".join(str(word) for word in words))

    def name(self, pair):
        for letter, pairs in (
            ("t", self.tensors),
            ("a", self.algorithms),
            ("m", self.multipliers),
            ("s", self.sequences),
        ):
            if any(pair is one for one in pairs):
                return f"{letter}{[one is pair for one in pairs].index(True)}"
        return "?"

    def names(self, pairs):
        return "[" + ", ".join(self.name(pair) for pair in pairs) + "]"

    # ---- Objects

    def values(self, count, dtype):
        if dtype == "bool":
            return self.draw.integers(0, 2, count).astype(bool)
        low = 0 if dtype.startswith("u") else -20
        return self.draw.integers(low, 20, count).astype(dtype)

    def make_tensor(self):
        kind = self.pick([kp.MemoryTypes.device, *kp.MemoryTypes])  # more of those with a mirror
        dtype, size = self.pick(COMPUTED * 4 + DTYPES), self.pick(SIZES)
        if self.tensors and self.draw.random() < 0.5:  # one that copies reach from another
            alike = self.pick(self.tensors)[1]
            dtype, size = alike.dtype.name, alike.size
        values = self.values(size, dtype)
        shared = kind is kp.MemoryTypes.host or (kind is kp.MemoryTypes.deviceAndHost and self.shared)
        if dtype in COMPUTED and size in EXTENTS and self.draw.random() < 0.25:
            extent = EXTENTS[size]
            made = self.manager.image_t(values, *extent, kind)
            shared = kind in (kp.MemoryTypes.host, kp.MemoryTypes.deviceAndHost)
        else:
            extent = None
            made = self.manager.tensor_t(values, kind)
        self.tensors.append((made, model.Tensor(values, kind.name, shared, extent)))
        self.say(f"t{len(self.tensors) - 1} =", kind.name, dtype, size, "image" if extent else "")

    def alike(self, first, images=True):
        """Tensors and images with as many elements of the same type."""
        return [
            pair
            for pair in self.tensors
            if pair[1].dtype == first[1].dtype
            and pair[1].size == first[1].size
            and (images or pair[1].extent is None)
            and (None in (pair[1].extent, first[1].extent) or pair[1].extent == first[1].extent)
        ]

    def computed(self):
        return [pair for pair in self.tensors if pair[1].dtype.name in COMPUTED and pair[1].extent is None]

    def code(self, out):
        """Tensors, code and the model's function of an algorithm."""
        x, number = self.pick(self.alike(out, images=False)), int(self.draw.integers(2))
        function = (affine, blend)[number]
        push = [int(self.pick((0, 1, 2))), int(self.draw.integers(9))]
        kind = out[1].dtype.name
        if self.manager.backend != "vulkan" or self.draw.random() < 0.5:
            return [out, x], (TRACED[kind][number],), function, push
        text = GLSL.replace("T ", {"float32": "float ", "int32": "int ", "uint32": "uint "}[kind]).replace("T(1)", "1")
        scale, groups = int(self.draw.integers(1, 4)), int(self.draw.integers(0, out[1].size + 1))
        last = groups or out[1].size

        def scaled(y, x, a, b):
            function(y[:last], x[:last], a, b * scale)

        code = spirv(text.replace("BODY", BODIES[number]))
        return [out, x], (code, (groups, 1, 1), [scale]), scaled, push

    def make_algorithm(self):
        if not self.computed():
            return
        pairs, code, function, push = self.code(self.pick(self.computed()))
        made = self.manager.algorithm([pair[0] for pair in pairs], *code, push_consts=push)
        self.algorithms.append((made, model.Algorithm(function, [pair[1] for pair in pairs], push)))
        self.say(f"a{len(self.algorithms) - 1} =", function.__name__, self.names(pairs), push, code[1:])

    def rebuild(self):
        if not self.algorithms or not self.computed():
            return
        pair = self.pick(self.algorithms)
        pairs, code, function, push = self.code(self.pick(self.computed()))
        if pairs[0][1].dtype != pair[1].tensors[0].dtype:
            return
        self.say("rebuild", self.name(pair), function.__name__, self.names(pairs), push, code[1:])
        pair[0].rebuild([one[0] for one in pairs], *code, push_consts=push)
        pair[1].build(function, [one[1] for one in pairs], push)

    def make_sequence(self):
        queue = int(self.draw.integers(self.manager._home.queue_count))
        stamps = 6 if self.draw.random() < 0.2 else 0
        self.sequences.append((self.manager.sequence(queue, stamps), model.Sequence()))
        self.say(f"s{len(self.sequences) - 1} = queue", queue, "timestamps", stamps)
        made = self.sequences[-1]
        made[1].stamps = stamps

    # ---- Operations

    def operation(self):
        """An operation of kp, the call that takes the model's, and the objects that it touches."""
        kind = self.pick(
            (
                "sync_device",
                "sync_local",
                "sync_local",
                "copy",
                "copy",
                "copy",
                "fill",
                "dispatch",
                "dispatch",
                "mult",
                "vd",
            )
        )
        if kind in ("sync_device", "sync_local"):
            pairs = [self.pick(self.tensors) for _ in range(self.draw.integers(1, 4))]
            self.say(" ", kind, self.names(pairs))
            op = {"sync_device": kp.OpSyncDevice, "sync_local": kp.OpSyncLocal}[kind]([pair[0] for pair in pairs])
            made = getattr(model, kind)([pair[1] for pair in pairs])
            return op, lambda: made
        if kind == "copy":
            source = max((self.pick(self.tensors) for _ in range(3)), key=lambda one: len(self.alike(one)))
            targets = [one for one in self.alike(source) if one is not source] * 4 + [source]
            pairs = [source, *(self.pick(targets) for _ in range(self.draw.integers(1, 3)))]
            self.say("  copy", self.names(pairs))
            made = model.copy([pair[1] for pair in pairs])
            return kp.OpCopy([pair[0] for pair in pairs]), lambda: made
        if kind == "fill":
            plain = [pair for pair in self.tensors if pair[1].extent is None]
            if plain:
                pair, value = self.pick(plain), int(self.draw.integers(2))
                self.say("  fill", self.name(pair), value)
                made = model.fill(pair[1], value)
                return kp.OpFill(pair[0], value), lambda: made
        if kind == "vd" and self.computed():
            return self.launch_of_the_package()
        floats = [pair for pair in self.computed() if pair[1].dtype == np.float32]
        if kind == "mult" and floats:
            out = self.pick(floats)
            pairs = [self.pick(self.alike(out, images=False)), self.pick(self.alike(out, images=False)), out]
            self.say("  mult", self.names(pairs))
            pair = (self.manager.algorithm([], b""), model.Algorithm(multiply, [one[1] for one in pairs], []))
            self.multipliers.append(pair)
            return kp.OpMult([one[0] for one in pairs], pair[0]), lambda: model.dispatch(pair[1])
        if not self.algorithms:
            return None
        pair, form = self.pick(self.algorithms), self.pick(("none", "none", "list", "array", "live"))
        dtype = pair[1].tensors[0].dtype
        push = [int(self.pick((0, 1, 2))), int(self.draw.integers(9))]
        self.say("  dispatch", self.name(pair), form, push)
        if form == "none":
            return kp.OpAlgoDispatch(pair[0]), lambda: model.dispatch(pair[1])
        array = np.array(push, dtype)
        if form == "live":
            self.lives.append(array)
            return kp.OpAlgoDispatch(pair[0], kp.live(array)), lambda: model.dispatch(pair[1], live=array)
        return kp.OpAlgoDispatch(pair[0], push if form == "list" else array), lambda: model.dispatch(pair[1], push)

    def launch_of_the_package(self):
        """A kernel on tensors' buffers, as record_vd() records it."""
        out = self.pick(self.computed())
        x, number = self.pick(self.alike(out, images=False)), int(self.draw.integers(2))
        push = [int(self.pick((0, 1, 2))), int(self.draw.integers(9))]
        self.say("  vd", (affine, blend)[number].__name__, self.names([out, x]), push)
        kernel = TRACED[out[1].dtype.name][number]

        def run():
            with np.errstate(all="ignore"):
                (affine, blend)[number](out[1].device, x[1].device, *push)

        return OpRecordVd(kernel, (out[0].buffer, x[0].buffer, *push), {}), lambda: run

    lives: list

    # ---- Steps

    def record_some(self, pair):
        for _ in range(self.draw.integers(1, 5)):
            self.record(pair)

    def record(self, pair):
        sq, its = pair
        made = self.operation()
        if made is None:
            return
        op, take = made
        self.say("record", self.name(pair))
        if its.refuses():
            with pytest.raises(kp.Error, match="called when sequence still running"):
                sq.record(op)
            return
        waiting = len(its.operations) - its.first if its.recording else 0
        if its.stamps and waiting >= its.stamps:
            its.settle()
            with pytest.raises(kp.Error, match="timestamps"):
                sq.record(op)
            return
        assert sq.record(op) is sq
        its.record(take())

    def run(self, pair):
        sq, its = pair
        made = self.operation() if self.draw.random() < 0.4 else None
        method = self.pick(("eval", "eval_async"))
        self.say(method, self.name(pair), "with it" if made else "")
        arguments = (made[0],) if made else ()
        if its.refuses():
            with pytest.raises(kp.Error, match="called when an eval async was called without successful wait"):
                getattr(sq, method)(*arguments)
            return
        assert getattr(sq, method)(*arguments) is sq
        its.submit(made[1]() if made else None)
        if method == "eval":
            its.awaited()
        if its.stamps and method == "eval":
            times = sq.get_timestamps()
            assert len(times) == len(its.operations) - its.first + 1
            assert times == sorted(times)

    def wait(self, pair):
        sq, its = pair
        form = self.pick(("eval_await", "eval_await", "eval_await", "wait", "await"))
        if form == "await":
            self.say("await", self.name(pair))
            assert asyncio.run(awaited(sq)) is sq
            its.awaited()
            return
        if form == "wait":
            limit = self.pick((None, 0, 1e-6, 100))
            self.say("wait", self.name(pair), limit)
            done = sq.wait(limit)
            assert done or limit in (0, 1e-6)
            its.awaited(done)
            return
        limit = self.pick(((), (0,), (1,), (1000,), (2**64 - 1,)))
        self.say("eval_await", self.name(pair), *limit)
        assert sq.eval_await(*limit) is sq
        if its.running:
            if not limit or limit[0] > 10**9:
                assert not sq.timed_out()
            its.awaited(not sq.timed_out())

    def clear(self, pair):
        self.say("clear", self.name(pair))
        pair[0].clear()
        pair[1].clear()

    def rerecord(self, pair):
        sq, its = pair
        self.say("rerecord", self.name(pair))
        if its.refuses():
            with pytest.raises(kp.Error, match="called when sequence still running"):
                sq.rerecord()
            return
        if its.stamps and len(its.operations) > its.stamps:
            return
        sq.rerecord()
        its.rerecord()

    def look(self, _):
        pair = self.pick(self.tensors)
        self.say("look", self.name(pair))
        self.check(pair)

    def check(self, pair):
        if pair[1].kind == "storage":
            with pytest.raises(kp.Error, match="storage"):
                pair[0].data()
            return
        got = pair[0].data()
        assert got.dtype == pair[1].dtype
        assert np.array_equal(got, pair[1].host, equal_nan=got.dtype.kind in "fc"), (self.name(pair), got, pair[1].host)

    def finish_work(self):
        """Wait for all that runs: what it reads on the host may be written then."""
        for sq, its in self.sequences:
            if its.running:
                sq.eval_await()
                its.awaited()

    def be_idle(self):
        """Have nothing run, and await nothing."""
        for sq, _ in self.sequences:
            while not sq.done():
                time.sleep(0)

    def write(self, _):
        pair = self.pick(self.tensors)
        if pair[1].kind == "storage":
            return
        values = self.values(pair[1].size, pair[1].dtype.name)
        way = self.pick(("finish_work", "finish_work", "be_idle"))
        self.say("write", self.name(pair), way)
        getattr(self, way)()
        if self.draw.random() < 0.5:
            pair[0].data()[:] = values
        else:
            pair[0].set_data(values)
        pair[1].host[:] = values

    def change_live(self, _):
        if self.lives:
            self.say("change live values")
            # A submission takes the bytes at its call, so that work in flight stands in no way.
            self.pick(self.lives)[1] += 1

    def change_push(self, _):
        if self.algorithms:
            pair, push = self.pick(self.algorithms), [1, int(self.draw.integers(9))]
            self.say("set_push_constants", self.name(pair), push)
            pair[0].set_push_constants(push)
            pair[1].set_push(push)

    def refuse(self, pair):
        """An operation that cannot be recorded leaves the sequence as it was."""
        if pair[1].running or pair[1].stamps:
            return
        a, b = self.manager.tensor([1, 2]), self.manager.tensor([1])
        self.say("refuse", self.name(pair))
        with pytest.raises(kp.Error, match="different sizes"):
            pair[0].record(kp.OpCopy([a, b]))
        a.destroy()
        with pytest.raises(kp.Error, match="destroyed"):
            pair[0].record(kp.OpSyncDevice([a]))

    def renew(self, pair):
        """Destroy a sequence, in flight or not, and take another one."""
        self.say("destroy", self.name(pair))
        pair[0].destroy()
        assert not pair[0].is_init() and not pair[0].is_running()
        with pytest.raises(kp.Error, match="destroyed"):
            pair[0].eval()
        self.replace(pair)

    def leave(self, pair):
        """Let go of a sequence whose work is done and was not awaited, and take another one."""
        self.say("leave", self.name(pair))
        self.be_idle()
        self.replace(pair)

    def replace(self, pair):
        at = [one is pair for one in self.sequences].index(True)
        self.make_sequence()
        self.sequences[at] = self.sequences.pop()

    def states(self):
        for sq, its in self.sequences:
            said = (sq.is_recording(), sq.is_running(), sq.timed_out(), sq.is_init())
            assert said == (its.recording, its.running, its.timed_out, True), (said, vars(its))

    def go(self):
        self.lives = []
        for _ in range(self.draw.integers(2, 8)):
            self.make_tensor()
        for _ in range(self.draw.integers(1, 4)):
            self.make_sequence()
        for _ in range(self.draw.integers(1, 4)):
            self.make_algorithm()
        steps = [self.record_some] * 8 + [self.run] * 6 + [self.wait] * 4 + [self.look] * 3 + [self.write] * 2
        steps += [
            self.clear,
            self.rerecord,
            self.rerecord,
            self.change_live,
            self.change_push,
            self.refuse,
            self.renew,
            self.leave,
        ]
        steps += [lambda _: self.make_tensor(), lambda _: self.rebuild(), lambda _: self.make_algorithm()]
        for _ in range(min(STEPS, int(self.draw.integers(10, 60)))):
            self.pick(steps)(self.pick(self.sequences))
            self.states()
        self.say("the end")
        self.finish_work()
        for pair in self.tensors:
            self.check(pair)
        self.check_devices()
        everything = [*self.sequences, *self.algorithms, *self.multipliers, *self.tensors]
        for i in self.draw.permutation(len(everything)):
            everything[i][0].destroy()
            assert not everything[i][0].is_init()

    def check_devices(self):
        """Read the elements on the device, of storage by a copy."""
        sq = self.manager.sequence()
        copies = []
        for made, its in self.tensors:
            target = self.manager.tensor_empty(its.size, its.dtype)
            sq.record(kp.OpCopy([made, target])).record(kp.OpSyncLocal([target]))
            copies.append((target, its))
        sq.eval()
        for pair, (target, its) in zip(self.tensors, copies, strict=True):
            same = np.array_equal(target.data(), its.device, equal_nan=its.dtype.kind in "fc")
            assert same, (self.name(pair), "on the device", target.data(), its.device)


def run_programs(manager, count):
    shared = shares_device_and_host(manager)
    model.MET.clear()
    for number in range(count) if ONE is None else [int(ONE)]:
        program = Program(manager, shared, number)
        try:
            program.go()
        except BaseException as error:
            steps = "\n".join(program.said)
            raise AssertionError(f"program {number} of seed {SEED} on {manager.backend}: {error}\n{steps}") from error
    return model.MET


def check_met(met, count):
    """That the programs were not thin."""
    if ONE is None and count >= 200:
        for what in ("copies of a stale mirror", "copies that change a mirror", "copies between kinds"):
            assert met[what] > count / 10, met
        assert met["copies whose mirror a sync brings"] > count / 40, met


def queues(backend):
    """Two queues; the CPU driver of Vulkan has one."""
    return {} if backend == "vulkan" else {"family_queue_indices": [0, 0]}


@pytest.mark.parametrize("backend", BACKENDS)
def test_random_programs(backend, caplog):
    caplog.set_level("ERROR", "kp")  # awaiting nothing is a warning, and comes often
    manager = opened(backend, **queues(backend))
    count = 10_000 if FULL else 200
    check_met(run_programs(manager, count), count)
    manager.destroy()


@pytest.mark.skipif(ASKED not in (None, "host"), reason="a run for one backend leaves the others to theirs")
def test_random_programs_where_device_and_host_share_no_bytes(caplog, monkeypatch):
    """As on a GPU of OpenCL's: bytes travel around each run."""

    def refuse(*_):
        raise _native.UnsupportedError("no bytes are shared")

    caplog.set_level("ERROR", "kp")
    manager = opened("host", **queues("host"))
    monkeypatch.setattr(_native.raw, "vd_buffer_map", refuse)
    run_programs(manager, 10_000 if FULL else 200)
    manager.destroy()
