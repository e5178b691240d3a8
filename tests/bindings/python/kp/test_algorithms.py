"""Algorithms from SPIR-V: bindings, workgroups, constants by the table of what reaches the shader, and checks by reflection."""

import itertools
import struct

import numpy as np
import pytest
from vkdispatch import kp

from .shaders import INCREMENT, MULTIPLY, assembled, multiply, push, spirv


def run(manager, algorithm, *mems, ops=()):
    sq = manager.sequence().record(kp.OpSyncDevice(list(mems)))
    for op in ops or [kp.OpAlgoDispatch(algorithm)]:
        sq.record(op)
    sq.record(kp.OpSyncLocal(list(mems))).eval()
    return [m.data().tolist() for m in mems]


def product(manager, code, **arguments):
    mems = [manager.tensor(x) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0])]
    return run(manager, manager.algorithm(mems, code, **arguments), *mems)[2]


def test_shader_str(manager):
    assert product(manager, spirv(MULTIPLY)) == [2, 4, 6]


@pytest.mark.parametrize("target", ["spirv1.0", "spirv1.1", "spirv1.2", "spirv1.3", "spirv1.4", "spirv1.5", "spirv1.6"])
def test_versions_of_spirv(manager, target):
    assert product(manager, spirv(MULTIPLY, target)) == [2, 4, 6]


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda code: np.frombuffer(code, np.uint32)])
def test_other_bytes_are_taken(manager, kind):
    assert product(manager, kind(spirv(MULTIPLY))) == [2, 4, 6]


def test_k24_glsl_text(manager):
    text = MULTIPLY
    assert (
        product(manager, text)
        == product(manager, text.encode())
        == product(manager, "#version 450\n" + text)
        == [2, 4, 6]
    )
    with pytest.raises(RuntimeError, match="nonsense"):
        product(manager, "void main() { nonsense }")


def test_swapped_words_and_the_simple_memory_model(manager):
    code = spirv(MULTIPLY)
    swapped = struct.pack(f">{len(code) // 4}I", *struct.unpack(f"<{len(code) // 4}I", code))
    assert product(manager, swapped) == [2, 4, 6]
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    at = 5
    while words[at] & 0xFFFF != 14:
        at += words[at] >> 16
    words[at + 2] = 0  # Simple, as pyshader writes it
    assert product(manager, struct.pack(f"<{len(words)}I", *words)) == [2, 4, 6]


