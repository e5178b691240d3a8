"""Switches the package between backends, and skips what a machine lacks."""

import contextlib
import functools
import os
import re

import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import _enums, _errors, raw
from vkdispatch.backends import backend_selection as selection
from vkdispatch.base import context as context_module
from vkdispatch.base import init as init_module
from vkdispatch.execution_pipeline import command_graph

from . import shared_contexts, short_form

#: Features that a device may lack, as the library's messages name them.
FEATURES = {
    "64-bit floats": _enums.VD_FEATURE_F64,
    "16-bit floats": _enums.VD_FEATURE_F16,
    "64-bit integers": _enums.VD_FEATURE_I64,
    "16-bit integers": _enums.VD_FEATURE_I16,
    "8-bit integers": _enums.VD_FEATURE_I8,
    "16-bit elements in buffers": _enums.VD_FEATURE_STORAGE_16,
    "8-bit elements in buffers": _enums.VD_FEATURE_STORAGE_8,
}


BACKENDS = ["host", "vulkan", "cuda", "opencl"]


#: Files of tests whose kernels are long or many.
LONG_KERNELS = ("test_destroyed_context", "test_fft", "test_plain_python", "test_programs", "test_reduce", "test_vkfft")


def pytest_collection_modifyitems(items):
    """In the short form tests with long or many kernels run on Vulkan or on OpenCL, in turn."""
    short_form.take_turns([item for item in items if item.path.name.startswith(LONG_KERNELS)])


def reports(feature):
    """Whether the context's device reports a feature by that name."""
    return bool(vd.get_context().device_infos[0].features & FEATURES[feature])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """A test whose kernel needs what the device does not report is skipped for that, and counted; else it fails."""
    outcome = yield
    if outcome.excinfo is None or not isinstance(outcome.excinfo[1], vd.ShaderBuildError | _errors.UnsupportedError):
        return
    needed = re.search(f"needs ({'|'.join(FEATURES)})", str(outcome.excinfo[1]))
    if needed and not reports(needed[1]):
        outcome.force_exception(pytest.skip.Exception(f"the device does not report {needed[1]}"))


def forget_everything():
    """The state of a fresh process: no context, no backend."""
    context_module.destroy_context()
    command_graph._global_graph.custom_graph = None
    command_graph._global_graph.default_graph = None
    vars(init_module)["__initilized_instance"] = False
    vars(init_module)["__device_infos"] = None
    vars(init_module)["__backend_name"] = None
    selection.clear_active_backend()


@functools.cache
def stay_open():
    """A context of OpenCL's for the rest of the process: PoCL reads its library of functions, 0.4 s, when the first opens."""
    return raw.vd_context_create(raw.vd_context_desc(backend=_enums.VD_BACKEND_OPENCL))


@pytest.fixture
def keep_open():
    """stay_open(), for tests that open OpenCL in their own way."""
    return stay_open


def pytest_sessionfinish():
    stay_open.cache_clear()
    shared_contexts.close()


@pytest.fixture
def sharing(request):
    """A context manager in which contexts open that tests share; those that need their own say so (pytest.mark.own_context)."""
    if request.node.get_closest_marker("own_context"):
        yield contextlib.nullcontext
        return
    yield shared_contexts.opening
    shared_contexts.check()


@contextlib.contextmanager
def backend(name, opening=contextlib.nullcontext, **context_arguments):
    forget_everything()
    info = selection.backend_info(name)
    if not info.available:
        pytest.skip(f"backend '{name}': {selection.reason_of(info)}")
    vd.initialize(backend=name)
    if name == "opencl":
        stay_open()
    if name != "dummy" or context_arguments:
        with opening():
            vd.make_context(**context_arguments)
    try:
        yield name
    finally:
        forget_everything()


@pytest.fixture
def on_backend(sharing):
    """The context manager that switches to a backend."""
    return functools.partial(backend, opening=sharing)


# A run for one backend (VKDISPATCH_BACKEND) leaves the others to theirs.
@pytest.fixture(params=[os.environ["VKDISPATCH_BACKEND"]] if "VKDISPATCH_BACKEND" in os.environ else BACKENDS)
def device(request, sharing):
    """Each backend that runs kernels, with the process's context."""
    with backend(request.param, sharing) as name:
        yield name


@pytest.fixture
def other():
    """A second context, of the host."""
    context = vd.Context(backend="host")
    yield context
    context.destroy()


@pytest.fixture
def host(sharing):
    """The host backend."""
    with backend("host", sharing) as name:
        yield name


@pytest.fixture
def dummy():
    """The dummy backend."""
    with backend("dummy") as name:
        yield name


@pytest.fixture
def fresh():
    """Nothing initialised, before and after; the value is the function that forgets it again."""
    forget_everything()
    yield forget_everything
    forget_everything()


@pytest.fixture
def trace():
    """A kernel being traced, without a device."""
    with vc.shader_context() as context:
        yield context
