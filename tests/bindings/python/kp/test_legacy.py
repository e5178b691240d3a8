"""The calls of Kompute 0.5 and 0.6, and the compiler of 0.7."""

import logging
import os
import subprocess
import sys

import numpy as np
import pytest
from vkdispatch import _native, kp
from vkdispatch._native import _errors, enums

from .shaders import MULTIPLY, spirv


def three(manager):
    tensors = [kp.Tensor([2, 2, 2]), kp.Tensor([1, 2, 3]), kp.Tensor([0, 0, 0])]
    manager.eval_tensor_create_def(tensors)
    return tensors


def test_tensors_without_a_manager():
    t = kp.Tensor([1, 2, 3], tensor_type=kp.TensorTypes.storage)
    assert isinstance(t, kp.Tensor) and t.data() == [1.0, 2.0, 3.0] and len(t) == t.size() == 3
    assert not t.is_init() and t.tensor_type() is kp.TensorTypes.storage
    t[1] = 7
    assert t[1] == 7 and list(t) == [1, 7, 3] and 7 in t and reversed(t) == [3, 7, 1]
    t.set_data([4, 5, 6])
    assert t.data() == [4, 5, 6] and t.numpy().dtype == np.float32
    t.numpy()[0] = 100  # a copy
    assert np.asarray(t).tolist() == [4, 5, 6]
    with pytest.raises(RuntimeError, match="Cannot set data of different sizes"):
        t.set_data([1])
    with pytest.raises(IndexError):
        t[3]
    with pytest.raises(TypeError):
        t[-1]
    with pytest.raises(TypeError):
        kp.Tensor([1], 0)


def test_mult(anywhere):
    a, b, out = three(anywhere)
    assert a.is_init()
    anywhere.eval_algo_mult_def([a, b, out])
    anywhere.eval_tensor_sync_local_def([out])
    assert out.data() == [2.0, 4.0, 6.0]


def test_tensors_that_have_no_memory_yet(anywhere, monkeypatch):
    t = kp.Tensor([1, 2])
    t.destroy()
    kp.Tensor([]).destroy()
    assert t.data() == [1, 2] and not t.is_init()

    def fail(*_):
        raise _errors.OutOfMemoryError("vd_buffer_create: no memory is left", enums.VD_ERR_OUT_OF_MEMORY)

    with monkeypatch.context() as patch:
        patch.setattr(_native.raw, "vd_buffer_create", fail)
        with pytest.raises(kp.Error, match="no memory is left"):
            anywhere.eval_tensor_create_def([t])
    assert not t.is_init()
    anywhere.eval_tensor_create_def([t])
    assert t.is_init()
    t.destroy()
    assert not t.is_init() and t.data() == [1, 2]


@pytest.mark.parametrize("form", ["str", "characters", "bytes", "spirv", "file", "spirv file"])
def test_shaders_in_every_form(manager, tmp_path, form):
    a, b, out = three(manager)
    text = "#version 450\n" + MULTIPLY
    (tmp_path / "x.comp").write_text(text)
    (tmp_path / "x.spv").write_bytes(spirv(MULTIPLY))
    call = {
        "str": lambda m: manager.eval_algo_str_def(m, text),
        "characters": lambda m: manager.eval_algo_str_def(m, list(text)),
        "bytes": lambda m: manager.eval_algo_data_def(m, text.encode()),
        "spirv": lambda m: manager.eval_algo_data_def(m, spirv(MULTIPLY)),
        "file": lambda m: manager.eval_algo_file_def(m, str(tmp_path / "x.comp")),
        "spirv file": lambda m: manager.eval_algo_file_def(m, str(tmp_path / "x.spv")),
    }[form]
    call([a, b, out])
    manager.eval_tensor_sync_local_def([out])
    assert out.data() == [2.0, 4.0, 6.0]


def test_missing_file(manager):
    with pytest.raises(RuntimeError, match="Error reading file"):
        manager.eval_algo_file_def(three(manager), "/no/such/file")


