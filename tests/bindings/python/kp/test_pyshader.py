"""Shaders written with vkdispatch.kp.pyshader, on every backend: as kernels, and on Vulkan as the SPIR-V that they are, too."""

# ruff: noqa: F821 (a shader uses names that it does not import, and its annotations are strings of no type)

import math
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch import kp
from vkdispatch.base.command_list import CommandList
from vkdispatch.base.compute_plan import ComputePlan
from vkdispatch.base.descriptor_set import DescriptorSet
from vkdispatch.kp.pyshader import (
    Array,
    Struct,
    boolean,
    f32,
    f64,
    i32,
    ivec2,
    ivec3,
    ivec4,
    mat2,
    python2shader,
    stdlib,
    u32,
    vec2,
    vec3,
    vec4,
    void,
)
from vkdispatch.kp.pyshader_names import names_for


def run(shader, groups, *buffers):
    """Launch a shader with as many workgroups, and the buffers' contents behind it."""
    shader.to_spirv().kernel(*buffers, workgroups=groups)
    return [buffer.read(0) for buffer in buffers if isinstance(buffer, vd.Buffer)]


def floats(*values):
    return vd.asbuffer(np.array(values, np.float32))


def integers(*values):
    return vd.asbuffer(np.array(values, np.int32))


# ---- Kompute's own


@python2shader
def compute_multiply(
    index=("input", "GlobalInvocationId", ivec3),
    data1=("buffer", 0, Array(f32)),
    data2=("buffer", 1, Array(f32)),
    data3=("buffer", 2, Array(f32)),
):
    i = index.x
    data3[i] = data1[i] * data2[i]


def test_multiplication(device):
    assert run(compute_multiply, 3, floats(2, 2, 2), floats(1, 2, 3), floats(0, 0, 0))[2].tolist() == [2, 4, 6]


def test_its_bytes_are_a_module_for_vulkan(on_backend):
    module = compute_multiply.to_spirv()
    assert isinstance(module, bytes) and module is compute_multiply.to_spirv()
    assert bytes(module) == module and module[:4] == (0x07230203).to_bytes(4, "little")
    found = vd.inspect_spirv(module)
    assert found.entry == "main" and found.workgroup_size == (1, 1, 1) and found.push_constant_size == 0
    assert [(b.set, b.binding, b.readable, b.writable) for b in found.bindings] == [
        (0, 0, True, False),
        (0, 1, True, False),
        (0, 2, False, True),
    ]
    with on_backend("vulkan"):
        buffers = [floats(2, 2, 2), floats(1, 2, 3), floats(0, 0, 0)]
        plan = ComputePlan.from_spirv(module)
        binds, commands = DescriptorSet(plan), CommandList()
        for i, buffer in enumerate(buffers):
            binds.bind_buffer(buffer, i)
        commands.record_compute_plan(plan, binds, [3, 1, 1])
        commands.submit(instance_count=1)
        assert buffers[2].read(0).tolist() == [2, 4, 6]


@python2shader
def compute_grid(
    of_group: ("input", "WorkgroupId", ivec3),
    groups: ("input", "NumWorkgroups", ivec3),
    data1: ("buffer", 0, Array(f32)),
    data2: ("buffer", 1, Array(f32)),
):
    i = of_group.x * groups.y + of_group.y
    data1[i] = f32(of_group.x)
    data2[i] = f32(of_group.y)


