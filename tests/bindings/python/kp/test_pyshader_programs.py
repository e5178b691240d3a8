"""Programs of Kompute's that use pyshader, through the Manager: as Python functions on every backend, and as modules of the
original's form on Vulkan. Each is imported by the names that such programs use, kp and pyshader."""

import importlib
import sys

import numpy as np
import pytest
import vkdispatch.kp
import vkdispatch.kp.pyshader

from . import pyshader_modules as modules
from .conftest import ASKED, opened

BACKENDS = [ASKED] if ASKED else ["vulkan", "cuda", "opencl", "host"]


@pytest.fixture(autouse=True)
def names(monkeypatch):
    """`kp` and `pyshader`, as install() gives them where there is no other."""
    monkeypatch.setitem(sys.modules, "kp", None)
    monkeypatch.setitem(sys.modules, "pyshader", None)  # so that the original cannot be imported
    vkdispatch.kp.install()


@pytest.fixture(params=BACKENDS)
def manager(request):
    made = opened(request.param)
    yield made
    made.destroy()


def array_multiplication(mgr, to_spirv=None):
    from pyshader import Array, f32, ivec3, python2shader

    import kp

    @python2shader
    def compute_shader_multiply(
        index=("input", "GlobalInvocationId", ivec3),
        data1=("buffer", 0, Array(f32)),
        data2=("buffer", 1, Array(f32)),
        data3=("buffer", 2, Array(f32)),
    ):
        i = index.x
        data3[i] = data1[i] * data2[i]

    tensor_in_a = mgr.tensor(np.array([2, 2, 2]))
    tensor_in_b = mgr.tensor(np.array([1, 2, 3]))
    tensor_out = mgr.tensor(np.array([0, 0, 0]))
    params = [tensor_in_a, tensor_in_b, tensor_out]
    algo = mgr.algorithm(params, (to_spirv or compute_shader_multiply.to_spirv)())
    (
        mgr.sequence()
        .record(kp.OpTensorSyncDevice(params))
        .record(kp.OpAlgoDispatch(algo))
        .record(kp.OpTensorSyncLocal([tensor_out]))
        .eval()
    )
    assert tensor_out.data().tolist() == [2.0, 4.0, 6.0]
    assert np.all(tensor_out.data() == [2.0, 4.0, 6.0])


def workgroup_grid(mgr, to_spirv=None):
    from pyshader import Array, f32, ivec3, python2shader

    import kp

    @python2shader
    def compute_shader_wg(
        gl_idx=("input", "GlobalInvocationId", ivec3),
        gl_wg_id=("input", "WorkgroupId", ivec3),
        gl_wg_num=("input", "NumWorkgroups", ivec3),
        data1=("buffer", 0, Array(f32)),
        data2=("buffer", 1, Array(f32)),
    ):
        i = gl_wg_id.x * gl_wg_num.y + gl_wg_id.y
        data1[i] = f32(gl_idx.x)
        data2[i] = f32(gl_idx.y)

    tensor_a, tensor_b = mgr.tensor(np.zeros([16, 8])), mgr.tensor(np.zeros([16, 8]))
    assert tensor_a.size() == 128
    algo = mgr.algorithm([tensor_a, tensor_b], (to_spirv or compute_shader_wg.to_spirv)(), (16, 8, 1))
    (
        mgr.sequence()
        .record(kp.OpTensorSyncDevice([tensor_a, tensor_b]))
        .record(kp.OpAlgoDispatch(algo))
        .record(kp.OpTensorSyncLocal([tensor_a, tensor_b]))
        .eval()
    )
    assert np.all(tensor_a.data() == np.stack([np.arange(16)] * 8, axis=1).ravel())
    assert np.all(tensor_b.data() == np.stack([np.arange(8)] * 16, axis=0).ravel())


