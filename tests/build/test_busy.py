"""`.ci/busy COMMAND...` has busy loops beside a command, and leaves none behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BUSY = Path(__file__).parents[2] / ".ci" / "busy"
# Prints its siblings, which are the loops and itself.
SIBLINGS = "import os; print(open(f'/proc/{os.getppid()}/task/{os.getppid()}/children').read(), flush=True)"

pytestmark = pytest.mark.skipif(
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(), reason="the kernel does not list children"
)


def ends(pid, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def start(code):
    command = [str(BUSY), sys.executable, "-c", f"{SIBLINGS}\n{code}"]
    # A shell that starts a job in the background has it ignore interrupts, and what it starts inherits that.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    )
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 5
    return process, pids


@pytest.mark.parametrize("code", [0, 3])
def test_a_command_that_ends_takes_the_loops_with_it(code):
    process, pids = start(f"raise SystemExit({code})")
    assert process.wait(60) == code
    assert all(ends(pid) for pid in pids)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_so_does_a_signal(how):
    process, pids = start("import signal; signal.pause()" if how != signal.SIGKILL else "pass")
    process.send_signal(how)
    assert process.wait(60) != 0 or how == signal.SIGKILL
    assert all(ends(pid) for pid in pids)
