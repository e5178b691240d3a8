"""The spectrogram of a recording, in one launch: overlapping frames are gathered and weighed while they are read, and their
power is what is written.

    python examples/pictures/spectrogram.py                 # a photograph scanned line by line, as a signal
    python examples/pictures/spectrogram.py my.wav          # a recording of your own (16 or 32 bits)

The same in C, and both beside SciPy. Writes a picture in decibels, high frequencies on top.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from common import arguments, compare, photograph, run_program, save, start
from scipy import signal
from scipy.io import wavfile
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32


@vd.map
def frame(samples: Buff[f32], window: Buff[f32], hop: Const[u32]):
    op = vd.fft.read_op()
    number = op.io_index // op.fft_size
    op.register[:] = vc.to_complex64(samples[number * hop + op.fft_index] * window[op.fft_index], 0)


@vd.map
def power(result: Buff[f32], scale: Const[f32]):
    op = vd.fft.write_op()
    bins = op.fft_size // 2 + 1
    with vc.if_block(op.fft_index < bins):
        # Both halves of the spectrum count, where there are two.
        both = vc.new_float_register(2)
        with vc.if_block(vc.logical_or(op.fft_index == 0, op.fft_index == bins - 1)):
            both[:] = 1
        energy = op.register.real * op.register.real + op.register.imag * op.register.imag
        result[op.io_index // op.fft_size * bins + op.fft_index] = energy * scale * both


def spectrogram(samples: np.ndarray, window: np.ndarray, hop: int) -> np.ndarray:
    """On the device: a row for each frame."""
    length = len(window)
    frames = (len(samples) - length) // hop + 1
    result = vd.Buffer((frames, length // 2 + 1), vd.float32)
    scale = 1 / float(np.sum(window.astype(np.float64) ** 2))
    vd.fft.fft(
        result,
        scale,
        vd.asbuffer(samples),
        vd.asbuffer(window),
        hop,
        buffer_shape=(frames, length),
        input_map=frame,
        output_map=power,
    )
    return result.read(0)


def reference(samples: np.ndarray, window: np.ndarray, hop: int) -> np.ndarray:
    """By SciPy, in double precision."""
    length = len(window)
    _, _, density = signal.spectrogram(
        samples.astype(np.float64),
        window=window.astype(np.float64),
        nperseg=length,
        noverlap=length - hop,
        detrend=False,
    )
    return density.T


def load(name: str | None) -> tuple[np.ndarray, str]:
    """One channel as float32."""
    if name is None:
        return photograph(None, 512).ravel() - np.float32(0.5), "the lines of scikit-image's camera man"
    rate, samples = wavfile.read(name)
    if samples.ndim > 1:
        samples = samples[:, 0]
    if samples.dtype.kind == "i":
        samples = samples / np.float32(np.iinfo(samples.dtype).max)
    return samples.astype(np.float32), f"{name} ({rate} samples a second)"


def main() -> int:
    parser = arguments(__doc__, "a recording (WAV)")
    parser.add_argument("--length", type=int, default=1024, help="samples of a frame, an even number")
    parser.add_argument("--hop", type=int, default=256, help="samples from frame to frame")
    parser.add_argument("--samples", type=int, default=1 << 18, help="how many are taken at most")
    options = parser.parse_args()
    if options.length < 2 or options.length % 2:
        parser.error(f"--length ({options.length}) is no even number")
    samples, source = load(options.input)
    samples = np.ascontiguousarray(samples[: options.samples])
    window = signal.get_window("hann", options.length).astype(np.float32)
    print(f"{source}: {len(samples)} samples, frames of {options.length} every {options.hop}")

    backend = start(options.backend)
    want = reference(samples, window, options.hop)
    got = spectrogram(samples, window, options.hop)
    good = compare("Python", got, want, 1e-5)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("samples.f32", "window.f32", "power.f32")]
        samples.tofile(files[0])
        window.tofile(files[1])
        if run_program(options.programs / "spectrogram", backend, len(samples), options.length, options.hop, *files):
            good &= compare("C", np.fromfile(files[2], np.float32).reshape(want.shape), want, 1e-5)
    decibels = 10 * np.log10(np.maximum(got, got.max() * 1e-10) / got.max())
    save(options.output / "spectrogram.png", 1 + decibels.T[::-1] / 100)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