def test_workgroup(manager):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A { float a[]; };
        layout (set = 0, binding = 1) buffer B { float b[]; };
        void main() {
          uint i = gl_WorkGroupID.x * gl_NumWorkGroups.y + gl_WorkGroupID.y;
          a[i] = gl_WorkGroupID.x; b[i] = gl_WorkGroupID.y;
        }""")
    a, b = manager.tensor(np.zeros([16, 8])), manager.tensor(np.zeros([16, 8]))
    algorithm = manager.algorithm([a, b], code, (16, 8, 1))
    grid = np.mgrid[0:16, 0:8].reshape(2, -1)
    assert run(manager, algorithm, a, b) == grid.tolist()
    assert algorithm.get_workgroup() == (16, 8, 1)
    assert manager.algorithm([a, b], code, (0, 5, 5)).get_workgroup() == (128, 1, 1)
    assert manager.algorithm([a, b], code, [np.int64(3), 0, 0]).get_workgroup() == (3, 1, 1)


@pytest.mark.parametrize("workgroup", [(1, 1), (1, 1, 1, 1), 5, "111", (1, 1, -1), (1.5, 1, 1), None])
def test_wrong_workgroups(manager, workgroup):
    with pytest.raises(TypeError):
        manager.algorithm([manager.tensor([1])], spirv(INCREMENT), workgroup)


def test_a_dispatch_beyond_the_limit(manager):
    most = manager.get_device_properties()["max_work_group_count"]
    if most[1] == 0xFFFFFFFF:
        pytest.skip("the device has no limit")
    with pytest.raises(kp.Error, match="max_work_group_count"):
        manager.algorithm([manager.tensor([1])], spirv(INCREMENT), (1, most[1] + 1, 1))


def test_unbuilt_algorithms(manager):
    t = manager.tensor([1, 2])
    for algorithm in (manager.algorithm([], b""), manager.algorithm([t], b""), manager.algorithm([], spirv(INCREMENT))):
        assert not algorithm.is_init()
        with pytest.raises(kp.Error, match="must be initialised"):
            manager.sequence().record(kp.OpAlgoDispatch(algorithm))
    algorithm.rebuild([t], spirv(INCREMENT))
    assert algorithm.is_init() and run(manager, algorithm, t) == [[2, 3]]


def test_objects_are_the_same(manager):
    t = manager.tensor([1, 2])
    algorithm = manager.algorithm((t,), spirv(INCREMENT))
    assert algorithm.get_mem_objects()[0] is t and algorithm.get_tensors() == [t]
    del t
    assert algorithm.get_mem_objects()[0].is_init()
    algorithm.destroy()
    assert not algorithm.is_init()


@pytest.mark.parametrize("tensors", [None, 5, "ab", [None], [1], ["a"]])
def test_wrong_lists(manager, tensors):
    with pytest.raises(TypeError):
        manager.algorithm(tensors, spirv(INCREMENT))


def test_bare_tensors_are_no_lists(manager):
    t = manager.tensor([1])
    for wrong in (
        lambda: manager.algorithm(t, spirv(INCREMENT)),
        lambda: kp.OpSyncDevice(t),
        lambda: kp.OpSyncLocal([None]),
        lambda: kp.OpCopy(t),
        lambda: kp.OpMult(t, manager.algorithm([])),
        lambda: kp.OpAlgoDispatch(t),
        lambda: kp.OpAlgoDispatch(manager.algorithm([]), 5),
        lambda: manager.sequence().record(t),
        lambda: manager.sequence().eval(5),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="mems .<kp.Tensor: 1 of float32, MemoryTypes.device>. must be a list"):
        kp.OpSyncDevice(t)


# ---- Push constants


def test_pushconsts(manager):
    t = manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([t], spirv(push("float")), (3, 1, 1), [], [0.1, 0.2, 0.3])
    ops = [kp.OpAlgoDispatch(algorithm), *(kp.OpAlgoDispatch(algorithm, [0.3, 0.2, 0.1]) for _ in range(2))]
    assert np.allclose(run(manager, algorithm, t, ops=ops)[0], [0.7, 0.6, 0.5])


@pytest.mark.parametrize("way", ["two overrides", "initial value, then an override"])
def test_pushconsts_that_are_overridden(manager, way):
    t = manager.tensor([0, 0, 0])
    first, second = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    initial = [0, 0, 0] if way == "two overrides" else first
    algorithm = manager.algorithm([t], spirv(push("float")), (3, 1, 1), [], initial)
    begin = kp.OpAlgoDispatch(algorithm, first) if way == "two overrides" else kp.OpAlgoDispatch(algorithm)
    assert np.allclose(run(manager, algorithm, t, ops=[begin, kp.OpAlgoDispatch(algorithm, second)]), [[0.4] * 3])


def test_pushconsts_int(manager):
    t = manager.tensor_t(np.zeros(3, np.int32))
    minus = np.array([-1, -1, -1], np.int32)
    algorithm = manager.algorithm([t], spirv(push("int")), (3, 1, 1), np.array([], np.int32), minus)
    ops = [kp.OpAlgoDispatch(algorithm), *(kp.OpAlgoDispatch(algorithm, minus) for _ in range(2))]
    assert run(manager, algorithm, t, ops=ops) == [[-3, -3, -3]]


def test_push_of_another_size(manager):
    t = manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([t], spirv(push("float")), (3, 1, 1), [], [1, 2, 3])
    sq = manager.sequence()
    with pytest.raises(RuntimeError, match="total memory size provided is 8 but expected 12 bytes"):
        sq.record(kp.OpAlgoDispatch(algorithm, [1, 2]))
    assert not sq.is_recording()
    none = manager.algorithm([t], spirv(INCREMENT))
    with pytest.raises(RuntimeError, match="provided is 4 but expected 0 bytes"):
        sq.record(kp.OpAlgoDispatch(none, [1]))


def test_a_block_larger_than_the_values_is_filled_with_zeros(manager, caplog):
    t = manager.tensor([5, 5, 5])
    algorithm = manager.algorithm([t], spirv(push("float")), (3, 1, 1), [], [1, 2])
    assert "push constants" in caplog.text
    assert run(manager, algorithm, t) == [[6, 7, 5]]


def test_mixed_structs(manager):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A { float a[]; };
        layout (push_constant) uniform P { float x; uint y; int z; } p;
        void main() { a[0] += p.x; a[1] += float(p.y - 2147483000u); a[2] += float(p.z); }""")
    kind = np.dtype([("x", "f4"), ("y", "u4"), ("z", "i4")])
    first, second = (np.array([v], kind) for v in ((15.32, 2147483650, 10), (30.32, 2147483650, -3)))
    for make in (lambda v: v, lambda v: v.tobytes(), lambda v: v.view(np.uint32)):
        t = manager.tensor([0, 0, 0])
        algorithm = manager.algorithm([t], code, (1, 1, 1), np.array([], np.float32), make(first))
        ops = [kp.OpAlgoDispatch(algorithm), kp.OpAlgoDispatch(algorithm, make(second))]
        assert np.allclose(run(manager, algorithm, t, ops=ops)[0], [45.64, 1300, 7])
    # Values of a list become the types of the struct.
    t = manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([t], code, (1, 1, 1), [], [15.32, 2147483650, 10])
    assert np.allclose(run(manager, algorithm, t)[0], [15.32, 650, 10])


