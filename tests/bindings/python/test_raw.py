"""The raw layer: failures become exceptions with the message, handles release themselves, and the hot entries have the same
names and behaviour in the extension and over cffi."""

import gc
import os
import pathlib
import shutil
import struct
import subprocess
import sys

import pytest
import vkdispatch as vd
from vkdispatch import _native
from vkdispatch._native import _errors, _extension, _load, enums

raw = _native.raw


def test_version_and_names():
    assert raw.vd_version() == 1000 * enums.VD_VERSION_MINOR + 1000000 * enums.VD_VERSION_MAJOR + enums.VD_VERSION_PATCH
    assert raw.vd_status_name(enums.VD_ERR_INVALID) == "VD_ERR_INVALID"
    assert enums.VD_STATUS_NAMES[enums.VD_ERR_STATE] == "VD_ERR_STATE"
    assert vd.__version__ == ".".join(str(part) for part in _load.VERSION)


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


def test_a_struct_keeps_its_objects(host):
    """A kernel that stands in a struct alone was released before the call read it."""
    text = """kernel workgroup_size 64 1 1
argument 0 buffer u32 "x"
{
  %0: u32 = index global_id, u32 0
  %1: storage u32 = index @0, %0
  store %1, %0
}
"""
    gc.collect()
    before = raw.vd_live_objects()
    desc = raw.vd_plan_desc(kernel=raw.vd_kernel_parse(text))
    gc.collect()
    assert raw.vd_live_objects() > before
    del desc
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
        assert plan.try_launch(0, 0, 8, 1, 1, None, out._handle) == enums.VD_OK
        assert out.read(0).tolist() == [1.0] * 8
        with pytest.raises(ValueError, match="vd_plan_try_launch: "):
            plan.try_launch(0, 0, 8, 1, 1, None)
        with pytest.raises(ValueError):
            plan.try_launch(0, 0, 8, 1, 1, None, 0)


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
vd.queue_wait_idle()
x.destroy()
try:
    add(out, x, 2.0)
except _native.Error as error:
    assert "Buffer was destroyed" in str(error)
else:
    raise AssertionError
"""
    environment = {**os.environ, "VKDISPATCH_NO_EXTENSION": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


STALE = """
class vd_builder:
    pass

def start(*addresses):
    raise TypeError("function takes at most 2 arguments")

def start_launcher(*addresses):
    pass