def test_a_grid_of_workgroups_by_annotations(device):
    a, b = run(compute_grid, (16, 8, 1), vd.empty(128), vd.empty(128))
    assert a.tolist() == [float(i // 8) for i in range(128)]
    assert b.tolist() == [float(i % 8) for i in range(128)]


@python2shader
def compute_gradients(
    index=("input", "GlobalInvocationId", ivec3),
    x_i=("buffer", 0, Array(f32)),
    x_j=("buffer", 1, Array(f32)),
    y=("buffer", 2, Array(f32)),
    w_in=("buffer", 3, Array(f32)),
    w_out_i=("buffer", 4, Array(f32)),
    w_out_j=("buffer", 5, Array(f32)),
    b_in=("buffer", 6, Array(f32)),
    b_out=("buffer", 7, Array(f32)),
    l_out=("buffer", 8, Array(f32)),
    count=("buffer", 9, Array(f32)),
):
    i = index.x
    m = count[0]
    w_curr = vec2(w_in[0], w_in[1])
    x_curr = vec2(x_i[i], x_j[i])
    y_curr = y[i]
    y_hat = 1.0 / (1.0 + exp(-(w_curr @ x_curr + b_in[0])))
    d_z = y_hat - y_curr
    d_w = (1.0 / m) * x_curr * d_z
    w_out_i[i] = d_w.x
    w_out_j[i] = d_w.y
    b_out[i] = (1.0 / m) * d_z
    l_out[i] = -(y_curr * log(y_hat) + (1.0 - y_curr) * log(1.0 - y_hat))


def test_logistic_regression(device):
    x_i, x_j, y = floats(0, 1, 1, 1, 1), floats(0, 0, 0, 1, 1), floats(0, 0, 0, 1, 1)
    w, b, out = floats(0.001, 0.001), floats(0), [floats(*[0] * 5) for _ in range(4)]
    weights, bias = np.array([0.001, 0.001], np.float32), np.float32(0)
    for iteration in range(100):
        found = run(compute_gradients, 5, x_i, x_j, y, w, out[0], out[1], b, out[2], out[3], floats(5))
        d_i, d_j, d_b, loss = found[4], found[5], found[7], found[8]
        if iteration == 0:
            np.testing.assert_allclose(d_i, [0, 0.10005, 0.10005, -0.0999, -0.0999], atol=1e-5)
            np.testing.assert_allclose(d_j, [0, 0, 0, -0.0999, -0.0999], atol=1e-5)
            np.testing.assert_allclose(d_b, [0.1, 0.10005, 0.10005, -0.0999, -0.0999], atol=1e-5)
        for k in range(5):
            weights -= np.float32(0.1) * np.array([d_i[k], d_j[k]], np.float32)
            bias -= np.float32(0.1) * d_b[k]
        w.write(weights)
        b.write(np.array([bias], np.float32))
    assert abs(weights[0] - 0.000326737746) < 1e-5
    assert abs(weights[1] - 1.587460000329) < 1e-4 and abs(bias + 0.794009106397) < 1e-4
    np.testing.assert_allclose(loss, [0.375] * 5, atol=2e-4)


def test_a_shader_of_its_number_alone_runs_in_workgroups_of_any_size(device):
    wide = compute_multiply.kernel.by_invocation
    buffers = [floats(*range(1000)), floats(*range(1000)), vd.empty(1000)]
    wide(*buffers, exec_size=999)
    assert buffers[2].read(0)[:999].tolist() == [float(i * i) for i in range(999)]
    wide.build()
    assert wide.bounds.local_size[0] > 1
    assert compute_multiply.kernel.bounds is None or compute_multiply.kernel.bounds.local_size == (1, 1, 1)
    assert compute_grid.kernel.by_invocation is None


# ---- The language


@python2shader
def compute_flow(
    index=("input", "GlobalInvocationId", i32),
    out=("buffer", 0, Array(i32)),
    n=("buffer", 1, Array(i32)),
):
    steps = 0
    value = n[index]
    while value != 1 and steps < 1000:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        steps += 1
        if value < 0:
            break
    for k in range(3):
        if k == 1:
            continue
        steps += k
    out[index] = steps


def test_control_flow(device):
    found = run(compute_flow, 6, vd.empty(6, vd.int32), integers(1, 2, 3, 7, 27, 97))[0]
    assert found.tolist() == [2, 3, 9, 18, 113, 120]


@python2shader
def compute_mathematics(
    index=("input", "GlobalInvocationId", ivec3), out=("buffer", 0, Array(f32)), x=("buffer", 1, Array(f32))
):
    v = x[index.x]
    c = min(max(v, 0.25, -1), 0.75)
    values = (
        abs(v), floor(v), ceil(v), sqrt(abs(v)), exp(v), exp2(v), log(abs(v)), log2(abs(v)), pow(c, 2.5), sin(v), cos(v),
        tan(c), asin(c), acos(c), atan(v), atan2(v, 2.0), sinh(v), cosh(v), tanh(v), asinh(v), atanh(c), sign(v),
        clamp(v, -1.0, 1.0), mix(1.0, v, 0.25), fract(v), round(v), min(v, 1), max(v, 1), v % 1.5, v // 1.5,
        length(vec2(v, 2.0)), distance(vec3(v, 0, 0), vec3(0, v, 0)), dot(vec2(v, 1), vec2(2, v)), normalize(vec2(v, 0)).x,
        inversesqrt(abs(v)), step(0.0, v), smoothstep(-1.0, 1.0, v), radians(v), degrees(v), fma(v, v, v), math.exp(v) + math.pi,
        stdlib.cos(v), max(1, 2) * v, float(i32(v)), cross(vec3(1, v, 0), vec3(0, 1, v)).z, trunc(v),
        reflect(vec2(v, 1), vec2(0, 1)).y, face_forward(vec2(1, 2), vec2(v, 0), vec2(1, 0)).y, smooth_step(-1.0, 1.0, v),
        nclamp(v, -1.0, 1.0), nmin(v, 1.0), nmax(v, 1.0), matrix_inverse(mat2(2, 0, 0, 4))[1].y,
    )  # fmt: skip
    for k, value in enumerate(values):
        out[index.x * 64 + k] = value


def exact(v):
    c = min(max(v, 0.25, -1), 0.75)
    return [
        abs(v), math.floor(v), math.ceil(v), math.sqrt(abs(v)), math.exp(v), 2**v, math.log(abs(v)), math.log2(abs(v)), c**2.5,
        math.sin(v), math.cos(v), math.tan(c), math.asin(c), math.acos(c), math.atan(v), math.atan2(v, 2), math.sinh(v),
        math.cosh(v), math.tanh(v), math.asinh(v), math.atanh(c), math.copysign(1, v), min(max(v, -1), 1),
        1 + (v - 1) * 0.25, v - math.floor(v), round(v), min(v, 1), max(v, 1), v % 1.5, v // 1.5, math.hypot(v, 2),
        math.sqrt(2) * abs(v), 3 * v, math.copysign(1, v), abs(v) ** -0.5, float(v >= 0),
        (t := min(max((v + 1) / 2, 0), 1)) * t * (3 - 2 * t), math.radians(v), math.degrees(v), v * v + v,
        math.exp(v) + math.pi, math.cos(v), 2 * v, float(int(v)), 1.0, math.trunc(v),
        -1.0, -2.0 if v >= 0 else 2.0, t * t * (3 - 2 * t), min(max(v, -1), 1), min(v, 1), max(v, 1), 0.25,
    ]  # fmt: skip


def test_mathematics(device):
    given = [0.3, -2.7, 1.0, 3.4, -0.6]
    out = run(compute_mathematics, 5, vd.zeros(5 * 64), floats(*given))[0].reshape(5, 64)
    for value, found in zip(given, out, strict=True):
        wanted = exact(float(np.float32(value)))
        np.testing.assert_allclose(found[: len(wanted)], wanted, rtol=2e-5, atol=2e-6)


@python2shader
def compute_conversions(
    index=("input", "GlobalInvocationId", ivec2), out=("buffer", 0, Array(vec4)), x=("buffer", 1, Array(f32))
):
    i = index.x
    v = vec4(x[i], vec2(2, 3), 4.0)
    v.yx = v.xy
    whole = ivec2(v.xw)
    is_large = boolean(x[i] > 1)
    n: f32 = 1
    if is_large and not index.y:
        n += u32(whole.x)
    v.z = n
    m = mat2(1, 2, 3, 4) @ v.rg
    v.w = m.x + 10.0 * m.y
    out[i] = v


def test_vectors_and_conversions(device):
    found = run(compute_conversions, 2, vd.Buffer(2, vd.vec4), floats(0.5, 5))[0]
    assert found.tolist() == [[2, 0.5, 1, 3.5 + 60], [2, 5, 3, 17 + 240]]


@python2shader
def compute_turned(index=("input", "GlobalInvocationId", ivec3), out=("buffer", 0, Array(ivec4))):
    v = out[index.x]
    out[index.x] = ivec4(v.w, v.xyz)


def test_vectors_of_four_integers(device):
    out = vd.asbuffer(np.arange(-4, 4, dtype=np.int32).reshape(2, 4), vd.ivec4)
    assert run(compute_turned, 2, out)[0].tolist() == [[-1, -4, -3, -2], [3, 0, 1, 2]]


Particle = Struct(place=vec3, count=i32, weights=Array(f32, 2))


@python2shader
def compute_structs(
    index=("input", "GlobalInvocationId", ivec3),
    settings=("uniform", 1, Struct(scale=f32, shift=vec3)),
    limits=("uniform", (0, 3), Array(i32)),
    particles=("buffer", 0, Array(Particle)),
):
    p = particles[index.x]
    p.place = p.place * settings.scale + settings.shift
    if p.count < limits[0]:
        p.count += 100
        p.weights[index.x] = -1.0
    p.weights[0] = p.weights[0] + p.place.z


def test_structs_and_uniforms(device):
    layout = np.dtype([("place", "3f4"), ("count", "i4"), ("weights", "2f4")])
    particles = np.array([((1, 2, 3), 5, (0.5, 0.25)), ((4, 5, 6), -7, (1, 2))], layout)
    memory = vd.asbuffer(particles.view(np.uint32))
    settings = vd.asbuffer(np.array([2, 10, 20, 30], np.float32).view(np.uint32))
    compute_structs.kernel(memory, settings, floats(0), integers(0), workgroups=2)
    found = memory.read(0).view(layout)
    assert found["place"].tolist() == [[12, 24, 36], [18, 30, 42]]
    assert found["count"].tolist() == [5, 93] and found["weights"].tolist() == [[36.5, 0.25], [43, -1]]
    assert [b.binding for b in vd.inspect_spirv(compute_structs.to_spirv()).bindings] == [0, 1, 2, 3]


@python2shader
def compute_picture(
    index=("input", "GlobalInvocationId", ivec3),
    source=("texture", 0, "2d r32f"),
    target=("texture", 1, "2d rgba32f"),
    gain=("push", 0, f32),
):
    texel = source.read((index.x, index.y))
    value = texel.x * gain
    if index.x > 0:
        value = value + read(source, (index.x - 1, index.y)).x
    target.write((index.x, index.y), vec4(value, index.x, index.y, 1))


def test_textures_and_push_constants(on_backend):
    for name in ("vulkan", "host"):
        with on_backend(name):
            source, target = vd.Image2D((2, 3)), vd.Image2D((2, 3), channels=4)
            given = np.arange(6, dtype=np.float32).reshape(2, 3)
            source.write(given)
            compute_picture.kernel(source, target, 10.0, workgroups=(3, 2, 1))
            found = target.read()
            assert found[..., 0].tolist() == [[0, 10, 21], [30, 43, 54]]
            assert found[1, 2].tolist() == [54, 2, 1, 1]


@python2shader
def compute_sampled(
    index=("input", "GlobalInvocationId", i32),
    picture=("texture", 0, "2d f32"),
    labels=("texture", 1, "2d i32"),
    places=("buffer", 2, Array(vec2)),
    out=("buffer", 3, Array(vec4)),
    how=("sampler", 4, ""),
    nearest=("sampler", (0, 5), ""),
):
    place = places[index]
    mixed = picture.sample(how, place).x
    label = f32(sample(labels, nearest, (place.x, place.y)).x)
    out[index] = vec4(mixed, label, picture.read((1, 0)).x, f32(labels.read((0, 1)).x))


def test_samplers_need_no_object(anywhere):
    """Places are from 0 to 1, as in the original; past the edges are the edges' texels."""
    picture = anywhere.image([0, 10, 20, 30], 2, 2, 1)
    labels = anywhere.image_t(np.array([5, 6, 7, 8], np.int32), 2, 2, 1)
    places = anywhere.tensor([0.25, 0.25, 0.5, 0.25, 0.5, 0.5, 0.75, 0.75, -1, 2])
    out = anywhere.tensor_empty(20)
    algorithm = anywhere.algorithm([picture, labels, places, out], compute_sampled.to_spirv(), (5, 1, 1))
    sequence = anywhere.sequence().record(kp.OpSyncDevice([picture, labels, places]))
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out])).eval()
    found = out.data().reshape(5, 4)
    np.testing.assert_allclose(found[:, 0], [0, 5, 15, 30, 20], atol=0.1)
    assert found[[0, 3, 4], 1].tolist() == [5, 8, 7]
    assert (found[:, 2:] == [10, 7]).all()


