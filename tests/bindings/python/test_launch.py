"""Kernels: decorating, building, launching and recording them."""

import dataclasses
import gc
import threading
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vkdispatch import _native
from vkdispatch.base.command_list import CommandList
from vkdispatch.base.compute_plan import ComputePlan
from vkdispatch.base.descriptor_set import DescriptorSet
from vkdispatch.base.launch_desc import launch_desc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c64, f32, f64, i32, u32, v2, v3
from vkdispatch.shader.launch import ExecutionBounds, LaunchParametersHolder


def make_scale(**arguments):
    @vd.shader(**({"exec_size": "out.size"} | arguments))
    def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32] = 2.0):
        i = vc.global_invocation_id().x
        out[i] = x[i] * factor

    return scale


def numbers(n=100):
    return np.arange(n, dtype=np.float32)


class TestSizes:
    @pytest.mark.parametrize(
        "size",
        [
            "out.size",
            "out.shape[0]",
            "max(len(out.shape), out.size)",
            100,
            (100,),
            [100, 1],
            np.int32(100),
            (100, 1, 1),
        ],
    )
    def test_forms(self, device, size):
        scale = make_scale(exec_size=size)
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        for _ in range(2):
            scale(out, x)
        np.testing.assert_array_equal(out.read(0), numbers() * 2)

    def test_function_of_the_arguments(self, device):
        seen = []

        def size(args):
            seen.append(args)
            return args.out.size

        scale = make_scale(exec_size=size)
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        scale(out, x, factor=3.0)
        scale(out, x, factor=3.0)
        np.testing.assert_array_equal(out.read(0), numbers() * 3)
        assert seen[0].factor == 3.0 and not hasattr(seen[0], "nothing") and not hasattr(seen[-1], "nothing")

    def test_workgroups(self, device):
        @vd.shader(workgroups=(3,), local_size=4)
        def ids(out: Buff[u32]):
            out[vc.global_invocation_id().x] = vc.workgroup_id().x

        out = vd.buffer_u32(16)
        out.fill(9)
        ids(out)
        assert out.read(0).tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [9] * 4

    def test_surplus_invocations_do_nothing(self, device):
        scale = make_scale(exec_size=10, local_size=64)
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        out.fill(-1)
        scale(out, x)
        assert out.read(0).tolist() == [*(numbers(10) * 2).tolist(), *[-1.0] * 90]

    def test_the_call_wins_over_the_decorator(self, device):
        scale = make_scale(local_size=10)
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        for keyword, count, written in (("exec_size", 5, 5), ("workgroups", 2, 20), ("exec_size", lambda a: 7, 7)):
            out.fill(-1)
            scale(out, x, **{keyword: count})
            assert (out.read(0) >= 0).sum() == written
        scale(out, x, exec_size=None, workgroups=None)
        assert (out.read(0) >= 0).all()
        with pytest.raises(ValueError):
            scale(out, x, exec_size=1, workgroups=1)

    @pytest.mark.parametrize("wrong", [0, -1, 1.5, (1, 2, 3, 4), (), "out.size - 100", "1.5", (1, 0), "out.shape"])
    def test_wrong_sizes(self, host, wrong):
        scale = make_scale(exec_size=wrong)
        out, x = vd.buffer_f32((50, 2)), vd.asbuffer(numbers())
        if wrong == "out.shape":
            scale(out, x)
            return
        for _ in range(2):
            with pytest.raises(ValueError):
                scale(out, x)

    def test_expressions_see_the_parameters_alone(self, host):
        for expression in ("__import__('os')", "vd", "open('x')", "out.nothing"):
            scale = make_scale(exec_size=expression)
            with pytest.raises(ValueError, match="Cannot evaluate the launch size"):
                scale(vd.buffer_f32(4), vd.buffer_f32(4))
        with pytest.raises(ValueError):
            make_scale(exec_size="out.size +")(vd.buffer_f32(4), vd.buffer_f32(4))

    def test_more_groups_than_the_device_has(self, host):
        scale = make_scale(exec_size=1 << 62)
        out = vd.buffer_f32(4)
        limit = vd.get_context().max_workgroup_count[0]
        with pytest.raises(ValueError, match=str(limit)):
            scale(out, out)

    def test_no_size(self, host):
        scale = make_scale(exec_size=None)
        out = vd.buffer_f32(4)
        with pytest.raises(ValueError, match="must be greater than 0"):
            scale(out, out)
        scale(out, out, exec_size=4)

    def test_both(self):
        with pytest.raises(ValueError):
            vd.shader(exec_size=1, workgroups=1)

    @pytest.mark.parametrize(
        "local, expected", [(8, (8, 1, 1)), ((4,), (4, 1, 1)), ((4, 2), (4, 2, 1)), ([2, 2, 2], (2, 2, 2))]
    )
    def test_local_size(self, host, local, expected):
        scale = make_scale(local_size=local)
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        scale(out, x)
        assert scale.bounds.local_size == expected

    def test_default_local_size(self, host):
        scale = make_scale()
        scale.build()
        assert scale.bounds.local_size == (vd.get_context().max_workgroup_size[0], 1, 1)

    @pytest.mark.parametrize("wrong", [0, (1 << 20, 1, 1), (1024, 1024, 64), "x", 1.5])
    def test_wrong_local_size(self, host, wrong):
        with pytest.raises(ValueError):
            make_scale(local_size=wrong).build()


