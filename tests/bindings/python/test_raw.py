"""The raw layer: failures become exceptions with the message, handles release themselves, and the hot entries have the same
names and behaviour in the extension and over cffi."""

import gc
import os
import subprocess
import sys

import pytest
from vkdispatch import _native
from vkdispatch._native import _errors, _load, enums

raw = _native.raw


def test_version_and_names():
    assert raw.vd_version() == 1000 * enums.VD_VERSION_MINOR + 1000000 * enums.VD_VERSION_MAJOR + enums.VD_VERSION_PATCH
    assert raw.vd_status_name(enums.VD_ERR_INVALID) == "VD_ERR_INVALID"
    assert enums.VD_STATUS_NAMES[enums.VD_ERR_STATE] == "VD_ERR_STATE"


def test_a_failure_becomes_an_exception_with_its_message():
    with pytest.raises(ValueError, match="vd_backend_get_info: .*99") as caught:
        raw.vd_backend_get_info(99)
    assert isinstance(caught.value, _native.Error) and isinstance(caught.value, RuntimeError)
    assert caught.value.status == enums.VD_ERR_INVALID


@pytest.mark.parametrize(
    "status, types",
    [
        (enums.VD_ERR_INVALID, (ValueError, RuntimeError)),
        (enums.VD_ERR_STATE, (RuntimeError,)),
        (enums.VD_ERR_UNSUPPORTED, (NotImplementedError, RuntimeError)),
        (enums.VD_ERR_OUT_OF_MEMORY, (MemoryError, RuntimeError)),
        (enums.VD_ERR_DEVICE_LOST, (_native.DeviceLostError,)),
        (enums.VD_ERR_INTERNAL, (_native.Error,)),
    ],
)
def test_each_status_has_its_exception(status, types):
    with pytest.raises(_native.Error) as caught:
        _errors.raise_status(status, b"why")
    assert all(isinstance(caught.value, t) for t in types)
    assert caught.value.status == status and str(caught.value) == "why"


def test_wrong_python_types_do_not_reach_the_library():
    with pytest.raises(TypeError):
        raw.vd_backend_get_info("host")
    with pytest.raises(TypeError):
        raw.vd_buffer_discard(None)
    with pytest.raises(OverflowError):
        raw.vd_backend_get_info(1 << 40)


def test_handles_release_themselves(host):
    import vkdispatch as vd

    pointer = vd.get_context()._pointer
    gc.collect()
    before = raw.vd_live_objects()
    buffer = raw.vd_buffer_create(pointer, raw.vd_buffer_desc(size=64, label="a buffer"))
    assert raw.vd_live_objects() > before
    del buffer
    gc.collect()
    assert raw.vd_live_objects() == before


def test_lists_take_two_calls():
    ops = raw.vd_op_list()
    assert enums.VD_OP_ADD in ops and ops == sorted(ops)
    info = raw.vd_op_get_info(enums.VD_OP_ADD)
    assert _load.ffi.string(info.name) == b"add"


def make_builder(hot):
    builder = raw.vd_builder_create()
    return builder, hot(int(_load.ffi.cast("uintptr_t", builder)), builder)


def hot_layers():
    from vkdispatch._native import _hot_cffi

    layers = [pytest.param(_hot_cffi, id="cffi")]
    if _native.hot.EXTENSION:
        layers.append(pytest.param(_native.hot, id="extension"))
    return layers