def test_sequences_by_name_and_asynchronously(manager):
    a, b, out = three(manager)
    manager.eval_async_algo_mult([a, b, out], "one")
    manager.eval_await("one")
    manager.eval_async_tensor_sync_local([a, b, out], "one")
    manager.eval_await("one", 10**15)
    assert out.data() == [2.0, 4.0, 6.0]
    manager.eval_async_tensor_sync_device_def([a])
    manager.eval_await_def()
    manager.eval_await("no such")


def test_named_sequence_with_three_syncs(manager):
    a, b, out = (manager.build_tensor(x) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    sq = manager.create_sequence("op")
    assert manager.get_create_sequence("op") is sq and not sq.is_rec()
    sq.init()
    assert sq.begin() is True and sq.begin() is False and sq.is_rec()
    assert sq.record_algo_data([a, b, out], spirv(MULTIPLY)) is True
    for t in (a, b, out):
        assert sq.record_tensor_sync_local([t])
    assert sq.end() is True and sq.end() is False
    assert sq.eval_async() is True and sq.is_running() and sq.eval() is False and sq.begin() is False
    assert sq.eval_await(waitFor=10**15) is True and sq.eval_await() is False
    assert sq.record_tensor_sync_local([out]) is False
    assert out.data() == [2.0, 4.0, 6.0]


def test_workgroup_grid(manager):
    code = """
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A { float a[]; };
        layout (set = 0, binding = 1) buffer B { float b[]; };
        void main() {
          uint i = gl_WorkGroupID.x * gl_NumWorkGroups.y + gl_WorkGroupID.y;
          a[i] = gl_WorkGroupID.x; b[i] = gl_WorkGroupID.y;
        }"""
    a, b = manager.build_tensor(np.zeros([16, 8])), manager.build_tensor(np.zeros([16, 8]))
    sq = manager.create_sequence()
    sq.begin()
    sq.record_algo_data([a, b], code.encode(), (16, 8, 1))
    sq.record_tensor_sync_local([a, b])
    sq.end()
    sq.eval()
    assert [a.data(), b.data()] == np.mgrid[0:16, 0:8].reshape(2, -1).tolist()


@pytest.mark.parametrize("rounds", [1, 10])
def test_overview(manager, rounds):
    t1, t2, t3 = (manager.build_tensor(x) for x in ([2, 2, 2], [1, 2, 3], [1, 2, 3]))
    add_shader = spirv(MULTIPLY.replace("a[i] * b[i]", "a[i] + b[i]"))
    for name, mems, code in (("SQ_MULT", [t1, t2, t3], spirv(MULTIPLY)), ("SQ_SUM", [t3, t2, t1], add_shader)):
        sq = manager.create_sequence(name)
        sq.begin()
        sq.record_algo_data(mems, code)
        sq.end()
    sync = manager.create_sequence("SQ_SYNC")
    sync.begin()
    sync.record_tensor_sync_local([t1, t3])
    sync.end()
    for _ in range(rounds):
        manager.get_create_sequence("SQ_MULT").eval()
        manager.get_create_sequence("SQ_SUM").eval()
    sync.eval()
    assert t1.data() == {1: [3, 6, 9], 10: [12, 4094, 206670]}[rounds]


def test_syncs_take_the_data_at_each_eval(anywhere):
    a, b = anywhere.build_tensor([1, 1]), anywhere.build_tensor([0, 0])
    sq = anywhere.create_sequence("x")
    sq.begin()
    sq.record_tensor_sync_device([a])
    sq.record_tensor_copy([a, b])
    sq.record_tensor_sync_local([b])
    for i in range(4):
        a[0] = i
        assert sq.eval() is True and b.data() == [i, 1]


def test_trap_staging_tensors_sync_the_right_way(anywhere):
    a, b = anywhere.build_tensor([1, 2], kp.TensorTypes.staging), anywhere.build_tensor([0, 0])
    a.set_data([5, 6])
    anywhere.eval_tensor_sync_device_def([a])
    anywhere.eval_tensor_copy_def([a, b])
    anywhere.eval_tensor_sync_local_def([b])
    assert b.data() == [5, 6]
    a.set_data([7, 8])
    a.map_data_into_host()
    a.set_data([0, 0])
    a.map_data_from_host()
    assert a.data() == [7, 8]


def test_mistakes(anywhere, caplog):
    t = anywhere.build_tensor([1])
    with pytest.raises(RuntimeError, match="already been initialized"):
        anywhere.eval_tensor_create_def([t])
    with pytest.raises(RuntimeError, match="less than 1 tensor"):
        anywhere.eval_tensor_create_def([])
    with pytest.raises(RuntimeError, match="must be initialised"):
        anywhere.eval_algo_mult_def([kp.Tensor([1]), kp.Tensor([1]), kp.Tensor([1])])
    with pytest.raises(RuntimeError, match="must be initialised"):
        anywhere.sequence().record(kp.OpSyncDevice([kp.Tensor([1])]))
    with pytest.raises(RuntimeError, match="cannot be used to receive or pass data"):
        anywhere.eval_tensor_sync_local_def([anywhere.build_tensor([1], kp.TensorTypes.storage)])
    with pytest.raises(RuntimeError):
        anywhere.eval_algo_lro_def([t])
    anywhere.build_tensor([1]).map_data_from_host()
    assert "staging" in caplog.text
    anywhere.destroy()
    assert not t.is_init() and t.data() == [1]


def test_36_calls():
    names = [name for name in dir(kp.Manager) if name.startswith("eval_") and not name.startswith("eval_await")]
    assert len(names) == 36 and all(getattr(kp.Manager, name).__doc__ for name in names)


def test_logistic_regression(manager):
    code = spirv("""
        layout (constant_id = 0) const uint M = 5;
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer bxi { float xi[]; };
        layout (set = 0, binding = 1) buffer bxj { float xj[]; };
        layout (set = 0, binding = 2) buffer by { float y[]; };
        layout (set = 0, binding = 3) buffer bwin { float win[]; };
        layout (set = 0, binding = 4) buffer bwouti { float wouti[]; };
        layout (set = 0, binding = 5) buffer bwoutj { float woutj[]; };
        layout (set = 0, binding = 6) buffer bbin { float bin[]; };
        layout (set = 0, binding = 7) buffer bbout { float bout[]; };
        void main() {
          uint i = gl_GlobalInvocationID.x;
          float z = win[0] * xi[i] + win[1] * xj[i] + bin[0];
          float d = 1.0 / (1.0 + exp(-z)) - y[i];
          wouti[i] = d * xi[i] / M; woutj[i] = d * xj[i] / M; bout[i] = d / M;
        }""")
    data = [[0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0.001, 0.001], [0] * 5, [0] * 5, [0], [0] * 5]
    mems = [manager.build_tensor(x) for x in data]
    w, wi, wj, b, bo = mems[3], mems[4], mems[5], mems[6], mems[7]
    sq = manager.create_sequence()
    sq.begin()
    sq.record_tensor_sync_device([w, b])
    sq.record_algo_data(mems, code)
    sq.record_tensor_sync_local([wi, wj, bo])
    sq.end()
    for _ in range(100):
        sq.eval()
        for i in range(5):
            w[0] -= 0.1 * wi[i]
            w[1] -= 0.1 * wj[i]
            b[0] -= 0.1 * bo[i]
    assert abs(w[0] - 0.00032698) < 1e-5 and abs(w[1] - 1.58745909) < 1e-4 and abs(b[0] + 0.79400939) < 1e-4


def test_shader_class(manager):
    source = "#version 450\nlayout (binding = 0) buffer A { float a[]; };\nvoid start() { a[0] = VALUE; }"
    code = kp.Shader.compile_source(source, "start", [("VALUE", "5.0")])
    t = manager.tensor([0])
    algorithm = manager.algorithm([t], code)
    manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval()
    assert t[0] == 5
    parts = ["layout (binding = 0) buffer A { float a[]; };", "void main() { a[0] = 1.0; }"]
    assert kp.Shader.compile_sources(parts)[:4] == code[:4]
    with pytest.raises(RuntimeError, match="nonsense"):
        kp.Shader.compile_source("void main() { nonsense }")
    for wrong in (lambda: kp.Shader.compile_source(5), lambda: kp.Shader.compile_source("", "main", [("a",)])):
        with pytest.raises(TypeError):
            wrong()


def test_shaders_are_kept_on_disk(tmp_path):
    code = """
import hashlib, logging
import vkdispatch.kp as kp
from vkdispatch import _native
kept = []
_native.log.set_level(_native.enums.VD_LOG_VERBOSE)
_native.log.set_callback(lambda level, text: kept.append("kept on disk" in text))
words = kp.Shader.compile_source("void main() { }", definitions=[("N", "3")])
print(hashlib.sha256(words).hexdigest(), sum(kept))
"""
    environment = {**os.environ, "VKDISPATCH_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment).stdout
        for _ in range(2)
    ]
    (first, cold), (second, warm) = (text.split() for text in said)
    assert first == second and (cold, warm) == ("0", "1")
    assert len(list(tmp_path.rglob("*.entry"))) == 1


def test_log_level():
    before = logging.getLogger("kp").level
    for number, level in enumerate((logging.DEBUG, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)):
        kp.log_level(number)
        assert logging.getLogger("kp").level == level
    kp.log_level(5)
    assert logging.getLogger("kp").level == logging.CRITICAL
    logging.getLogger("kp").setLevel(before)


FORMS = ["eval_{}_def", "eval_{}", "eval_async_{}_def", "eval_async_{}"]


@pytest.mark.parametrize("operation", ["mult", "str", "data", "file"])
@pytest.mark.parametrize("form", FORMS)
def test_algorithms_in_four_forms(anywhere, tmp_path, form, operation):
    a, b, out = three(anywhere)
    text = "#version 450\n" + MULTIPLY
    (tmp_path / "x.comp").write_text(text)
    given = {"mult": (), "str": (text,), "data": (text.encode(),), "file": (str(tmp_path / "x.comp"),)}[operation]
    call = getattr(anywhere, form.format(f"algo_{operation}"))
    name = () if form.endswith("_def") else ("name",)
    if operation != "mult" and anywhere.backend != "vulkan":
        with pytest.raises(kp.Error, match="GLSL runs on the Vulkan backend only"):
            call([a, b, out], *name, *given)
        return
    call([a, b, out], *name, *given)
    anywhere.eval_tensor_sync_local([out], "name")
    assert out.data() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("form", FORMS)
def test_tensors_in_four_forms(anywhere, form):
    name = () if form.endswith("_def") else ("name",)
    a, b = kp.Tensor([1, 2]), kp.Tensor([0, 0])
    getattr(anywhere, form.format("tensor_create"))([a, b], *name)
    assert a.is_init() and b.is_init()
    a.set_data([3, 4])
    getattr(anywhere, form.format("tensor_sync_device"))([a], *name)
    getattr(anywhere, form.format("tensor_copy"))([a, b], *name)
    b.set_data([9, 9])
    getattr(anywhere, form.format("tensor_sync_local"))([b], *name)
    anywhere.eval_await_def()
    assert b.data() == [3, 4]  # waits for the download
    with pytest.raises(kp.Error, match="shader"):
        getattr(anywhere, form.format("algo_lro"))([a], *name)


def test_a_file_in_a_sequence(anywhere, tmp_path):
    sq = anywhere.create_sequence()
    sq.begin()
    with pytest.raises(kp.Error, match="Error reading file"):
        sq.record_algo_file([anywhere.build_tensor([1])], tmp_path / "none")
    assert sq.is_rec()


@pytest.mark.parametrize("wrong", ["a", None, 10**400, [1]])
def test_elements_that_are_no_numbers(anywhere, wrong):
    t = anywhere.build_tensor([1, 2])
    with pytest.raises(TypeError, match="cannot become float32: incompatible function arguments"):
        t[0] = wrong
    assert t.data() == [1, 2]


def test_an_error_of_the_work_names_the_call(anywhere, monkeypatch):
    tensor = anywhere.build_tensor([1, 2])
    sequence = anywhere.sequence()
    sequence.record(kp.OpSyncLocal([tensor]))
    sequence.eval_async()

    def fail(*arguments):
        raise _native.Error("vd_ticket_wait: the queue failed.", _native.enums.VD_ERR_DEVICE_LOST)

    monkeypatch.setattr(_native.raw, "vd_ticket_wait", fail)
    with pytest.raises(RuntimeError, match=r"^Tensor\.data: the queue failed\.$"):
        tensor.data()
    monkeypatch.undo()
    sequence.eval_await()