def test_k33_doubles(manager):
    t = manager.tensor_t(np.zeros(3))
    values = [1.1111222233334444, 2.1111222233334444, 3.1111222233334444]
    for given in (values, np.array(values)):
        t.data()[:] = 0
        algorithm = manager.algorithm([t], spirv(push("double")), (3, 1, 1), [], given)
        ops = [kp.OpAlgoDispatch(algorithm), kp.OpAlgoDispatch(algorithm, given)]
        assert run(manager, algorithm, t, ops=ops)[0] == [2.2222444466668888, 4.2222444466668888, 6.2222444466668888]


def test_unsigned_push(manager):
    t = manager.tensor_t(np.array([5], np.uint32))
    algorithm = manager.algorithm([t], spirv(push("uint", 1)), (1, 1, 1), [], [2147483650])
    assert run(manager, algorithm, t) == [[2147483655]]


def test_k34_rerecord_replays_what_each_op_recorded_first(manager):
    t = manager.tensor([0])
    algorithm = manager.algorithm([t], spirv(push("float", 1)), (1, 1, 1), [], [1])
    sq = manager.sequence().record(kp.OpSyncDevice([t])).record(kp.OpAlgoDispatch(algorithm))
    sq.record(kp.OpAlgoDispatch(algorithm, [10])).record(kp.OpAlgoDispatch(algorithm)).record(
        kp.OpSyncLocal([t])
    ).eval()
    assert t.data().tolist() == [21]  # trap: values that are given stay with the algorithm
    t.data()[:] = 0
    sq.rerecord()
    sq.eval()
    assert t.data().tolist() == [21]


def test_k12_live_push_values(manager):
    t = manager.tensor([0, 0, 0])
    values = np.array([1, 2, 3], np.float32)
    algorithm = manager.algorithm([t], spirv(push("float")), (3, 1, 1), [], [0, 0, 0])
    sq = manager.sequence().record(kp.OpAlgoDispatch(algorithm, kp.live(values))).record(kp.OpSyncLocal([t]))
    sq.eval()
    values *= 10
    sq.eval()
    assert t.data().tolist() == [11, 22, 33]


# ---- Constants: all kinds of both


CONSTS = [
    (np.int32([1, 2, 3]), np.int32([5])), (np.int32([4, 5, 6]), np.uint32([7])), (np.int32([7, 8, 9]), np.float32([3.3])),
    (np.uint32([1, 2, 3]), np.int32([4])), (np.uint32([4, 5, 6]), np.uint32([8])), (np.uint32([7, 8, 9]), np.float32([3.3])),
    (np.float32([1.1, 2.2, 3.3]), np.int32([11])), (np.float32([4.4, 5.5, 6.6]), np.uint32([2])),
    (np.float32([7.7, 8.8, 9.9]), np.float32([1.1])),
]  # fmt: skip
GLSL = {"int32": "int", "uint32": "uint", "float32": "float", "float64": "double"}


def consts_shader(pushed, spec, sum_kind="float"):
    return spirv(f"""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A {{ {sum_kind} a[]; }};
        layout (constant_id = 0) const {GLSL[spec]} c = {GLSL[spec]}(0);
        layout (push_constant) uniform P {{ {GLSL[pushed]} p[3]; }};
        void main() {{ uint i = gl_GlobalInvocationID.x; a[i] = {sum_kind}(p[i]) + {sum_kind}(c); }}""")


@pytest.mark.parametrize(("pushed", "spec"), CONSTS, ids=lambda a: a.dtype.name)
def test_consts(manager, pushed, spec):
    out = manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([out], consts_shader(pushed.dtype.name, spec.dtype.name), (3, 1, 1), spec, pushed)
    manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out])).eval()
    assert np.array_equal(out.data(), np.float32(pushed) + np.float32(spec[0]))


