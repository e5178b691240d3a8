"""Renders a volume by ray casting: each pixel follows a ray through a 3-D image and gathers light from what it meets.

    python examples/pictures/volume.py                     # a head in a magnetic resonance scanner, as nibabel brings it
    python examples/pictures/volume.py my.nii.gz           # your own, of any format that nibabel reads
    python examples/pictures/volume.py --turn 200 --tilt 40

The same in C, and both beside SciPy's map_coordinates. Writes the picture.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from common import arguments, compare, run_program, save, start
from scipy import ndimage
from vkdispatch.codegen.abbreviations import Buff, Const, Img3, f32, u32, v3

# Opacity of the volume: nothing below AIR, and DENSITY of the light is taken per step at full brightness.
AIR, DENSITY, AMBIENT = 0.25, 0.15, 0.3
# Each of up to 500 steps reads between 8 texels by fractions of 8 bits.
LIMIT = 0.02


def load_volume(name: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Brightness as float32 of 0..1, axes (slice, row, column), and the size of a texel along (column, row, slice)."""
    import nibabel

    path = name or Path(nibabel.__file__).parent / "tests/data/example4d.nii.gz"
    picture = nibabel.load(path)
    texels = np.asarray(picture.dataobj, dtype=np.float32)
    while texels.ndim > 3:  # a series in time: its first volume
        texels = texels[..., 0]
    texels = texels / np.percentile(texels, 99.8)
    return np.ascontiguousarray(texels.clip(0, 1).transpose(2, 1, 0)), np.array(picture.header.get_zooms()[:3], float)


@vd.shader("out.size")
def cast(out: Buff[f32], volume: Img3[f32], side: Const[u32], steps: Const[u32], first: Const[v3], across: Const[v3],
         down: Const[v3], forward: Const[v3], light: Const[v3]):  # fmt: skip
    i = vc.global_invocation_id().x
    at = (first + across * (i % side).to_dtype(f32) + down * (i // side).to_dtype(f32)).to_register()
    seen, left = vc.new_float_register(0), vc.new_float_register(1)
    with vc.for_block(steps):
        value = volume.sample(at).x.to_register()
        opacity = (vc.clamp((value - AIR) / (1 - AIR), 0.0, 1.0) * DENSITY).to_register()
        # Surfaces that face the light are brighter: towards it, the volume gets thinner.
        shade = AMBIENT + vc.clamp((value - volume.sample(at + light).x) * 2, 0.0, 1.0)
        seen += left * opacity * shade
        left *= 1 - opacity
        at += forward
    out[i] = seen


def camera(shape: tuple[int, ...], texel: np.ndarray, side: int, turn: float, tilt: float) -> dict:
    """The first ray's beginning and all steps, in texels along (column, row, slice), for rays that are parallel."""
    a, b = np.deg2rad([turn, tilt])
    right = np.array([np.cos(a), np.sin(a), 0])
    forward = np.array([-np.sin(a) * np.cos(b), np.cos(a) * np.cos(b), -np.sin(b)])
    below = np.cross(forward, right)
    extent = np.array(shape[::-1]) * texel
    reach = np.linalg.norm(extent)
    pixel, step = 0.6 * reach / side, texel.min() / 2
    middle = extent / 2 - texel / 2
    first = middle - forward * reach / 2 - (right + below) * pixel * (side - 1) / 2
    light = 1.5 * texel.min() * (-forward - right - below) / np.linalg.norm(forward + right + below)
    places = {"first": first, "across": right * pixel, "down": below * pixel, "forward": forward * step, "light": light}
    return {name: place / texel for name, place in places.items()} | {"steps": int(np.ceil(reach / step))}


def on_device(texels: np.ndarray, side: int, view: dict) -> np.ndarray:
    """Outside of the volume there is nothing: its border is 0."""
    volume = vd.Image3D(texels.shape)
    volume.write(texels)
    out = vd.Buffer((side, side), vd.float32)
    places = (tuple(map(float, view[name])) for name in ("first", "across", "down", "forward", "light"))
    black = vd.BorderColor.FLOAT_TRANSPARENT_BLACK
    sampler = volume.sample(address_mode=vd.AddressMode.CLAMP_TO_BORDER, border_color=black)
    cast(out, sampler, side, view["steps"], *places)
    return out.read(0)


def reference(texels: np.ndarray, side: int, view: dict) -> np.ndarray:
    """By SciPy, in double precision, a step of all rays at a time."""

    def sample(places):
        return ndimage.map_coordinates(texels, places[::-1], order=1, mode="grid-constant", output=np.float64)

    row, column = np.mgrid[:side, :side]
    at = [view["first"][n] + view["across"][n] * column + view["down"][n] * row for n in range(3)]
    seen, left = np.zeros((side, side)), np.ones((side, side))
    for _ in range(view["steps"]):
        value = sample(at)
        opacity = ((value - AIR) / (1 - AIR)).clip(0, 1) * DENSITY
        towards = sample([at[n] + view["light"][n] for n in range(3)])
        seen += left * opacity * (AMBIENT + (2 * (value - towards)).clip(0, 1))
        left *= 1 - opacity
        at = [at[n] + view["forward"][n] for n in range(3)]
    return seen


def main() -> int:
    parser = arguments(__doc__, "your own volume; any format that nibabel reads")
    parser.add_argument("--side", type=int, default=256, help="of the picture, in pixels")
    parser.add_argument("--turn", type=float, default=150, help="degrees around the axis of the slices")
    parser.add_argument("--tilt", type=float, default=50, help="degrees that the camera looks down")
    options = parser.parse_args()
    if options.side < 1:
        parser.error(f"--side ({options.side}) is not above 0")
    texels, texel = load_volume(options.input)
    view = camera(texels.shape, texel, options.side, options.turn, options.tilt)
    print(f"{'x'.join(map(str, texels.shape[::-1]))} texels, {view['steps']} steps a ray")

    backend = start(options.backend)
    want = reference(texels, options.side, view)
    picture = on_device(texels, options.side, view)
    good = compare("Python", picture, want, LIMIT)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("volume.f32", "places.f32", "picture.f32")]
        texels.tofile(files[0])
        np.concatenate([view[n] for n in ("first", "across", "down", "forward", "light")]).astype(np.float32).tofile(
            files[1]
        )
        sizes = (*texels.shape[::-1], options.side, view["steps"], AIR, DENSITY, AMBIENT)
        if run_program(options.programs / "volume", backend, *sizes, *files):
            good &= compare("C", np.fromfile(files[2], np.float32).reshape(want.shape), want, LIMIT)
    save(options.output / "volume.png", picture / picture.max())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