SHADERS = [
    compute_multiply, compute_grid, compute_gradients, compute_flow, compute_mathematics, compute_conversions,
    compute_structs, compute_picture, compute_sampled,
]  # fmt: skip


@pytest.mark.parametrize("shader", SHADERS, ids=lambda shader: shader.input.__name__)
def test_modules_are_valid(tmp_path, shader):
    validator = shutil.which("spirv-val")
    assert validator, "spirv-val, of the package spirv-tools, is not on PATH"
    path = tmp_path / "module.spv"
    path.write_bytes(shader.to_spirv())
    # vec3 in memory has no gap, as everywhere in this library.
    command = [validator, "--target-env", "vulkan1.1", "--scalar-block-layout", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_says_what_it_is():
    assert compute_multiply.input.__name__ == "compute_multiply"
    assert compute_multiply.description == "shader from compute_multiply"
    assert repr(compute_multiply) == "<ShaderModule shader from compute_multiply>"
    assert [repr(t) for t in (f32, Array(f32), Array(vec3, 4), Struct(a=i32, b=vec2))] == [
        "f32",
        "Array(f32)",
        "Array(vec3, 4)",
        "Struct(a=i32, b=vec2)",
    ]
    assert stdlib.exp(0) == 1


def test_several_threads_share_a_shader(host):
    @python2shader
    def compute_shared(index=("input", "GlobalInvocationId", ivec3), out=("buffer", 0, Array(f32))):
        out[index.x] = f32(index.x)

    found, gate = [], threading.Barrier(4)

    def ask():
        gate.wait()
        found.append(compute_shared.to_spirv())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len({id(module) for module in found}) == 1


def softplus(value, limit=20.0):
    """A function that a shader calls knows the same names."""
    if value > limit:
        return_value = value
    else:
        return_value = log(1.0 + exp(value))
    return return_value


def test_functions_that_a_shader_calls(device):
    @python2shader
    def compute_softplus(index=("input", "GlobalInvocationId", ivec3), x=("buffer", 0, Array(f32))):
        x[index.x] = softplus(x[index.x])

    found = run(compute_softplus, 4, floats(-3, 0.5, 19, 50))[0]
    np.testing.assert_allclose(found, [math.log1p(math.exp(v)) for v in (-3, 0.5, 19, 50)], rtol=1e-5)


OWN_NAMES = """
from math import sqrt
from numpy import exp
from vkdispatch.kp.pyshader import Array, f32, ivec3, python2shader

def mix(a, b, t):
    return a * t + b * (1.0 - t)

def step(x):
    if x > 1.0:
        y = 2.0 * x
    else:
        y = clamp(x)
    return y

def clamp(x):
    return max(x, 0.5)

def max(a, b):
    return 10.0 * a + b

@python2shader
def compute_own(index=("input", "GlobalInvocationId", ivec3), x=("buffer", 0, Array(f32))):
    i = index.x
    x[i] = mix(x[i], 20.0, 0.25) + mix(10.0, 20.0, 0.25) + step(x[i]) + sqrt(x[i]) + min(exp(x[i]), 5.0)
"""


def test_functions_of_the_program_with_names_of_a_shaders(device, tmp_path, monkeypatch):
    (tmp_path / "own_names.py").write_text(OWN_NAMES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_names", raising=False)
    import own_names as own

    found = run(own.compute_own, 2, floats(0.25, 4))[0]
    wanted = [own.mix(x, 20, 0.25) + 17.5 + own.step(x) + math.sqrt(x) + min(math.exp(x), 5) for x in (0.25, 4)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_functions_that_a_program_imports_are_the_shaders():
    def clip(x):
        return x

    clip.__module__ = "numpy.core.fromnumeric"  # as functions of NumPy's are
    scope = {"clamp": clip, "mix": softplus, "sqrt": math.sqrt, "exp": np.exp, "step": 2, "f32": f32, "math": math}
    names = names_for(scope)
    assert names["clamp"] is stdlib.clamp and names["sqrt"] is stdlib.sqrt and names["exp"] is stdlib.exp
    assert names["f32"] is f32 and names["math"] is not math and "mix" not in names and "step" not in names


# ---- Mistakes


def refused(kind, words, function):
    with pytest.raises(kind, match=words) as caught:
        python2shader(function).to_spirv()
    return str(caught.value)


def test_the_name_says_compute():
    def vertex_shader(index=("input", "VertexId", i32)):
        pass

    said = refused(NameError, "contains 'compute', and 'vertex_shader' does not", vertex_shader)
    assert f"{__file__}:{vertex_shader.__code__.co_firstlineno}" in said

    @python2shader
    def MyCOMPUTEShader(index=("input", "GlobalInvocationId", ivec3)):
        pass

    assert MyCOMPUTEShader.to_spirv()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "needs three things as its default or annotation, kind, slot and type"),
        (("buffer", 0), "needs three things"),
        (("input", "VertexId", i32), "the slot of an input is one of GlobalInvocationId, .*got 'VertexId'"),
        (("input", "GlobalInvocationId", Array(f32)), "an input is a number or a vector, not Array"),
        (("memory", 0, Array(f32)), "the kind is one of input, buffer, .*got 'memory'"),
        (("output", 0, f32), "the kind is one of"),
        (("buffer", -1, Array(f32)), "the slot is a number from 0 to 1023"),
        (("buffer", True, Array(f32)), "the slot is a number from 0 to 1023"),
        (("buffer", (1, 0), Array(f32)), "a Manager binds group 0 alone"),
        (("buffer", 0, Array), "is not a type of values"),
        (("buffer", 0, void), "void is not a type of values"),
        (("buffer", 0, Array(boolean)), "boolean has no size in memory"),
        (("uniform", 0, Struct(a=f64)), "the values of a struct are made of f32, i32 and u32"),
        (("uniform", 0, Struct(a=Array(f32))), "an array inside of a struct has a length"),
        (("push", 0, Array(f32)), "a push constant is a number, vector or matrix"),
        (("texture", 0, "2d purple"), 'described by its axes and its format, such as "2d rgba32f"'),
        (("texture", 0, f32), "described by its axes and its format"),
        (("sampler", -1, ""), "the slot is a number from 0 to 1023"),
        (("sampler", (1, 0), ""), "a Manager binds group 0 alone"),
    ],
)
def test_parameters_are_checked(given, words):
    def compute_wrong(x=given):
        pass

    def compute_unmarked(x):
        pass

    said = refused(TypeError, words, compute_unmarked if given is None else compute_wrong)
    assert "parameter 'x' of 'compute_" in said and f"{__file__}:" in said


