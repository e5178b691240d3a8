"""Initialisation, choice of backend, devices, and the log."""

import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import vkdispatch as vd
from vkdispatch import _native, selftest
from vkdispatch._native import _load
from vkdispatch.backends import backend_selection as selection
from vkdispatch.base import init

pytestmark = pytest.mark.own_context


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_what_the_environment_says_is_shown_as_text():
    code = """
import vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32
vd.initialize(backend="host")
@vd.shader(4)
def ones(out: Buff[f32]):
    out[vc.global_invocation_id().x] = 1.0
ones(vd.Buffer((4,), vd.float32))
"""
    for name in ("VKDISPATCH_LOG", "VKDISPATCH_HOST_ISA"):
        done = run(code, **{name: "none\x1b[2J"})
        assert done.returncode == 0, done.stderr
        assert name in done.stderr
        assert "\x1b" not in done.stderr, "a terminal obeys it"
        assert r"none\x1b[2J" in done.stderr


class TestNames:
    def test_names_are_stripped_and_lowered(self):
        assert selection.normalize_backend_name("  Vulkan ") == "vulkan"
        assert selection.normalize_backend_name(None) == "vulkan"
        with pytest.raises(ValueError, match="cuda, dummy, host, opencl, vulkan"):
            selection.normalize_backend_name("metal")
        with pytest.raises(ValueError):
            selection.normalize_backend_name(3)

    def test_environment(self, monkeypatch):
        monkeypatch.setenv("VKDISPATCH_BACKEND", " HOST ")
        assert selection.get_environment_backend() == "host"
        monkeypatch.setenv("VKDISPATCH_BACKEND", "")
        assert selection.get_environment_backend() is None
        monkeypatch.setenv("VKDISPATCH_BACKEND", "nonsense")
        with pytest.raises(
            ValueError, match=r"VKDISPATCH_BACKEND \('nonsense'\) is not one of cuda, dummy, host, opencl"
        ):
            selection.get_environment_backend()

    def test_active_backend(self, fresh):
        assert selection.set_active_backend("host") == "host"
        with pytest.raises(RuntimeError, match="host"):
            selection.set_active_backend("dummy")
        assert selection.get_active_backend_name("dummy") == "host"
        selection.clear_active_backend()
        assert selection.get_active_backend_name("dummy") == "dummy"

    def test_unavailable_is_an_import_error(self):
        error = vd.BackendUnavailableError("cuda", "no driver")
        assert isinstance(error, ImportError) and error.backend_name == "cuda" and str(error) == "no driver"


