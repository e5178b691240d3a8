"""Graphs: instances, other buffers and images, calls, graphs in graphs, labels and what is left out of the order."""

import array
import faulthandler
import gc
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Img2, Var, c64, f32, i32, u32, v2


@vd.shader("x.size")
def mix(x: Buff[i32], y: Buff[i32], c: Var[i32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 3 + y[i] + c


def buffer(*values, dtype=np.int32):
    return vd.asbuffer(np.array(values, dtype))


def wrapped(value):
    return int(np.uint32(value & 0xFFFFFFFF).view(np.int32))


class TestInstances:
    def test_each_has_its_values(self, device):
        x, y = buffer(1), buffer(2)
        graph = vd.CommandGraph()
        mix(x, y, graph.bind_var("first"), graph=graph)
        mix(y, x, 5, graph=graph)
        mix(x, y, graph.bind_var("second"), graph=graph)
        a, b = 1, 2
        for count in (200, 200, 3):
            first, second = np.arange(count), [7 * i for i in range(count)]
            graph.set_var("first", first)
            graph.set_var("second", second)
            graph.submit(count)
            for i in range(count):
                a = (a * 3 + b + int(first[i])) & 0xFFFFFFFF
                b = (b * 3 + a + 5) & 0xFFFFFFFF
                a = (a * 3 + b + second[i]) & 0xFFFFFFFF
        graph.set_var("first", 4)  # the same for all again
        graph.set_var("second", [1, 2])
        graph.submit(2)
        for second in (1, 2):
            a = (a * 3 + b + 4) & 0xFFFFFFFF
            b = (b * 3 + a + 5) & 0xFFFFFFFF
            a = (a * 3 + b + second) & 0xFFFFFFFF
        assert x.read(0).tolist() == [wrapped(a)]
        assert y.read(0).tolist() == [wrapped(b)]

    def test_vectors(self, device):
        @vd.shader("x.size")
        def move(x: Buff[v2], by: Var[v2]):
            x[vc.global_invocation_id().x] += by

        x = vd.zeros(4, vd.vec2)
        graph = vd.CommandGraph()
        move(x, graph.bind_var("by"), graph=graph)
        graph.set_var("by", [(1, 2), (3, 4), (5, 6)])
        graph.submit(3)
        assert x.read(0).tolist() == [[9, 12]] * 4

    @pytest.mark.parametrize("error", [TypeError, RuntimeError])
    def test_values_that_cannot_be_copied(self, host, error):
        class Values:
            def __len__(self):
                return 2

            def __getitem__(self, i):
                return [1, 2][i]

            def __deepcopy__(self, memo):
                raise error("no copies of tensors with a history")

        x, y = buffer(1), buffer(2)
        graph = vd.CommandGraph()
        mix(x, y, graph.bind_var("c"), graph=graph)
        graph.set_var("c", Values())
        graph.submit(2)
        assert x.read(0).tolist() == [22]

    def test_mistakes(self, device):
        x, y = buffer(1), buffer(2)
        graph = vd.CommandGraph()
        mix(x, y, graph.bind_var("c"), graph=graph)
        graph.set_var("c", [1, 2, 3])
        with pytest.raises(ValueError, match=r"Variable 'c' has 3 value\(s\) for 2 instances"):
            graph.submit(2)
        with pytest.raises(ValueError, match=r"Variable 'c' has 3 value\(s\) for 1 instance!"):
            graph.submit()
        for wrong in (None, {}, {1}, "abc", iter([1]), x):
            with pytest.raises(ValueError, match="CommandGraph.set_var: value .* of 'c' must be a number"):
                graph.set_var("c", wrong)
        graph.set_var("c", np.array(4))
        graph.submit()
        assert x.read(0).tolist() == [9]
        x.write(1)
        graph.set_var("c", [1, "two"])
        with pytest.raises(ValueError, match="'two' is not a value for 'c'"):
            graph.submit(2)
        graph.set_var("c", [1, 2])
        graph.submit(2)
        assert x.read(0).tolist() == [22]


class TestReplacing:
    def test_a_ping_pong_is_swapped(self, device):
        x, y = buffer(1, 2), buffer(3, 4)
        graph = vd.CommandGraph()
        mix(x, y, 1, graph=graph)
        a, b = np.array([1, 2]), np.array([3, 4])
        for turn in range(5):
            graph.submit()
            graph.replace({x: y, y: x})
            if turn % 2:
                b = b * 3 + a + 1
            else:
                a = a * 3 + b + 1
        assert x.read(0).tolist() == a.tolist()
        assert y.read(0).tolist() == b.tolist()

    def test_views_follow_their_buffer(self, device):
        x, y = vd.zeros((4, 4)), vd.zeros((4, 4))
        graph = vd.CommandGraph()
        for k, part in enumerate((x[1], x[2:], x[:, 3], x.reshape(16)[5:7])):
            graph.fill(part, k + 1)
        graph.replace(x, y)
        graph.submit()
        assert not x.read(0).any()
        expected = np.zeros((4, 4))
        expected[1], expected[2:], expected[:, 3] = 1, 2, 3
        expected.reshape(16)[5:7] = 4
        np.testing.assert_array_equal(y.read(0), expected)
        # A view with what lies in it, by another object of its range.
        row = vd.zeros(4)
        graph.replace(y[1], row)
        graph.submit()
        np.testing.assert_array_equal(row.read(0), [1, 4, 4, 1])

    def test_a_wrong_pair_replaces_nothing(self, device):
        x, y = vd.zeros(4), vd.zeros(4)
        graph = vd.CommandGraph()
        graph.fill(x, 1)
        for wrong in ({x: y, 5: 6}, {x: y, y: vd.Image2D((2, 2))}):
            with pytest.raises(TypeError, match=r"^CommandGraph\.replace: "):
                graph.replace(wrong)
        with pytest.raises(ValueError, match=r"^CommandGraph\.replace: "):  # an image that no node has
            graph.replace({x: y, vd.Image2D((2, 2)): vd.Image2D((2, 2))})
        graph.submit()
        assert x.read(0).all() and not y.read(0).any()

    def test_shapes_follow(self, device):
        @vd.shader("16")
        def sizes(out: Buff[i32], x: Buff[f32]):
            out[vc.global_invocation_id().x] = x.shape.x

        out = vd.zeros(16, vd.int32)
        short, long = vd.zeros(16), vd.zeros(64)
        graph = vd.CommandGraph()
        sizes(out, short, graph=graph)
        graph.submit()
        graph.replace(short, long)
        graph.submit()
        assert out.read(0).tolist() == [64] * 16

    def test_transforms_and_reductions(self, device):
        x, y = (vd.asbuffer(np.full(256, i, np.complex64)) for i in (1, 2))
        values, others = vd.asbuffer(np.ones(1000, np.float32)), vd.asbuffer(np.full(1000, 2, np.float32))

        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def add(x: Buff[f32]) -> f32:
            return x[vd.reduce.mapped_io_index()]

        graph = vd.CommandGraph()
        vd.fft.fft(x, graph=graph)
        reduced = add(values, graph=graph)
        graph.submit()
        graph.replace({x: y, values: others})
        graph.submit()
        assert abs(x.read(0)[0] - 256) < 1e-3
        assert abs(y.read(0)[0] - 512) < 1e-3
        assert reduced.read(0)[0] == 2000

    def test_values_of_several_passes(self, device, monkeypatch):
        @vd.map
        def scaled(x: Buff[f32], scale: Const[f32]):
            op = vd.fft.read_op()
            op.register.real = x[op.io_index] * scale
            op.register.imag = 0.0

        monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=256")  # three passes
        a, b = np.random.default_rng(1).random((2, 3, 1 << 14), np.float32)
        out, x, y = vd.Buffer(a.shape, vd.complex64), vd.asbuffer(a), vd.asbuffer(b)
        graph = vd.CommandGraph()
        vd.fft.fft(out, x, 2.0, buffer_shape=a.shape, input_map=scaled, graph=graph)
        for now, numbers in ((x, a), (y, b)):
            graph.replace(x, now)
            graph.submit()
            assert np.allclose(out.read(0), np.fft.fft(2 * numbers), atol=1e-2)

    def test_images(self, device):
        @vd.shader("out.size")
        def load(out: Buff[f32], image: Img2[f32]):
            i = vc.global_invocation_id().x
            out[i] = image.sample((0.5, 0.5), 0.0).x

        first, second = vd.Image2D((4, 4), vd.float32, 1), vd.Image2D((4, 4), vd.float32, 1)
        first.write(np.ones((4, 4), np.float32))
        second.write(np.full((4, 4), 2, np.float32))
        out = vd.zeros(4)
        graph = vd.CommandGraph()
        load(out, first.sample(), graph=graph)
        graph.submit()
        assert out.read(0).tolist() == [1] * 4
        graph.replace(first, second)
        graph.submit()
        assert out.read(0).tolist() == [2] * 4

    def test_memory_is_let_go(self, device):
        context = vd.get_context()
        large, small = vd.zeros(1 << 20), vd.zeros(4)
        graph = vd.CommandGraph()

        @vd.shader("4")
        def touch(x: Buff[f32]):
            x[vc.global_invocation_id().x] = 1

        touch(large, graph=graph)
        graph.submit()
        graph.wait()
        from vkdispatch import _native

        def used():
            graph.wait()
            return _native.raw.vd_context_get_info(context._pointer).memory_in_use

        before = used()
        graph.replace(large, small)
        del large
        assert used() <= before - (1 << 22)
        graph.submit()
        assert small.read(0).tolist() == [1] * 4

    def test_a_shorter_buffer_is_refused_before_it_runs(self, device):
        x, y, short = vd.zeros(8), vd.zeros(8), vd.zeros(7, label="short")

        @vd.shader("x.size")
        def count(x: Buff[f32]):
            x[vc.global_invocation_id().x] += 1

        @vd.shader("8")
        def guarded(x: Buff[f32]):
            i = vc.global_invocation_id().x
            with vc.if_block(i < x.shape.x):
                x[i] += 1

        graph = vd.CommandGraph()
        count(x, graph=graph)
        count(y, graph=graph)
        with pytest.raises(
            ValueError, match=r"CommandGraph.replace: argument 0 \(.*\) of .*buffer \"short\" has 28 bytes .* 32"
        ):
            graph.replace(y, short)
        with pytest.raises(ValueError, match="has 28 bytes"):
            graph.replace({x: y, y: short})
        graph.submit()
        assert x.read(0).tolist() == y.read(0).tolist() == [1] * 8 and not short.read(0).any()
        graph.reset()
        guarded(x, graph=graph)
        graph.replace(x, short)
        graph.submit()
        assert short.read(0).tolist() == [1] * 7

    def test_mistakes(self, device):
        x, y, z = buffer(1), buffer(2), buffer(3)
        graph = vd.CommandGraph()
        with pytest.raises(ValueError, match="nothing is recorded"):
            vd.CommandGraph(submit_on_record=True, reset_on_submit=True).replace(x, y)
        mix(x, y, 1, graph=graph)
        with pytest.raises(ValueError, match=r"CommandGraph.replace: .*is an argument of no node"):
            graph.replace(z, x)
        with pytest.raises(ValueError, match="a Buffer cannot be replaced by a int"):
            graph.replace(x, 3)
        with pytest.raises(ValueError, match="expected a buffer or an image"):
            graph.replace(3, x)
        with pytest.raises(
            ValueError, match="has int32, and the other one int16: numbers of 16 bits cannot be taken for"
        ):
            graph.replace(x, vd.Buffer(4, "int16"))
        with warnings.catch_warnings(), pytest.raises(UserWarning, match="int32, and the other one float32: its bytes"):
            warnings.simplefilter("error")
            graph.replace(x, vd.zeros(4))
        z.destroy()
        with pytest.raises(RuntimeError, match="destroyed"):
            graph.replace(x, z)
        graph.submit()
        assert x.read(0).tolist() == [6]


class TestOrder:
    def test_pictures_and_labels(self, device):
        x, y, z = buffer(1), buffer(2), buffer(3)
        graph = vd.CommandGraph()
        mix(x, y, 1, graph=graph)
        with graph.label("outer"):
            mix(z, x, 1, graph=graph)
            with graph.label("inner"):
                mix(z, x, 1, graph=graph)
        text = graph.dot()
        assert text.startswith("digraph") and "1: outer\\n" in text and "2: outer: inner\\n" in text
        assert "n0 -> n1" in text and "n1 -> n2" in text and "level 2" in text
        mix(z, x, 1, graph=graph)
        assert graph.dot().count("outer") == 2
        with pytest.raises(ValueError, match="text"), graph.label(3):
            pass

    def test_what_is_left_out(self, device):
        x, y, z = buffer(1), buffer(2), buffer(3)
        graph = vd.CommandGraph()
        mix(x, y, 1, graph=graph)
        with graph.unordered(x):
            mix(z, x, 1, graph=graph)
        assert "->" not in graph.dot()
        views = vd.CommandGraph()
        mix(x, y, 1, graph=views)
        with views.unordered(x):
            mix(z, x[:1], 1, graph=views)
        assert "->" not in views.dot()
        mix(z, x, 1, graph=graph)
        assert "n0 -> n2" in graph.dot() and "n1 -> n2" in graph.dot()
        with graph.unordered():
            mix(z, x, 1, graph=graph)
        assert "n3;" not in graph.dot().replace("n3 [", "") and "-> n3" not in graph.dot()
        with pytest.raises(ValueError, match="Expected buffers and images"), graph.unordered(3):
            pass
        copies, x = vd.CommandGraph(), vd.zeros(8)
        with copies.unordered():
            copies.copy(x[:4], x[4:])
            assert "->" not in copies.dot()
            copies.copy(x[:3], x[1:4])  # through memory of the library's
            copies.copy(x[:3:2], x[1:4:2])
        text = copies.dot()
        assert text.count("->") == 2 and "n1 -> n2" in text and "n3 -> n4" in text
        with vd.Context(backend="host") as other:
            of_other = vd.zeros(4, context=other)
            with pytest.raises(ValueError, match="CommandGraph.unordered: .* belongs to"), graph.unordered(of_other):
                pass
        with pytest.raises(ValueError, match="keeps nothing to mark"), vd.default_graph().unordered():
            pass


class TestCalls:
    def test_in_order(self, device):
        x, y = buffer(1), buffer(2)
        go, heard = threading.Event(), []

        def call():
            go.wait(20)
            heard.append(threading.get_ident())

        graph = vd.CommandGraph()
        mix(x, y, 1, graph=graph)
        with graph.label("the call"):
            graph.call(call)
        mix(x, y, 1, graph=graph)
        assert "the call" in graph.dot()
        graph.submit(2)
        assert not graph.wait(0.02) and not heard
        go.set()
        graph.wait()
        assert len(heard) == 2 and heard[0] != threading.get_ident()
        assert x.read(0).tolist() == [((1 * 3 + 3) * 3 + 3) * 9 + 12]
        with pytest.raises(ValueError, match="cannot be called"):
            graph.call(3)
        with pytest.raises(ValueError, match="keeps nothing"):
            vd.default_graph().call(call)

    @pytest.mark.own_context
    def test_launches_let_a_function_run(self, device):
        """A call that frees memory may hold up all others until streams are idle, so launches keep no lock of Python's."""
        x, y = buffer(1), buffer(2)
        mix(x, y, 1)
        started, go = threading.Event(), threading.Event()

        def call():
            started.set()
            go.wait(20)

        graph = vd.CommandGraph()
        graph.call(call)
        other = vd.Context(backend=device)
        mix(vd.zeros(4, np.int32, context=other), vd.zeros(4, np.int32, context=other), 1)
        ending = threading.Thread(target=other.destroy)
        interval = sys.getswitchinterval()
        faulthandler.dump_traceback_later(60, exit=True)  # nothing else ends a process whose lock is never free
        try:
            graph.submit()
            assert started.wait(20)
            ending.start()
            time.sleep(0.3 if device == "cuda" else 0)  # until it waits in the driver
            sys.setswitchinterval(100)  # the function does not get the lock before the launches
            go.set()
            for _ in range(3):
                mix(x, y, 1)
        finally:
            sys.setswitchinterval(interval)
            ending.join()
            faulthandler.cancel_dump_traceback_later()
        graph.wait()
        assert x.read(0).tolist() == [sum(3**k * 3 for k in range(4)) + 3**4]

    def test_an_exception_is_told(self, device, monkeypatch):
        seen = []
        monkeypatch.setattr(sys, "unraisablehook", lambda told: seen.append(told.exc_type))
        graph = vd.CommandGraph()
        graph.call(lambda: 1 / 0)
        x = buffer(1)
        mix(x, buffer(2), 1, graph=graph)
        graph.submit()
        assert x.read(0).tolist() == [6]
        assert seen == [ZeroDivisionError]


class TestGraphsInGraphs:
    def test_with_variables(self, device):
        x, y = buffer(1), buffer(2)
        inner, outer = vd.CommandGraph(), vd.CommandGraph()
        mix(x, y, inner.bind_var("c"), graph=inner)
        inner.set_var("c", 3)
        mix(y, x, 1, graph=outer)
        outer.add_graph(inner)
        inner.reset()
        outer.submit()
        assert y.read(0).tolist() == [8] and x.read(0).tolist() == [14]
        outer.set_var("c", [1, 2])
        outer.submit(2)
        a, b = 14, 8
        for c in (1, 2):
            b = b * 3 + a + 1
            a = a * 3 + b + c
        assert x.read(0).tolist() == [a]
        with pytest.raises(ValueError, match="Expected a CommandGraph"):
            outer.add_graph(3)

    def test_functions(self, device):
        class Held:
            pass

        def make(count):
            inner, outer, held = vd.CommandGraph(), vd.CommandGraph(), Held()
            outer.held = held
            inner.call(lambda: called.append(outer))
            outer.add_graph(inner)
            inner.reset()
            del inner
            gc.collect()
            for _ in range(count):
                outer.submit()
            outer.wait()
            return weakref.ref(held)

        called = []
        held = [make(count) for count in (0, 1, 2)]
        assert len(called) == 3
        called.clear()
        gc.collect()
        assert [one() for one in held] == [None] * 3

    def test_labels(self, device):
        x, y = buffer(1), buffer(2)
        inner, middle, outer = vd.CommandGraph(), vd.CommandGraph(), vd.CommandGraph()
        with inner.label("step"):
            mix(x, y, 1, graph=inner)
        mix(y, x, 1, graph=inner)
        with middle.label("half"):
            middle.add_graph(inner)
        middle.add_graph(inner)
        with outer.label("whole"):
            outer.add_graph(middle)
        dot = outer.dot()
        assert [dot.count(text) for text in ("whole: half: step", "whole: half", "whole: step", "whole")] == [
            1,
            2,
            1,
            4,
        ]
        with pytest.raises(ValueError, match="add_graph: what `other` has recorded has its order"), outer.unordered(x):
            outer.add_graph(inner)

    def test_labels_of_launches_of_several_nodes(self, host):
        @vd.reduce.reduce(0)
        def total(a: f32, b: f32) -> f32:
            return a + b

        x = vd.ones(1 << 20)
        inner, middle, outer, direct = (vd.CommandGraph() for _ in range(4))
        with inner.label("step"):
            total(x, graph=inner)
        total(x, graph=inner)
        with middle.label("half"):
            middle.add_graph(inner)
        with outer.label("whole"):
            outer.add_graph(middle)
        with direct.label("whole"), direct.label("half"):
            with direct.label("step"):
                total(x, graph=direct)
            total(x, graph=direct)
        count = inner.dot().count("workgroups") // 2
        assert count >= 2
        assert outer.dot() == direct.dot()
        for graph, before in ((inner, ""), (middle, "half: "), (outer, "whole: half: ")):
            assert graph.dot().count(f": {before}step\\n") == count
        assert [graph.dot().count(": half\\n") for graph in (middle, outer)] == [count, count]


@vd.shader("out.size")
def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32] = 2.0):
    i = vc.global_invocation_id().x
    out[i] = x[i] * factor


