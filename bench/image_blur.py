"""A blur of 5 x 5 texels over a 4096 x 4096 image, sampled: the rate of a kernel here beside a texture object of CuPy's.

    .venv/bin/python bench/image_blur.py [--turns 7] [--size 4096] [--backend cuda]

Both read the same image through one sampler (edges repeat) in the same process, in turns; a turn is 50 launches. Results are compared
first. Without CuPy the rate here is printed alone. One line of JSON a case: milliseconds a launch, and CuPy's time divided by ours.

blur           the nearest texel, at the texels' centers
blur_nearest   the same a quarter of a texel beside them, in each direction
blur_linear    the mean of the four texels around these places
"""

import argparse
import json
import statistics
import time

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Img2, f32, i32

RADIUS, LAUNCHES = 2, 50
CUPY_KERNEL = r"""
extern "C" __global__ void blur(cudaTextureObject_t image, float* out, int width, int height, float unit_x, float unit_y, float shift) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      sum += tex2D<float>(image, (x + dx + (0.5f + shift)) * unit_x, (y + dy + (0.5f + shift)) * unit_y);
  out[y * width + x] = sum * (1.0f / 25);
}
"""


def define(shift: float):
    """The kernel whose places are that far from the texels' centers."""

    @vd.shader(local_size=(32, 8, 1))
    def blur(out: Buff[f32], image: Img2[f32]):
        at = vc.global_invocation_id()
        x, y = at.x.to_dtype(i32).to_register(), at.y.to_dtype(i32).to_register()
        total = vc.new_float_register(0)
        for dy in range(-RADIUS, RADIUS + 1):
            for dx in range(-RADIUS, RADIUS + 1):
                place = (x + dx).to_dtype(f32), (y + dy).to_dtype(f32)
                total += image.sample(tuple(p + shift for p in place) if shift else place).x
        out[at.y * vc.num_workgroups().x * 32 + at.x] = total * (1.0 / 25)

    return blur


class Ours:
    """The kernel above."""

    def __init__(self, pixels: np.ndarray, shift: float, linear: bool):
        self.kernel = define(shift)
        self.image = vd.Image2D(pixels.shape)
        self.image.write(pixels)
        how = vd.Filter.LINEAR if linear else vd.Filter.NEAREST
        self.sampler = self.image.sample(how, how, vd.Filter.NEAREST)
        self.out = vd.Buffer(pixels.shape, vd.float32)
        self.size = (pixels.shape[1], pixels.shape[0], 1)

    def launch(self) -> None:
        self.kernel(self.out, self.sampler, exec_size=self.size)

    def wait(self) -> None:
        vd.queue_wait_idle()

    def result(self) -> np.ndarray:
        return self.out.read(0)


class CuPys:
    """The same kernel through a texture object."""

    def __init__(self, pixels: np.ndarray, shift: float, linear: bool):
        import cupy
        from cupy.cuda import runtime, texture

        self.cupy = cupy
        channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
        self.array = texture.CUDAarray(channel, pixels.shape[1], pixels.shape[0])
        self.array.copy_from(pixels)
        resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=self.array)
        how = texture.TextureDescriptor(
            (runtime.cudaAddressModeClamp,) * 2,
            runtime.cudaFilterModeLinear if linear else runtime.cudaFilterModePoint,
            runtime.cudaReadModeElementType, normalizedCoords=1,
        )  # fmt: skip
        self.texture = texture.TextureObject(resource, how)
        self.kernel = cupy.RawKernel(CUPY_KERNEL, "blur")
        self.out = cupy.empty(pixels.shape, cupy.float32)
        height, width = pixels.shape
        self.grid = (-(-width // 32), -(-height // 8))
        floats = (np.float32(value) for value in (1 / width, 1 / height, shift))
        self.arguments = (self.texture, self.out, np.int32(width), np.int32(height), *floats)

    def launch(self) -> None:
        self.kernel(self.grid, (32, 8), self.arguments)

    def wait(self) -> None:
        self.cupy.cuda.get_current_stream().synchronize()

    def result(self) -> np.ndarray:
        return self.cupy.asnumpy(self.out)


def expected(pixels: np.ndarray, shift: float, linear: bool) -> np.ndarray:
    padded = np.pad(pixels.astype(np.float64), RADIUS + 1, mode="edge")
    if linear:
        padded = padded * (1 - shift) + np.roll(padded, -1, 0) * shift
        padded = padded * (1 - shift) + np.roll(padded, -1, 1) * shift
    height, width = pixels.shape
    steps = range(1, 2 * RADIUS + 2)
    return sum(padded[y : y + height, x : x + width] for y in steps for x in steps) / 25


def turn(of) -> float:
    """Milliseconds a launch."""
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        of.launch()
    of.wait()
    return (time.perf_counter() - start) / LAUNCHES * 1e3


def compare(case: str, pixels: np.ndarray, shift: float, linear: bool, turns: int) -> dict:
    """The line of a case."""
    rivals = {"ours": Ours(pixels, shift, linear)}
    try:
        rivals["cupy"] = CuPys(pixels, shift, linear)
    except ImportError:
        pass
    wanted = expected(pixels, shift, linear)
    for name, rival in rivals.items():
        rival.launch()
        rival.wait()
        error = float(np.abs(rival.result() - wanted).max())
        assert error < (1 / 256 if linear else 1e-5), f"{case}, {name}: {error}"
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(turns):
        for name, rival in rivals.items():
            times[name].append(turn(rival))
    line = {"case": case, "backend": vd.get_backend(), "size": len(pixels)}
    line |= {f"{name}_ms": round(statistics.median(values), 4) for name, values in times.items()}
    if "cupy" in times:
        ratios = [theirs / own for theirs, own in zip(times["cupy"], times["ours"], strict=True)]
        line["ratio"] = round(statistics.median(ratios), 3)
        line["ratios"] = [round(min(ratios), 3), round(max(ratios), 3)]
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--backend")
    arguments = parser.parse_args()
    vd.initialize(backend=arguments.backend)
    pixels = np.random.default_rng(0).random((arguments.size, arguments.size), np.float32)
    for case, shift, linear in (("blur", 0.0, False), ("blur_nearest", 0.25, False), ("blur_linear", 0.25, True)):
        print(json.dumps(compare(case, pixels, shift, linear, arguments.turns)), flush=True)


if __name__ == "__main__":
    main()