class TestInitialize:
    def test_first_choice_wins_and_repeats_are_quiet(self, fresh):
        assert not vd.is_initialized()
        vd.initialize(backend="dummy")
        assert vd.is_initialized() and vd.get_backend() == "dummy" and vd.is_dummy()
        vd.initialize()
        vd.initialize(backend=" DUMMY ", debug_mode=False)
        with pytest.raises(RuntimeError, match="'host'.*'dummy'.*before all else"):
            vd.initialize(backend="host")
        with pytest.raises(ValueError):
            vd.initialize(backend="nonsense")

    def test_a_failed_choice_can_be_made_again(self, fresh, monkeypatch):
        unavailable = [name for name in ("cuda", "opencl", "vulkan") if not selection.backend_info(name).available]
        if not unavailable:
            pytest.skip("every backend is available here")
        with pytest.raises(vd.BackendUnavailableError) as caught:
            vd.initialize(backend=unavailable[0])
        assert caught.value.backend_name == unavailable[0]
        assert not vd.is_initialized()
        vd.initialize(backend="host")

    def test_environment_decides_without_an_argument(self, fresh, monkeypatch):
        monkeypatch.setenv("VKDISPATCH_BACKEND", "dummy")
        assert vd.get_backend() == "dummy" and not vd.is_initialized()
        vd.initialize()
        assert vd.is_dummy()

    def test_asking_for_the_backend_does_not_initialise(self, fresh):
        assert vd.get_backend() in selection.BACKEND_NUMBERS
        vd.is_vulkan(), vd.is_cuda(), vd.is_opencl(), vd.is_dummy(), vd.is_host()
        assert not vd.is_initialized()

    def test_what_is_answered_before_is_what_is_taken(self, fresh, monkeypatch):
        monkeypatch.delenv("VKDISPATCH_BACKEND", raising=False)
        expected = vd.get_backend()
        vd.initialize()
        assert vd.get_backend() == expected

    def test_two_threads_get_there_first(self, fresh):
        errors, contexts = [], []

        def start():
            try:
                vd.initialize(backend="host")
                contexts.append(vd.make_context())
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=start) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors and len({id(context) for context in contexts}) == 1

    @pytest.mark.parametrize("name, said", [("opencl", 1), ("cuda", 1), ("host", 0)])
    def test_debug_mode_says_where_it_does_nothing(self, fresh, recwarn, name, said):
        if not selection.backend_info(name).available:
            pytest.skip(f"backend '{name}' is not here")
        vd.initialize(debug_mode=True, backend=name)
        found = [w for w in recwarn if f"debug_mode has no effect on backend '{name}'" in str(w.message)]
        assert len(found) == said and all(w.filename == __file__ for w in found)

    def test_debug_mode_later_only_warns(self, host):
        with pytest.warns(UserWarning, match="debug_mode comes too late") as said:
            vd.initialize(debug_mode=True)
        assert said[0].filename == __file__


class TestDevices:
    def test_host_device(self, host):
        devices = vd.get_devices()
        assert devices is vd.get_devices() and [d.sorted_index for d in devices] == list(range(len(devices)))
        info = devices[0]
        assert info.device_type == 4 and info.max_workgroup_size[0] <= info.max_workgroup_invocations
        assert info.float_64_support == 1 and isinstance(info.max_workgroup_count, tuple)
        assert not info.is_apple() and isinstance(info.is_nvidia(), bool)

    def test_dummy_device(self, dummy):
        (info,) = vd.get_devices()
        assert info.device_name == "VKDispatch Web Dummy GPU" and info.device_type == 2
        assert info.max_workgroup_size == (1024, 1024, 64) and info.max_workgroup_invocations == 1024
        assert info.max_workgroup_count == (65535, 65535, 65535) and info.max_push_constant_size == 256
        assert (info.vendor_id, info.device_id, info.driver_version) == (0x1BAD, 1, 1001000)
        assert info.queue_properties == [(8, 6), (4, 7)] and info.sub_group_size == 32
        assert info.max_compute_shared_memory_size == 65536 and info.uniform_buffer_alignment == 0

    def test_info_string(self, dummy):
        (info,) = vd.get_devices()
        text = info.get_info_string()
        assert repr(info) == text and text.startswith("Device 0: VKDispatch Web Dummy GPU\n")
        assert "\tDummy Version: 1.3.0" in text and "Device Type: Discrete GPU" in text
        assert "0 (count=8, flags=0x6): Compute" in text and "Transfer" not in text
        assert "Driver Version" not in text
        full = info.get_info_string(verbose=True)
        for label in ("Driver Version=", "Vendor ID=", "UUID: ", "Max Workgroup Sizes: (1024, 1024, 64)", "Transfer"):
            assert label in full

    def test_queue_types(self):
        assert init.get_queue_type_strings(0b111, False) == ["Graphics", "Compute"]
        assert init.get_queue_type_strings(0x104, True) == ["Transfer", "Optical Flow (NV)"]