@pytest.mark.parametrize(("pushed", "spec"), list(itertools.product(GLSL, GLSL)))
def test_trap_lists_become_what_the_shader_declares(manager, pushed, spec):
    out = manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([out], consts_shader(pushed, spec), (3, 1, 1), [4], [1, 2, 3])
    assert run(manager, algorithm, out) == [[5, 6, 7]]
    # An array of integers beside a list is no trap either.
    algorithm = manager.algorithm([out], consts_shader(pushed, spec), (3, 1, 1), [4], np.int32([1, 2, 3]))
    assert run(manager, algorithm, out) == [[5, 6, 7]]
    algorithm = manager.algorithm([out], consts_shader(pushed, spec), (3, 1, 1), np.float64([4]), np.float64([1, 2, 3]))
    assert run(manager, algorithm, out) == [[5, 6, 7]]


def test_doubles_as_bytes_beside_an_array(manager):
    out = manager.tensor([0, 0, 0])
    code = consts_shader("int32", "float64")
    algorithm = manager.algorithm([out], code, (3, 1, 1), np.float64([0.5]), np.int32([1, 2, 3]))
    assert run(manager, algorithm, out) == [[1.5, 2.5, 3.5]]


@pytest.mark.parametrize("spec", [np.int32([4]), np.uint32([4]), np.float32([4])], ids=lambda a: a.dtype.name)
def test_doubles_to_push_beside_an_array(manager, spec):
    out = manager.tensor_t(np.zeros(3))
    code = consts_shader("float64", spec.dtype.name, "double")
    values = [1.1111222233334444, -2.5, 1e300]
    algorithm = manager.algorithm([out], code, (3, 1, 1), spec, np.float64(values))
    assert algorithm.get_push_consts() == np.float64(values).tobytes()
    assert run(manager, algorithm, out) == [[value + 4 for value in values]]


@pytest.mark.parametrize("kind", [np.int64, np.int16, np.bool_])
def test_arrays_of_other_types(manager, kind):
    out = manager.tensor([0, 0, 0])
    with pytest.raises(RuntimeError, match="no valid dtype supported"):
        manager.algorithm([out], consts_shader("int32", "int32"), (3, 1, 1), np.int32([1]), np.array([1, 1, 1], kind))


@pytest.mark.parametrize("form", [bytes, *("<u4", "<i4", "<f4")])
def test_words_and_bytes_are_constants_of_eight_bytes(manager, form):
    code = spirv("""
        #extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
        layout (constant_id = 0) const uint a = 1;
        layout (constant_id = 1) const double b = 2;
        layout (constant_id = 2) const int64_t c = 3;
        layout (binding = 0) buffer Out { double o[]; };
        void main() { o[0] = double(a); o[1] = b; o[2] = double(c); }""")
    out = manager.tensor_t(np.zeros(3))
    block = struct.pack("<Idq", 7, 0.1, -(1 << 40))
    given = block if form is bytes else np.frombuffer(block, form)
    algorithm = manager.algorithm(
        [out], code, (1, 1, 1), given, np.array([], np.int32) if form is bytes else np.int32([1])
    )
    manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [7, 0.1, -float(1 << 40)]


@pytest.mark.parametrize(
    ("kind", "values"),
    [("float", [5.0, 0.3]), ("float", np.float32([5.0, 0.3])), ("int", [-1, -2]), ("int", np.int32([-1, -2]))],
)
def test_two_spec_constants(manager, kind, values):
    code = spirv(f"""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A {{ {kind} a[]; }};
        layout (set = 0, binding = 1) buffer B {{ {kind} b[]; }};
        layout (constant_id = 0) const {kind} first = 1;
        layout (constant_id = 1) const {kind} second = 1;
        void main() {{ uint i = gl_GlobalInvocationID.x; a[i] = first; b[i] = second; }}""")
    dtype = {"float": np.float32, "int": np.int32}[kind]
    mems = [manager.tensor_t(np.zeros(3, dtype)) for _ in range(2)]
    push = np.array([], dtype) if isinstance(values, np.ndarray) else []  # an array counts beside another one
    algorithm = manager.algorithm(mems, code, (3, 1, 1), values, push)
    assert run(manager, algorithm, *mems) == [[value] * 3 for value in np.array(values, dtype).tolist()]


