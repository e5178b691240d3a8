"""Edge detection and a 9x9 blur of a photograph, on every backend found, from Python and from C.

    python examples/edges_and_blur/edges_and_blur.py                  # a photograph that comes with scikit-image
    python examples/edges_and_blur/edges_and_blur.py my.jpg           # your own
    python examples/edges_and_blur/edges_and_blur.py --size 1024      # brought to 1024x1024 instead of 4096x4096
    python examples/edges_and_blur/edges_and_blur.py --backend vulkan # one backend only

What is timed is a square: a smaller photograph fills it with mirrored copies, a larger one is scaled down to it. Prints one
table and writes pictures. Every result is compared with SciPy's in the same run.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps
from scipy import ndimage

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BACKENDS = ["vulkan", "cuda", "opencl", "host"]


def load_picture(name: str | None) -> tuple[Image.Image, str]:
    """The photograph, upright, in three channels."""
    if name is None:
        from skimage import data

        return Image.fromarray(data.astronaut()), "scikit-image's astronaut"
    try:
        with Image.open(name) as picture:
            return ImageOps.exif_transpose(picture).convert("RGB"), name
    except (OSError, ValueError, Image.DecompressionBombError) as error:  # none there, no picture, or a huge one
        sys.exit(f"cannot read the picture {name}: {getattr(error, 'strerror', None) or error}")


def fit(picture: Image.Image, size: int) -> np.ndarray:
    """The photograph as float32 in 0..1, scaled down if it does not fit a square of `size`."""
    if max(picture.size) > size:
        factor = size / max(picture.size)
        width, height = (max(1, round(n * factor)) for n in picture.size)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    return np.asarray(picture, dtype=np.float32) / 255


def side(text: str) -> int:
    """The side of a picture from the command line."""
    if not text.isdigit() or not 16 <= int(text) <= 32768:
        raise argparse.ArgumentTypeError(f"{text} is no number of pixels from 16 to 32768")
    return int(text)


def duration(text: str) -> float:
    """Seconds from the command line."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= 3600:  # not-a-number is neither
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds from 0 to 3600")
    return seconds


def backends_of(environment: str) -> list[str]:
    """VKDISPATCH_BACKEND's choice, or every backend."""
    if not environment:
        return BACKENDS
    if environment not in BACKENDS:
        sys.exit(f"VKDISPATCH_BACKEND ({environment}) is not one of {', '.join(BACKENDS)}")
    return [environment]


def tile_to(picture: np.ndarray, size: int) -> np.ndarray:
    """Fill size x size with a picture and its mirror images, which join without an edge."""
    for axis in (0, 1):
        both = np.concatenate([picture, np.flip(picture, axis)], axis)
        picture = np.take(both, np.arange(size) % both.shape[axis], axis)
    return np.ascontiguousarray(picture)


