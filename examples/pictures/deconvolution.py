"""Sharpens a photograph that was blurred and has noise on it, by a Wiener filter: three launches, the filter inside the second.

    python examples/pictures/deconvolution.py               # a photograph that comes with scikit-image
    python examples/pictures/deconvolution.py my.jpg        # your own

The same in C, and both beside SciPy. Writes the blurred and the sharpened picture.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from common import arguments, compare, photograph, run_program, save, start
from scipy import fft
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32

NOISE = 1e-3  # of the picture's power


def point_spread(size: int, width: float) -> np.ndarray:
    """The camera's image of a point: a Gaussian around the first element, across the edges."""
    x = np.minimum(np.arange(size), size - np.arange(size))
    spread = np.exp(-(x[:, None] ** 2 + x[None, :] ** 2) / (2 * width**2))
    return (spread / spread.sum()).astype(np.float32)


@vd.map
def wiener(spread: Buff[c64], noise: Const[f32]):
    op = vd.fft.read_op()
    response = vc.new_complex_register()
    op.read_from_buffer(spread, register=response)
    power = response.real * response.real + response.imag * response.imag
    op.register[:] = vc.mult_complex(op.register, response.conjugate()) / (power + noise)


def sharpen(blurred: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """On the device: rows forward, columns with the filter and back, rows back."""
    picture, response = vd.asrfftbuffer(blurred), vd.asrfftbuffer(spread)
    vd.fft.rfft2(response)
    half = (blurred.shape[0], blurred.shape[1] // 2 + 1)
    vd.fft.rfft(picture)
    vd.fft.convolve(picture, response, NOISE, kernel_map=wiener, buffer_shape=half, axis=0)
    vd.fft.irfft(picture)
    return picture.read_real(0)


def reference(blurred: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """By SciPy, in double precision."""
    response = fft.rfft2(spread.astype(np.float64))
    spectrum = fft.rfft2(blurred.astype(np.float64))
    return fft.irfft2(spectrum * np.conj(response) / (np.abs(response) ** 2 + NOISE), s=blurred.shape)


def main() -> int:
    parser = arguments(__doc__, "your own photograph; any format that Pillow reads")
    parser.add_argument("--size", type=int, default=512, help="side of the part that is cut out")
    options = parser.parse_args()
    picture = photograph(options.input, options.size)
    size = picture.shape[0]
    spread = point_spread(size, 2.0)
    blurred = fft.irfft2(fft.rfft2(picture) * fft.rfft2(spread), s=picture.shape)
    blurred = (blurred + np.random.default_rng(1).normal(0, 2e-3, blurred.shape)).astype(np.float32)

    backend = start(options.backend)
    want = reference(blurred, spread)
    sharp = sharpen(blurred, spread)
    good = compare("Python", sharp, want, 1e-4)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("blurred.f32", "spread.f32", "sharp.f32")]
        blurred.tofile(files[0])
        spread.tofile(files[1])
        if run_program(options.programs / "deconvolution", backend, size, NOISE, *files):
            good &= compare("C", np.fromfile(files[2], np.float32).reshape(size, size), want, 1e-4)
    before, after = (float(np.sqrt(np.mean((p - picture) ** 2))) for p in (blurred, sharp))
    print(f"distance from the photograph: {before:.4f} blurred, {after:.4f} sharpened")
    save(options.output / "deconvolution-blurred.png", blurred)
    save(options.output / "deconvolution-sharpened.png", sharp)
    return 0 if good and after < before else 1


if __name__ == "__main__":
    sys.exit(main())