def test_spec_constants_beyond_and_below(manager, caplog):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A { float a[]; };
        layout (constant_id = 0) const float x = 5.0;
        layout (constant_id = 1) const int y = -2;
        layout (constant_id = 2) const bool z = false;
        void main() { a[0] = x; a[1] = float(y); a[2] = z ? 1.0 : 0.0; }""")
    out = manager.tensor([0, 0, 0])
    for spec, expected in (
        ([], [5, -2, 0]),
        ([0.5], [0.5, -2, 0]),
        ([1, -7, 1], [1, -7, 1]),
        ([1, 2, 3, 4], [1, 2, 1]),
    ):
        assert run(manager, manager.algorithm([out], code, (1, 1, 1), spec), out) == [expected]
    assert "constant_id 3" in caplog.text


# ---- Reflection


def test_k16_a_binding_that_the_list_does_not_cover(manager):
    with pytest.raises(kp.Error, match="binding 2"):
        manager.algorithm([manager.tensor([1])] * 2, spirv(MULTIPLY))


def test_k16_an_image_for_a_buffer(manager):
    image = manager.image([1], 1, 1, 1)
    with pytest.raises(kp.Error, match="storage buffer"):
        manager.algorithm([image], spirv(INCREMENT))
    code = spirv("layout (binding = 0, r32f) uniform image2D i; void main() { imageStore(i, ivec2(0), vec4(1)); }")
    with pytest.raises(kp.Error, match="storage image"):
        manager.algorithm([manager.tensor([1])], code)


def test_unused_tensors_and_other_types_are_warnings(manager, caplog):
    t = manager.tensor([1])
    manager.algorithm([t, t], spirv(INCREMENT))
    assert "not used" in caplog.text
    caplog.clear()
    manager.algorithm([manager.tensor_t(np.uint32([1]))], spirv(INCREMENT))
    assert "f32" in caplog.text and "uint32" in caplog.text


@pytest.mark.parametrize("kind", ["float", "double", "int", "uint"])
def test_types(manager, kind):
    numbers = {"float": np.float32, "double": np.float64, "int": np.int32, "uint": np.uint32}[kind]
    make = manager.tensor if kind == "float" else manager.tensor_t
    mems = [make(np.array(x, numbers)) for x in ([123, 153, 231], [9482, 1208, 1238], [0, 0, 0])]
    run(manager, manager.algorithm(mems, spirv(multiply(kind))), *mems)
    assert mems[2].data().tolist() == [1166286, 184824, 285978] and mems[2].data().dtype == numbers


def test_type_float_double_incorrect(manager):
    mems = [manager.tensor_t(np.array(x, np.uint32)) for x in ([123, 153, 231], [9482, 1208, 1238], [0, 0, 0])]
    run(manager, manager.algorithm(mems, spirv(multiply("float"))), *mems)
    assert not np.any(mems[2].data() == [1166286, 184824, 285978])


BAD = {
    "cut": lambda: spirv(INCREMENT)[:-8],
    "no words": lambda: spirv(INCREMENT)[:-3],
    "header": lambda: spirv(INCREMENT)[:20],
    "text": lambda: b"no shader at all",
    "no text": lambda: bytes(range(128, 256)),
    "another entry": lambda: spirv(INCREMENT).replace(b"main", b"nain"),
}


@pytest.mark.parametrize("name", BAD)
def test_k14_k32_bad_modules_raise(manager, name):
    t = manager.tensor([1])
    with pytest.raises(kp.Error):
        manager.algorithm([t], BAD[name]())
    assert run(manager, manager.algorithm([t], spirv(INCREMENT)), t) == [[2]]


def test_opencl_spirv_is_another_dialect(manager):
    code = assembled(
        """
        OpCapability Addresses
        OpCapability Kernel
        OpMemoryModel Physical64 OpenCL
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        OpEntryPoint Kernel %main "main"
        """.replace('OpEntryPoint Kernel %main "main"', "")
        + "\n",
        "1.0",
    )
    with pytest.raises(kp.Error, match="OpenCL"):
        manager.algorithm([manager.tensor([1])], code)


@pytest.mark.parametrize("code", [None, 5, ["a"], 1.5])
def test_what_is_no_code(manager, code):
    with pytest.raises(TypeError):
        manager.algorithm([manager.tensor([1])], code)


def test_k36_out_of_bounds_harms_no_neighbour(manager):
    code = spirv("""
        layout (local_size_x = 64) in;
        layout (set = 0, binding = 0) buffer A { float a[]; };
        void main() { a[gl_GlobalInvocationID.x] = 7.0; }""")
    before, t, after = (manager.tensor(np.ones(64)) for _ in range(3))
    sq = manager.sequence().record(kp.OpSyncDevice([before, t, after]))
    sq.record(kp.OpAlgoDispatch(manager.algorithm([t], code, (256, 1, 1)))).record(
        kp.OpSyncLocal([before, t, after])
    ).eval()
    assert t.data().tolist() == [7] * 64
    assert before.data().tolist() == after.data().tolist() == [1] * 64


def test_k10_a_known_shader_costs_no_compile(manager):
    t = manager.tensor([1])
    manager.algorithm([t], spirv(INCREMENT))
    before = manager.context.info()
    for _ in range(10):
        manager.algorithm([manager.tensor([2])], bytes(bytearray(spirv(INCREMENT))))
    after = manager.context.info()
    assert (before["kernels_compiled"], before["cache_hits"]) == (after["kernels_compiled"], after["cache_hits"])


def test_k11_rebuild_shows_at_the_next_submission(manager):
    a, b = manager.tensor([1]), manager.tensor([10])
    algorithm = manager.algorithm([a], spirv(INCREMENT))
    sq = (
        manager.sequence()
        .record(kp.OpSyncDevice([a, b]))
        .record(kp.OpAlgoDispatch(algorithm))
        .record(kp.OpSyncLocal([a, b]))
    )
    sq.eval()
    assert (a[0], b[0]) == (2, 10)
    algorithm.rebuild([b], spirv(INCREMENT))
    sq.eval()
    assert (a[0], b[0]) == (2, 11)
    algorithm.rebuild([a], spirv(INCREMENT))
    sq.rerecord()
    sq.eval()
    assert (a[0], b[0]) == (3, 11)


def test_rebuild_and_rerecord(manager):
    a, b, out = mems = [manager.tensor(numbers) for numbers in ([1, 2, 3], [2, 2, 2], [0, 0, 0])]
    manager.sequence().eval(kp.OpSyncDevice(mems))
    algorithm = manager.algorithm(mems, spirv(MULTIPLY))
    sq = manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal(mems)).eval()
    assert out.data().tolist() == [2, 4, 6]
    algorithm.rebuild([out, a, b], spirv(MULTIPLY))
    sq.rerecord()
    sq.eval()
    assert b.data().tolist() == [2, 8, 18]


def test_push_values_of_a_rebuilt_algorithm(manager):
    t, code = manager.tensor([0]), spirv(push("float", 1))
    algorithm = manager.algorithm([t], code, (1, 1, 1), [], [1])
    sq = manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpAlgoDispatch(algorithm, [100]))
    sq.record(kp.OpSyncLocal([t])).eval()
    assert t[0] == 101
    algorithm.rebuild([t], code, (1, 1, 1), [], [10])
    sq.eval()
    assert t[0] == 211  # what the operation says itself stays
    algorithm.set_push_constants([20])
    sq.eval()
    assert t[0] == 331
    sq.rerecord()
    sq.eval()
    assert t[0] == 451


def test_push_values_that_a_rebuilt_algorithm_does_not_take(manager):
    t = manager.tensor([0, 0])
    algorithm = manager.algorithm([t], spirv(push("float", 1)), (1, 1, 1), [], [1])
    own = manager.sequence().record(kp.OpAlgoDispatch(algorithm, [5])).eval()
    none = manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
    assert t.data().tolist() == [10, 0]  # trap: values that are given stay with the algorithm
    algorithm.rebuild([t], spirv(push("float", 2)), (2, 1, 1), [], [10, 20])
    with pytest.raises(kp.Error, match="OpAlgoDispatch: push constant total memory size provided is 4 but expected 8"):
        own.eval()
    none.eval()
    assert t.data().tolist() == [20, 20]


WIDE = {
    "int64": ("int64_t", "GL_EXT_shader_explicit_arithmetic_types_int64"),
    "uint64": ("uint64_t", "GL_EXT_shader_explicit_arithmetic_types_int64"),
    "int16": ("int16_t", "GL_EXT_shader_explicit_arithmetic_types_int16"),
    "uint16": ("uint16_t", "GL_EXT_shader_explicit_arithmetic_types_int16"),
    "int8": ("int8_t", "GL_EXT_shader_explicit_arithmetic_types_int8"),
    "uint8": ("uint8_t", "GL_EXT_shader_explicit_arithmetic_types_int8"),
    "float16": ("float16_t", "GL_EXT_shader_explicit_arithmetic_types_float16"),
}


@pytest.mark.parametrize("side", ["push", "spec"])
@pytest.mark.parametrize("name", ["int64", "uint64", "int16", "uint16"])
def test_arrays_of_a_width_that_the_shader_declares(manager, name, side):
    """New: Kompute refuses them, and so do others here whose width is not declared."""
    kind, extension = WIDE[name]
    declared = {
        "push": f"layout (push_constant) uniform P {{ {kind} p[3]; }};",
        "spec": "".join(f"layout (constant_id = {i}) const {kind} c{i} = {kind}(0);" for i in range(3)),
    }
    values = {"push": "p[0], p[1], p[2]", "spec": "c0, c1, c2"}[side]
    code = spirv(f"""#version 450
        #extension {extension} : require
        #extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
        layout (binding = 0) buffer A {{ int64_t a[]; }};
        {declared[side]}
        void main() {{ {kind} v[3] = {kind}[]({values}); for (int i = 0; i < 3; ++i) a[i] = int64_t(v[i]); }}""")
    out = manager.tensor_t(np.zeros(3, np.int64))
    numbers = np.array([1, 3, np.iinfo(name).max // 2], name)
    other = np.array([], np.int32)
    given = {"push": (other, numbers), "spec": (numbers, other)}[side]
    algorithm = manager.algorithm([out], code, (1, 1, 1), *given)
    assert run(manager, algorithm, out) == [numbers.tolist()]


@pytest.mark.parametrize("name", WIDE)
def test_k5_k31_types_beyond_komputes(manager, name):
    kind, extension = WIDE[name]
    code = spirv(f"#version 450\n#extension {extension} : require\n" + multiply(kind))
    mems = [manager.tensor_t(np.array(x, name)) for x in ([2, 3, 2], [35, 12, 23], [0, 0, 0])]
    try:
        algorithm = manager.algorithm(mems, code)
    except kp.Error as error:
        # A type that the device lacks is told here, by its name, and not when the tensor is made.
        assert error.status == -3 and "bit" in str(error), error
        pytest.skip(str(error))
    run(manager, algorithm, *mems)
    assert mems[2].data().tolist() == [70, 36, 46]


def test_complex_numbers_and_records_in_a_shader(manager):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A { vec2 a[]; };
        void main() { uint i = gl_GlobalInvocationID.x; vec2 z = a[i]; a[i] = vec2(z.x*z.x - z.y*z.y, 2.0*z.x*z.y); }""")
    t = manager.tensor_t(np.array([1 + 2j, 3 - 1j], np.complex64))
    assert run(manager, manager.algorithm([t], code), t) == [[(1 + 2j) ** 2, (3 - 1j) ** 2]]
    records = manager.tensor_t(np.array([(1, 2), (3, -1)], [("x", "f4"), ("y", "f4")]))
    run(manager, manager.algorithm([records], code), records)
    assert records.data()["x"].tolist() == [-3, 8] and records.data()["y"].tolist() == [4, -6]


