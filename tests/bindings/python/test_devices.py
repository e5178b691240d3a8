"""A context of several devices: a driver of the CPU, and a copy of it that the loader takes for another."""

import glob
import json
import os
import shutil
import subprocess
import sys

import pytest

START = """
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base.command_list import CommandList
from vkdispatch.base.compute_plan import ComputePlan
from vkdispatch.base.descriptor_set import DescriptorSet
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c64, f32

context = vd.make_context(multi_device=True, use_cpu=True)
assert len(context.device_ids) == context.queue_count == 2 and context.queue_devices == [0, 1]

@vd.shader("data.size")
def add(data: Buff[f32], term: Var[f32] = 1.0):
    i = vc.global_invocation().x
    data[i] = data[i] + term

def ones(count=1000):
    return vd.asbuffer(np.ones(count, np.float32))

def both(buffer):
    first, second = buffer.read()
    assert np.array_equal(first, second), (first, second)
    return first

data = ones()
"""

PARTS = {
    "launches": """
add(data)
add(data, 2.0)
assert (both(data) == 4).all()
""",
    "graphs": """
graph = vd.CommandGraph()
add(data, graph=graph)
add(data, graph.bind_var("term"), graph=graph)
graph.set_var("term", 3.0)
graph.submit()
assert (both(data) == 5).all()
graph.set_var("term", [1.0, 2.0])
graph.submit(2)
assert (both(data) == 10).all()
graph.reset()
add(data, graph=graph)
graph.submit(3)
assert (both(data) == 13).all()
graph.submit(queue_index=1)
assert (data.read(0) == 13).all() and (data.read(1) == 14).all()
graph.submit_any()
""",
    "replacing": """
from vkdispatch import _native

other, graph = ones(), vd.CommandGraph()
graph.fill(data, 5)
entry, calls = _native.raw.vd_graph_replace_buffers, []

def second_fails(*arguments):
    calls.append(arguments)
    if len(calls) == 2:
        raise _native.OutOfMemoryError("no memory for the second device's graph")
    return entry(*arguments)

_native.raw.vd_graph_replace_buffers = second_fails
try:
    graph.replace(data, other)
    raise SystemExit("replaced")
except vd.OutOfMemoryError:
    pass
graph.submit()
assert (both(data) == 5).all() and (both(other) == 1).all()
graph.replace(data, other)
graph.submit()
assert (both(other) == 5).all()
""",
    "reductions and transforms": """
factor = 2.0

@vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
def total(data: Buff[f32]) -> f32:
    return data[vd.reduce.mapped_io_index()] * factor

@vd.map
def halved(result: Buff[c64]):
    op = vd.fft.write_op()
    op.register[:] = op.register * 0.5
    op.write_to_buffer(result)

assert both(total(data))[0] == 2000
signal = np.random.default_rng(1).normal(size=(2, 12)).astype(np.complex64)
buffer, result = vd.asbuffer(signal), vd.Buffer((2, 12), vd.complex64)
vd.fft.fft(result, buffer, output_map=halved)
assert np.allclose(both(result), np.fft.fft(signal) / 2, atol=1e-4)
vd.fft.fft(buffer)
assert np.allclose(both(buffer), np.fft.fft(signal), atol=1e-4)
""",
    "plans of source text": """
plan = ComputePlan('''#version 450
layout(local_size_x = 10) in;
layout(binding = 0) buffer Data { float data[]; };
void main() { data[gl_GlobalInvocationID.x] += 2.0; }
''', [1])
bound = DescriptorSet(plan)
bound.bind_buffer(data, 0)
commands = CommandList()
commands.record_compute_plan(plan, bound, (100, 1, 1))
commands.submit(instance_count=2)
assert (both(data) == 5).all()
plan.destroy()
""",
}


@pytest.fixture(scope="module")
def two_drivers(tmp_path_factory):
    """The environment in which there are two devices."""
    for path in sorted(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")):
        with open(path) as file:
            manifest = json.load(file)
        library = manifest["ICD"]["library_path"]
        found = [library] if os.path.isabs(library) else sorted(glob.glob(f"/usr/lib*/**/{library}", recursive=True))
        if found and os.path.isfile(found[0]):
            folder = tmp_path_factory.mktemp("driver")
            manifest["ICD"]["library_path"] = str(shutil.copy(found[0], folder / "libvulkan_lvp_copy.so"))
            copy = folder / "copy_icd.json"
            copy.write_text(json.dumps(manifest))
            names = f"{path}:{copy}"
            return {"VK_ICD_FILENAMES": names, "VK_DRIVER_FILES": names, "VKDISPATCH_BACKEND": "vulkan"}
    pytest.skip("there is no CPU driver for Vulkan to copy")


def run(text, environment):
    environment = {name: value for name, value in os.environ.items() if name != "VKDISPATCH_DEVICE"} | environment
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, env=environment, check=False
    )


@pytest.mark.parametrize("part", PARTS)
def test_both_devices_do_all_work(two_drivers, part):
    count = run("import vkdispatch as vd; print(len(vd.get_devices()))", two_drivers)
    if count.stdout.strip() != "2":
        pytest.skip(f"the loader does not take the copy for another driver: {count.stdout}{count.stderr}")
    done = run(f"{START}{PARTS[part]}\nprint('fine')", two_drivers)
    assert done.returncode == 0 and "fine" in done.stdout, done.stdout + done.stderr