class TestArguments:
    def test_positions_names_and_defaults(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        for call in (
            lambda: scale(out, x, 2.0),
            lambda: scale(out, x=x),
            lambda: scale(factor=2, x=x, out=out),
            lambda: scale(out, x, np.float32(2)),
        ):
            out.fill(0)
            call()
            np.testing.assert_array_equal(out.read(0), numbers() * 2)

    def test_what_is_wrong_is_said(self, host):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        for _ in range(2):  # the first call, which builds, and the ones after it
            with pytest.raises(ValueError, match="Missing argument 'x'!"):
                scale(out)
            with pytest.raises(ValueError, match="Missing argument 'out'!"):
                scale(x=x)
            with pytest.raises(TypeError, match="Kernel 'scale': The kernel takes 3 argument.*4 were given"):
                scale(out, x, 2.0, 3.0)
            with pytest.raises(TypeError, match="Kernel 'scale': The kernel has no parameter 'cmd_list'! .* graph="):
                scale(out, x, cmd_list=None)
            with pytest.raises(TypeError, match="Kernel 'scale': Argument 'out' is given twice"):
                scale(out, x, out=out)
            with pytest.raises(ValueError, match="Expected a buffer for argument 'x'"):
                scale(out, numbers())
            with pytest.raises(ValueError):
                scale(out, x, graph=3)
            with pytest.raises(ValueError):
                scale(out, x, "two")
            with pytest.raises(ValueError, match="LaunchVariables"):
                scale(out, x, lambda: 2)
            scale(out, x)

    def test_destroyed_buffer(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        scale(out, x)
        x.destroy()
        with pytest.raises(RuntimeError, match="was destroyed"):
            scale(out, x)

    def test_reserved_names(self):
        with pytest.raises(ValueError, match="graph"):

            @vd.shader(1)
            def k(graph: Buff[f32]):
                pass

    def test_explicit_types(self, device):
        def body(a, b):
            a[vc.global_invocation_id().x] = b

        k = vd.shader(
            "a.size", arg_type_annotations=[Buff[f32], Const[f32]], arg_names=["a", "b"], arg_defaults=[None, 4.0]
        )(body)
        out = vd.buffer_f32(3)
        k(out)
        assert out.read(0).tolist() == [4.0] * 3
        k = vd.shader("param0.size", arg_type_annotations=[Buff[f32], Const[f32]])(body)
        k(out, param1=5.0)
        assert out.read(0).tolist() == [5.0] * 3
        with pytest.raises(ValueError):
            vd.shader(1, arg_names=["a", "b"])(body)
        with pytest.raises(ValueError, match="a name of its own"):
            vd.shader(1, arg_type_annotations=[Buff[f32], Const[f32]], arg_names=["a", "a"])(body)

    def test_zero_and_array_defaults(self, device):
        @vd.shader("out.size")
        def k(out: Buff[f32], a: Const[f32] = 0, b: Const[v3] = np.array([1, 2, 3])):
            out[vc.global_invocation_id().x] = a + b.z

        out = vd.buffer_f32(2)
        k(out)
        assert out.read(0).tolist() == [3.0, 3.0]

    def test_values_of_every_shape(self, device):
        @vd.shader(1, local_size=1)
        def k(out: Buff[f32], a: Const[v3], n: Const[i32], m: Const[vd.mat2], z: Const[c64], h: Const[u32]):
            out[0] = a.x
            out[1] = a.y
            out[2] = a.z
            out[3] = vc.to_float(n)
            out[4] = m[0].x
            out[5] = m[0].y
            out[6] = m[1].x
            out[7] = z.real
            out[8] = z.imag
            out[9] = vc.to_float(h)

        out = vd.buffer_f32(10)
        k(out, (1, 2, 3), -4, np.array([[5, 6], [7, 8]]), 9 + 10j, 11)
        assert out.read(0).tolist() == [1, 2, 3, -4, 5, 6, 7, 9, 10, 11]
        k(out, 1.0, 2.9, 3.0, [4, 5], np.uint32(6))
        assert out.read(0).tolist() == [1, 1, 1, 2, 3, 3, 3, 4, 5, 6]
        with pytest.raises(ValueError):
            k(out, (1, 2), 1, 1, 1, 1)
        with pytest.raises(OverflowError):
            k(out, 1, 1, 1, 1, -1)

    def test_dataclass(self, device):
        @dataclasses.dataclass
        class Params:
            offset: u32
            factor: f32

        @vd.shader("out.size")
        def k(out: Buff[f32], p: Params, more: Const[f32]):
            i = vc.global_invocation_id().x
            out[i] = vc.to_float(i + p.offset) * p.factor + more

        out = vd.buffer_f32(4)
        for _ in range(2):
            k(out, Params(10, 2.0), 1.0)
            assert out.read(0).tolist() == [21, 23, 25, 27]
        with pytest.raises(ValueError):
            k(out, 3, 1.0)

    def test_variables_by_value(self, device):
        @vd.shader("out.size")
        def k(out: Buff[f32], a: Var[f32], b: Const[f32]):
            out[vc.global_invocation_id().x] = a - b

        out = vd.buffer_f32(3)
        k(out, 5.0, 2.0)
        assert out.read(0).tolist() == [3.0] * 3

    def test_variables_of_a_graph(self, device):
        @vd.shader("out.size")
        def k(out: Buff[f32], a: Var[f32], b: Const[f32], c: Var[v2]):
            i = vc.global_invocation_id().x
            out[i] = out[i] * 10 + a - b + c.x * c.y

        out, other = vd.asbuffer(np.zeros(3, np.float32)), vd.asbuffer(np.zeros(3, np.float32))
        graph = vd.CommandGraph()
        a = graph.bind_var("a")
        k(out, a, 1.0, graph.bind_var("c"), graph=graph)
        graph.submit()  # what was never set is zero
        assert out.read(0).tolist() == [-1.0] * 3
        graph.set_var("a", 4.0)
        graph.set_var("c", (2.0, 3.0))
        graph.submit()
        assert out.read(0).tolist() == [-1.0] * 3  # -10 + 3 + 6
        # One value for each instance; what is recorded later takes part.
        graph.set_var("a", np.array([1.0, 2.0], np.float32))
        graph.set_var("c", [[0.0, 0.0], [1.0, 5.0]])
        k(other, a, 0.0, (0.0, 0.0), graph=graph)
        graph.submit(2)
        assert out.read(0).tolist() == [-94.0] * 3  # (-10 + 0) * 10 + 1 + 5
        assert other.read(0).tolist() == [12.0] * 3
        graph.set_var("c", 0.0)  # fills a vector
        with pytest.raises(ValueError, match="2 value"):
            graph.submit(3)
        graph.set_var("a", 0.0)
        graph.submit(3)
        assert other.read(0).tolist() == [12000.0] * 3

    def test_mistakes_with_variables(self, device):
        @vd.shader("out.size")
        def k(out: Buff[f32], a: Var[f32], b: Const[f32]):
            out[vc.global_invocation_id().x] = a - b

        out = vd.buffer_f32(3)
        graph = vd.CommandGraph()
        with pytest.raises(ValueError, match="Variable not bound!.*'a'.*none"):
            graph.set_var("a", 1.0)
        graph.bind_var("gain")
        with pytest.raises(ValueError, match="Variable not bound!.*'gian'.*bound are: 'gain'"):
            graph.set_var("gian", 1.0)
        with pytest.raises(ValueError, match="Constants"):
            k(out, 1.0, graph.bind_var("b"), graph=graph)
        with pytest.raises(ValueError, match="another graph"):
            k(out, graph.bind_var("a"), 1.0, graph=vd.CommandGraph())
        with pytest.raises(ValueError, match="submits on record"):
            vd.default_graph().bind_var("a")
        k(out, graph.bind_var("a"), 0.0, graph=graph)
        with pytest.raises(ValueError, match="text"):
            graph.set_var("a", "text")
        graph.set_var("a", ["text"])
        with pytest.raises(ValueError, match="text"):
            graph.submit()
        stale = graph.bind_var("a")
        graph.reset()
        with pytest.raises(ValueError, match="reset"):
            k(out, stale, 0.0, graph=graph)
        with pytest.raises(ValueError, match="Variable not bound!.*'a'.*none"):
            graph.set_var("a", 1.0)
        graph.bind_var("gain")
        with pytest.raises(ValueError, match="Variable not bound!.*'gian'.*bound are: 'gain'"):
            graph.set_var("gian", 1.0)

    def test_other_dtypes(self, device, capfd):
        @vd.shader("out.size")
        def k(out: Buff[v2]):
            out[vc.global_invocation_id().x] = vc.to_vec2(1, 2)

        vd.set_log_level(vd.LogLevel.INFO)
        out = vd.buffer_c64(4)
        k(out)
        k(out)
        vd.set_log_level(vd.LogLevel.WARNING)
        assert out.read(0).tolist() == [1 + 2j] * 4
        assert capfd.readouterr().err.count("complex64") == 1
        with pytest.raises(ValueError, match="no whole number of vec2"):
            k(vd.buffer_f32(3))
        k(vd.buffer_f32(8), exec_size=4)

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        a=st.floats(width=32, allow_nan=False), b=st.integers(-(1 << 31), (1 << 31) - 1), c=st.floats(allow_nan=False)
    )
    def test_scalars_arrive_exactly(self, host, a, b, c):
        global _exact
        if "_exact" not in globals() or _exact.plan is None:

            @vd.shader(1, local_size=1)
            def _exact(x: Buff[f32], y: Buff[i32], z: Buff[f64], a: Const[f32], b: Const[i32], c: Const[f64]):
                x[0] = a
                y[0] = b
                z[0] = c

        x, y, z = vd.buffer_f32(1), vd.buffer_i32(1), vd.buffer_f64(1)
        _exact(x, y, z, a, b, c)
        assert (x.read(0)[0], y.read(0)[0], z.read(0)[0]) == (np.float32(a), b, c)


class TestKernelObject:
    def test_bare_decorator(self, device):
        @vd.shader
        def k(out: Buff[f32]):
            """Writes ones."""
            out[vc.global_invocation_id().x] = 1.0

        assert isinstance(k, vd.ShaderFunction) and k.__name__ == k.name == "k" and k.__doc__ == "Writes ones."
        assert k.__wrapped__.__name__ == "k"
        out = vd.buffer_f32(3)
        k(out, exec_size=3)
        assert out.read(0).tolist() == [1.0] * 3

    def test_attributes(self, host):
        scale = make_scale(local_size=8)
        assert (scale.plan, scale.bounds, scale.ready, scale.source) == (None, None, False, None)
        assert (scale.local_size, scale.exec_size, scale.workgroups) == (8, "out.size", None)
        scale.build()
        plan = scale.plan
        scale.build()
        assert scale.ready and scale.plan is plan and isinstance(scale.source, str) and scale.source.endswith("\n")
        assert isinstance(scale.bounds, ExecutionBounds) and plan._handle > 0

    def test_source(self, host, capsys):
        scale = make_scale(local_size=8)
        source = scale.get_src()
        assert isinstance(source, vd.ShaderSource) and source and source.local_size == (8, 1, 1)
        head = "// ====== Source Code for 'scale', workgroup_size: (8, 1, 1) ======\n"
        assert repr(source) == head + source.code == repr(scale)
        numbered = scale.get_src(line_numbers=True).code
        assert numbered.startswith("   1: ") and numbered.count("\n") == source.code.count("\n")
        vc.set_shader_print_line_numbers(True)
        try:
            assert scale.get_src().code == numbered
        finally:
            vc.set_shader_print_line_numbers(False)
        scale.print_src()
        assert capsys.readouterr().out.startswith(head)

    def test_names_of_registers_stay(self, host):
        @vd.shader("out.size")
        def k(out: Buff[f32]):
            value = vc.new_float_register(1.0, var_name="my_register")
            value += 1.0
            out[vc.global_invocation_id().x] = value

        k.build()
        assert "my_register" in k.source

    def test_other_languages(self, host):
        for name in ("glsl", "cuda", "opencl"):
            vc.set_codegen_backend(name)
            try:
                scale = make_scale()
            finally:
                vc.set_codegen_backend(None)
            assert {"glsl": "#version", "cuda": "__global__", "opencl": "__kernel"}[name] in scale.get_src().code

    def test_a_language_that_the_runtime_cannot_run(self, device):
        if device == "host":
            pytest.skip("the host runs every kernel")
        other = "glsl" if device == "cuda" else "cuda"
        vc.set_codegen_backend(other)
        try:
            scale = make_scale()
        finally:
            vc.set_codegen_backend(None)
        with pytest.raises(RuntimeError, match=rf"'{other}'.*get_src\(build=False\)"):
            scale.build()
        with pytest.raises(RuntimeError, match=other):
            scale.get_src()
        assert {"glsl": "#version", "cuda": "__global__"}[other] in scale.get_src(build=False).code

    def test_a_kernel_inside_a_trace(self, host):
        scale = make_scale()
        buffer = vd.buffer_f32(100)

        def outer(out: Buff[f32]):
            scale(buffer, buffer)

        for _ in range(2):  # before the first launch, and after it
            with pytest.raises(RuntimeError, match="traced"):
                vd.shader(1)(outer)
            scale(buffer, buffer)

    def test_a_barrier_that_some_may_miss_is_named(self, host, capfd):
        @vd.shader(8, local_size=8)
        def sometimes(out: Buff[f32]):
            i = vc.global_invocation_id().x
            vc.barrier()
            with vc.if_block(i < 3):
                vc.barrier()
                out[i] = 1

        sometimes.build()
        line = sometimes.__wrapped__.__code__.co_firstlineno + 5
        said = capfd.readouterr().err
        assert 'kernel "sometimes": not all invocations of a workgroup may arrive at the barrier at ' in said
        assert f"test_launch.py:{line} in sometimes" in said

    def test_build_error(self, host, monkeypatch):
        from vkdispatch.base import compute_plan

        def refuse(*arguments):
            raise vd.CompileError("the log", -7)

        scale = make_scale()
        monkeypatch.setattr(compute_plan.ComputePlan, "from_kernel", refuse)
        with pytest.raises(vd.ShaderBuildError, match="scale") as caught:
            scale.build()
        error = caught.value
        assert isinstance(error, RuntimeError) and error.compiler_log == "the log"
        assert error.shader_source.code.startswith("   1: ") and isinstance(error.__cause__, vd.CompileError)
        monkeypatch.undo()
        scale.build()

    def test_make_shader_function(self, device):
        with vc.shader_context() as context:
            (out,) = context.declare_input_arguments([Buff[f32]])
            out[vc.global_invocation_id().x] = 3.0
        kernel = vd.make_shader_function(context.get_description("three"), local_size=(4, 1, 1), exec_count=5)
        buffer = vd.buffer_f32(8)
        buffer.fill(0)
        kernel(buffer)
        assert kernel.name == "three" and buffer.read(0).tolist() == [3.0] * 5 + [0.0] * 3

    def test_threads_trace_and_build_at_once(self, device):
        barrier = threading.Barrier(2)
        results, errors = {}, []

        def work(name, value):
            try:

                def body(out):
                    register = vc.new_float_register(value, var_name=f"var_{name}")
                    barrier.wait(30)
                    out[vc.global_invocation_id().x] = register

                kernel = vd.shader("out.size", arg_type_annotations=[Buff[f32]], arg_names=["out"])(body)
                kernel.build()
                out = vd.buffer_f32(16)
                kernel(out)
                results[name] = (kernel.source, out.read(0).tolist())
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=arguments) for arguments in (("one", 1.0), ("two", 2.0))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert "var_one" in results["one"][0] and results["one"][1] == [1.0] * 16
        assert "var_two" in results["two"][0] and results["two"][1] == [2.0] * 16


