"""Programs of kp in which each call below fails in turn: of the library's raw layer, and of the (emulated) CUDA driver.

What fails raises, or is not needed for the result; the Manager works on, and nothing is left behind.
"""

import ctypes
import gc
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch._native import _errors, enums
from vkdispatch.codegen.abbreviations import Buff, Const, Img2, f32

from .conftest import ASKED, opened

pytestmark = pytest.mark.own_context

ROOT = Path(__file__).resolve().parents[4]
FULL = bool(os.environ.get("VD_TEST_FULL"))
TIMES = ("first", "last") if not FULL else ("first", "second", "third", "middle", "last")
ENTRIES = [entry["name"] for entry in json.loads((ROOT / "bindings/generator/api.json").read_text())["functions"]]
# Entries that only look or let go: they may fail without a message.
QUIET = {"vd_buffer_discard", "vd_image_discard", "vd_log_write"}


@vd.shader("out.size")
def scaled(out: Buff[f32], x: Buff[f32], factor: Const[f32], shift: Const[f32]):
    i = vc.global_invocation_id().x
    out[i] = x[i] * factor + shift


@vd.shader("out.size")
def sampled(out: Buff[f32], image: Img2[f32]):
    out[vc.global_invocation_id().x] += image.sample((0.5, 0.5)).x


GLSL = """
layout (local_size_x = 1) in;
layout (binding = 0) buffer A { float a[]; };
layout (constant_id = 0) const float more = 1;
void main() { a[gl_GlobalInvocationID.x] += more; }
"""


def work(manager):
    """A program with every kind of memory and operation; its numbers."""
    kinds = kp.MemoryTypes
    x, out, total = manager.tensor([1, 2, 3, 4]), manager.tensor_empty(4), manager.tensor([0, 0, 0, 0], kinds.host)
    stored, both = manager.tensor([5, 5, 5, 5], kinds.storage), manager.tensor([0, 0, 0, 0], kinds.deviceAndHost)
    picture, other = manager.image([1, 2, 3, 4], 2, 2, 1), manager.image([0, 0, 0, 0], 2, 2, 1, kinds.host)
    spare = manager.image([9, 9, 9, 9], 2, 2, 1, kinds.storage)
    step = np.array([2, 10], np.float32)
    scale = manager.algorithm([out, x], scaled, push_consts=step)
    sq = manager.sequence(total_timestamps=20)
    sq.record(kp.OpSyncDevice([x, picture])).record(kp.OpAlgoDispatch(scale, kp.live(step)))
    sq.record(kp.OpAlgoDispatch(manager.algorithm([out, picture], sampled)))
    if manager.backend == "vulkan":
        sq.record(kp.OpAlgoDispatch(manager.algorithm([out], GLSL, spec_consts=[1.0])))
    else:
        sq.record(kp.OpAlgoDispatch(manager.algorithm([out, out], scaled, push_consts=[1, 1])))
    sq.record(kp.OpMult([out, x, total], manager.algorithm([], b""))).record(kp.OpFill(both, 3))
    sq.record(kp.OpCopy([picture, other, spare])).record(kp.OpCopy([spare, stored])).record(kp.OpCopy([stored, x]))
    sq.record(kp.OpSyncLocal([x, out, both, picture])).eval()
    found = [one.data().tolist() for one in (x, out, total, both, other)]
    times = sq.get_timestamps()
    assert len(times) == 11 and sorted(times) == times
    step[0] = 0
    sq.eval_async().eval_await()
    copied = manager.tensor_from(out)
    manager.sequence().eval(kp.OpSyncLocal([copied]))
    found += [copied.data().tolist(), manager.tensor_from(stored.buffer).size()]
    for one in (x, out, total, stored, both, picture, other, spare, scale, sq):
        one.destroy()
    return found


# The average of the picture is 2.5; the second run has a factor of 0, and no more of x.
RIGHT = [
    [1, 2, 3, 4],
    [15.5, 17.5, 19.5, 21.5],
    [15.5, 35, 58.5, 86],
    [3, 3, 3, 3],
    [1, 2, 3, 4],
    [13.5, 13.5, 13.5, 13.5],
    4,
]


