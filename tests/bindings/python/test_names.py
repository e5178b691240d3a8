"""Every public name exists, has a doc string, and the package can be imported in the ways that programs use."""

import functools
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import vkdispatch as vd

NAMES = [line for line in (Path(__file__).parent / "names.txt").read_text().split("\n") if line and line[0] != "#"]
DTYPE_ATTRIBUTES = [
    "child_count",
    "child_type",
    "format_str",
    "glsl_type",
    "item_size",
    "name",
    "numpy_shape",
    "scalar",
    "shape",
    "true_numpy_shape",
]


def found(name):
    """The object with a dotted name."""
    return functools.reduce(getattr, name.split(".")[1:], vd)


@pytest.mark.parametrize("name", NAMES)
def test_name_exists(name):
    found(name)


def test_no_name_waits_for_another_version():
    later = []
    for name in NAMES:
        if "this version" in (found(name).__doc__ or ""):
            later.append(name)
    print("still missing:", *later, sep="\n  ")
    assert not later


def test_every_public_object_has_a_doc_string():
    missing = []
    for module in (vd, vd.codegen, vd.fft, vd.reduce, vd.vkfft):
        for name, value in vars(module).items():
            if not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value)) and not value.__doc__:
                missing.append(f"{module.__name__}.{name}")
    assert not missing


def test_dtypes_have_their_attributes():
    for t in vd.base.dtype.ALL_DTYPES.values():
        for attribute in DTYPE_ATTRIBUTES:
            assert hasattr(t, attribute)


def test_all_lists_what_exists():
    for name in vd.__all__:
        assert hasattr(vd, name)
    assert len(set(vd.__all__)) == len(vd.__all__)


def test_completion_of_a_buffer_leaves_out_what_only_the_package_calls(host):
    listed = [name for name in dir(vd.zeros(1)) if name[0] != "_"]
    assert {"shape", "read", "write", "dtype"} <= set(listed)
    assert not [name for name in listed if "handle" in name or "parent" in name or "child" in name]


def test_modules_of_the_shader_package_can_be_imported_both_ways():
    import vkdispatch.shader.shader_function as module
    from vkdispatch.shader.shader_function import ShaderFunction

    assert module.ShaderFunction is ShaderFunction is vd.ShaderFunction
    assert callable(vd.shader) and vd.shader.map.map is vd.map


@pytest.mark.parametrize(
    "module",
    [
        "codegen",
        "codegen.abbreviations",
        "codegen.abreviations",
        "base.dtype",
        "base.context",
        "base.init",
        "base.compute_plan",
        "base.descriptor_set",
        "base.command_list",
        "base.buffer",
        "base.image",
        "base.errors",
        "execution_pipeline.command_graph",
        "execution_pipeline.buffer_builder",
        "execution_pipeline.cuda_graph_capture",
        "fft.functions",
        "fft.shader_factories",
        "cli",
        "compat.numpy_compat",
        "backends.backend_selection",
    ],
)
def test_each_module_can_be_imported_first(module):
    code = f"import vkdispatch.{module} as m; assert m.__doc__"
    subprocess.run([sys.executable, "-c", code], check=True)


FUNCTIONS_OF_BUFFERS = [
    *(kind + end for kind in ("fft", "ifft", "rfft", "irfft") for end in ("", "2", "3")),
    *("convolve", "convolve2D", "convolve2DR", "transpose"),
]


def test_every_function_of_buffers_is_in_its_old_module():
    from vkdispatch.fft import functions

    for name in FUNCTIONS_OF_BUFFERS:
        assert getattr(functions, name) is getattr(vd.fft, name)
        assert name in dir(functions)
    assert set(FUNCTIONS_OF_BUFFERS) <= set(functions.__all__)
    with pytest.raises(AttributeError, match=r"vkdispatch\.fft\.functions.*'fft4'"):
        _ = functions.fft4


def test_each_module_is_imported_by_its_name():
    modules = [name for name in NAMES if inspect.ismodule(found(name))]
    assert {"vkdispatch.fft.config", "vkdispatch.reduce.stage", "vkdispatch.vkfft.vkfft_plan"} <= set(modules)
    for name in modules:
        assert importlib.import_module(name) is found(name) and found(name).__doc__


def test_importing_needs_neither_library_nor_main_thread(tmp_path):
    code = """
import threading, os, signal, sys
before = signal.getsignal(signal.SIGINT)
os.environ["VKDISPATCH_LIBRARY"] = sys.argv[1]
error = []
def load():
    try:
        import vkdispatch
        assert not vkdispatch.is_initialized()
    except BaseException as e:
        error.append(e)
t = threading.Thread(target=load); t.start(); t.join()
assert not error, error
assert signal.getsignal(signal.SIGINT) is before
import vkdispatch
try:
    vkdispatch.initialize()
except ImportError as e:
    assert "VKDISPATCH_LIBRARY" in str(e) and sys.argv[1] in str(e)
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "nowhere.so")], check=True)


def test_caches_can_be_cleared():
    assert vd.fft.cache_clear() is None and vd.reduce.mapped_io_index() is None
    assert vd.vkfft.clear_plan_cache() is None