@pytest.mark.parametrize("layer", hot_layers())
class TestHot:
    def test_emit(self, layer):
        builder, hot = make_builder(layer.vd_builder)
        one = hot.emit(enums.VD_OP_CONST, enums.VD_TYPE_F32, 0x3F800000, 0)
        two = hot.emit(enums.VD_OP_ADD, enums.VD_TYPE_NONE, 0, 0, one, one)
        assert one >> 32 == enums.VD_TYPE_F32 and two >> 32 == enums.VD_TYPE_F32
        assert b"1" in raw.vd_blob_data(raw.vd_builder_describe(builder, two))

    def test_many_operands(self, layer):
        _, hot = make_builder(layer.vd_builder)
        one = hot.emit(enums.VD_OP_CONST, enums.VD_TYPE_F32, 0x3F800000, 0)
        with pytest.raises(ValueError):
            hot.emit(enums.VD_OP_ADD, enums.VD_TYPE_NONE, 0, 0, *[one] * 100)
        assert hot.emit(enums.VD_OP_ADD, enums.VD_TYPE_NONE, 0, 0, one, one)

    def test_failures_raise(self, layer):
        _, hot = make_builder(layer.vd_builder)
        with pytest.raises(ValueError, match="vd_builder_emit: ") as caught:
            hot.emit(enums.VD_OP_ADD, enums.VD_TYPE_NONE, 0, 0)
        assert caught.value.status == enums.VD_ERR_INVALID

    @pytest.mark.parametrize(
        "arguments", [(1 << 33, 0, 0, 0), (-(1 << 33), 0, 0, 0), (1, 1 << 32, 0, 0), (1, -1, 0, 0)]
    )
    def test_numbers_are_range_checked(self, layer, arguments):
        _, hot = make_builder(layer.vd_builder)
        with pytest.raises(OverflowError):
            hot.emit(*arguments)

    def test_64_bits_are_the_most(self, layer):
        _, hot = make_builder(layer.vd_builder)
        with pytest.raises(OverflowError):
            hot.emit(enums.VD_OP_CONST, enums.VD_TYPE_F32, 1 << 64, 0)

    def test_wrong_types_and_counts(self, layer):
        _, hot = make_builder(layer.vd_builder)
        with pytest.raises(TypeError):
            hot.emit("add", 0, 0, 0)
        with pytest.raises(TypeError):
            hot.emit(enums.VD_OP_ADD)

    def test_launch_checks_its_buffers(self, layer, host):
        import vkdispatch as vd
        import vkdispatch.codegen as vc

        @vd.shader("out.size")
        def ones(out: vc.Buff[vc.f32]):
            out[vc.global_invocation_id().x] = 1.0

        ones.build()
        plan = layer.vd_plan(ones.plan._handle, ones.plan._plan)
        out = vd.buffer_f32(8)
        assert plan.launch_now(0, 0, 8, 1, 1, None, out._handle) == enums.VD_OK
        assert out.read(0).tolist() == [1.0] * 8
        with pytest.raises(ValueError, match="vd_plan_launch_now: "):
            plan.launch_now(0, 0, 8, 1, 1, None)
        with pytest.raises(ValueError):
            plan.launch_now(0, 0, 8, 1, 1, None, 0)


def test_the_fallback_serves_the_whole_package():
    """Kernels traced and launched in a process without the extension."""
    code = """
import numpy as np
import vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch import _native
assert not _native.hot.EXTENSION
vd.initialize(backend="host")
@vd.shader("out.size")
def add(out: vc.Buff[vc.f32], x: vc.Buff[vc.f32], k: vc.Const[vc.f32]):
    i = vc.global_invocation_id().x
    out[i] = x[i] * k
x = vd.asbuffer(np.arange(100, dtype=np.float32))
out = vd.buffer_f32(100)
add(out, x, 2.0)
add(out, out, 2.0)
assert (out.read(0) == np.arange(100) * 4).all()
"""
    environment = {**os.environ, "VKDISPATCH_NO_EXTENSION": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_another_version_is_refused_with_both_numbers():
    with pytest.raises(ImportError, match=r"lib\.so is version 7\.3, but the vkdispatch package needs 0\.1"):
        _load.check_version(7003000, "lib.so")


def test_where_the_library_is_looked_for(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_LIBRARY", "/x/y.so")
    assert _load.candidates() == ["/x/y.so"]
    monkeypatch.delenv("VKDISPATCH_LIBRARY")
    found = _load.candidates()
    assert found[-1].startswith("libvkdispatch")
    checkout = [path for path in found if "build" in path]
    assert not checkout or "release" in checkout[0] or len(checkout) == 1
