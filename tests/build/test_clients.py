"""Programs built with another release's header run on today's library: older ones and one that is newer."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "generator"))

from vdgen import promise  # noqa: E402

LIBRARY = ROOT / "build" / "release" / "libvkdispatch.so"
HEADER = ROOT / "include" / "vkdispatch.h"
#: Headers as they were released, which nobody edits, but those of a promise that was broken while VD_ABI is 0.
BROKEN = {release for release, _ in promise.allowed((ROOT / "docs" / "abi.md").read_text())}
RELEASED = [path for path in sorted((ROOT / "abi" / "released").glob("*.h")) if path.stem not in BROKEN]

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") or not LIBRARY.exists(), reason="no compiler or no build of the library"
)


def run(folder: Path, header: str, *flags: str) -> None:
    (folder / "vkdispatch.h").write_text(header)
    program = folder / "client"
    subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, f"-I{folder}", ROOT / "tests/abi/client/main.c",
         f"-L{LIBRARY.parent}", "-lvkdispatch", "-o", program],
        check=True,
    )  # fmt: skip
    environment = os.environ | {"LD_LIBRARY_PATH": str(LIBRARY.parent)}
    done = subprocess.run([program], check=False, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def grown(header: str) -> str:
    """The header of a later release: every struct that can grow has one more field."""
    names = re.findall(r"^#define (VD_\w+)_INIT ", header, re.MULTILINE)
    for name in names:
        struct = name.lower()
        header, fields = re.subn(
            rf"^}} {struct};", f"    uint64_t later; /**< New. */\n}} {struct};", header, flags=re.MULTILINE
        )
        header, inits = re.subn(
            rf"^(#define {name}_INIT (?:.*\\\n)*.*)}}$", lambda found: found[1] + ", 0 }", header, flags=re.MULTILINE
        )
        assert (fields, inits) == (1, 1), name
    assert len(names) > 20
    return header


@pytest.mark.parametrize("header", [*RELEASED, HEADER], ids=lambda path: path.stem)
def test_a_program_of_a_release_runs(tmp_path, header):
    run(tmp_path, header.read_text())


def test_a_program_of_a_later_release_runs(tmp_path):
    run(tmp_path, grown(HEADER.read_text()), "-DLATER")
