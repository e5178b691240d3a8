"""Programs of kp in which each call of the Vulkan driver's fails in turn, by a layer of the tests': tests/support/failing_vulkan.

In a process of its own, since the loader reads what the layer needs when the first instance is made.
"""

import ctypes
import faulthandler
import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vkdispatch import kp

from .conftest import ASKED, opened
from .test_failing_calls import close, worked

FULL = bool(os.environ.get("VD_TEST_FULL"))
ROOT = Path(__file__).resolve().parents[4]
FOLDER = Path(os.environ.get("VD_FAILING_VULKAN", ROOT / "build/release/failing_vulkan"))
LAYER = FOLDER / "libVkLayer_vd_failing.so"
TURNS = 1000 if FULL else 2
LIMIT = 120  # seconds of one turn: a GPU makes one device after the other, whichever process asks


def controls():
    layer = ctypes.CDLL(str(LAYER))
    layer.vd_failing_name.restype = ctypes.c_char_p
    return layer


def fail_each_in_turn():
    """Run in the process below. Prints the numbers of failures that raised, and of those that did not matter; and where each
    thread is, if it hangs."""
    assert close(worked("vulkan"))
    layer = controls()
    raised = passed = 0
    names = set()
    began = time.monotonic()
    for call in range(layer.vd_failing_count()):
        name = layer.vd_failing_name(call).decode()
        for nth in range(1, TURNS + 1):
            faulthandler.dump_traceback_later(LIMIT, exit=True)
            print(f"{time.monotonic() - began:.1f} s: {name}, call {nth}", file=sys.stderr)
            layer.vd_failing_set(call, nth, layer.vd_failing_result(call, 0))
            try:
                found = worked("vulkan")
            except kp.Error as error:
                assert layer.vd_failing_met(), (name, nth, error)
                said = str(error)
                # The allocator's calls are named by ours of it, and of a lost device another thread's may have told first.
                there = name in said or "vmaCreate" in said or "vkCreateDevice" in said or "lost" in said.lower()
                assert error.status != 0 and there, (name, nth, error)
                names.add(name)
                raised += 1
            else:
                assert close(found), (name, nth, found)
                passed += bool(layer.vd_failing_met())
            gc.collect()
            if not layer.vd_failing_met():
                break
        layer.vd_failing_set(call, 0, 0)
    assert close(worked("vulkan"))
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps({"raised": raised, "passed": passed, "names": sorted(names)}))


@pytest.mark.skipif(ASKED not in (None, "vulkan"), reason="calls of Vulkan's driver")
@pytest.mark.skipif(not LAYER.is_file(), reason=f"{LAYER} is not built: cmake --build --preset release does")
@pytest.mark.parametrize("waits", ["as the device does", "spinning"])
def test_each_call_of_the_vulkan_driver_fails_in_turn(waits):
    opened("vulkan").destroy()  # or the reason why not
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"VK_INSTANCE_LAYERS": "VK_LAYER_VD_failing", "VK_ADD_LAYER_PATH": str(FOLDER)}
    environment["NODEVICE_SELECT"] = "1"  # a layer of Mesa's, which crashes where a device does not tell its extensions
    environment["VKDISPATCH_CACHE_DIR"] = ""
    if waits == "spinning":
        environment["VKDISPATCH_VULKAN_LIMITS"] = "spin=1"
    code = "from bindings.python.kp.test_failing_driver import fail_each_in_turn; fail_each_in_turn()"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=ROOT / "tests")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["raised"] > 20, result
    assert {"vkCreateBuffer", "vkQueueSubmit", "vkCreateDevice", "vkCreateComputePipelines"} <= set(result["names"])