def logistic_regression(mgr, to_spirv=None):
    from pyshader import Array, f32, ivec3, python2shader, vec2

    import kp

    @python2shader
    def compute_shader(
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
        M=("buffer", 9, Array(f32)),
    ):
        i = index.x
        m = M[0]
        w_curr = vec2(w_in[0], w_in[1])
        b_curr = b_in[0]
        x_curr = vec2(x_i[i], x_j[i])
        y_curr = y[i]
        z_dot = w_curr @ x_curr
        z = z_dot + b_curr
        y_hat = 1.0 / (1.0 + exp(-z))  # noqa: F821
        d_z = y_hat - y_curr
        d_w = (1.0 / m) * x_curr * d_z
        d_b = (1.0 / m) * d_z
        w_out_i[i] = d_w.x
        w_out_j[i] = d_w.y
        b_out[i] = d_b
        l_out[i] = -(y_curr * log(y_hat) + (1.0 - y_curr) * log(1.0 - y_hat))  # noqa: F821

    tensor_x_i, tensor_x_j = mgr.tensor(np.array([0.0, 1, 1, 1, 1])), mgr.tensor(np.array([0.0, 0, 0, 1, 1]))
    tensor_y = mgr.tensor(np.array([0.0, 0, 0, 1, 1]))
    tensor_w_in, tensor_b_in = mgr.tensor(np.array([0.001, 0.001])), mgr.tensor(np.array([0.0]))
    tensor_w_out_i, tensor_w_out_j, tensor_b_out, tensor_l_out = (mgr.tensor(np.zeros(5)) for _ in range(4))
    tensor_m = mgr.tensor(np.array([5.0]))
    params = [
        tensor_x_i, tensor_x_j, tensor_y, tensor_w_in, tensor_w_out_i, tensor_w_out_j, tensor_b_in, tensor_b_out,
        tensor_l_out, tensor_m,
    ]  # fmt: skip
    mgr.sequence().eval(kp.OpTensorSyncDevice(params))
    sq = (
        mgr.sequence()
        .record(kp.OpTensorSyncDevice([tensor_w_in, tensor_b_in]))
        .record(kp.OpAlgoDispatch(mgr.algorithm(params, (to_spirv or compute_shader.to_spirv)())))
        .record(kp.OpTensorSyncLocal([tensor_w_out_i, tensor_w_out_j, tensor_b_out, tensor_l_out]))
    )
    for iteration in range(100):
        sq.eval()
        if iteration == 0:
            np.testing.assert_allclose(tensor_w_out_i.data(), [0, 0.10005, 0.10005, -0.0999, -0.0999], atol=1e-5)
            np.testing.assert_allclose(tensor_b_out.data(), [0.1, 0.10005, 0.10005, -0.0999, -0.0999], atol=1e-5)
        for j in range(tensor_b_out.size()):
            tensor_w_in.data()[0] -= 0.1 * tensor_w_out_i.data()[j]
            tensor_w_in.data()[1] -= 0.1 * tensor_w_out_j.data()[j]
            tensor_b_in.data()[0] -= 0.1 * tensor_b_out.data()[j]
        seen = (*tensor_w_in.data().tolist(), *tensor_b_in.data().tolist())
        if iteration == 0:
            assert seen == pytest.approx((0.00097, 0.02098, -0.01003), abs=1e-6)
        if iteration == 9:
            assert seen == pytest.approx((0.00075573, 0.19639303, -0.0980189), abs=1e-6)
    w_i, w_j = tensor_w_in.data()
    b = tensor_b_in.data()[0]
    assert 0 < w_i < 0.01 and w_j > 1.5 and b < 0.7
    assert abs(w_i - 0.000326737746) < 1e-5 and abs(w_j - 1.587460000329) < 1e-4 and abs(b + 0.794009106397) < 1e-4
    np.testing.assert_allclose(tensor_l_out.data(), [0.375] * 5, atol=2e-4)


PROGRAMS = {
    array_multiplication: modules.multiply,
    workgroup_grid: modules.grid,
    logistic_regression: modules.gradients,
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(manager, program):
    program(manager)


@pytest.mark.parametrize("version", ["1.0", "1.3"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program_with_the_original_form_of_modules(program, version):
    manager = vkdispatch.kp.Manager(backend="vulkan")
    try:
        program(manager, lambda: PROGRAMS[program](version))
    finally:
        manager.destroy()


def test_the_stand_in_is_what_programs_import():
    assert importlib.import_module("pyshader") is vkdispatch.kp.pyshader
    assert importlib.import_module("kp") is vkdispatch.kp


def test_modules_run_on_vulkan_alone():
    manager = vkdispatch.kp.Manager(backend="host")
    with pytest.raises(RuntimeError, match="SPIR-V runs on the Vulkan backend only; this Manager is on 'host'"):
        array_multiplication(manager, modules.multiply)
    manager.destroy()


def test_k21_workgroups_of_one_become_invocations(manager):
    from pyshader import Array, f32, ivec3, python2shader

    import kp

    @python2shader
    def compute_sums(index=("input", "GlobalInvocationId", ivec3), out=("buffer", 0, Array(f32))):
        out[index.y * 70 + index.x] += f32(index.x) + 100.0 * f32(index.y)

    @python2shader
    def compute_groups(group=("input", "WorkgroupId", ivec3), out=("buffer", 0, Array(f32))):
        out[group.x] = 1.0

    out = manager.tensor(np.zeros(71 * 3))
    algorithm = manager.algorithm([out], compute_sums.to_spirv(), (70, 3, 1))
    assert algorithm.get_workgroup() == (70, 3, 1)
    sequence = manager.sequence().record(kp.OpSyncDevice([out]))
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpAlgoDispatch(algorithm)).record(
        kp.OpSyncLocal([out])
    ).eval()
    wanted = np.zeros(71 * 3)
    wanted[:210] = 2 * (np.arange(70)[None, :] + 100 * np.arange(3)[:, None]).ravel()
    assert out.data().tolist() == wanted.tolist(), "as many invocations as workgroups were asked for, and no more"
    assert algorithm._wanted.program.workgroup_size[0] > 1
    algorithm.set_workgroup((5, 1, 1))
    out.data()[:] = 0
    sequence.eval()
    assert out.data()[:8].tolist() == [0, 2, 4, 6, 8, 0, 0, 0]
    by_group = manager.algorithm([out], compute_groups.to_spirv(), (7, 1, 1))
    assert by_group._wanted.program.workgroup_size == (1, 1, 1)
