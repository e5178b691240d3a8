"""Products of matrices by the API of Kompute, in three ways, each faster than the one before.

    python examples/kompute/matmul.py                      # 512x512
    python examples/kompute/matmul.py --size 4096          # on a GPU
    python examples/kompute/matmul.py --backend host       # or vulkan, cuda, opencl

1. naive: an invocation computes a number from a row and a column in memory;
2. tiled: a workgroup shares tiles of both matrices;
3. register-blocked: so, and an invocation computes 4x4 numbers from registers.

Each run uploads both matrices again, computes, and brings the product back; the table has the kernel's time and rate, and the
transfers' time beside it. Then NumPy on the CPU, and CuPy on CUDA where it is installed, without transfers. The matrices are upper triangles of ones, so that number
(i, j) of the product is j - i + 1, which single precision holds exactly.
"""

import argparse
import sys
import time

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32

TILE = 16  # rows and columns of a workgroup's tile, and its invocations along each axis
BLOCK = 4  # rows and columns of numbers that an invocation keeps in registers
SPAN = TILE * BLOCK  # rows and columns of a workgroup's numbers then


@vd.shader(local_size=(TILE, TILE, 1))
def naive(out: Buff[f32], left: Buff[f32], right: Buff[f32], size: Const[u32]):
    place = vc.global_invocation_id()
    total = vc.new_float_register(0)
    with vc.for_block(0, size, 1) as k:
        total += left[place.y * size + k] * right[k * size + place.x]
    out[place.y * size + place.x] = total


@vd.shader(local_size=(TILE, TILE, 1))
def tiled(out: Buff[f32], left: Buff[f32], right: Buff[f32], size: Const[u32]):
    rows = vc.shared_buffer(f32, TILE * TILE, var_name="rows")
    columns = vc.shared_buffer(f32, TILE * TILE, var_name="columns")
    place, local = vc.global_invocation_id(), vc.local_invocation_id()
    mine = (local.y * TILE + local.x).to_register()
    total = vc.new_float_register(0)
    with vc.for_block(0, size, TILE) as first:
        rows[mine] = left[place.y * size + first + local.x]
        columns[mine] = right[(first + local.y) * size + place.x]
        vc.barrier()
        for k in range(TILE):
            total += rows[local.y * TILE + k] * columns[k * TILE + local.x]
        vc.barrier()
    out[place.y * size + place.x] = total


@vd.shader(local_size=(TILE, TILE, 1))
def blocked(out: Buff[f32], left: Buff[f32], right: Buff[f32], size: Const[u32]):
    rows = vc.shared_buffer(f32, SPAN * TILE, var_name="rows")
    columns = vc.shared_buffer(f32, TILE * SPAN, var_name="columns")
    group, local = vc.workgroup_id(), vc.local_invocation_id()
    top, side = (group.y * SPAN).to_register(), (group.x * SPAN).to_register()
    totals = [[vc.new_float_register(0) for _ in range(BLOCK)] for _ in range(BLOCK)]
    with vc.for_block(0, size, TILE) as first:
        for part in range(BLOCK):
            row, column = local.y + part * TILE, local.x + part * TILE
            rows[row * TILE + local.x] = left[(top + row) * size + first + local.x]
            columns[local.y * SPAN + column] = right[(first + local.y) * size + side + column]
        vc.barrier()
        for k in range(TILE):
            down = [rows[(local.y + i * TILE) * TILE + k].to_register() for i in range(BLOCK)]
            across = [columns[k * SPAN + local.x + j * TILE].to_register() for j in range(BLOCK)]
            for i in range(BLOCK):
                for j in range(BLOCK):
                    totals[i][j] += down[i] * across[j]
        vc.barrier()
    for i in range(BLOCK):
        for j in range(BLOCK):
            out[(top + local.y + i * TILE) * size + side + local.x + j * TILE] = totals[i][j]


def seconds_each(least: float, *steps) -> list[float]:
    """Seconds of each step of a run, from as many runs as take `least` seconds together; the first is not counted."""
    for step in steps:
        step()
    count, seconds, begin = 0, [0.0] * len(steps), time.perf_counter()
    while time.perf_counter() - begin < least or not count:
        for i, step in enumerate(steps):
            before = time.perf_counter()
            step()
            seconds[i] += time.perf_counter() - before
        count += 1
    return [total / count for total in seconds]


def show(name: str, size: int, seconds: float, right: bool, transfers: float | None = None) -> bool:
    rate = size * size * (2 * size - 1) / seconds / 1e9
    line = f"{name:<20} {seconds * 1e3:>10.3f} ms {rate:>10.1f} GFLOP/s"
    if transfers is not None:
        line += f" {transfers * 1e3:>10.3f} ms of transfers"
    print(line if right else f"{line}  WRONG")
    return right


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host")
    parser.add_argument("--size", type=int, default=512, help=f"rows and columns, a multiple of {SPAN}")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each way")
    asked = parser.parse_args()
    size = asked.size
    if size < SPAN or size % SPAN:
        parser.error(f"--size ({size}) is not a multiple of {SPAN}")

    manager = kp.Manager(backend=asked.backend)
    print(f"{size}x{size} on {manager.get_device_properties()['device_name']}")
    triangle = np.triu(np.ones((size, size), np.float32))
    want = np.triu(np.arange(size)[None, :] - np.arange(size)[:, None] + 1).astype(np.float32)
    left, right, out = (manager.tensor(values) for values in (triangle, triangle, np.zeros((size, size))))
    up = manager.sequence().record(kp.OpSyncDevice([left, right]))
    down = manager.sequence().record(kp.OpSyncLocal([out]))

    correct = True
    for kernel, span in ((naive, TILE), (tiled, TILE), (blocked, SPAN)):
        groups = (size // span, size // span, 1)
        algorithm = manager.algorithm([out, left, right], kernel, groups, push_consts=np.array([size], np.uint32))
        product = manager.sequence().record(kp.OpAlgoDispatch(algorithm))
        # Numbers that the way before left would hide a step that is missing.
        manager.sequence().record(kp.OpFill(out, -1)).record(kp.OpFill(left, -1)).record(kp.OpFill(right, -1)).eval()
        to, computing, back = seconds_each(asked.seconds, up.eval, product.eval, down.eval)
        is_right = (out.data().reshape(size, size) == want).all()
        correct &= show(kernel.__name__, size, computing, is_right, to + back)

    (by_numpy,) = seconds_each(asked.seconds, lambda: triangle @ triangle)
    correct &= show("NumPy", size, by_numpy, (triangle @ triangle == want).all())
    if manager.backend == "cuda":
        try:
            import cupy
        except ImportError:
            print("CuPy is not installed")
        else:
            there = cupy.asarray(triangle)

            def by_cupy():
                there @ there
                cupy.cuda.get_current_stream().synchronize()

            is_right = (cupy.asnumpy(there @ there) == want).all()
            correct &= show("CuPy", size, seconds_each(asked.seconds, by_cupy)[0], is_right)
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