class TestLog:
    def test_lines_name_file_and_line(self, host, capfd):
        vd.set_log_callback(None)  # an import of kp in this process has sent them to its logger
        vd.set_log_level(vd.LogLevel.INFO)
        vd.log_info("100% sure {} %s")
        vd.log_verbose("not shown")
        vd.set_log_level(vd.LogLevel.WARNING)
        vd.log_info("not shown")
        vd.log("an error")
        text = capfd.readouterr().err
        assert "INFO" in text and "test_init.py:" in text and "100% sure {} %s" in text and "an error" in text
        assert "not shown" not in text

    def test_callback(self, host, capfd):
        seen = []
        vd.set_log_callback(lambda level, text: seen.append((level, text)))
        try:
            vd.log_warning("to the callback")
        finally:
            vd.set_log_callback(None)
        vd.log_warning("to standard error")
        assert len(seen) == 1 and seen[0][0] is vd.LogLevel.WARNING and "to the callback" in seen[0][1]
        text = capfd.readouterr().err
        assert "to standard error" in text and "to the callback" not in text

    def test_a_callback_that_raises_is_reported_and_dropped(self, host, monkeypatch):
        def fail(level, text):
            raise ValueError("from the callback")

        reported = []
        monkeypatch.setattr(sys, "unraisablehook", lambda report: reported.append(str(report.exc_value)))
        vd.set_log_callback(fail)
        try:
            vd.log_warning("x")
        finally:
            vd.set_log_callback(None)
        assert reported == ["from the callback"]

    def test_logging(self, host, caplog):
        vd.log_to_logging()
        try:
            with caplog.at_level(logging.WARNING, "vkdispatch"):
                vd.log_warning("bridged")
        finally:
            vd.set_log_callback(None)
        assert [r.levelname for r in caplog.records] == ["WARNING"] and "bridged" in caplog.text

    def test_the_callback_and_the_interpreters_lock(self, host):
        """Threads that log while others call in: nothing waits for ever."""
        seen = []
        vd.set_log_callback(lambda level, text: seen.append(text))
        stop = threading.Event()

        def chatter():
            while not stop.is_set():
                vd.log_warning("chatter")

        def work():
            for _ in range(50):
                vd.buffer_f32(16).write([1.0] * 16)

        threads = [threading.Thread(target=chatter, daemon=True), *(threading.Thread(target=work) for _ in range(3))]
        for thread in threads:
            thread.start()
        for thread in threads[1:]:
            thread.join(60)
            assert not thread.is_alive()
        stop.set()
        threads[0].join(60)
        vd.set_log_callback(None)
        assert seen

    def test_levels_are_checked(self, host):
        with pytest.raises(ValueError):
            vd.set_log_level(2)