def test_a_slot_is_taken_once():
    def compute_twice(a=("buffer", 1, Array(f32)), b=("buffer", (0, 1), Array(f32))):
        pass

    refused(TypeError, "parameters 'a' and 'b' of 'compute_twice' .* have the same slot, 1", compute_twice)
    with pytest.raises(TypeError, match="a shader is made of a Python function .got int."):
        python2shader(3)
    with pytest.raises(TypeError, match="the length is a whole number from 1 on"):
        Array(f32, 0)
    with pytest.raises(TypeError, match="at least one field"):
        Struct()


def test_mistakes_in_the_body_name_their_line():
    def compute_stores(u=("uniform", 0, Array(f32)), s=("uniform", 1, Struct(a=f32)), b=("buffer", 2, Array(f32))):
        u[0] = b[0]

    said = refused(TypeError, "does not support item assignment|not stored to", compute_stores)
    assert f"{__file__}:{compute_stores.__code__.co_firstlineno + 1}" in said

    def compute_field(s=("uniform", 1, Struct(a=f32)), b=("buffer", 2, Array(f32))):
        b[0] = s.c

    assert f"{__file__}:" in refused(AttributeError, "Struct.a=f32. has no field 'c'", compute_field)

    def compute_uniform(s=("uniform", 1, Struct(a=f32)), b=("buffer", 2, Array(f32))):
        s.a = b[0]

    assert f"{__file__}:" in refused(TypeError, "a uniform is not stored to", compute_uniform)

    def compute_samples(t=("texture", 0, "2d r32f"), b=("buffer", 1, Array(f32)), s=("sampler", 2, "")):
        b[0] = t.sample(s, (0, 0)).x

    assert f"{__file__}:" in refused(TypeError, "a texture of a format is read and written", compute_samples)

    def compute_sampler(t=("texture", 0, "2d f32"), b=("buffer", 1, Array(f32))):
        b[0] = t.sample(1, (0, 0)).x

    assert f"{__file__}:" in refused(TypeError, "sampler .1. is no parameter of kind sampler", compute_sampler)

    def compute_place(t=("texture", 0, "2d f32"), b=("buffer", 1, Array(f32)), s=("sampler", 2, "")):
        b[0] = t.sample(s, b[0]).x

    assert f"{__file__}:" in refused(TypeError, "has 2 coordinates, and one is given", compute_place)

    def compute_writes(t=("texture", 0, "2d f32"), b=("buffer", 1, Array(f32))):
        t.write((0, 0), b[0])

    assert f"{__file__}:" in refused(TypeError, "a texture that is written has a format", compute_writes)

    def compute_types(b=("buffer", 0, Array(f32)), n=("buffer", 1, Array(i32))):
        n[0] = b[0]

    assert f"{__file__}:" in refused(
        ValueError, "Cannot set variable of type 'int32' to value of type 'float32'", compute_types
    )

    def compute_with(b=("buffer", 0, Array(f32))):
        with b:
            b[0] = 1.0

    assert re.search(re.escape(__file__) + r":\d+: 'with' has no meaning", refused(SyntaxError, "'with'", compute_with))


def test_without_the_source_it_says_so():
    scope = {"Array": Array, "f32": f32}
    exec('def compute_typed(b=("buffer", 0, Array(f32))):\n    b[0] = 1.0', scope)  # noqa: S102 (that is what is tested)
    said = refused(
        RuntimeError,
        "python2shader: a shader reads the source of 'compute_typed', and there is none",
        scope["compute_typed"],
    )
    assert "put the function into a file" in said