def test_constants_stay(device):
    x, y, out = vd.asbuffer(np.ones(8, np.float32)), vd.asbuffer(np.full(8, 2, np.float32)), vd.zeros(8)
    graph = vd.CommandGraph()
    scale(out, x, 3.0, graph=graph)
    graph.submit()
    graph.replace(x, y)
    graph.submit()
    assert out.read(0).tolist() == [6] * 8


@vd.shader(local_size=4)
def count_groups(out: Buff[u32]):
    i = vc.global_invocation_id().x
    out[i] = out[i] * 10 + vc.num_workgroups().x


@vd.shader(1)
def write_counts(counts: Buff[u32], x: Var[u32]):
    counts[0] = x
    counts[1] = 1
    counts[2] = 1


class TestCounts:
    def test_launches(self, device):
        out, counts = vd.zeros(16, vd.uint32), vd.asbuffer(np.array([9, 9, 9, 3, 1, 1], np.uint32))
        count_groups(out, workgroups=4, counts_from=counts[3:])
        write_counts(counts, 2)
        count_groups(out, exec_size=6, counts_from=counts)
        write_counts(counts, 0)
        count_groups(out, workgroups=4, counts_from=counts)
        assert out.read(0).tolist() == [32] * 6 + [3] * 6 + [0] * 4

    def test_graphs(self, device):
        out, counts, other = (
            vd.zeros(16, vd.uint32),
            vd.zeros(3, vd.uint32),
            vd.asbuffer(np.array([4, 1, 1], np.uint32)),
        )
        graph = vd.CommandGraph()
        write_counts(counts, graph.bind_var("x"), graph=graph)
        count_groups(out, workgroups=4, counts_from=counts, graph=graph)
        graph.set_var("x", [1, 0, 7])
        graph.submit(3)
        assert out.read(0).tolist() == [14] * 4 + [4] * 12
        graph.reset()
        count_groups(out, workgroups=4, counts_from=counts, graph=graph)
        graph.submit()
        assert out.read(0).tolist() == [144] * 4 + [44] * 12
        graph.replace(counts, other)
        other.write(np.array([1, 1, 1], np.uint32))
        graph.submit()
        assert out.read(0).tolist() == [1441] * 4 + [44] * 12
        assert "at most 4 x 1 x 1 workgroups" in graph.dot()

    def test_mistakes(self, device):
        out = vd.zeros(16, vd.uint32)
        with pytest.raises(ValueError, match="Expected a buffer for counts_from= of kernel 'count_groups'"):
            count_groups(out, workgroups=4, counts_from=[1, 1, 1])
        with pytest.raises(ValueError, match="has float32, and counts of workgroups are u32"):
            count_groups(out, workgroups=4, counts_from=vd.zeros(3))
        with pytest.raises(ValueError, match=r"offset \(0\) \+ size \(12\) is past the end"):
            count_groups(out, workgroups=4, counts_from=vd.zeros(2, vd.uint32))
        with pytest.raises(ValueError, match="is written, and has bytes of its counts"):
            count_groups(out, workgroups=4, counts_from=out)
        with pytest.raises(ValueError, match="exec_size or workgroups is needed"):
            count_groups(out, counts_from=vd.zeros(3, vd.uint32))
        assert not out.read(0).any()


