"""The seven convolutions of the upscaler vgg7 by the API of Kompute: one sequence of seven dispatches.

    python examples/kompute/vgg7.py                    # a picture of 48x32 pixels, drawn weights
    python examples/kompute/vgg7.py --backend host     # or vulkan, cuda, opencl

Six numbers of a layer reach the shader as in Kompute's program: as float specialisation constants, of GLSL on Vulkan. Elsewhere
a kernel in Python takes them as its values.

Each layer makes 32, 32, 64, 64, 128, 128 and 3 channels by 3x3 weights, without padding, so that its picture is two pixels
smaller each way; numbers below zero are multiplied by 0.1, but not in the last layer. Beside NumPy, within 1e-4.
"""

import argparse
import itertools
import sys
import time
from dataclasses import dataclass

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32

CHANNELS = (3, 32, 32, 64, 64, 128, 128, 3)
SLOPE = 0.1
TOGETHER = 4  # channels that an invocation makes, from the same pixels
LIMIT = 1e-4


GLSL = f"""
layout (local_size_x = 8, local_size_y = 2) in;
layout (binding = 0) writeonly buffer Out {{ float made[]; }};
layout (binding = 1) readonly buffer Picture {{ float picture[]; }};
layout (binding = 2) readonly buffer Weights {{ float weights[]; }};
layout (binding = 3) readonly buffer Bias {{ float bias[]; }};
layout (constant_id = 0) const float width = 0;
layout (constant_id = 1) const float height = 0;
layout (constant_id = 2) const float row = 0;
layout (constant_id = 3) const float channels = 0;
layout (constant_id = 4) const float makes = 0;
layout (constant_id = 5) const float slope = 0;

void main() {{
    uint w = uint(width), h = uint(height), pitch = uint(row), takes = uint(channels), last = uint(makes) - 1;
    uvec2 place = gl_GlobalInvocationID.xy;
    if (place.x >= w || place.y >= h) return;
    uint first = gl_GlobalInvocationID.z * {TOGETHER};
    float totals[{TOGETHER}];
    for (uint k = 0; k < {TOGETHER}; ++k) totals[k] = 0;
    for (uint channel = 0; channel < takes; ++channel)
        for (uint down = 0; down < 3; ++down)
            for (uint right = 0; right < 3; ++right) {{
                float pixel = picture[(channel * (h + 2) + place.y + down) * pitch + place.x + right];
                for (uint k = 0; k < {TOGETHER}; ++k)
                    totals[k] += pixel * weights[(min(first + k, last) * takes + channel) * 9 + down * 3 + right];
            }}
    for (uint k = 0; k < {TOGETHER}; ++k)
        if (first + k <= last) {{
            float value = totals[k] + bias[first + k];
            made[((first + k) * h + place.y) * w + place.x] = value < 0 ? value * slope : value;
        }}
}}
"""


@vd.shader(local_size=(8, 2, 1))
def layer(
    out: Buff[f32],
    picture: Buff[f32],
    weights: Buff[f32],
    bias: Buff[f32],
    width: Const[u32],
    height: Const[u32],
    row: Const[u32],
    channels: Const[u32],
    makes: Const[u32],
    slope: Const[f32],
):
    """Pixels lie in planes, a channel a plane; width and height are the result's, and a row that of the picture it takes."""
    place = vc.global_invocation_id()
    with vc.if_block(vc.all(place.x < width, place.y < height)):
        first = (place.z * TOGETHER).to_register()
        totals = [vc.new_float_register(0) for _ in range(TOGETHER)]
        with vc.for_block(0, channels, 1) as channel:
            corner = ((channel * (height + 2) + place.y) * row + place.x).to_register()
            pixels = [picture[corner + down * row + right].to_register() for down in range(3) for right in range(3)]
            for k, total in enumerate(totals):
                # Channels that the layer does not make repeat its last one, and are not stored.
                made = vc.min(first + k, makes - 1)
                at = ((made * channels + channel) * 9).to_register()
                for i, pixel in enumerate(pixels):
                    total += pixel * weights[at + i]
        for k, total in enumerate(totals):
            with vc.if_block(first + k < makes):
                value = (total + bias[first + k]).to_register()
                out[((first + k) * height + place.y) * width + place.x] = vc.select(value < 0, value * slope, value)


@dataclass
class Weights:
    """A layer's: (channels that it makes, channels that it takes, 3, 3), and a number for each that it makes."""

    weights: np.ndarray
    bias: np.ndarray
    slope: float

    def apply(self, picture: np.ndarray) -> np.ndarray:
        """By NumPy, in double precision."""
        seen = np.lib.stride_tricks.sliding_window_view(picture, (3, 3), axis=(1, 2))
        value = np.einsum("cyxij,mcij->myx", seen, self.weights, optimize=True) + self.bias[:, None, None]
        return np.where(value < 0, value * self.slope, value)


def drawn_weights(random: np.random.Generator) -> list[Weights]:
    """Random weights that keep the numbers' size from layer to layer."""
    layers = []
    for takes, makes in itertools.pairwise(CHANNELS):
        weights = random.normal(0, np.sqrt(1.5 / (9 * takes)), (makes, takes, 3, 3))
        last = len(layers) == len(CHANNELS) - 2
        layers.append(Weights(weights, random.normal(0, 0.1, makes), 1.0 if last else SLOPE))
    return layers


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host")
    parser.add_argument("--width", type=int, default=48, help="pixels")
    parser.add_argument("--height", type=int, default=32, help="pixels")
    asked = parser.parse_args()
    least = 2 * (len(CHANNELS) - 1) + 1
    for name in ("width", "height"):
        if getattr(asked, name) < least:
            parser.error(f"--{name} ({getattr(asked, name)}) is not at least {least}")

    manager = kp.Manager(backend=asked.backend)
    print(f"{asked.width}x{asked.height} on {manager.get_device_properties()['device_name']}")
    random = np.random.default_rng(7)
    picture, layers = random.random((3, asked.height, asked.width)), drawn_weights(random)

    network = manager.sequence()
    now = manager.tensor(picture)
    network.record(kp.OpSyncDevice([now]))
    width, height = asked.width, asked.height
    operations = 0
    for one in layers:
        makes, takes = one.weights.shape[:2]
        width, height = width - 2, height - 2
        operations += 2 * 9 * takes * makes * width * height
        fixed = [manager.tensor(one.weights), manager.tensor(one.bias)]
        manager.sequence().eval(kp.OpSyncDevice(fixed))
        out = manager.tensor_empty(makes * height * width)
        groups = ((width + 7) // 8, (height + 1) // 2, (makes + TOGETHER - 1) // TOGETHER)
        numbers = [width, height, width + 2, takes, makes, one.slope]
        if manager.backend == "vulkan":
            algorithm = manager.algorithm([out, now, *fixed], GLSL, groups, spec_consts=numbers)
        else:
            algorithm = manager.algorithm([out, now, *fixed], layer, groups, push_consts=numbers)
        network.record(kp.OpAlgoDispatch(algorithm))
        now = out
    network.record(kp.OpSyncLocal([now])).eval()
    begin = time.perf_counter()
    network.eval()
    seconds = time.perf_counter() - begin

    want = picture
    for one in layers:
        want = one.apply(want)
    difference = np.abs(now.data().reshape(want.shape) - want).max()
    print(f"{len(layers)} layers: {seconds * 1e3:.2f} ms, {operations / seconds / 1e9:.1f} GFLOP/s")
    print(
        f"largest difference from NumPy: {difference:.1e} ({'within' if difference <= LIMIT else 'MORE THAN'} {LIMIT:g})"
    )
    return 0 if difference <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
