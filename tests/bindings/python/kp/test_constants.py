"""Constants that are other numbers than those that were given: a warning, or an error of the right type."""

import re
import struct

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32, u32

from .shaders import push as added

COUNTED = """
layout (local_size_x = 1) in;
layout (binding = 0) buffer A { uint a[]; };
layout (constant_id = 0) const uint n = 1;
layout (push_constant) uniform P { uint k; uint last; };
void main() { a[gl_GlobalInvocationID.x] = n * k; }
"""


@pytest.mark.parametrize(("given", "taken"), [(2.5, 2), (-2, 2**32 - 2), (2**40 + 3, 3)])
def test_numbers_that_do_not_fit_are_a_warning(manager, caplog, given, taken):
    t = manager.tensor_t(np.zeros(1, np.uint32))
    for spec, push, what in (([given], [1, 0], "spec_consts"), ([1], [given, 0], "push_consts")):
        caplog.clear()
        algorithm = manager.algorithm([t], COUNTED, (0, 0, 0), spec, push)
        (told,) = [record.getMessage() for record in caplog.records]
        assert f"{what}: numbers that do not fit what the shader declares: {given} becomes {taken} (u32)" in told
        manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
        assert t.data().tolist() == [taken]


def test_floats_that_become_infinite_are_a_warning(manager, caplog):
    code = COUNTED.replace("uint", "float")
    algorithm = manager.algorithm([manager.tensor([1])], code, (0, 0, 0), [10**400], [1e300, -(10**400)])
    assert algorithm.get_spec_consts() == [float("inf")]
    assert caplog.text.count("do not fit") == 2 and "1e+300 becomes inf (f32)" in caplog.text
    caplog.clear()
    manager.algorithm([manager.tensor([1])], code, (0, 0, 0), [0.1], [float("nan"), float("inf")])
    assert not caplog.text  # what a float is rounded to, and what it says itself, is no news


@pytest.mark.parametrize(
    ("push", "said"), [([], "8 bytes of push constants, and 0 "), ([1] * 3, "8 bytes of push constants, and 12 ")]
)
def test_blocks_of_another_size_are_a_warning(manager, caplog, push, said):
    manager.algorithm([manager.tensor_t(np.zeros(1, np.uint32))], COUNTED, (0, 0, 0), [1], push)
    assert said in caplog.text  # the last member is not used, and belongs to the block


PARTS = """
    #version 450
    #extension GL_EXT_shader_explicit_arithmetic_types : require
    struct S { int i; float f; };
    struct T { ivec2 xy; S s[2]; };
    struct M { int i; f16mat3x2 h; dmat3x2 m[1]; };
    layout (push_constant) uniform P { MEMBERS };
    void main() { }
"""


