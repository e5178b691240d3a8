"""A process whose caches of kernels, the driver's too, lie in a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path


def numbers_printed(script: Path, folder: Path, backend: str | None, *arguments: object) -> list[float]:
    """The numbers that a script prints at the end of a process with its caches in `folder`."""
    caches = {
        name: str(folder / name)
        for name in ("VKDISPATCH_CACHE_DIR", "CUDA_CACHE_PATH", "__GL_SHADER_DISK_CACHE_PATH", "POCL_CACHE_DIR")
    }
    caches["MESA_SHADER_CACHE_DIR"] = str(folder / "mesa")
    chosen = {"VKDISPATCH_BACKEND": backend} if backend else {}
    run = subprocess.run(
        [sys.executable, script, *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | caches | chosen,
    )
    return [float(word) for word in run.stdout.splitlines()[-1].split()]