class TestGraphs:
    def test_recorded_work_waits_for_submit(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        out.fill(0)
        graph = vd.CommandGraph()
        scale(out, x, 2.0, graph=graph)
        scale(out, out, 3.0, graph=graph)
        assert (out.read(0) == 0).all()
        graph.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 6)
        graph.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 6)
        assert graph.wait()

    def test_instances_repeat_the_list(self, device):
        @vd.shader("x.size")
        def more(x: Buff[f32]):
            x[vc.global_invocation_id().x] += 1.0

        x = vd.asbuffer(np.zeros(10, np.float32))
        graph = vd.CommandGraph()
        more(x, graph=graph)
        graph.submit(instance_count=5)
        graph.submit_any(2)
        graph.submit(0)
        assert (x.read(0) == 7).all()
        more(x, graph=graph)  # recorded further after a submit
        graph.submit()
        assert (x.read(0) == 9).all()
        for wrong in ({"instance_count": -1}, {"instance_count": 1.5}, {"queue_index": 5}, {"queue_index": "0"}):
            with pytest.raises(ValueError):
                graph.submit(**wrong)

    def test_reset(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        out.fill(0)
        graph = vd.CommandGraph()
        scale(out, x, graph=graph)
        graph.reset()
        graph.submit()
        assert (out.read(0) == 0).all()

    def test_submitting_takes_a_snapshot(self, device):
        @vd.shader("x.size")
        def add(x: Buff[f32], n: Const[f32]):
            x[vc.global_invocation_id().x] += n

        x = vd.asbuffer(np.zeros(10, np.float32))
        graph = vd.CommandGraph(reset_on_submit=True)
        for i in range(250):
            add(x, float(i), graph=graph)
            graph.submit()
        assert (x.read(0) == sum(range(250))).all()

    def test_submit_on_record(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        graph = vd.CommandGraph(submit_on_record=True)
        scale(out, x, graph=graph)
        np.testing.assert_array_equal(out.read(0), numbers() * 2)

    def test_values_are_taken_when_recorded(self, device):
        @vd.shader("out.size")
        def k(out: Buff[f32], v: Const[v3]):
            out[vc.global_invocation_id().x] = v.y

        value = np.array([1.0, 2.0, 3.0])
        out = vd.buffer_f32(2)
        graph = vd.CommandGraph()
        k(out, value, graph=graph)
        value[:] = 9
        graph.submit()
        assert out.read(0).tolist() == [2.0, 2.0]

    def test_repr_of_graphs(self, host):
        @vd.shader("x.size")
        def add(x: Buff[f32], amount: Var[f32]):
            x[vc.global_invocation_id().x] += amount

        x, graph = vd.zeros(3), vd.CommandGraph()
        assert repr(graph) == "<CommandGraph on host: 0 commands recorded>"
        add(x, graph.bind_var("amount"), graph=graph)
        assert repr(graph) == "<CommandGraph on host: 1 command recorded, variables 'amount'>"
        add(x, 1.0, graph=graph)
        assert repr(graph).startswith("<CommandGraph on host: 2 commands recorded")
        graph.destroy()
        assert repr(graph) == "<CommandGraph, destroyed>"
        assert repr(vd.default_graph()) == "<CommandGraph on host: runs what is recorded at once>"
        with CommandList() as commands:
            assert repr(commands) == "<CommandList: 0 launches>"
        assert repr(commands) == "<CommandList, destroyed>"

    def test_global_graph(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        out.fill(0)
        graph = vd.CommandGraph()
        assert vd.set_global_graph(graph) is None and vd.global_graph() is graph
        with pytest.raises(RuntimeError):
            vd.set_global_graph(vd.CommandGraph())
        scale(out, x)
        assert vd.set_global_graph(None) is None and vd.global_graph() is vd.default_graph()
        assert (out.read(0) == 0).all()
        graph.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 2)

    def test_record(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        with vd.record() as outer:
            scale(out, x, 2.0)
            with vd.record() as inner:
                scale(out, out, 5.0)
            scale(out, out, 3.0)
        assert vd.global_graph() is vd.default_graph()
        outer.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 6)
        inner.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 30)

    def test_graphs_of_other_threads(self, host):
        mine, theirs = vd.default_graph(), []
        vd.set_global_graph(vd.CommandGraph())
        thread = threading.Thread(target=lambda: theirs.append(vd.global_graph()))
        thread.start()
        thread.join()
        vd.set_global_graph()
        assert theirs[0] is not mine and theirs[0].submit_on_record

    def test_a_destroyed_buffer_spoils_the_graph_until_it_is_reset(self, device):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        graph = vd.CommandGraph()
        scale(out, x, graph=graph)
        graph.submit()
        x.destroy()
        with pytest.raises(RuntimeError):
            graph.submit()
        graph.reset()
        graph.submit()
        scale(out, out, graph=graph)
        graph.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 4)

    def test_a_destroyed_graph(self, host):
        scale = make_scale()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        graph = vd.CommandGraph()
        scale(out, x, graph=graph)
        graph.destroy()
        for use in (graph.submit, graph.reset, lambda: scale(out, x, graph=graph)):
            with pytest.raises(RuntimeError, match="was destroyed"):
                use()

    def test_kernels_may_go_while_their_launches_are_pending(self, device):
        out = vd.buffer_f32(1000)
        for i in range(20):

            @vd.shader("out.size")
            def k(out: Buff[f32]):
                out[vc.global_invocation_id().x] = float(i)  # noqa: B023

            k(out)
            del k
        assert (out.read(0) == 19).all()

    def test_order_without_waits(self, device):
        @vd.shader("y.size")
        def step(y: Buff[f32], x: Buff[f32]):
            i = vc.global_invocation_id().x
            y[i] = x[i] + 1.0

        a, b = vd.asbuffer(np.zeros(257, np.float32)), vd.buffer_f32(257)
        for _ in range(100):
            step(b, a)
            step(a, b)
        assert (a.read(0) == 200).all()
        a.write(np.zeros(257, np.float32))
        step(b, a)
        a.write(np.full(257, 50, np.float32))
        assert (b.read(0) == 1).all() and (a.read(0) == 50).all()

    def test_quiet_members(self, host):
        graph = vd.CommandGraph()
        graph.prepare_submission_state(1)
        graph.prepare_for_cuda_graph_capture()
        graph.ensure_uniform_constants_capacity(4)
        with pytest.raises(ValueError, match="Variable not bound!"):
            graph.set_var("x", 1)
        with pytest.raises(RuntimeError), vd.cuda_graph_capture():
            pass
        assert vd.get_cuda_capture() is None
        capture = vd.CUDAGraphCapture(5)
        capture.add_uniform_buffer("b")
        assert capture.cuda_stream == 5 and list(capture.uniform_buffers) == ["b"]

    def test_record_shader(self, device):
        scale = make_scale(local_size=32)
        scale.build()
        out, x = vd.buffer_f32(100), vd.asbuffer(numbers())
        graph = vd.CommandGraph()
        buffers = [vd.BufferBindInfo(x, 2, None, True, False), vd.BufferBindInfo(out, 1, None, False, True)]
        name = scale.shader_description.uniform_structure[-1].name
        graph.record_shader(scale.plan, scale.shader_description, (100, 1, 1), (4, 1, 1), buffers, [], {name: 4.0})
        graph.submit()
        np.testing.assert_array_equal(out.read(0), numbers() * 4)
        with pytest.raises(vd.Error, match=r"binding_count \(3\)"):
            sampler = vd.ImageBindInfo(vd.Image2D((1, 1)).sample(), 0, True, False)
            graph.record_shader(scale.plan, scale.shader_description, (1, 1, 1), (1, 1, 1), buffers, [sampler])


