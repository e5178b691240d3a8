"""Rotates and scales a photograph by a sampler: each pixel of the result is read between the texels of the photograph.

    python examples/pictures/rotation.py                   # a photograph that comes with scikit-image
    python examples/pictures/rotation.py my.jpg            # your own
    python examples/pictures/rotation.py --degrees 45 --scale 0.5

The same in C, and both beside SciPy's affine_transform. Writes the rotated picture.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from common import arguments, color_photograph, compare, run_program, save, start
from scipy import ndimage
from vkdispatch.codegen.abbreviations import Buff, Const, Img2, f32, u32, v2, v4

# A GPU weighs four 8-bit texels by fractions of 8 bits, one an axis.
LIMIT = 2 / 256


@vd.shader("out.size")
def rotate(out: Buff[v4], photo: Img2[f32], width: Const[u32], across: Const[v2], down: Const[v2], first: Const[v2]):
    i = vc.global_invocation_id().x
    column, row = (i % width).to_dtype(f32), (i // width).to_dtype(f32)
    out[i] = photo.sample(first + across * column + down * row)


def steps(shape: tuple[int, int], degrees: float, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The steps in the photograph for a pixel to the right and one down, and the place of the first pixel: (column, row)."""
    angle = np.deg2rad(degrees)
    across = np.array([np.cos(angle), np.sin(angle)]) / scale
    down = np.array([-across[1], across[0]])
    middle = (np.array(shape[::-1]) - 1) / 2
    return across, down, middle - across * middle[0] - down * middle[1]


def on_device(pixels: np.ndarray, way: tuple[np.ndarray, ...]) -> np.ndarray:
    """Float32 of the photograph's shape. Beyond its edges a photograph goes on with its last pixels."""
    height, width = pixels.shape[:2]
    photo = vd.Image2D((height, width), vd.uint8, channels=3, normalized=True)
    photo.write(pixels)
    out = vd.Buffer((height, width), vd.vec4)
    rotate(out, photo.sample(address_mode=vd.AddressMode.CLAMP_TO_EDGE), width, *(tuple(map(float, v)) for v in way))
    return out.read(0)[:, :, :3]


def reference(pixels: np.ndarray, way: tuple[np.ndarray, ...]) -> np.ndarray:
    """By SciPy, in double precision, channel by channel. Its axes are (row, column)."""
    across, down, first = (v[::-1] for v in way)
    matrix = np.stack([down, across], axis=1)
    planes = [ndimage.affine_transform(pixels[:, :, c] / 255, matrix, first, order=1, mode="nearest") for c in range(3)]
    return np.stack(planes, axis=2)


def main() -> int:
    parser = arguments(__doc__, "your own photograph; any format that Pillow reads")
    parser.add_argument("--degrees", type=float, default=30, help="against the clock")
    parser.add_argument("--scale", type=float, default=0.8, help="of the picture in the result")
    options = parser.parse_args()
    if not options.scale > 0:
        parser.error(f"--scale ({options.scale}) is not above 0")
    pixels = color_photograph(options.input)
    height, width = pixels.shape[:2]
    way = steps((height, width), options.degrees, options.scale)

    backend = start(options.backend)
    want = reference(pixels, way)
    rotated = on_device(pixels, way)
    good = compare("Python", rotated, want, LIMIT)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("pixels.u8", "rotated.f32")]
        pixels.tofile(files[0])
        if run_program(options.programs / "rotation", backend, width, height, *(n for v in way for n in v), *files):
            good &= compare("C", np.fromfile(files[1], np.float32).reshape(want.shape), want, LIMIT)
    save(options.output / "rotation.png", rotated)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