def reference(picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same by SciPy, in double precision. A Gaussian is the product of its rows and columns."""
    x = np.arange(-4, 5)
    weights = np.exp(-(x**2) / (2 * 1.8**2))
    weights /= weights.sum()
    blurred = np.empty(picture.shape)
    for c in range(3):
        rows = ndimage.correlate1d(picture[:, :, c].astype(np.float64), weights, axis=0, mode="nearest")
        blurred[:, :, c] = ndimage.correlate1d(rows, weights, axis=1, mode="nearest")
    brightness = picture.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    gx, gy = (ndimage.sobel(brightness, axis=a, mode="nearest") for a in (1, 0))
    return blurred, np.hypot(gx, gy)


def show_progress(label: str, done: float) -> None:
    """One line on a terminal, gone when the work is; elsewhere a line when it begins."""
    if not sys.stderr.isatty():
        if done == 0:
            print(f"{label} ...", file=sys.stderr, flush=True)
    else:
        bar = "#" * round(30 * done)
        sys.stderr.write(f"\r{label:<20} [{bar:<30}]" if done < 1 else "\r" + " " * 60 + "\r")
        sys.stderr.flush()


def run_worker(label: str, command: list[str]) -> dict:
    """Run one backend in a process of its own; its last line is the report, lines before are progress."""
    report: dict = {}
    show_progress(label, 0)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            report = json.loads(line)
            show_progress(label, report.get("progress", 0.99))
        errors = process.stderr.read()
    show_progress(label, 1)
    if process.returncode != 0:
        lines = errors.strip().splitlines() or [f"exit status {process.returncode}"]
        return {"failed": lines[-1]}
    return report


def save_pictures(folder: Path, name: str, blurred: np.ndarray, strength: np.ndarray) -> None:
    """Write both results; ends the program where that cannot be."""
    try:
        Image.fromarray((blurred.clip(0, 1) * 255 + 0.5).astype(np.uint8)).save(folder / f"{name}-blur.png")
        Image.fromarray((strength.clip(0, 1) * 255 + 0.5).astype(np.uint8)).save(folder / f"{name}-edges.png")
    except OSError as error:
        sys.exit(f"cannot write a picture to {folder}: {error.strerror or error}")


def make_folder(folder: Path) -> None:
    """Make the folder for the pictures; ends the program where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        sys.exit(f"cannot write pictures to {folder}: {error.strerror or error}")


def time_text(seconds: float, digits: int) -> str:
    """Milliseconds, or seconds where these are many."""
    return f"{seconds * 1e3:.{digits}f} ms" if seconds < 1 else f"{seconds:.1f} s"


def print_table(rows: list[tuple]) -> None:
    """One line a language and backend."""
    print(
        f"\n{'language':<9}{'backend':<9}{'device':<42}{'build':>10}{'a frame':>12}{'largest difference from SciPy':>32}"
    )
    for language, backend, device, build, frame, difference in rows:
        times = f"{time_text(build, 0):>10}{time_text(frame, 2):>12}"
        print(f"{language:<9}{backend:<9}{device[:40]:<42}{times}{difference:>32.1e}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="?", help="your own photograph; any format that Pillow reads")
    parser.add_argument("--backend", action="append", choices=BACKENDS, help="only this one; may be repeated")
    parser.add_argument("--size", type=side, default=4096, help="side of the square that is timed")
    parser.add_argument("--seconds", type=duration, default=1.0, help="how long to repeat frames")
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build/release/examples/edges_and_blur", help="the C program"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build/demo", help="folder for the pictures")
    options = parser.parse_args()

    make_folder(options.output)
    picture, source = load_picture(options.picture)
    photograph = fit(picture, options.size)
    height, width = photograph.shape[:2]
    large = tile_to(photograph, options.size)
    scaled = f", scaled down to {width}x{height}" if (width, height) != picture.size else ""
    tiled = f" tiled to {options.size}x{options.size}" if (width, height) != (options.size, options.size) else ""
    print(f"{source}: {picture.size[0]}x{picture.size[1]}{scaled}; timed on it{tiled}, 3 channels", flush=True)
    show_progress("SciPy", 0)
    truth_blur, truth_edges = reference(large)
    show_progress("SciPy", 1)

    rows, missing, failed = [], {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        picture_file, result_file = Path(scratch, "picture.npy"), Path(scratch, "result.npz")
        planes_file, c_result = Path(scratch, "picture.f32"), Path(scratch, "result.f32")
        np.save(picture_file, large)
        np.ascontiguousarray(large.transpose(2, 0, 1)).tofile(planes_file)
        languages = ["Python"] + (["C"] if options.program.exists() else [])
        if "C" not in languages:
            print(f"the C program is not built ({options.program})")
        for backend in options.backend or backends_of(os.environ.get("VKDISPATCH_BACKEND", "").strip().lower()):
            for language in languages:
                label = f"{language} on {backend}"
                if language == "Python":
                    command = [
                        sys.executable,
                        str(HERE / "run_backend.py"),
                        backend,
                        str(picture_file),
                        str(result_file),
                    ]
                else:
                    command = [str(options.program), backend, str(planes_file), f"{options.size}", str(c_result)]
                report = run_worker(label, [*command, str(options.seconds)])
                if "unavailable" in report:
                    missing[backend] = report["unavailable"]
                    break
                if "failed" in report:
                    print(f"{label} failed: {report['failed']}")
                    failed += 1
                    continue
                if language == "Python":
                    with np.load(result_file) as result:
                        blurred, strength = result["blurred"], result["strength"]
                else:
                    planes = np.fromfile(c_result, dtype=np.float32).reshape(4, options.size, options.size)
                    blurred, strength = planes[:3].transpose(1, 2, 0), planes[3]
                difference = max(np.abs(blurred - truth_blur).max(), np.abs(strength - truth_edges).max())
                rows.append((language, backend, report["device"], report["build"], report["frame"], difference))
                save_pictures(
                    options.output, f"{language}-{backend}".lower(), blurred[:height, :width], strength[:height, :width]
                )
                if difference > 1e-4:
                    print(f"{label} is wrong: it differs from SciPy by {difference:.2g}")
                    failed += 1

    print_table(rows)
    for backend, reason in missing.items():
        print(f"{backend:<9}not here: {reason}")
    print(f"\npictures: {options.output}")
    print("your own: .venv/bin/python examples/edges_and_blur/edges_and_blur.py PICTURE")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