class TestCommandLine:
    def cli(self, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "vkdispatch", *arguments],
            check=False, capture_output=True, text=True, env={**os.environ, **environment},
        )  # fmt: skip

    def test_lists_devices(self):
        done = self.cli("--dummy")
        assert done.returncode == 0 and done.stdout.startswith("Device 0: VKDispatch Web Dummy GPU")
        assert done.stdout.endswith("\n\n")
        assert "Driver Version" in self.cli("--verbose", "--dummy").stdout

    def test_environment(self):
        assert "Dummy" in self.cli(VKDISPATCH_BACKEND="dummy").stdout

    def test_two_backends_are_a_usage_error(self):
        assert self.cli("--vulkan", "--cuda").returncode == 2

    def test_version_and_help(self):
        assert vd.__version__ in self.cli("--version").stdout
        assert "--loader_debug" in self.cli("--help").stdout

    def test_failures_go_to_standard_error(self):
        done = self.cli(VKDISPATCH_BACKEND="nonsense")
        assert done.returncode == 1 and not done.stdout
        assert done.stderr.startswith("Error initializing Vkdispatch: VKDISPATCH_BACKEND ('nonsense') is not one of ")

    @pytest.mark.parametrize("option", ["--all", "--host"])
    def test_what_the_environment_names_wrongly_is_told_where_it_does_not_matter(self, option):
        done = self.cli(option, VKDISPATCH_BACKEND="nonsense")
        assert done.returncode == 0 and "Host" in done.stdout
        assert done.stderr.startswith("Warning: VKDISPATCH_BACKEND ('nonsense') is not one of ")
        assert not self.cli(option, VKDISPATCH_BACKEND="host").stderr

    @pytest.mark.parametrize("name", ["host", "vulkan", "opencl"])
    def test_selftest(self, name):
        if not vd.backends.backend_selection.backend_info(name).available:
            pytest.skip(f"no {name}")
        done = self.cli(f"--{name}", "--selftest")
        lines = done.stdout.splitlines()
        assert done.returncode == 0 and lines[0].startswith(f"{name}: ") and not done.stderr, done
        assert lines[1:] == ["copies: pass", "kernel: pass", "fft: pass", "reduction: pass"]

    def test_selftest_tells_what_is_wrong(self, monkeypatch, capsys):
        assert selftest._wrong([1.0, 2.0], [1.0, 2.5], 0.1) == "element 1 is 2.0, not 2.5"
        assert selftest._wrong([float("nan")], [1.0], 9.0) == "element 0 is nan, not 1.0"
        assert selftest._wrong([1.0], [1.0]) == ""

        def broken():
            raise RuntimeError("the device\nis gone")

        monkeypatch.setattr(selftest, "CHECKS", {"good": lambda: "", "bad": lambda: "element 3 is 4", "worse": broken})
        assert selftest.run() == 1
        lines = capsys.readouterr().out.splitlines()
        assert lines[1:] == ["good: pass", "bad: fail: element 3 is 4", "worse: fail: RuntimeError: the device is gone"]

    def test_selftest_of_no_device(self):
        done = self.cli("--dummy", "--selftest")
        assert done.returncode == 1 and "runs nothing" in done.stderr
        done = self.cli("--all", "--selftest")
        assert done.returncode == 2 and "--selftest: not allowed with argument --all" in done.stderr

    def test_all_backends_and_json(self):
        data = json.loads(self.cli("--all", "--json").stdout)
        found = {device["backend"] for device in data["devices"]}
        assert "host" in found and found | set(data["unavailable"]) == {"vulkan", "cuda", "opencl", "host"}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_the_list_ends_quietly_when_nobody_reads_it():
    command = [sys.executable, "-m", "vkdispatch", "--host", "--verbose"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        child.stdout.close()
        said = child.stderr.read()
    assert "Traceback" not in said and "BrokenPipe" not in said, said


def test_without_a_gpu_the_host_is_taken_with_a_warning():
    code = """
import vkdispatch as vd
from vkdispatch.backends import backend_selection as s
if s.choose_backend()[0] != "host": raise SystemExit(3)
context = vd.make_context()
assert vd.get_backend() == "host" and vd.is_host(), vd.get_backend()
"""
    done = run(code, VKDISPATCH_BACKEND="")
    if done.returncode == 3:
        pytest.skip("there is a GPU")
    assert done.returncode == 0, done.stderr
    assert "no GPU" in done.stderr and "vulkan" in done.stderr
    assert "VKDISPATCH_BACKEND=host" in done.stderr and "use_cpu=True" in done.stderr


def report(backend, devices, reason=""):
    """The library's report of a backend, and its devices."""
    from vkdispatch._native._load import ffi

    info = ffi.new("vd_backend_info *", {"device_count": len(devices), "available": bool(devices)})
    info.reason = reason.encode()
    return info, [ffi.new("vd_device_info *", {"type": kind, "name": name.encode()}) for kind, name in devices]


class TestDevicesWithoutACompiler:
    """A GPU whose driver is there, and the compiler of its backend is not."""

    WHY = "cuda: no NVRTC was found; install CUDA's NVRTC"

    @pytest.fixture
    def machine(self, monkeypatch):
        gpu = (2, "some GPU")
        found = {
            "vulkan": report("vulkan", [(4, "some CPU")]),
            "cuda": report("cuda", [gpu], "no compiler"),
            "opencl": report("opencl", [gpu]),
            "host": report("host", [(4, "host")]),
        }
        monkeypatch.setattr(selection, "backend_info", lambda name: found[name][0])
        monkeypatch.setattr(selection, "devices_of", lambda name: found[name][1])
        return found

    def test_the_next_backend_is_taken(self, machine):
        name, reasons = selection.choose_backend()
        assert name == "opencl" and reasons[1] == "cuda: no compiler"
        assert selection.unusable_before("opencl") == ["cuda: no compiler"]
        assert selection.unusable_before("cuda") == selection.unusable_before("host") == []

    def test_a_named_device_is_taken_where_it_runs_kernels(self, machine, monkeypatch):
        monkeypatch.setenv("VKDISPATCH_DEVICE", "some gpu")
        assert selection.backend_of_wished_device() == "opencl"
        machine["opencl"][1].clear()
        assert selection.backend_of_wished_device() == "cuda", "which then says what it lacks"

    @pytest.fixture
    def emulated(self, tmp_path):
        folder = Path(_load.candidates()[0]).resolve().parent / "emulated"
        if not (folder / "libcuda.so.1").is_file():
            pytest.skip("the library's build folder has no emulated driver")
        return {"LD_LIBRARY_PATH": str(folder), "VKDISPATCH_NVRTC": str(tmp_path / "nowhere")}

    def test_python_and_c_choose_alike_and_say_why(self, emulated, tmp_path):
        code = """
import vkdispatch as vd
from vkdispatch import _native
raw = _native.raw
context = raw.vd_context_create(raw.vd_context_desc())
print(raw.vd_context_get_info(context).backend)
print(getattr(_native.enums, f"VD_BACKEND_{vd.make_context().backend.upper()}"))
"""
        # Without Vulkan, whose GPU would come before CUDA's where there is one.
        emulated["VK_DRIVER_FILES"] = str(tmp_path / "nowhere")
        done = run(code, VKDISPATCH_BACKEND="", VKDISPATCH_LOG="", **emulated)
        assert done.returncode == 0, done.stderr
        c, python = done.stdout.split()
        assert c == python
        said = [line for line in done.stderr.splitlines() if self.WHY in line]
        assert len(said) == 2, done.stderr

    def test_asked_for_it_says_what_to_install(self, emulated):
        done = run("import vkdispatch as vd\nvd.make_context()", VKDISPATCH_BACKEND="cuda", **emulated)
        said = done.stderr.splitlines()[-1]
        assert done.returncode == 1 and "BackendUnavailableError: Backend 'cuda' cannot be used: " in said
        assert "no NVRTC was found; install CUDA's NVRTC: the Python wheel nvidia-cuda-nvrtc" in said

    @pytest.mark.parametrize("option", ["--all", "--cuda"])
    def test_vdlist_shows_them_and_what_is_missing(self, emulated, option):
        command = [sys.executable, "-m", "vkdispatch", option]
        environment = {**os.environ, "VKDISPATCH_BACKEND": "", **emulated}
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and "emulated CUDA device 1" in done.stdout
        assert "[cuda] its devices run no kernels yet: no NVRTC was found; install" in done.stdout
        done = subprocess.run([*command, "--json"], check=False, capture_output=True, text=True, env=environment)
        data = json.loads(done.stdout)
        assert data["lacking"]["cuda"].startswith("no NVRTC") and "cuda" not in data["unavailable"]

    def test_vdlist_shows_the_emulated_driver_whole(self, emulated):
        command = [sys.executable, "-m", "vkdispatch", "--cuda"]
        environment = {**os.environ, "VKDISPATCH_BACKEND": "", **emulated}
        environment["VKDISPATCH_NVRTC"] = str(Path(emulated["LD_LIBRARY_PATH"]) / "libnvrtc.so")
        done = subprocess.run([*command, "--verbose"], check=False, capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and "emulated CUDA device 1" in done.stdout and "run no kernels" not in done.stdout
        done = subprocess.run([*command, "--json"], check=False, capture_output=True, text=True, env=environment)
        data = json.loads(done.stdout)
        assert [d["device_name"] for d in data["devices"]] == ["emulated CUDA device 0", "emulated CUDA device 1"]
        assert {d["backend"] for d in data["devices"]} == {"cuda"} and not data["lacking"]


@pytest.mark.parametrize("name", ["vulkan", "opencl", "cuda"])
def test_vdlist_shows_the_devices_of_a_backend(name):
    info = selection.backend_info(name)
    command = [sys.executable, "-m", "vkdispatch", f"--{name}"]
    done = subprocess.run([*command, "--json"], check=False, capture_output=True, text=True)
    if not info.available:
        assert done.returncode == 1 and "Error initializing Vkdispatch: " in done.stderr
        pytest.skip(f"backend '{name}': {selection.reason_of(info)}")
    assert done.returncode == 0, done.stderr
    devices = json.loads(done.stdout)["devices"]
    assert devices and all(d["backend"] == name and d["device_name"] for d in devices)
    done = subprocess.run([*command, "--verbose"], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and all(d["device_name"] in done.stdout for d in devices)
    done = subprocess.run([*command[:-1], "--all"], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and f"[{name}]" in done.stdout and devices[0]["device_name"] in done.stdout


def test_a_named_device_chooses_its_backend():
    code = """
import vkdispatch as vd
print([(d.backend, d.device_name) for d in vd.make_context().device_infos], vd.get_backend())
"""
    done = run(code, VKDISPATCH_BACKEND="", VKDISPATCH_DEVICE="host cpu")
    assert done.returncode == 0 and done.stdout.endswith(" host\n") and not done.stderr, done.stderr
    if not any("llvmpipe" in d.device_name for d in init.list_devices("vulkan")):
        pytest.skip("no CPU driver of Vulkan's")
    done = run(code, VKDISPATCH_BACKEND="", VKDISPATCH_DEVICE="llvm")
    assert done.returncode == 0 and done.stdout.endswith(" vulkan\n") and not done.stderr, done.stderr


def test_a_driver_that_fails_is_a_backend_without_devices(monkeypatch):
    def fail(*_):
        raise _native.OutOfMemoryError(
            "vd_device_get_info: vkEnumeratePhysicalDevices failed with VK_ERROR_OUT_OF_HOST_MEMORY"
        )

    monkeypatch.setattr(_native.raw, "vd_device_get_info", fail)
    assert selection.devices_of("vulkan") == []


def test_a_named_device_that_is_not_there_says_where_was_looked():
    code = "import vkdispatch as vd; vd.make_context()"
    done = run(code, VKDISPATCH_BACKEND="host", VKDISPATCH_DEVICE="llvm")
    said = done.stderr.splitlines()[-1]
    assert "names none of ['Host CPU" in said and "backend is 'host'" in said
    assert "VKDISPATCH_BACKEND" in said and "use_cpu=True" in said


def test_use_cpu_makes_cpu_devices_candidates():
    code = """
import vkdispatch as vd
from vkdispatch.backends import backend_selection as s
print(s.choose_backend(use_cpu=True)[0])
vd.initialize(debug_mode=True)
devices = vd.get_devices()
context = vd.make_context(use_cpu=True)
assert vd.get_backend() == s.choose_backend(use_cpu=True)[0], vd.get_backend()
assert devices is vd.get_devices() and context.device_infos[0] in devices
"""
    done = run(code, VKDISPATCH_BACKEND="")
    assert done.returncode == 0, done.stderr


def test_who_asks_for_a_cpu_device_is_not_told_that_there_is_no_gpu():
    done = run("import vkdispatch as vd; vd.make_context(use_cpu=True)", VKDISPATCH_BACKEND="")
    assert done.returncode == 0 and "no GPU" not in done.stderr, done.stderr