class TestTransfers:
    def test_fills_and_copies(self, device):
        x, y = vd.asbuffer(np.arange(24, dtype=np.int32).reshape(4, 6)), vd.zeros((4, 3), vd.int32)
        vectors, bytes_ = vd.zeros(5, vd.vec3), vd.zeros(7, vd.uint8) if device != "opencl" else None
        graph = vd.CommandGraph()
        graph.copy(x[:, ::2], y)
        graph.fill(y[1], 8)
        graph.fill(vectors, [1, 2, 3])
        graph.fill(x[::3, 1], -1)
        if bytes_ is not None:
            graph.fill(bytes_[1:6], 200)
        graph.copy(y[0], x[3, :3])
        graph.submit()
        expected = np.arange(24, dtype=np.int32).reshape(4, 6)
        copied = expected[:, ::2].copy()
        copied[1] = 8
        expected[::3, 1] = -1
        expected[3, :3] = copied[0]
        np.testing.assert_array_equal(y.read(0), copied)
        np.testing.assert_array_equal(x.read(0), expected)
        np.testing.assert_array_equal(vectors.read(0), [[1, 2, 3]] * 5)
        if bytes_ is not None:
            assert bytes_.read(0).tolist() == [0, 200, 200, 200, 200, 200, 0]
        graph.submit()  # what was copied is copied again
        copied = expected[:, ::2].copy()
        copied[1] = 8
        expected[3, :3] = copied[0]
        np.testing.assert_array_equal(y.read(0), copied)
        np.testing.assert_array_equal(x.read(0), expected)

    def test_copies_of_elements_among_each_other(self, device):
        x, expected = vd.asbuffer(np.arange(8, dtype=np.int32)), np.arange(8)
        graph = vd.CommandGraph()
        graph.copy(x[::2], x[1::2])
        graph.copy(x[:4], x[1::2])
        for _ in range(2):
            graph.submit()
            expected[1::2] = expected[::2]
            expected[1::2] = expected[:4].copy()
            np.testing.assert_array_equal(x.read(0), expected)

    def test_copies_between_parts_that_overlap(self, device):
        x, graph = buffer(1, 2, 3, 4), vd.CommandGraph()
        graph.copy(x[:3], x[1:])
        graph.copy(x, x)
        graph.submit()
        assert x.read(0).tolist() == [1, 1, 2, 3]

    def test_other_buffers_and_labels(self, device):
        x, y = buffer(1, 2, 3, 4), buffer(0, 0, 0, 0)
        graph = vd.CommandGraph()
        with graph.label("clear"):
            graph.fill(x, 7)
        assert "clear" in graph.dot()
        graph.replace(x, y)
        graph.submit()
        assert x.read(0).tolist() == [1, 2, 3, 4] and y.read(0).tolist() == [7] * 4

    def test_mistakes(self, device):
        x, y, graph = buffer(1, 2, 3, 4), buffer(1, 2), vd.CommandGraph()
        with pytest.raises(TypeError, match="CommandGraph.fill: expected a Buffer or a view"):
            graph.fill(np.zeros(3), 1)
        with pytest.raises(ValueError, match="CommandGraph.copy: the source has 16 bytes of int32, the buffer 8"):
            graph.copy(x, y)
        with pytest.raises(ValueError, match="CommandGraph.copy: the source has shape"):
            graph.copy(x[::2], x)
        with pytest.raises(ValueError, match="a graph that submits on record keeps nothing"):
            vd.CommandGraph(submit_on_record=True).fill(x, 1)
        graph.submit()
        assert x.read(0).tolist() == [1, 2, 3, 4]


