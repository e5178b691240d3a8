"""Output of kernels: messages in the log on the host; a warning where no log would collect it."""

import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import *


@pytest.fixture
def messages():
    found = []
    vd.set_log_callback(lambda level, text: found.append((level, text)))
    yield found
    vd.set_log_callback(None)


def run(flags=vc.ShaderFlags.NONE):
    @vd.shader("out.size", local_size=4, flags=flags)
    def kernel(out: Buff[u32]):
        i = vc.global_invocation_id().x
        out[i] = i + 5
        with vc.if_block(i > 0):
            vc.print("i =", i, out[i], vc.to_vec2(i, 0.5))
        with vc.if_block(i == 1):
            vc.print(vc.to_mat2(1, 2, 3, 4), vc.to_complex(1, -2), -7, vc.to_float16(1.5), separator="; ")
            vc.printf('100%% "%d" %s|%8.3f|%-4u|%x\n', vc.to_int(i) - 2, "50%", vc.to_float64(i) / 4, i, 255)

    out = vd.buffer_u32(3)  # the fourth invocation of the group is past the end: it prints nothing
    kernel(out)
    assert out.read(0).tolist() == [5, 6, 7]


def test_prints_go_to_the_log(host, messages):
    run()
    assert all(level is vd.LogLevel.ERROR for level, _ in messages)  # asked for, so shown by default
    assert sorted(text for _, text in messages) == sorted([
        "Shader: i = 1 6 (1.000000, 0.500000)",
        "Shader: i = 2 7 (2.000000, 0.500000)",
        "Shader: [1.000000, 3.000000]\n[2.000000, 4.000000]; (1.000000, -2.000000); -7; 1.500000",
        'Shader: 100% "-1" 50%|   0.250|1   |ff',
    ])  # fmt: skip


def test_prints_can_be_left_out(device, messages):
    run(vc.ShaderFlags.NO_PRINTF)
    assert not messages


def test_a_device_that_cannot_print_says_so_and_runs_the_rest(on_backend, messages):
    with on_backend("vulkan", use_cpu=True):
        messages.clear()
        run()
    warnings = [text for level, text in messages if level is vd.LogLevel.WARNING]
    assert len(warnings) == 1 and 'kernel "kernel": its prints and assertions do nothing on device' in warnings[0]