def test_readme(manager):
    """Dispatched twice with a specialisation constant of 2, and push constants of 2 and then 3."""
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer I { float x[]; };
        layout (set = 0, binding = 1) buffer J { float y[]; };
        layout (set = 0, binding = 2) buffer A { uint a[]; };
        layout (set = 0, binding = 3) buffer B { uint b[]; };
        layout (push_constant) uniform P { float p; };
        layout (constant_id = 0) const float s = 0;
        void main() { uint i = gl_GlobalInvocationID.x; a[i] += uint(x[i] * y[i]); b[i] += uint(s * p); }""")
    x, y = manager.tensor([2, 2, 2]), manager.tensor([1, 2, 3])
    a, b = (manager.tensor_t(np.zeros(3, np.uint32)) for _ in range(2))
    algorithm = manager.algorithm([x, y, a, b], code, (3, 1, 1), [2], [2])
    ops = [kp.OpAlgoDispatch(algorithm), kp.OpAlgoDispatch(algorithm, [3])]
    assert run(manager, algorithm, x, y, a, b, ops=ops)[2:] == [[4, 8, 12], [10, 10, 10]]


@pytest.mark.parametrize("size", [16, 64])
def test_k36_the_third_matrix_product(manager, size):
    """It launches 16 times too many groups in y, and so writes out of bounds: beside it, nothing changes."""
    code = spirv("""
        layout (local_size_x = 16, local_size_y = 1) in;
        layout (set = 0, binding = 0) readonly buffer A { float a[]; };
        layout (set = 0, binding = 1) readonly buffer B { float b[]; };
        layout (set = 0, binding = 2) writeonly buffer C { float c[]; };
        layout (constant_id = 0) const float size = 0;
        void main() {
          uint n = uint(size), column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
          float sum = 0.0;
          for (uint k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
          c[row * n + column] = sum;
        }""")
    ones = np.triu(np.ones((size, size)))
    before, a, b, c, after = (manager.tensor(x) for x in (np.full(4096, 5), ones, ones, ones * 0, np.full(4096, 5)))
    algorithm = manager.algorithm([a, b, c], code, (size // 16, size * 16, 1), [size])
    run(manager, algorithm, before, a, b, c, after, ops=[kp.OpAlgoDispatch(algorithm)])
    assert np.array_equal(c.data().reshape(size, size), ones @ ones)
    assert np.all(before.data() == 5) and np.all(after.data() == 5)
    assert np.array_equal(a.data(), ones.ravel()) and np.array_equal(b.data(), ones.ravel())


def test_a_module_whose_push_constants_end_past_all_numbers(manager):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (binding = 0) buffer A { float a[]; };
        layout (push_constant) uniform P { layout (offset = 68) float p; };
        void main() { a[0] = p; }
    """)
    offset, number = b"\x23\0\0\0", b"\x44\0\0\0"
    assert code.count(offset + number) == 1
    for last in (2**32 - 4, 2**32 - 1, 2**31):
        wrong = code.replace(offset + number, offset + last.to_bytes(4, "little"))
        with pytest.raises(kp.Error, match="bytes of push constants"):
            manager.algorithm([manager.tensor([1])], wrong, (1, 1, 1), [], [1])
    assert product(manager, spirv(MULTIPLY)) == [2, 4, 6]


