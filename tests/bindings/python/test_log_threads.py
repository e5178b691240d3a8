"""The log's callback while many threads change it: no message is lost or comes twice, and nothing is left at the end."""

import subprocess
import sys
import threading

import vkdispatch as vd


def test_threads_that_set_callbacks_and_levels(host):
    seen = []
    failures = []

    def change(number):
        try:
            for turn in range(300):
                vd.set_log_callback(lambda level, text: seen.append(text))
                vd.set_log_level(vd.LogLevel.INFO if turn % 2 else vd.LogLevel.WARNING)
                if number == 0:
                    vd.log_error(f"turn {turn}")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=change, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    vd.set_log_level(vd.LogLevel.WARNING)
    vd.set_log_callback(lambda level, text: seen.append(text))
    seen.clear()
    vd.log_error("once")
    vd.set_log_callback(None)
    assert not failures
    assert len([text for text in seen if "once" in text]) == 1


PROGRAM = """
import threading
import vkdispatch as vd
vd.initialize(backend="host")
go = threading.Event()
def run():
    while True:
        vd.set_log_callback(lambda level, text: None)
        vd.log_error("x")
        go.set()
for _ in range(4):
    threading.Thread(target=run, daemon=True).start()
go.wait()
"""


def test_the_interpreter_ends_while_threads_log():
    # Several at a time: on a busy machine a thread is more often in the midst of a message when the end comes.
    command = [sys.executable, "-c", PROGRAM]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in running]
    assert all(code == 0 for _, code in ended), [errors[-500:] for errors, _ in ended]