def test_plans_go_into_lists(host):
    with pytest.raises(vd.UnsupportedError, match="^CommandGraph.record_compute_plan: .* a CommandList takes plans"):
        vd.CommandGraph().record_compute_plan(None, None, [1, 1, 1])


@pytest.mark.parametrize("name", [5, None, [], b"name"])
def test_names_of_variables_are_text(name):
    with pytest.raises(TypeError, match="bind_var: name .* must be a str"):
        vd.CommandGraph().bind_var(name)


@pytest.mark.parametrize("value", [(1, 2), np.array([1.0, 2.0]), [np.float32(1), 2]])
def test_the_components_of_a_vector_are_one_value(host, value):
    @vd.shader("x.size")
    def add(x: Buff[f32], vector: Var[v2], number: Var[c64]):
        x[vc.global_invocation_id().x] += vector.x + 10 * vector.y + 100 * number.real + 1000 * number.imag

    x, graph = vd.zeros(1), vd.CommandGraph()
    add(x, graph.bind_var("vector"), graph.bind_var("number"), graph=graph)
    graph.set_var("vector", value)
    graph.set_var("number", value)
    for count in (1, 2, 3):
        x.fill(0)
        graph.submit(count)
        assert x.read(0)[0] == count * 2121
    x.fill(0)
    graph.set_var("vector", [(1, 2), (3, 4)])
    graph.set_var("number", [1, 2j])
    graph.submit(2)
    assert x.read(0)[0] == 21 + 43 + 2100