"""
OLD = "class BufferBase:\n    pass\n\nKernelBase = Launch = Submitter = Waiter = BufferBase\n\ndef mark_thread(bit):\n    pass\n"


@pytest.mark.parametrize("source", [STALE, STALE + OLD, STALE + OLD + "INTERFACE = -3\n"])
def test_an_extension_of_other_sources_is_named_and_left_out(tmp_path, source):
    package = pathlib.Path(vd.__file__).parent
    shutil.copytree(package, tmp_path / "vkdispatch", ignore=shutil.ignore_patterns("_vdhot*", "__pycache__"))
    (tmp_path / "vkdispatch" / "_native" / "_vdhot.py").write_text(source)
    (tmp_path / "program.py").write_text(
        "import vkdispatch as vd\n"
        "assert vd.arange(4).read(0).tolist() == [0, 1, 2, 3] and not vd._native.hot.EXTENSION\n"
        "@vd.shader('out.size')\n"
        "def nothing(out: vd.codegen.Buff[vd.codegen.f32]): out[0] = 1.0\n"
        "nothing(vd.zeros(2))\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])  # cffi may come from there
    environment = os.environ | {
        "PYTHONPATH": path, "VKDISPATCH_BACKEND": "host", "VKDISPATCH_LIBRARY": _load.candidates()[0], "VKDISPATCH_NO_EXTENSION": "",
    }  # fmt: skip
    command = [sys.executable, "-B", tmp_path / "program.py"]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    number = "-3" if "INTERFACE" in source else "0"
    assert done.stderr.count("_vdhot.py was built from other sources") == 1, done.stderr
    assert f"its interface is {number}, {_extension.INTERFACE} is needed" in done.stderr


def test_another_version_is_refused_with_both_numbers():
    needed = f"{enums.VD_VERSION_MAJOR}.{enums.VD_VERSION_MINOR}.{enums.VD_VERSION_PATCH}"
    for abi in (enums.VD_ABI, None):  # None: a library without vd_abi()
        with pytest.raises(ImportError, match=rf"lib\.so is version 0\.1\.9, .* package needs {needed} or newer$"):
            _load.check_version(1009, abi, "lib.so")
    with pytest.raises(ImportError, match=r"lib\.so has ABI 7, but the vkdispatch package needs ABI 0$"):
        _load.check_version(7003000, 7, "lib.so")
    with pytest.raises(ImportError, match=r"^lib\.so is an older build: it does not tell its ABI"):
        _load.check_version(7003000, None, "lib.so")
    _load.check_version(7003000, enums.VD_ABI, "lib.so")  # newer ones keep the promise


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_other_libraries_are_no_raw_error(tmp_path, monkeypatch):
    stubs = {
        "older": "unsigned vd_version(void) { return 1009; }",
        "lacking": "unsigned vd_version(void) { return 2000; } unsigned vd_abi(void) { return 0; }",
        "foreign": "int other(void) { return 1; }",
    }
    for name, text in stubs.items():
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", tmp_path / f"{name}.c", "-o", tmp_path / f"{name}.so"], check=True)
    monkeypatch.setenv("VKDISPATCH_LIBRARY", str(tmp_path / "older.so"))
    with pytest.raises(ImportError, match=r"older\.so is version 0\.1\.9"):
        _load.open_library()
    monkeypatch.setenv("VKDISPATCH_LIBRARY", str(tmp_path / "foreign.so"))
    with pytest.raises(ImportError, match=r"foreign\.so: it is not libvkdispatch"):
        _load.open_library()
    monkeypatch.setenv("VKDISPATCH_LIBRARY", str(tmp_path / "lacking.so"))
    with pytest.raises(
        _native.UnsupportedError, match=r"vd_context_create: .*lacking\.so is version 0\.2\.0 and lacks it"
    ):
        _load.open_library().vd_context_create(None, None)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="an ELF file")
def test_a_library_that_would_end_the_process_is_not_opened(tmp_path, monkeypatch):
    whole = pathlib.Path(_load.candidates()[0]).read_bytes()
    for length in (len(whole) // 2, len(whole) // 4, 64, 63, 1):
        (tmp_path / "half.so").write_bytes(whole[:length])
        monkeypatch.setenv("VKDISPATCH_LIBRARY", str(tmp_path / "half.so"))
        with pytest.raises(ImportError, match="half.so: it is cut short: it has" if length > 64 else "half.so"):
            _load.open_library()
    os.mkfifo(tmp_path / "pipe.so")
    monkeypatch.setenv("VKDISPATCH_LIBRARY", str(tmp_path / "pipe.so"))
    with pytest.raises(ImportError, match="pipe.so: it is not a file"):
        _load.open_library()


def test_an_entry_that_the_library_lacks_says_so_when_it_is_called():
    class Older:
        def vd_version(self):
            return 2000

        def vd_abi(self):
            return 0

    entries = _load.Entries(Older(), "lib.so")
    assert entries.vd_abi() == 0
    lacking = entries.vd_image_create  # naming it is no error: old programs never call it
    needed = f"{enums.VD_VERSION_MAJOR}.{enums.VD_VERSION_MINOR}.{enums.VD_VERSION_PATCH}"
    text = rf"vd_image_create: lib\.so is version 0\.2\.0 and lacks it; the vkdispatch package was made for version {needed}$"
    with pytest.raises(_native.UnsupportedError, match=text):
        lacking(1, 2)


def test_a_name_that_is_no_utf8_is_said_as_any_other(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_LIBRARY", os.fsdecode(b"/\xff/lib.so"))
    with pytest.raises(ImportError, match="Tried:\n.*lib.so"):
        _load.open_library()


def test_where_the_library_is_looked_for(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_LIBRARY", "/x/y.so")
    assert _load.candidates() == ["/x/y.so"]
    monkeypatch.delenv("VKDISPATCH_LIBRARY")
    found = _load.candidates()
    assert found[-1].startswith("libvkdispatch")
    checkout = [path for path in found if "build" in path]
    assert not checkout or "release" in checkout[0] or len(checkout) == 1


def test_the_library_is_told_of_nvrtc_wheels(monkeypatch, tmp_path):
    folder = tmp_path / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("VKDISPATCH_NVRTC_PATH", "/mine")
    for _ in range(2):
        _load.tell_library_of_nvrtc()
        found = os.environ["VKDISPATCH_NVRTC_PATH"].split(os.pathsep)
        assert found[:2] == ["/mine", str(folder)]
        assert found.count(str(folder)) == 1


# ---- Entries that the front end does not call yet


def argument(builder, kind, name):
    return raw.vd_builder_argument(builder, raw.vd_argument_desc(kind=kind, type=enums.VD_TYPE_F32, name=name))


def make_kernel(name="k"):
    """out[0] = factor"""
    builder = raw.vd_builder_create(raw.vd_builder_desc(name=name))
    hot = _native.hot.vd_builder(int(_load.ffi.cast("uintptr_t", builder)), builder)
    out = argument(builder, enums.VD_ARGUMENT_BUFFER, "out")
    factor = argument(builder, enums.VD_ARGUMENT_CONSTANT, "factor")
    zero = hot.emit(enums.VD_OP_ZERO, enums.VD_TYPE_U32, 0, 0)
    hot.emit(enums.VD_OP_STORE, 0, 0, 0, hot.emit(enums.VD_OP_INDEX, 0, 0, 0, out, zero), factor)
    return raw.vd_builder_finish(builder)


class TestEntries:
    def context(self):
        import vkdispatch as vd

        return vd.get_context()._pointer

    def test_devices_of_a_context(self, host):
        info = raw.vd_context_get_device(self.context(), 0)
        assert info.backend == enums.VD_BACKEND_HOST
        with pytest.raises(ValueError):
            raw.vd_context_get_device(self.context(), 7)
        with pytest.raises(_native.Error):
            raw.vd_context_get_native(self.context(), 0, "VkDevice")

    def test_types(self):
        assert raw.vd_type_get_size(enums.VD_TYPE_F32X3) == 12
        builder = raw.vd_builder_create()
        array = raw.vd_builder_array_type(builder, enums.VD_TYPE_F32, 5)
        struct = raw.vd_builder_struct_type(builder, "pair", [enums.VD_TYPE_F32, enums.VD_TYPE_U32X2], ["a", "b"])
        assert array != struct
        with pytest.raises(ValueError):
            raw.vd_builder_struct_type(builder, "empty", [], [])
        value = raw.vd_builder_constant(builder, enums.VD_TYPE_F32X2, b"\0\0\x80\x3f" * 2)
        assert value >> 32 == enums.VD_TYPE_F32X2
        with pytest.raises(ValueError):
            raw.vd_builder_constant(builder, enums.VD_TYPE_F32X2, b"\0")

    def test_functions(self):
        desc = raw.vd_builder_desc(flags=enums.VD_BUILDER_FUNCTION, name="twice", return_type=enums.VD_TYPE_F32)
        function, hot = raw.vd_builder_create(desc), None
        hot = _native.hot.vd_builder(int(_load.ffi.cast("uintptr_t", function)), function)
        x = argument(function, enums.VD_ARGUMENT_VALUE, "x")
        hot.emit(enums.VD_OP_RETURN, 0, 0, 0, hot.emit(enums.VD_OP_ADD, 0, 0, 0, x, x))
        twice = raw.vd_builder_finish(function)
        builder, caller = make_builder(_native.hot.vd_builder)
        one = caller.emit(enums.VD_OP_CONST, enums.VD_TYPE_F32, 0x3F800000, 0)
        assert raw.vd_builder_call(builder, twice, [one], 0) >> 32 == enums.VD_TYPE_F32
        with pytest.raises(ValueError):
            raw.vd_builder_call(builder, twice, [], 0)

    def test_text_form(self):
        kernel = make_kernel()
        text = raw.vd_blob_data(raw.vd_kernel_print(kernel))
        again = raw.vd_kernel_parse(text)
        assert raw.vd_blob_data(raw.vd_kernel_print(again)) == text
        assert list(raw.vd_kernel_get_info(again).hash) == list(raw.vd_kernel_get_info(kernel).hash)
        assert raw.vd_blob_data(raw.vd_kernel_print(raw.vd_kernel_parse(text.decode()))) == text
        with pytest.raises(_native.Error):
            raw.vd_kernel_parse("no kernel")

    def test_many_plans_at_once(self, host):
        first, second = make_kernel("first"), make_kernel("second")
        descs = [raw.vd_plan_desc(kernel=k, workgroup_size=[32, 1, 1]) for k in (first, second)]
        plans = raw.vd_plan_create_many(self.context(), descs)
        assert [_load.ffi.string(raw.vd_plan_get_info(p).name) for p in plans] == [b"first", b"second"]
        assert list(raw.vd_plan_get_info(plans[0]).workgroup_size) == [32, 1, 1]
        assert isinstance(raw.vd_plan_get_source(plans[0]), str)
        gc.collect()
        before = raw.vd_live_objects()
        with pytest.raises(ValueError):
            raw.vd_plan_create_many(self.context(), [descs[0], raw.vd_plan_desc()])
        gc.collect()
        assert raw.vd_live_objects() == before

    def test_slices_copies_and_fills(self, host):
        ctx = self.context()
        buffer = raw.vd_buffer_create(ctx, raw.vd_buffer_desc(size=64, data=_load.ffi.from_buffer(bytes(range(64)))))
        part = raw.vd_buffer_slice(buffer, 16, 32)
        info = raw.vd_buffer_get_info(part)
        assert (info.size, info.offset, info.discarded) == (32, 16, 0)
        data = bytearray(32)
        raw.vd_buffer_read(part, 0, 0, data)
        assert data == bytes(range(16, 48))
        graph = raw.vd_graph_create(ctx)
        assert raw.vd_graph_copy(graph, buffer, 0, buffer, 32, 16) == 0
        assert raw.vd_graph_fill(graph, buffer, 0, 8, 0xFFFFFFFF) == 1
        assert raw.vd_graph_get_info(graph).node_count == 2
        ticket = raw.vd_graph_submit(graph)
        assert raw.vd_ticket_wait(ctx, ticket, enums.VD_WAIT_FOREVER) == enums.VD_OK
        data = bytearray(64)
        raw.vd_buffer_read(buffer, 0, 0, data)
        assert data == b"\xff" * 8 + bytes(range(8, 32)) + bytes(range(16)) + bytes(range(48, 64))
        raw.vd_buffer_discard(buffer)
        with pytest.raises(_errors.StateError):
            raw.vd_buffer_read(part, 0, 0, data)

    def test_native_objects(self, host):
        buffer = raw.vd_buffer_create(self.context(), raw.vd_buffer_desc(size=64))
        handle, offset = raw.vd_buffer_get_native(buffer, "address", 0)
        assert handle and offset == 0
        with pytest.raises(_native.Error):
            raw.vd_buffer_get_native(buffer, "VkBuffer", 0)

    def test_images(self, host):
        context = self.context()
        desc = raw.vd_image_desc(format=enums.VD_FORMAT_R32_F32, dimensions=1, extent=[4, 1, 1])
        image = raw.vd_image_create(context, desc)
        raw.vd_image_write(image, None, struct.pack("4f", 1, 2, 3, 4), 0)
        part, out = raw.vd_image_region(offset=[1, 0, 0], extent=[2, 0, 0]), bytearray(8)
        raw.vd_image_read(image, part, 0, out)
        assert struct.unpack("2f", out) == (2, 3)
        with pytest.raises((TypeError, ValueError)):
            raw.vd_sampler_create(_load.ffi.NULL, raw.vd_sampler_desc())

    def test_every_entry_is_there(self):
        names = [name for name in dir(_load.lib) if name.startswith("vd_")]
        assert len(names) >= 80 and all(callable(getattr(raw, name)) for name in names)
