"""Every thread of the library is started by core/thread.h, which blocks signals in it."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"
#: Code that makes a thread: std::thread with arguments, std::async, pthread_create, an element of a list of threads.
STARTS = re.compile(
    r"\bstd::j?thread\s*[({]|\bstd::j?thread\s+\w+\s*[({]|std::async|pthread_create|threads_?\.emplace_back"
)


def starts(text: str) -> list[str]:
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return [found[0] for found in STARTS.finditer(code)]


def test_no_other_file_starts_threads():
    files = [path for suffix in ("h", "cpp") for path in SOURCES.rglob(f"*.{suffix}")]
    assert len(files) > 200
    found = {str(path.relative_to(SOURCES)): starts(path.read_text()) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {
        "core/thread.h": ["std::thread start_thread(", "std::thread("]
    }


@pytest.mark.parametrize(
    "line",
    ["std::thread([this] { run(); }).detach();", "std::thread worker(f);", "std::jthread t{f};", "threads_.emplace_back(f);",
     "auto later = std::async(f);", "pthread_create(&t, 0, f, 0);"],
)  # fmt: skip
def test_a_thread_is_found(line):
    assert starts(line)


@pytest.mark.parametrize(
    "line", ["std::thread thread_;", "for (std::thread& t : threads_) t.join();", "// std::thread(f)"]
)
def test_other_uses_are_no_start(line):
    assert not starts(line)
