"""The two kernels of the example: a 9x9 blur that shares its pixels through a tile, and the strength of edges."""

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32

RADIUS = 4  # of the blur: 9x9 pixels
TILE = 16  # pixels of a workgroup on each axis
SPAN = TILE + 2 * RADIUS  # pixels that a workgroup reads on each axis


def blur_weights() -> np.ndarray:
    """Nine weights of a Gaussian; the blur's 81 are their outer product."""
    x = np.arange(-RADIUS, RADIUS + 1)
    weights = np.exp(-(x**2) / (2 * 1.8**2))
    return weights / weights.sum()


def make_blur(weights: np.ndarray):
    """Make the blur. Its 81 weights become constants of the code."""
    table = np.outer(weights, weights)

    @vd.shader(local_size=(TILE, TILE, 1))
    def blur(out: Buff[f32], image: Buff[f32], width: Const[i32], height: Const[i32]):
        tile = vc.shared_buffer(f32, SPAN * SPAN, var_name="tile")
        group, local = vc.workgroup_id(), vc.local_invocation_id()
        left = (group.x.to_dtype(i32) * TILE - RADIUS).to_register("left")
        top = (group.y.to_dtype(i32) * TILE - RADIUS).to_register("top")

        # The workgroup copies its pixels and a rim of RADIUS around them; beyond the picture the border repeats.
        place = vc.local_invocation_index().to_dtype(i32).to_register("place")
        with vc.while_block(place < SPAN * SPAN):
            x = vc.clamp(left + place % SPAN, 0, width - 1)
            y = vc.clamp(top + place // SPAN, 0, height - 1)
            tile[place] = image[y * width + x]
            place += TILE * TILE
        vc.barrier()

        corner = (local.y * SPAN + local.x).to_register("corner")
        total = vc.new_float_register(0, var_name="total")
        for dy in range(2 * RADIUS + 1):
            for dx in range(2 * RADIUS + 1):
                total += tile[corner + (dy * SPAN + dx)] * float(table[dy, dx])

        x = vc.global_invocation_id().x.to_dtype(i32)
        y = vc.global_invocation_id().y.to_dtype(i32)
        with vc.if_block(vc.all(x < width, y < height)):
            out[y * width + x] = total

    return blur


@vd.shader(exec_size=lambda args: (args.width, args.height), local_size=(64, 4, 1))
def edges(out: Buff[f32], red: Buff[f32], green: Buff[f32], blue: Buff[f32], width: Const[i32], height: Const[i32]):
    """The length of the Sobel gradient of the brightness."""
    x = vc.global_invocation_id().x.to_dtype(i32).to_register("x")
    y = vc.global_invocation_id().y.to_dtype(i32).to_register("y")

    def brightness(dx: int, dy: int):
        at = vc.clamp(y + dy, 0, height - 1) * width + vc.clamp(x + dx, 0, width - 1)
        at = at.to_register()
        return (red[at] * 0.299 + green[at] * 0.587 + blue[at] * 0.114).to_register()

    p = {(dx, dy): brightness(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)}
    gx = (p[1, -1] + p[1, 0] * 2.0 + p[1, 1]) - (p[-1, -1] + p[-1, 0] * 2.0 + p[-1, 1])
    gy = (p[-1, 1] + p[0, 1] * 2.0 + p[1, 1]) - (p[-1, -1] + p[0, -1] * 2.0 + p[1, -1])
    out[y * width + x] = vc.sqrt(gx * gx + gy * gy)