@pytest.mark.parametrize(
    ("members", "letters"),
    [
        ("S s;", "if"),
        ("S s[2];", "ifif"),
        ("float a; T t[2]; S last;", "f4xiiififiiififif"),
        ("int v[2][3];", "iiiiii"),
        ("S s[2][2];", "ifififif"),
        ("ivec2 v[2][2]; uint last;", "iiiiiiiiI"),
        ("vec3 a; S s;", "fffif"),
        ("vec3 a[2]; int last;", "fff4xfff4xi"),
        ("int8_t a; int16_t b; int8_t c; int d;", "bxhb3xi"),
        ("float16_t a; S s; int8_t last[3];", "e2xifbbb"),
        ("dmat2x3 m[2];", "ddd8xddd8xddd8xddd"),
        ("dmat3x2 m;", "dddddd"),
        ("layout(row_major) dmat2x3 m;", "dddddd"),
        ("layout(row_major) dmat3x2 m;", "ddd8xddd"),
        ("layout(row_major) dmat3x2 m[2];", "ddd8xddd8xddd8xddd"),
        ("layout(row_major) dmat2x4 m; dmat2x3 n;", "ddddddddddd8xddd"),
        ("f16mat2x3 m;", "eee2xeee"),
        ("f16mat3x2 m;", "eeeeee"),
        ("layout(row_major) f16mat3x2 m; float last;", "eee2xeee2xf"),
        ("layout(row_major) f16mat2x3 m[2];", "eeeeeeeeeeee"),
        ("mat2x3 m;", "fff4xfff"),
        ("layout(row_major) mat2x3 m;", "ffffff"),
        ("layout(row_major) mat3x2 m[2];", "fff4xfff4xfff4xfff"),
        ("layout(row_major) M s[1]; int last;", "i4xeee2xeee10xddd8xddd8xi"),
        ("M s;", "ieeeeeedddddd"),
    ],
)
def test_each_number_becomes_the_type_of_its_part(manager, members, letters):
    # A number where a gap of four bytes or more is comes to lie in the gap, as in a list of floats.
    form = "<" + re.sub(r"(\d+)x", lambda gap: "f" * (int(gap[1]) // 4) + "x" * (int(gap[1]) % 4), letters)
    count = len(re.sub("[<x]", "", form))
    code = PARTS.replace("MEMBERS", members)
    algorithm = manager.algorithm([manager.tensor([0])], code, (1, 1, 1), [], list(range(1, count + 1)))
    assert algorithm.get_push_consts() == struct.pack(form, *range(1, count + 1))


def test_parts_of_push_constants_reach_the_shader(manager):
    t = manager.tensor_t(np.zeros(9, np.int32))
    code = """
        struct S { int i; float f; };
        layout (push_constant) uniform P { S s[2]; int v[2][2]; float last; };
        layout (binding = 0) buffer A { int a[]; };
        void main() {
            a[0] = s[0].i; a[1] = int(s[0].f); a[2] = s[1].i; a[3] = int(s[1].f);
            a[4] = v[0][0]; a[5] = v[0][1]; a[6] = v[1][0]; a[7] = v[1][1]; a[8] = int(last);
        }
    """
    algorithm = manager.algorithm([t], code, (1, 1, 1), [], list(range(1, 10)))
    manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
    assert t.data().tolist() == list(range(1, 10))


@pytest.mark.parametrize("order", ["row_major", "column_major"])
@pytest.mark.parametrize(("columns", "rows"), [(2, 2), (2, 3), (3, 2), (4, 3), (2, 4)])
@pytest.mark.parametrize(("prefix", "gap", "count"), [("d", 2, 1), ("", 1, 2), ("f16", 0, 2)])
def test_a_matrix_takes_a_list_as_its_layout_says(manager, prefix, gap, count, columns, rows, order):
    # Each column or row is a line, whose numbers are adjacent; lines of three have a gap, which takes `gap` floats.
    lines, length = (rows, columns) if order == "row_major" else (columns, rows)
    padded = length + gap * (length == 3)
    numbers = np.arange(1, count * lines * padded + 1).reshape(count, lines, padded)[:, :, :length]
    want = numbers if order == "column_major" else numbers.transpose(0, 2, 1)
    t = manager.tensor_t(np.zeros(want.size, np.int32))
    code = f"""
        #version 450
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout (push_constant) uniform P {{ layout({order}) {prefix}mat{columns}x{rows} m[{count}]; }};
        layout (binding = 0) buffer A {{ int a[]; }};
        void main() {{
            for (int i = 0; i < {count}; ++i)
                for (int c = 0; c < {columns}; ++c)
                    for (int r = 0; r < {rows}; ++r) a[(i * {columns} + c) * {rows} + r] = int(m[i][c][r]);
        }}
    """
    algorithm = manager.algorithm([t], code, (1, 1, 1), [], list(range(1, int(numbers.max()) + 1)))
    manager.sequence().eval(kp.OpAlgoDispatch(algorithm))
    manager.sequence().eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == want.reshape(-1).tolist()


def test_bytes_that_are_no_constants(manager):
    t = manager.tensor_t(np.zeros(1, np.uint32))
    with pytest.raises(kp.Error, match="spec_consts has 3 bytes, which is no whole number of words"):
        manager.algorithm([t], COUNTED, (0, 0, 0), b"abc", b"12345678")


@pytest.mark.parametrize("form", [np.uint32, np.float32, np.int32, np.float64, bytes])
def test_constants_that_were_given_are_numbers(manager, form):
    t = manager.tensor_t(np.zeros(1, np.uint32))
    given = np.uint32([7]).tobytes() if form is bytes else form([7])
    assert manager.algorithm([t], COUNTED, (0, 0, 0), given, np.uint32([1, 0])).get_spec_consts() == [7.0]


@vd.shader("out.size")
def filled(out: Buff[u32], value: Const[u32]):
    out[vc.global_invocation_id().x] = value


@vd.shader("out.size")
def sum_of_integers(out: Buff[i32], first: Const[i32], second: Const[i32]):
    out[vc.global_invocation_id().x] = first + second


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (np.array([5], object), "object"),
        (np.arange(4, dtype=np.int16), "int16"),
        (np.ones(8, bool), "bool"),
        (np.ones(1, np.complex64), "complex64"),
        (np.array(["a", "b"]), "str"),
        (np.array([b"abcdefgh"]), "bytes"),
        (np.array([5], "M8[s]"), "datetime64"),
        (np.array([5], "m8[ns]"), "timedelta64"),
        (np.array([(5,)], [("a", object)]), "'O'"),
        (memoryview(np.array([5], object)), "object"),
    ],
)
def test_arrays_that_are_no_constants(anywhere, given, named):
    t = anywhere.tensor_t(np.zeros(64, np.int32))  # a workgroup of the kernel has 64 invocations
    said = f"no valid dtype supported for push_consts .*{named}"
    codes = [sum_of_integers]
    if anywhere.backend == "vulkan":
        codes.append(COUNTED.replace("uint", "int"))
    for code in codes:
        algorithm = anywhere.algorithm([t], code, (1, 1, 1), push_consts=[2, 3])
        with pytest.raises(kp.Error, match=f"OpAlgoDispatch: {said}"):
            anywhere.sequence().record(kp.OpAlgoDispatch(algorithm, given))
        with pytest.raises(kp.Error, match=f"Algorithm.set_push_constants: {said}"):
            algorithm.set_push_constants(given)
        if isinstance(given, np.ndarray):
            with pytest.raises(kp.Error, match=f"OpAlgoDispatch: {said}"):
                anywhere.sequence().record(kp.OpAlgoDispatch(algorithm, kp.live(given)))
        with pytest.raises(kp.Error, match=f"Manager.algorithm: {said}"):
            anywhere.algorithm([t], code, (1, 1, 1), np.int32([]), given)