class TestLowLevel:
    def make(self):
        @vd.shader("x.size", local_size=10)
        def add(x: Buff[f32], n: Var[f32]):
            x[vc.global_invocation_id().x] += n

        add.build()
        return add.plan

    def test_command_list(self, device):
        plan = self.make()
        x = vd.asbuffer(np.zeros(20, np.float32))
        binds = DescriptorSet(plan)
        binds.bind_buffer(x, 0)
        commands = CommandList()
        commands.record_compute_plan(plan, binds, [2, 1, 1])
        assert commands.get_instance_size() == plan.pc_size
        values = np.float32([1, 2, 3])
        commands.submit(data=values.tobytes())
        assert (x.read(0) == 6).all()
        commands.submit(data=values.tobytes(), instance_count=3, queue_index=0)
        commands.submit_any(values[:1].tobytes())
        assert (x.read(0) == 13).all()
        for wrong in (
            {},
            {"data": b"123"},
            {"instance_count": 1},
            {"data": values.tobytes(), "instance_count": 2},
            {"data": values.tobytes(), "queue_index": 3},
        ):
            with pytest.raises(ValueError):
                commands.submit(**wrong)
        commands.reset()
        commands.submit(instance_count=1)
        with pytest.raises(ValueError):
            commands.submit(data=b"1234")

    def test_bindings(self, device):
        plan = self.make()
        x = vd.asbuffer(np.zeros(20, np.float32))
        binds = DescriptorSet(plan)
        commands = CommandList()
        commands.record_compute_plan(plan, binds, [1, 1, 1])
        with pytest.raises(ValueError, match="Binding 0"):
            commands.submit(data=bytes(4))
        with pytest.raises(ValueError):
            binds.bind_buffer(x, 7)
        with pytest.raises(TypeError, match="bind_sampler: sampler"):
            binds.bind_sampler(None, 0)
        with pytest.raises(RuntimeError if device != "cuda" else ValueError):
            binds.set_inline_uniform_payload(b"")
        binds.bind_buffer(x, 0, offset=16, range=40)
        commands.submit(data=np.float32([1]).tobytes())
        assert x.read(0).tolist() == [0] * 4 + [1] * 10 + [0] * 6

    def test_a_destroyed_buffer_spoils_the_list(self, host):
        plan = self.make()
        x = vd.asbuffer(np.zeros(20, np.float32))
        binds = DescriptorSet(plan)
        binds.bind_buffer(x, 0)
        commands = CommandList()
        commands.record_compute_plan(plan, binds, [1, 1, 1])
        x.destroy()
        assert binds.destroyed
        with pytest.raises(RuntimeError, match="destroyed"):
            commands.submit(data=bytes(4))
        commands.reset()
        commands.submit(instance_count=1)

    SOURCE = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer B { float b[]; };
