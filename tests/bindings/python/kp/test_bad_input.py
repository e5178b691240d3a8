"""Calls that are wrong: an error of the right type before anything runs, and a Manager that works on."""

import decimal
import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import f32

from .conftest import ASKED, opened
from .test_sequences import traced_increment as increment

OVERLAPPING = np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [0, 0]})


@pytest.mark.parametrize("kind", list(kp.MemoryTypes), ids=str)
@pytest.mark.parametrize("count", [2**40, 2**61, 2**63, 2**64, 2**80])
def test_huge_sizes(anywhere, kind, count):
    for shape in (count, (count, count)):
        with pytest.raises(kp.Error):
            anywhere.tensor_empty(shape, memory_type=kind)
    assert anywhere.tensor([1, 2], kp.MemoryTypes.device).data().tolist() == [1, 2]


def test_numbers_past_their_type(anywhere):
    t = anywhere.tensor([1, 2, 3])
    small = anywhere.tensor_t(np.zeros(3, np.int8))
    for call in (
        lambda: anywhere.tensor([10**400]),
        lambda: anywhere.tensor_t([2**70]),
        lambda: t.set_data([1, 2, 10**400]),
        lambda: kp.OpFill(t, 10**400),
        lambda: kp.OpFill(t, None),
        lambda: kp.OpFill(t, []),
        lambda: kp.OpFill(t, [1, 2, 3]),
        lambda: anywhere.image([10**400], 1, 1, 1),
    ):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()
    assert small.size() == 3 and t.data().tolist() == [1, 2, 3]


def test_records_that_have_no_plain_order(anywhere):
    with pytest.raises(kp.Error, match="no valid dtype supported"):
        anywhere.tensor_t(np.zeros(3, OVERLAPPING))
    ones, others = (anywhere.tensor_empty(3, dtype=[("a", form)]) for form in ("f4", "f8"))
    with pytest.raises(kp.Error, match="different types"):
        anywhere.sequence().record(kp.OpCopy([ones, others]))


def test_a_wait_without_end_and_one_of_no_number(anywhere):
    sq = anywhere.sequence()
    assert sq.wait(float("inf"))
    for wrong in (float("nan"), -1):
        with pytest.raises(kp.Error, match="timeout_s"):
            sq.wait(wrong)


def test_products_read_and_write_past_no_tensor(anywhere):
    long, short = anywhere.tensor([1, 2, 3]), anywhere.tensor([1])
    algorithm = anywhere.algorithm([])
    for mems in ([long, short, long], [long, long, short], [long, anywhere.tensor_t(np.zeros(3, np.int8)), long]):
        with pytest.raises(kp.Error, match="different sizes"):
            kp.OpMult(mems, algorithm)
    anywhere.sequence().record(kp.OpSyncDevice([short, long])).eval(kp.OpMult([short, long, long], algorithm))


@pytest.mark.parametrize("what", ["tensor", "algorithm"])
def test_what_was_destroyed_after_it_was_recorded(anywhere, what):
    objects = {"tensor": anywhere.tensor([1, 2]), "algorithm": anywhere.algorithm([])}
    tensors = [objects["tensor"]] * 3
    sq = anywhere.sequence().record(kp.OpSyncDevice(tensors)).record(kp.OpMult(tensors, objects["algorithm"])).eval()
    objects[what].destroy()
    for _ in range(2):
        with pytest.raises(kp.Error, match="destroyed|discarded"):
            sq.eval()
    assert not sq.is_running()
    sq.clear()
    sq.eval()


