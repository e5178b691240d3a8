"""A process that os.fork() made: it cannot use its parent's objects, and they do it no harm."""

import os
import subprocess
import sys

import pytest
from vkdispatch.backends import backend_selection as selection

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork here")

START = """
import gc, os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32

@vd.shader("data.size")
def double(data: Buff[f32]):
    i = vc.global_invocation().x
    data[i] = data[i] * 2.0

@vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
def total(data: Buff[f32]) -> f32:
    return data[vd.reduce.mapped_io_index()]

def ones():
    return vd.asbuffer(np.ones(1000, np.float32))

def fails(use, why="before os.fork()"):
    try:
        use()
    except RuntimeError as error:
        assert why in str(error) and "spawn" in str(error), error
    else:
        raise AssertionError("no error")

context, buffer, graph = vd.make_context(use_cpu=True), ones(), vd.CommandGraph()
signal = buffer.signals[0]
double(buffer, graph=graph)
double(buffer)
assert total(buffer).read(0)[0] == 2000
graph.submit()
"""

# NVIDIA's Vulkan driver crashes or hangs in exit() of a child, where a program of nothing but ctypes has made a VkDevice as
# well. So a child of a GPU's context leaves as one of multiprocessing does.
JOIN = """
leave = sys.exit if context.device_infos[0].device_type == 4 else os._exit
pid = os.fork()
if not pid:
    child()
    leave(0)
assert os.waitpid(pid, 0)[1] == 0
assert buffer.read(0)[0] == 4 and total(buffer).read(0)[0] == 4000
graph.submit()
assert buffer.read(0)[0] == 8
print("fine")
"""


def run(child, backend="host", rest=JOIN):
    text = f"{START}\ndef child():\n" + "".join(f"    {line}\n" for line in child.strip().splitlines()) + rest
    environment = {**os.environ, "VKDISPATCH_BACKEND": backend}
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120, env=environment, check=False
    )
    assert done.returncode == 0 and "fine" in done.stdout, done.stdout + done.stderr


@pytest.fixture(params=["host", "vulkan"])
def backend(request):
    info = selection.backend_info(request.param)
    if not info.available:
        pytest.skip(selection.reason_of(info))
    return request.param


def test_the_child_ends(backend):
    run("pass", backend)


def test_the_child_may_drop_what_it_got(backend):
    run("global buffer, graph, double, total\ndel buffer, graph, double, total\ngc.collect()", backend)


def test_what_the_parent_made_says_so(backend):
    run(
        """
        for use in (
            lambda: buffer.read(0), lambda: buffer.write(np.ones(1000, np.float32)), lambda: buffer.copy(), signal.wait,
            graph.submit, graph.reset, lambda: vd.queue_wait_idle(context=context), context.memory_in_use, context.info,
        ):
            fails(use)
        buffer.destroy(), graph.destroy(), context.destroy()
        """.replace("        ", ""),
        backend,
    )


def test_the_child_may_have_a_context_of_its_own():
    run(
        """
        fails(lambda: double(buffer))
        fails(lambda: total(buffer))
        own = ones()
        assert vd.get_context() is not context
        double(own)
        assert own.read(0)[0] == 2 and total(own).read(0)[0] == 2000
        with vd.record() as recorded:
            double(own)
        recorded.submit(2)
        assert own.read(0)[0] == 8
        """.replace("        ", "", 1).replace("\n        ", "\n")
    )


def test_a_driver_that_the_parent_used_is_refused():
    info = selection.backend_info("vulkan")
    if not info.available:
        pytest.skip(selection.reason_of(info))
    run("fails(ones, 'the vulkan backend: its driver was in use before this process was forked')", "vulkan")


def test_another_backend_does_not_take_the_place_of_a_driver_that_the_parent_used():
    info = selection.backend_info("vulkan")
    if not info.available:
        pytest.skip(selection.reason_of(info))
    code = """
import os
import vkdispatch as vd
from vkdispatch.base import init
vd.Context(backend="vulkan")
if not os.fork():
    assert not init.is_initialized()
    try:
        vd.initialize()
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""
    unset = {name: value for name, value in os.environ.items() if name != "VKDISPATCH_BACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=unset, check=False
    )
    assert "Backend 'vulkan' cannot be used: " in done.stdout and "forked" in done.stdout, done.stdout + done.stderr


def test_multiprocessing_with_fork():
    rest = """
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join(60)
assert process.exitcode == 0
print("fine")
"""
    run("own = ones()\nassert total(own).read(0)[0] == 1000", rest=rest)