layout(push_constant) uniform P { float k; } pc;
void main() { uint i = gl_GlobalInvocationID.x; a[i] = b[i] * pc.k + a[i]; }
"""

    def test_source_in_the_backends_language(self, on_backend):
        with on_backend("vulkan"):
            plan = ComputePlan(shader_source=self.SOURCE, binding_type_list=[1, 1], pc_size=4, shader_name="axpy")
            a, b = vd.asbuffer(np.zeros(128, np.float32)), vd.asbuffer(np.ones(128, np.float32))
            binds = DescriptorSet(plan)
            binds.bind_buffer(a, 0)
            binds.bind_buffer(b, 1)
            commands = CommandList()
            for turn in range(50):
                commands.reset()
                for _ in range(5):
                    commands.record_compute_plan(plan, binds, [2, 1, 1])
                commands.submit(data=np.float32([turn, 1, 1, 0, 0]).tobytes())
            assert (a.read(0) == sum(range(50)) + 100).all()
            binds.bind_buffer(a, 1)  # the same buffer twice
            commands.submit(data=np.float32([1, 0, 0, 0, 0]).tobytes())
            assert (a.read(0) == 2 * (sum(range(50)) + 100)).all()

    def test_source_that_does_not_compile(self, on_backend):
        with on_backend("vulkan"):
            with pytest.raises(vd.CompileError, match="nonsense"):
                ComputePlan("nonsense", [1], 0, "bad")
            for kind in (2, 4, 77):
                with pytest.raises(NotImplementedError, match=f"binding 0 is of type {kind}, which is not one of 1 "):
                    ComputePlan(self.SOURCE, [kind, 1], 4, "axpy")
            with pytest.raises(ValueError, match="has a storage buffer .1. there"):
                ComputePlan(self.SOURCE, [3, 1], 4, "axpy")
            assert vd.asbuffer(np.ones(3, np.float32)).read(0).tolist() == [1, 1, 1]


class TestHelpers:
    names = (("a", None), ("b", 0), ("c", None))

    def test_holder(self):
        holder = LaunchParametersHolder(self.names, (1,), {"c": 3})
        assert holder.get_names() == ["a", "b", "c"] and holder.get_values() == [1, 0, 3]
        assert (holder.a, holder.b, holder.c) == (1, 0, 3) and not hasattr(holder, "d")
        assert holder.ref_dict == {"a": 1, "b": 0, "c": 3}
        with pytest.raises(ValueError, match="Missing argument 'c'!"):
            LaunchParametersHolder(self.names, (1,), {})
        with pytest.raises(TypeError):
            LaunchParametersHolder(self.names, (1, 2, 3, 4), {})
        with pytest.raises(TypeError, match="graph="):
            LaunchParametersHolder(self.names, (1,), {"c": 1, "cmd_stream": 2})

    def test_bounds(self):
        bounds = ExecutionBounds(self.names, (8, 2, 1), None, "a + c")
        assert bounds.get_blocks_and_limits((10,), {"c": 7}) == ((3, 1, 1), (17, 1, 1))
        assert bounds.get_blocks_and_limits((10,), {"c": 7, "workgroups": (2, 3)}) == ((2, 3, 1), (16, 6, 1))
        assert bounds.process_input(True, (), {}) == (1, 1, 1)


@pytest.mark.parametrize("size", [16, "data.size", lambda arguments: arguments.data.size])
def test_a_dropped_kernel_drops_its_plan(host, size):
    data = vd.asbuffer(np.ones(16, np.float32))
    gc.collect()
    gc.disable()
    try:

        @vd.shader(size)
        def add(data: Buff[f32], term: Const[f32]):
            data[vc.global_invocation().x] += term

        add(data, 1.0)
        add(data, 2.0)
        assert data.read(0)[0] == 4
        plan, kernel = weakref.ref(add.plan), weakref.ref(add)
        before = _native.raw.vd_live_objects()
        del add
        assert plan() is None and kernel() is None
        assert _native.raw.vd_live_objects() < before
    finally:
        gc.enable()


class TestObjectsThatAnotherThreadDestroys:
    """Objects that a launch hands to the library as bare addresses live until the library has returned."""

    def test_the_general_way(self, host):
        x, n = vd.zeros(4), vd.zeros(3, dtype=vd.uint32)
        desc, kept = launch_desc(0, (4, 1, 1), [(x, 0, 0)], b"", counts=n)
        before = _native.raw.vd_live_objects()
        x.destroy()
        n.destroy()
        assert _native.raw.vd_live_objects() == before
        del desc, kept
        assert _native.raw.vd_live_objects() < before

    def test_the_quick_way(self, host, monkeypatch):
        monkeypatch.setattr(_native.hot, "keep_lock", True)  # no graph calls a function yet
        x = vd.zeros(4)
        counts = []

        class Hot:
            def try_launch(self, *arguments):
                counts.append(_native.raw.vd_live_objects())
                x.destroy()
                counts.append(_native.raw.vd_live_objects())
                plan._hot = None
                return 0

        class Plan:
            _hot = Hot()

        plan = Plan()
        assert ComputePlan.launch_now(plan, 0, (4, 1, 1), [x], b"")
        assert counts[0] == counts[1] > _native.raw.vd_live_objects()
        assert not ComputePlan.launch_now(plan, 0, (4, 1, 1), [vd.zeros(4)], b"")  # the plan is gone

    def test_the_quick_way_where_graphs_call_functions(self, host, monkeypatch):
        """A plan's launch keeps the interpreter's lock, which such a function needs; its recording waits for nobody."""
        monkeypatch.setattr(_native.hot, "keep_lock", False)

        class Plan:
            class _hot:
                @staticmethod
                def try_launch(*arguments):
                    return 0

        assert not ComputePlan.launch_now(Plan(), 0, (4, 1, 1), [vd.zeros(4)], b"")
        assert ComputePlan.launch_now(Plan(), 1, (4, 1, 1), [vd.zeros(4)], b"")

    def test_a_size_that_destroys_the_graph(self, host):
        graph = vd.CommandGraph()
        destroys = []

        def size(arguments):
            if destroys:
                graph.destroy()
            return 4

        @vd.shader(exec_size=size)
        def one(x: Buff[f32]):
            x[vc.global_invocation_id().x] = 1

        x = vd.zeros(4)
        one(x)
        one(x, graph=graph)
        destroys.append(True)
        with pytest.raises(RuntimeError, match="CommandGraph was destroyed"):
            one(x, graph=graph)
