"""Helpers of the examples: their pictures, their arguments, and the C programs."""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import vkdispatch as vd
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent.parent
BACKENDS = ["vulkan", "cuda", "opencl", "host"]


def photograph(name: str | None, size: int) -> np.ndarray:
    """A photograph's brightness as float32 in 0..1, its middle cut out to size x size."""
    if name is not None:
        grey = np.asarray(Image.open(name).convert("L"), dtype=np.float32) / 255
    else:
        from skimage import data

        grey = data.camera().astype(np.float32) / 255
    size = min(size, *grey.shape)
    top, left = ((n - size) // 2 for n in grey.shape)
    return np.ascontiguousarray(grey[top : top + size, left : left + size])


def color_photograph(name: str | None) -> np.ndarray:
    """A photograph's pixels as uint8, three channels."""
    if name is not None:
        return np.asarray(Image.open(name).convert("RGB"))
    from skimage import data

    return data.astronaut()


def arguments(doc: str, what: str) -> argparse.ArgumentParser:
    """The options of all examples."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="?", help=what)
    parser.add_argument("--backend", choices=BACKENDS, help="the best one that is there unless told")
    parser.add_argument("--output", type=Path, default=ROOT / "build/demo", help="folder for the pictures")
    parser.add_argument(
        "--programs", type=Path, default=ROOT / "build/release/examples", help="folder of the C programs"
    )
    return parser


def start(backend: str | None) -> str:
    """Open a device; gives the backend's name."""
    vd.initialize(backend=backend)
    context = vd.make_context(use_cpu=True)
    print(f"{vd.get_backend()}: {context.device_infos[0].device_name}")
    return vd.get_backend()


def run_program(program: Path, *args: object) -> bool:
    """Run a C program, if it is built."""
    if not program.exists():
        print(f"the C program is not built ({program})")
        return False
    subprocess.run([str(program), *map(str, args)], check=True)
    return True


def save(path: Path, picture: np.ndarray) -> None:
    """Write brightness of 0..1, or three channels of it, as a PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray((picture.clip(0, 1) * 255 + 0.5).astype(np.uint8)).save(path)
    print(f"picture: {path}")


def compare(language: str, got: np.ndarray, want: np.ndarray, limit: float) -> bool:
    """Say how far a result is from SciPy's, relative to its largest value. True if it is close enough."""
    difference = float(np.abs(got - want).max() / np.abs(want).max())
    print(f"{language}: largest difference from SciPy {difference:.1e}")
    if difference <= limit:
        return True
    print(f"{language} is wrong", file=sys.stderr)
    return False