def test_a_graph_is_added_to_itself_with_a_label(host):
    x, graph = vd.zeros(4), vd.CommandGraph()
    with graph.label("first"):
        graph.fill(x, 1)
    with graph.label("again"):
        graph.add_graph(graph)
    assert "again: first" in graph.dot() and "2 commands" in repr(graph)


@pytest.mark.parametrize("make", [np.array, list, lambda values: array.array("f", values)])
def test_a_variable_keeps_its_values_when_their_owner_changes_them(host, make):
    @vd.shader("x.size")
    def add(x: Buff[f32], amount: Var[f32]):
        x[vc.global_invocation_id().x] += amount

    x, graph, values = vd.zeros(1), vd.CommandGraph(), make([1.0, 2.0])
    add(x, graph.bind_var("amount"), graph=graph)
    graph.set_var("amount", values)
    values[0] = 100.0
    graph.submit(2)
    assert x.read(0)[0] == 3


@pytest.mark.parametrize(
    "make", [np.complex64, np.complex128, list, lambda values: [np.complex64(value) for value in values]]
)
def test_complex_values_of_instances_are_no_components(device, make):
    @vd.shader("x.size")
    def add(x: Buff[vd.complex64], amount: Var[vd.complex64]):
        x[vc.global_invocation_id().x] += amount

    x, graph = vd.asbuffer(np.zeros(1, np.complex64)), vd.CommandGraph()
    add(x, graph.bind_var("amount"), graph=graph)
    graph.set_var("amount", make([1 + 2j, 3 + 4j]))
    graph.submit(2)
    assert x.read(0)[0] == 4 + 6j
    with pytest.raises(ValueError, match=r"'amount' has 2 value\(s\) for 3 instances"):
        graph.submit(3)


def test_a_variable_is_one_number_and_several_in_turns(device):
    @vd.shader("x.size")
    def add(x: Buff[f32], first: Var[f32], second: Var[f32]):
        x[vc.global_invocation_id().x] += first + 100 * second

    x = vd.asbuffer(np.zeros(3, np.float32))
    graph, total = vd.CommandGraph(), 0
    add(x, graph.bind_var("first"), graph.bind_var("second"), graph=graph)

    def submitted(by, *args):
        nonlocal total
        graph.submit(*args)
        total += by
        assert x.read(0).tolist() == [total] * 3

    submitted(0)  # variables that nobody set are zero
    graph.set_var("first", 1)
    submitted(1)
    submitted(1)
    graph.set_var("second", 2)
    submitted(201)
    graph.set_var("first", [3, 4])
    submitted(407, 2)
    with pytest.raises(ValueError, match=r"'first' has 2 value\(s\) for 1 instance"):
        graph.submit()
    graph.set_var("first", ["two"])
    with pytest.raises((ValueError, TypeError), match="first"):
        graph.submit()
    graph.set_var("first", 5)
    submitted(205)
    submitted(410, 2)
    graph.set_var("second", np.float32(0))
    submitted(5)