@pytest.mark.parametrize("form", ["M8[ns]", "m8[ns]"])
def test_dates_in_lists_are_no_numbers(manager, form):
    t = manager.tensor_t(np.zeros(1, np.uint32))
    for given in (np.array([5, 6], form), [np.array(5, form)[()], 6]):
        with pytest.raises((TypeError, kp.Error), match="push_consts"):
            manager.algorithm([t], COUNTED, (1, 1, 1), [1], given)


def test_arrays_that_are_the_bytes_of_a_kernel(anywhere):
    t = anywhere.tensor_t(np.zeros(64, np.int32))  # a workgroup of the kernel has 64 invocations
    algorithm = anywhere.algorithm([t], sum_of_integers, (1, 1, 1), push_consts=[2, 3])
    record = np.array([(40, 2)], [("first", np.int32), ("second", np.int32)])
    for given in (np.int32([40, 2]), np.uint32([40, 2]), np.float64([40, 2]), record, memoryview(record), [40, 2]):
        anywhere.sequence().record(kp.OpAlgoDispatch(algorithm, given)).record(kp.OpSyncLocal([t])).eval()
        assert t[0] == 42
    live = np.int32([1, 2])
    sq = anywhere.sequence().record(kp.OpAlgoDispatch(algorithm, kp.live(live))).record(kp.OpSyncLocal([t])).eval()
    live += 10
    sq.eval()
    assert t[0] == 23