@pytest.mark.parametrize("kind", list(kp.MemoryTypes), ids=str)
def test_errors_name_the_operation_whose_object_was_destroyed(anywhere, kind):
    for gone in (anywhere.image([1, 2], 2, 1, 1, kind), anywhere.tensor([1, 2], kind)):
        here = anywhere.tensor([1, 2])
        sq = anywhere.sequence().record(kp.OpSyncDevice([here])).record(kp.OpCopy([here, gone])).eval()
        gone.destroy()
        told = (
            rf"Sequence: operation 1 \(OpCopy\) uses object 1 of its list, and this {type(gone).__name__} was destroyed"
        )
        with pytest.raises(kp.Error, match=told):
            sq.eval()  # the recorded graph
        sq.rerecord()
        with pytest.raises(kp.Error, match=told):
            sq.eval_async()  # a graph that is built anew


def test_a_workgroup_by_the_size_of_what_was_destroyed(anywhere):
    t = anywhere.tensor([1, 2, 3])
    algorithm = anywhere.algorithm([])
    sq = anywhere.sequence().record(kp.OpMult([t, t, t], algorithm))
    algorithm.set_workgroup((1, 1, 1))
    t.destroy()
    algorithm.set_workgroup((0, 0, 0))
    assert algorithm.get_workgroup()[0] != 0
    with pytest.raises(kp.Error, match="this Tensor was destroyed"):
        sq.eval()


def test_arrays_of_other_makers_stay_valid_after_destroy(anywhere):
    t = anywhere.tensor(np.arange(1 << 20))
    mine, theirs = t.data(), np.asarray(t)
    part = theirs[1::2]
    assert theirs.base is t and mine.base is t
    del mine
    anywhere.destroy()
    gc.collect()
    noise = [np.full(1 << 20, 7, np.float32) for _ in range(8)]  # which would lie where freed memory was
    part += 1
    assert part[3] == 8 and theirs[-1] == 1 << 20 and noise[0][3] == 7


def test_threads_that_share_a_tensor(anywhere):
    """Each has sequences of its own, which come and go while another looks at who writes the tensor."""
    t, errors = anywhere.tensor(np.full(64, 5)), []
    anywhere.sequence().eval(kp.OpSyncDevice([t]))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work():
        try:
            for _ in range(40):
                anywhere.sequence().record(kp.OpSyncLocal([t])).eval()
                assert t.data()[63] == 5
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    assert errors == []


@pytest.mark.parametrize("kind", list(kp.MemoryTypes), ids=str)
def test_hostile_arrays(anywhere, kind):
    values = np.arange(24, dtype=np.int16)
    frozen = values.copy()
    frozen.flags.writeable = False
    for given, expected in (
        (values[::-3], values[::-3]),
        (values.reshape(4, 6).T[::2], values.reshape(4, 6).T[::2].ravel()),
        (frozen, values),
        (values.astype(">i2"), values),
        (np.array(7, np.int16), [7]),
        (np.ma.masked_array(values, values > 3), values),
        (np.broadcast_to(np.int16(3), (2, 2)), [3] * 4),
    ):
        t, out = anywhere.tensor_t(given, kind), anywhere.tensor_empty(np.size(given), np.int16, kp.MemoryTypes.host)
        anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpCopy([t, out])).eval()
        assert out.data().tolist() == list(expected) and t.data_type() is kp.DataTypes.short
    for wrong in (np.array([1, None], object), {1}, None, "12"):
        with pytest.raises(TypeError):
            anywhere.tensor_t(wrong, kind)