def test_when_a_shader_that_does_not_fit_is_refused(manager):
    """docs/kompute.md says which mistakes algorithm() finds, and which the first eval() does."""
    image, t = manager.image(np.arange(4.0), 2, 2, 1), manager.tensor([1, 2, 3])
    head, end = "layout (local_size_x = 1) in;\nlayout (binding = 0", " void main() {"
    for objects, code, told in (
        ([t], head + ", r32f) uniform image2D A;" + end + "imageStore(A, ivec2(0), vec4(1)); }", "is a storage image"),
        ([image], head + ") buffer A { float a[]; };" + end + "a[0] = 1; }", "is a storage buffer"),
        ([image], head + ", r32i) uniform iimage2D A;" + end + "imageStore(A, ivec2(0), ivec4(1)); }", "of format"),
    ):
        with pytest.raises(kp.Error, match=told):
            manager.algorithm(objects, code)
    block = ") uniform U { vec4 v[4]; }; layout (binding = 1) buffer B { float b[]; };"
    for objects, code, told in (
        ([image], head + ", r32f) uniform image3D A;" + end + "imageStore(A, ivec3(0), vec4(1)); }", "2 dimensions"),
        ([t, t], head + block + end + "b[0] = v[3].x; }", "takes 64 bytes"),
    ):
        sequence = manager.sequence().record(kp.OpAlgoDispatch(manager.algorithm(objects, code, (1, 1, 1))))
        with pytest.raises(RuntimeError, match=told):
            sequence.eval()
    short = head + ") buffer A { float a[100]; };" + end + "if (gl_GlobalInvocationID.x > 9) a[99] = 1; }"
    manager.sequence().eval(kp.OpAlgoDispatch(manager.algorithm([t], short, (1, 1, 1))))


@pytest.mark.parametrize(
    ("dtype", "declared", "warned"),
    [
        ("i4", "vec4", True),
        ("f8", "float", True),
        ("c8", "vec2", False),
        ("i4", "S", False),
        ([("a", "f4"), ("b", "i4")], "float", False),
    ],
)
def test_tensors_of_another_type_that_are_a_warning(manager, caplog, dtype, declared, warned):
    t = manager.tensor_t(np.ones(8, dtype))
    code = f"layout (local_size_x = 1) in;\nstruct S {{ float x, y; }};\nlayout (binding = 0) buffer A {{ {declared} a[]; }};"
    manager.algorithm([t], code + " void main() { if (gl_GlobalInvocationID.x > 99) a[0] = a[1]; }", (1, 1, 1))
    assert any("its bytes are taken as they are" in one.getMessage() for one in caplog.records) == warned