@vd.shader("out.size")
def filled_with_a_default(out: Buff[u32], value: Const[u32] = 7):
    out[vc.global_invocation_id().x] = value


def test_values_of_kernels(anywhere, caplog):
    t = anywhere.tensor_t(np.ones(2, np.uint32))

    def result(algorithm):
        anywhere.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
        return t.data().tolist()

    assert result(anywhere.algorithm([t], filled_with_a_default)) == [7, 7] and not caplog.text
    assert result(anywhere.algorithm([t], filled)) == [0, 0]
    assert "takes 1 numbers, and no push_consts are given; those without a default (value) are zero" in caplog.text
    caplog.clear()
    assert result(anywhere.algorithm([t], filled, push_consts=[-1])) == [2**32 - 1, 2**32 - 1]
    assert "-1 becomes 4294967295 (u32)" in caplog.text
    assert result(anywhere.algorithm([t], filled, push_consts=np.uint32([5]).tobytes())) == [5, 5]
    for wrong in (b"abc", b"abcdefgh"):
        with pytest.raises(kp.Error, match=f"the kernel's values take 4 bytes, and {len(wrong)} are given"):
            anywhere.algorithm([t], filled, push_consts=wrong)


def test_elements_that_a_kernel_takes_for_others_are_a_warning(anywhere, caplog):
    for dtype in (np.float32, np.int32, np.float64, np.uint8):
        caplog.clear()
        anywhere.algorithm([anywhere.tensor_t(np.zeros(2, dtype))], filled, push_consts=[1])
        assert (
            f"parameter 'out' has elements of u32, and object 0 of the list has {np.dtype(dtype).name}" in caplog.text
        )
    caplog.clear()
    anywhere.algorithm([anywhere.tensor_t(np.zeros(2, np.uint32))], filled, push_consts=[1])
    assert not caplog.text


@vd.shader("out.size")
def sum_of_two(out: Buff[f32], first: Const[f32], second: Const[f32] = 3.0):
    out[vc.global_invocation_id().x] = first * 10 + second


def test_defaults_of_the_last_values(anywhere, caplog):
    t = anywhere.tensor([0])

    def result(push):
        algorithm = anywhere.algorithm([t], sum_of_two, push_consts=push)
        anywhere.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
        return float(t[0])

    assert (result([2]), result([2, 5])) == (23, 25) and not caplog.text
    assert result([]) == 3 and "those without a default (first) are zero" in caplog.text
    with pytest.raises(kp.Error, match="takes 2 numbers, and 3 are given"):
        result([1, 2, 3])
    algorithm = anywhere.algorithm([t], sum_of_two, push_consts=[1, 1])
    algorithm.set_push_constants([7])
    anywhere.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
    assert t[0] == 73


@pytest.mark.parametrize("code", ["kernel", "glsl"])
@pytest.mark.parametrize("form", [np.int64, np.uint64, np.int16, np.float16, bool])
def test_an_array_of_another_width_is_told_what_is_taken(anywhere, form, code):
    if code == "glsl" and anywhere.backend != "vulkan":
        pytest.skip("GLSL runs on Vulkan")
    t, wrong = anywhere.tensor_t(np.zeros(4, np.int32)), np.array([1, 1], form)
    taken = sum_of_integers if code == "kernel" else added("int", 2)
    algorithm = anywhere.algorithm([t], taken, (1, 1, 1), [], wrong)  # beside a list its numbers
    told = r"no valid dtype supported .*; an array of np.int32 is taken as its bytes, and a list, as array.tolist\(\)"
    for call in (
        lambda: anywhere.sequence().eval(kp.OpAlgoDispatch(algorithm, wrong)),
        lambda: anywhere.sequence().eval(kp.OpAlgoDispatch(algorithm, kp.live(wrong))),
        lambda: algorithm.set_push_constants(wrong),
        lambda: algorithm.rebuild([t], taken, (1, 1, 1), np.int32([]), wrong),
    ):
        with pytest.raises(kp.Error, match=told):
            call()
    for right in (wrong.tolist(), wrong.astype(np.int32)):
        anywhere.sequence().eval(kp.OpAlgoDispatch(algorithm, right))