def test_data_without_numpy_that_is_none():
    code = f"""
import sys
sys.modules["numpy"] = None
import vkdispatch.kp as kp
m = kp.Manager(backend={ASKED or "host"!r})
ring = []
ring.append(ring)
for wrong in (ring, [10**400], [None], ["1", "x"], {{}}, None):
    try:
        m.tensor(wrong)
    except TypeError as error:
        pass
    else:
        raise AssertionError(wrong)
assert m.tensor([1]).data().tolist() == [1]
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_twenty_thousand_tensors():
    made = opened(ASKED or "vulkan")
    tensors = [made.tensor([i, i + 1]) for i in range(20_000)]
    made.sequence().eval(kp.OpSyncDevice(tensors[::50]))
    for i in range(0, 20_000, 50):
        tensors[i].data()[:] = 0
    made.sequence().eval(kp.OpSyncLocal(tensors[::50]))
    assert all(t[0] == i and t[1] == i + 1 for i, t in enumerate(tensors))
    made.destroy()
    assert not any(t.is_init() for t in tensors)


SCALED = """
layout (local_size_x = 1) in;
layout (binding = 0) buffer A { float a[]; };
layout (constant_id = 0) const int n = 1;
layout (push_constant) uniform P { int k; };
void main() { a[gl_GlobalInvocationID.x] = n * k; }
"""


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_numbers_that_no_integer_of_the_shader_takes(manager, number):
    t = manager.tensor([1, 2])
    for spec, push in (([number], [1]), ([1], [number]), ([1], np.array([number]))):
        with pytest.raises(
            kp.Error, match=r"_consts: the value -?(nan|inf) is no integer, and the shader declares i32"
        ):
            manager.algorithm([t], SCALED, (0, 0, 0), spec, push)
    algorithm = manager.algorithm([t], SCALED, (0, 0, 0), [2], [3])
    with pytest.raises(kp.Error, match="is no integer"):
        manager.sequence().record(kp.OpAlgoDispatch(algorithm, [number]))
    manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
    assert t.data().tolist() == [6, 6]


@pytest.mark.parametrize(
    "wrong", [np.array([1j]), np.array(["a"]), np.array([None]), [1j], ["1"], [[1]], {1: 2}, 5, None]
)
def test_constants_that_are_no_numbers(manager, wrong):
    t = manager.tensor([1, 2])
    for spec, push in ((wrong, [1]), ([1], wrong)):
        with pytest.raises(TypeError, match="_consts.*incompatible function arguments"):
            manager.algorithm([t], SCALED, (0, 0, 0), spec, push)


def test_constants_that_the_shader_lacks_are_one_warning(manager, caplog):
    manager.algorithm([manager.tensor([1])], SCALED, (0, 0, 0), [1] * 1000, [1])
    (told,) = [record.getMessage() for record in caplog.records]
    assert "no constant_id 1, 2, 3, 4, 5, 6, 7, 8, ...: 999 of 1000" in told


def test_arrays_without_dimensions(manager):
    t, zero = manager.tensor([1, 2]), np.array(0)
    for call in (
        lambda: manager.algorithm(zero, SCALED),
        lambda: manager.algorithm([t], SCALED, zero),
        lambda: kp.OpSyncDevice(zero),
        lambda: kp.Manager(0, zero),
        lambda: kp.Shader.compile_sources(zero),
    ):
        with pytest.raises(TypeError, match="must be .*incompatible function arguments"):
            call()
    algorithm = manager.algorithm([t], SCALED, (0, 0, 0), [1], np.array(3))
    sq = (
        manager.sequence()
        .record(kp.OpAlgoDispatch(algorithm, np.array(4, np.int32)))
        .record(kp.OpSyncLocal([t]))
        .eval()
    )
    assert t.data().tolist() == [4, 4] and not sq.is_running()


def test_records_without_bytes(anywhere):
    for form in ([], [("a", "V0")], [("a", "f4", (0,))]):
        with pytest.raises(kp.Error, match="no valid dtype supported"):
            anywhere.tensor_t(np.zeros(3, form))


def test_text_that_is_none(manager):
    for call in (
        lambda: manager.algorithm([manager.tensor([1])], "void main() { } // \ud800"),
        lambda: kp.Shader.compile_source("// \ud800"),
        lambda: kp.Shader.compile_sources(["void main() { }"], ["\ud800"]),
    ):
        with pytest.raises(kp.Error, match="has '.ud800'"):
            call()
    for wrong in (
        lambda: kp.Shader.compile_source("void main() { }", "a b"),
        lambda: kp.Shader.compile_sources(5),
        lambda: kp.Shader.compile_source("void main() { }", definitions=[5]),
        lambda: kp.Shader.compile_sources(["void main() { }"], 5),
    ):
        with pytest.raises(TypeError, match="Shader.compile_source.*: .*incompatible function arguments"):
            wrong()


def test_names_that_are_none(anywhere):
    for call in (
        lambda: kp.Manager(backend=anywhere.backend, device_type=["cpu"]),
        lambda: kp.Manager(backend=anywhere.backend, required_extensions=["VK_KHR\0"]),
        lambda: kp.Manager(backend=anywhere.backend, desired_extensions=["\ud800"]),
        lambda: anywhere.create_sequence(5),
        lambda: anywhere.get_create_sequence(None),
        lambda: anywhere.eval_algo_file_def([anywhere.build_tensor([1])], 5),
    ):
        with pytest.raises((TypeError, kp.Error), match="device_type|is no name|must be a"):
            call()


def test_numbers_that_are_none(anywhere):
    t, small = anywhere.tensor([1, 2]), anywhere.tensor_t(np.zeros(2, np.uint8))
    for wrong in (10**400, "x", [1, 2]):
        with pytest.raises(TypeError, match="Tensor: value .* cannot become float32: incompatible"):
            t[0] = wrong
    for fraction in (1.5, np.array(1.5), [1.5], decimal.Decimal("1.5")):
        with pytest.raises(
            RuntimeError, match=r"OpFill: value \(.*1\.5.*\) is no integer, and mem has elements of uint8"
        ):
            kp.OpFill(small, fraction)
    for whole in (2.0, np.array([2]), [np.uint8(2)], decimal.Decimal(2)):
        kp.OpFill(small, whole)
    with pytest.raises(TypeError, match=r"OpFill: value \(300\) must be one uint8"):
        kp.OpFill(small, 300)
    with pytest.raises(TypeError, match="timeout_s"):
        anywhere.sequence().wait("a")
    assert anywhere.sequence().wait(10**400) and t.data().tolist() == [1, 2]


def test_tensors_from_other_things(anywhere):
    t = anywhere.tensor([1, 2])
    anywhere.sequence().eval(kp.OpSyncDevice([t]))
    given = anywhere.tensor_from(np.arange(3, dtype=np.int32))
    assert given.data().tolist() == [0, 1, 2]  # without a sync
    anywhere.sequence().record(kp.OpSyncDevice([given])).record(kp.OpSyncLocal([given])).eval()
    assert given.data().tolist() == [0, 1, 2]
    copy = anywhere.tensor_from(t)
    anywhere.sequence().record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([copy])).eval()
    assert copy.data().tolist() == [1, 2]
    other = kp.Manager(backend=anywhere.backend)
    with pytest.raises(kp.Error, match="belongs to Manager .* and is used with Manager"):
        other.tensor_from(t)
    with pytest.raises(TypeError, match="Manager.tensor_from: .*incompatible function arguments"):
        anywhere.tensor_from([1, 2])
    with pytest.raises(kp.Error, match="Manager.tensor_from: .*datetime64"):
        anywhere.tensor_from(np.zeros(2, "M8[s]"))


def test_errors_name_the_call(anywhere):
    with pytest.raises(kp.Error, match=r"^Manager.image: .*extent\[0\] \(200000\)"):
        anywhere.image(np.zeros(200_000), 200_000, 1, 1)


def test_errors_name_the_object_in_the_list(anywhere):
    here, gone = anywhere.tensor([1, 2]), anywhere.tensor([1, 2])
    gone.destroy()
    other = kp.Manager(backend="host")
    strange = other.tensor([1, 2])
    for mem, told in ((gone, "the Tensor was destroyed"), (strange, "the Tensor belongs to Manager")):
        for call, what in (
            (lambda m=mem: anywhere.sequence().record(kp.OpCopy([here, m])), "OpCopy: object 1"),
            (lambda m=mem: anywhere.sequence().record(kp.OpSyncDevice([here, m])), "OpSyncDevice: object 1"),
            (lambda m=mem: anywhere.sequence().eval(kp.OpFill(m, 1)), "OpFill: object 0"),
            (lambda m=mem: anywhere.algorithm([here, m], increment), "Manager.algorithm: object 1"),
        ):
            with pytest.raises(kp.Error, match=f"{what} of the list: {told}"):
                call()


def test_names_of_files_are_no_code(manager):
    t = manager.tensor([1])
    for code in ("shaders/add.comp.spv", b"add.spv", "some words", bytes(40)):
        with pytest.raises(kp.Error, match=r"Manager.algorithm: spirv .* is neither SPIR-V.* the name of a file"):
            manager.algorithm([t], code)
    half = kp.Shader.compile_source(SCALED)[:80]
    with pytest.raises(kp.Error, match=r"Manager.algorithm: words is not valid"):
        manager.algorithm([t], half)


def test_messages_have_no_room_for_long_values(manager):
    long = kp.Shader.compile_source(SCALED)
    t = manager.build_tensor([1])
    for call in (
        lambda: manager.eval_algo_data([t], long),
        lambda: manager.eval_algo_data_def(long, [t]),
        lambda: manager.eval_algo_file_def([t], long),
        lambda: manager.tensor_empty(10**5000),
    ):
        with pytest.raises((TypeError, kp.Error)) as error:
            call()
        assert len(str(error.value)) < 400 and str(error.value).startswith("Manager."), error.value


def test_records_with_gaps(anywhere):
    kind = np.dtype({"names": ["a", "b"], "formats": ["i1", "f4"], "offsets": [0, 4], "itemsize": 12})
    given = np.zeros(3, kind)
    given["b"] = [1, 2, 3]
    t = anywhere.tensor_t(given)
    assert t.data().dtype == kind and t.data().base is t and t.data()["b"].tolist() == [1, 2, 3]
    t.data()[:] = given[::-1]
    t.set_data(given)
    assert t.data()["b"].tolist() == [1, 2, 3]


def test_messages_name_the_call(anywhere):
    gone = anywhere.tensor([1])
    sq = anywhere.sequence().record(kp.OpSyncDevice([gone])).record(kp.OpSyncLocal([gone]))
    gone.destroy()
    for call, said in (
        (lambda: anywhere.tensor_from(gone), "Manager.tensor_from: source: the Tensor was destroyed"),
        (lambda: anywhere.sequence().get_timings(), "Sequence.get_timings: Timestamp latching not enabled"),
        (lambda: kp.Shader.compile_sources([]), "Shader.compile_sources: "),
        (lambda: kp.Shader.compile_source("nonsense"), "Shader.compile_source: "),
        (
            lambda: sq.graph,
            "Sequence: operation 0 .OpSyncDevice. uses object 0 of its list, and this Tensor was destroyed",
        ),
    ):
        with pytest.raises(kp.Error, match=f"^{said}"):
            call()
    with pytest.raises(TypeError, match=r"^Shader.compile_source: source \(5\) must be a str"):
        kp.Shader.compile_source(5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("dtype", "value"),
    [("float32", 1e60), ("float32", -1e60), ("float16", 1e6), ("float16", 10**30), ("float32", np.float64(1e60))]
    + [("complex64", 1e60), ("complex64", 1e60j), ("float64", 10**400)],
)
def test_fills_that_do_not_fit(anywhere, dtype, value):
    t = anywhere.tensor_empty(2, dtype)
    with pytest.raises(TypeError, match=f"OpFill: value .* must be one {dtype}"):
        kp.OpFill(t, value)
    for fitting in (float("inf"), float("nan"), 10, 0.1, 6e4):
        kp.OpFill(t, fitting)


class Textless(Exception):
    def __str__(self):
        raise ValueError("no text")


def test_exceptions_without_a_text(anywhere, caplog, capsys):
    def fail():
        raise Textless

    anywhere.sequence().record(kp.OpHost(fail)).eval_async().destroy()
    sq = anywhere.sequence().record(kp.OpHost(fail)).record(kp.OpHost(fail))
    with pytest.raises(Textless):
        sq.eval()
    assert "Logging error" not in capsys.readouterr().err
    assert caplog.text.count("<Textless, whose text cannot be shown: ValueError>") == 2


@pytest.mark.parametrize("where", ["function", "global"])
def test_arrays_that_no_invocation_has_are_refused(manager, where):
    array = "float a[LENGTH];"
    code = f"""
        #version 450
        layout (constant_id = 0) const int LENGTH = 4;
        layout (set = 0, binding = 0) buffer B {{ float b[]; }};
        {array if where == "global" else ""}
        void main() {{
          {array if where == "function" else ""}
          a[int(b[0]) % LENGTH] = b[1];
          b[0] = a[int(b[1]) % LENGTH];
        }}
    """
    t = manager.tensor([1, 2, 3, 4])
    for length in (2**24, 2**30):
        with pytest.raises(
            kp.Error, match=rf"has a variable of {4 * length} bytes in each invocation, above the largest"
        ):
            manager.algorithm([t], code, (1, 1, 1), [length])
    manager.sequence().record(kp.OpAlgoDispatch(manager.algorithm([t], code, (1, 1, 1), [8]))).eval()


@vd.reduce.reduce(0.0)
def _total(a: f32, b: f32) -> f32:
    return a + b


def test_calls_of_the_package_that_get_a_tensor_name_its_buffer(anywhere):
    t, waves = anywhere.tensor([1.0, 2.0]), anywhere.tensor_t(np.ones(8, np.complex64))
    for call in (
        lambda: vd.asbuffer(t),
        lambda: vd.asbuffer(t, context=anywhere.context),
        lambda: anywhere.sequence().record_vd(vd.fft.fft, waves).eval(),
        lambda: anywhere.sequence().record_vd(vd.fft.convolve, waves, waves.buffer).eval(),
        lambda: anywhere.sequence().record_vd(_total, t).eval(),
        lambda: vd.vkfft.fft(waves),
    ):
        with pytest.raises(TypeError, match=r"Tensor.*\w+\.buffer is one"):
            call()


def test_buffers_of_another_context_are_told_how_to_be_the_managers(anywhere):
    other = vd.Context(backend=anywhere.backend)
    waves = vd.asbuffer(np.ones(8, np.complex64), context=other)
    for call in (
        lambda: anywhere.sequence().record_vd(vd.fft.fft, waves).eval(),
        lambda: anywhere.tensor_from(waves),
    ):
        with pytest.raises(
            (ValueError, kp.Error), match=r"belongs? to .*! context=manager.context makes objects for the"
        ):
            call()
    other.destroy()


def test_files_and_numbers_for_code_and_workgroups_are_told_what_is_taken(anywhere, tmp_path):
    t, name = anywhere.tensor([1]), tmp_path / "a.spv"
    name.write_bytes(b"1234")
    with pytest.raises(TypeError, match=r"spirv \(\w+Path\) .* its name; its read_bytes\(\) gives them"):
        anywhere.algorithm([t], name)
    with name.open("rb") as file, pytest.raises(TypeError, match=r"or its name; its read\(\) gives them"):
        anywhere.algorithm([t], file)
    if anywhere.backend == "vulkan":
        with pytest.raises(
            kp.Error, match=r"the name of a file, whose bytes pathlib.Path\(name\).read_bytes\(\) gives"
        ):
            anywhere.algorithm([t], "a.spv")
    algorithm = anywhere.algorithm([t], increment)
    for wrong in (5, np.int64(5), (1, 1)):
        with pytest.raises(TypeError, match=r"workgroup .* must be three unsigned .* workgroups, such as \(16, 1, 1\)"):
            algorithm.set_workgroup(wrong)
    with pytest.raises(TypeError, match=r"set_workgroup: workgroup\[1\] \(1.5\) must be an unsigned integer"):
        algorithm.set_workgroup((1, 1.5, 1))
