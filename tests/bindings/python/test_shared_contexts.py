"""The contexts that tests share, and the check that a test leaves nothing behind in one."""

import pytest
import vkdispatch as vd
from vkdispatch._native import raw

from . import shared_contexts


@pytest.fixture
def context(on_backend, sharing):
    """The library's context of two openings on the host, which is shared, and of which nothing is left."""
    with on_backend("host"):
        first = vd.get_context()._pointer
    with on_backend("host"):
        assert vd.get_context()._pointer == first
        yield first


def test_a_context_that_asks_for_more_is_its_own(context):
    with shared_contexts.opening():
        assert vd.Context(backend="host")._pointer == context
        assert vd.Context(backend="host", checked=True)._pointer != context
        assert vd.Context(backend="host", watchdog=60)._pointer != context
    assert vd.Context(backend="host")._pointer != context


@pytest.mark.own_context
def test_tests_may_ask_for_their_own(on_backend):
    with on_backend("host"):
        first = vd.get_context()._pointer
    with on_backend("host"):
        assert vd.get_context()._pointer != first


def test_memory_that_is_left_behind_is_said(context):
    held = raw.vd_buffer_create(context, raw.vd_buffer_desc(size=64))
    assert shared_contexts.left_behind(context) == "64 bytes of memory"
    with pytest.raises(AssertionError, match="64 bytes of memory in a context that tests share"):
        shared_contexts.check()
    with shared_contexts.opening():
        assert vd.Context(backend="host")._pointer != context
    del held
    assert shared_contexts.left_behind(context) == ""


def test_a_failure_that_nobody_waited_for_is_said(context):
    text = b'kernel "fails"\n{\nassert bool 0\n}\n'
    plan = raw.vd_plan_create(context, raw.vd_plan_desc(kernel=raw.vd_kernel_parse(text)))
    raw.vd_plan_launch(plan, raw.vd_launch_desc(invocations=[1]))
    assert "assertion failed" in shared_contexts.left_behind(context)
    assert shared_contexts.left_behind(context) == ""