class Injector:
    """Counts the calls of each entry of the library's raw layer, and has one of them fail."""

    def __init__(self, patch):
        self.calls, self.name, self.left = {}, None, 0
        for name in ENTRIES:
            if hasattr(_native.raw, name):
                patch.setattr(_native.raw, name, self.watched(name, getattr(_native.raw, name)))
        submission = _native.submission
        patch.setattr(submission, "submit_graph", self.watched("vd_graph_submit", submission.submit_graph))

    def watched(self, name, function):
        def call(*arguments, **named):
            self.calls[name] = self.calls.get(name, 0) + 1
            if name == self.name:
                self.left -= 1
                if self.left == 0:
                    raise _errors.OutOfMemoryError(f"{name}: no memory is left", enums.VD_ERR_OUT_OF_MEMORY)
            return function(*arguments, **named)

        return call

    def fail(self, name, nth):
        self.name, self.left = name, nth


def numbers(count):
    """The calls of an entry that fail in turn."""
    all_of_them = {"first": 1, "second": 2, "third": 3, "middle": (count + 1) // 2, "last": count}
    return sorted({min(all_of_them[time], count) for time in TIMES})


def worked(backend):
    """The numbers of `work` with a Manager of its own, which goes."""
    manager = opened(backend)
    try:
        return work(manager)
    finally:
        manager.destroy()


def close(found):
    return all(np.allclose(a, b, atol=0.05) for a, b in zip(found, RIGHT, strict=True))


def test_k13_each_call_of_the_library_fails_in_turn(anywhere, monkeypatch, caplog):
    caplog.set_level("CRITICAL", "kp")
    assert close(work(anywhere)), work(anywhere)
    told = set()
    with monkeypatch.context() as patch:
        injector = Injector(patch)
        anywhere._home._kept.clear()
        work(anywhere)
        seen = dict(injector.calls)
        assert {"vd_graph_copy", "vd_graph_launch", "vd_graph_submit", "vd_ticket_wait", "vd_image_write"} <= set(seen)
        for name, count in seen.items():
            for nth in numbers(count):
                anywhere._home._kept.clear()
                injector.fail(name, nth)
                try:
                    found = work(anywhere)
                except kp.Error as error:
                    assert "no memory is left" in str(error), (name, nth, error)
                    told.add(name)
                else:
                    # Mirrors share memory, so that a run may make fewer calls than another.
                    assert (name in QUIET or injector.left > 0) and close(found), (name, nth, found)
                injector.fail(None, 0)
        found = work(anywhere)
    assert close(found) and len(told) > 25, sorted(told)
    assert close(work(anywhere))
    del injector
    gc.collect()
    assert not any(one.is_running() for one in anywhere._home._running)


def emulated():
    """The emulated driver, if it is the one that the process has."""
    if ASKED != "cuda":
        pytest.skip("calls of the CUDA driver; a run for CUDA on the emulated driver has them")
    driver = ctypes.CDLL("libcuda.so.1")
    if not hasattr(driver, "vd_emulated_fail"):
        pytest.skip("a real driver's calls are not made to fail")
    driver.vd_emulated_calls.restype = driver.vd_emulated_live.restype = ctypes.c_uint64
    return driver


def test_k32_each_call_of_the_driver_fails_in_turn(caplog):
    """With a Manager for each, whose context may be of no use afterwards; the next one is."""
    driver = emulated()
    caplog.set_level("CRITICAL", "kp")
    names = sorted(set(re.findall(r"\bcu[A-Z]\w+", (ROOT / "src/backends/cuda/api.h").read_text())))

    assert close(worked("cuda"))
    counts = {name: driver.vd_emulated_calls(name.encode()) for name in names}
    assert close(worked("cuda"))
    told = set()
    for name in names:
        count = driver.vd_emulated_calls(name.encode()) - counts[name]
        for nth in numbers(count // 2) if count else ():
            gc.collect()
            kept = driver.vd_emulated_live()
            driver.vd_emulated_fail(name.encode(), nth, 1)
            try:
                found = worked("cuda")
            except kp.Error as error:
                told.add(name)
                assert error.status != 0, (name, nth, error)
            else:
                assert close(found), (name, nth, found)
            driver.vd_emulated_fail(name.encode(), 0, 0)
            gc.collect()
            # Only what the driver refuses to free is left.
            assert driver.vd_emulated_live() == kept or re.search("Destroy|Free|Unload", name), (name, nth)
    assert len(told) > 20, sorted(told)
    assert close(worked("cuda"))
