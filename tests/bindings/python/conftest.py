"""Switches the package between backends, and skips what a machine lacks."""

import contextlib

import pytest
import vkdispatch as vd
from vkdispatch.backends import backend_selection as selection
from vkdispatch.base import context as context_module
from vkdispatch.base import init as init_module
from vkdispatch.execution_pipeline import command_graph


def forget_everything():
    """As in a fresh process: no context, no backend."""
    context_module.destroy_context()
    command_graph._global_graph.custom_graph = None
    command_graph._global_graph.default_graph = None
    vars(init_module)["__initilized_instance"] = False
    vars(init_module)["__device_infos"] = None
    vars(init_module)["__backend_name"] = None
    selection.clear_active_backend()


@contextlib.contextmanager
def backend(name, **context_arguments):
    forget_everything()
    info = selection.backend_info(name)
    if not info.available:
        pytest.skip(f"backend '{name}': {selection.reason_of(info)}")
    vd.initialize(backend=name)
    if name != "dummy" or context_arguments:
        vd.make_context(**context_arguments)
    try:
        yield name
    finally:
        forget_everything()


@pytest.fixture
def on_backend():
    """The context manager that switches to a backend."""
    return backend


@pytest.fixture(params=["host", "vulkan", "cuda", "opencl"])
def device(request):
    """Each backend that runs kernels, with a context of its own."""
    with backend(request.param) as name:
        yield name


@pytest.fixture
def host():
    """The host backend."""
    with backend("host") as name:
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