def test_a_constant_of_another_width_is_told_what_is_taken(manager):
    t = manager.tensor_t(np.zeros(1, np.uint32))
    told = r"spec_consts \(int64\); an array of np.float32 or np.int32 or np.uint32 is taken .* as array.tolist\(\)"
    with pytest.raises(kp.Error, match=told):
        manager.algorithm([t], COUNTED, (1, 1, 1), np.array([7]), np.uint32([1, 0]))


GAPS = """
layout (local_size_x = 1) in;
layout (push_constant) uniform P { float f; vec3 v; int n; layout (offset = 40) vec2 w; } p;
layout (binding = 0) buffer A { float a[]; };
void main() { a[0] = p.f; a[1] = p.v.x; a[2] = p.n; a[3] = p.w.y; }
"""


def test_numbers_in_a_gap_of_a_block_of_another_size_are_told(manager, caplog):
    t = manager.tensor([0] * 4)
    algorithm = manager.algorithm([t], GAPS, (1, 1, 1), [], [1, 2, 3, 4])
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.endswith("16 are given; the rest is zero; numbers 1 to 3 lie in the gap before 'v' (bytes 4 to 15)")
    with pytest.raises(
        kp.Error, match=r"expected 16 bytes, the size of .*; numbers 1 to 3 lie in the gap before 'v' \("
    ):
        manager.sequence().record(kp.OpAlgoDispatch(algorithm, [1, 2, 3, 4, 5]))
    caplog.clear()
    numbers = [1, 0, 0, 0, 2, 3, 4, 5]
    manager.algorithm([t], GAPS, (1, 1, 1), [], [*numbers, 0])
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.endswith(
        "; numbers 1 to 3 lie in the gap before 'v' (bytes 4 to 15); number 8 lies in the gap before 'w' (bytes 32 to 39)"
    )
    caplog.clear()
    algorithm = manager.algorithm([t], GAPS, (1, 1, 1), [], [*numbers, 0, 0, 6, 7])
    assert not caplog.records, "who fills the gaps means it"
    manager.sequence().eval(kp.OpAlgoDispatch(algorithm)).eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == [1, 2, 5, 7]


def test_a_dispatch_with_another_size_is_told_where_the_size_comes_from(anywhere):
    t = anywhere.tensor_t(np.zeros(4, np.int32))
    if anywhere.backend == "vulkan":
        none = anywhere.algorithm([t], added("int", 2), (1, 1, 1))
        with pytest.raises(
            kp.Error, match=r"8 but expected 0 bytes, without push_consts in algorithm\(\) or rebuild\(\)$"
        ):
            anywhere.sequence().record(kp.OpAlgoDispatch(none, [1, 2]))
        some = anywhere.algorithm([t], added("int", 2), (1, 1, 1), [], [1, 2])
        for wrong in ([1], np.int32([1]), b"1234"):
            with pytest.raises(
                kp.Error, match=r"4 but expected 8 bytes, the size of push_consts in algorithm\(\) or rebuild\(\)$"
            ):
                some.set_push_constants(wrong)
    algorithm = anywhere.algorithm([t], sum_of_integers, (1, 1, 1), push_consts=[1, 2])
    with pytest.raises(kp.Error, match="OpAlgoDispatch: push constants: the kernel takes 2 numbers, and 1 are given"):
        anywhere.sequence().record(kp.OpAlgoDispatch(algorithm, [1]))
