"""Conway's game of life by the API of Kompute: one recorded sequence, replayed with its two tensors swapped.

    python examples/kompute/life.py                    # 1,000 generations on a torus of 256x256 cells
    python examples/kompute/life.py --backend host     # or vulkan, cuda, opencl

A glider comes out one cell on in 4 generations, and every cell is what NumPy says. The pictures show the first and the last
generation.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, i32, u32

GLIDER = ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2))  # row and column of its cells
PERIOD = 4  # generations in which it moves by a cell down and right


@vd.shader("after.size")
def generation(after: Buff[u32], before: Buff[u32], size: Const[i32]):
    """A cell is born beside three others, and lives on beside two or three."""
    i = vc.global_invocation_id().x.to_dtype(i32).to_register()
    row, column = (i // size).to_register(), (i % size).to_register()
    around = vc.new_uint_register(0)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if (down, right) != (0, 0):
                around += before[(row + down + size) % size * size + (column + right + size) % size]
    after[i] = vc.select(vc.any(around == 3, vc.all(around == 2, before[i] == 1)), 1, 0)


def numpy_generation(cells: np.ndarray) -> np.ndarray:
    """The same by NumPy."""
    around = sum(
        np.roll(cells, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)
    )
    return ((around == 3) | ((around == 2) & (cells == 1))).astype(np.uint32)


class Life:
    """A torus of cells on a device."""

    def __init__(self, manager: kp.Manager, cells: np.ndarray):
        self.shape = cells.shape
        self.now, self.next = manager.tensor_t(cells.ravel()), manager.tensor_t(np.zeros(cells.size, np.uint32))
        self.size = np.array([cells.shape[1]], np.int32)
        self.algorithm = manager.algorithm([self.next, self.now], generation, push_consts=self.size)
        manager.sequence().eval(kp.OpSyncDevice([self.now, self.next]))
        self.step = manager.sequence().record(kp.OpAlgoDispatch(self.algorithm))
        self.manager = manager

    def run(self, generations: int) -> float:
        """Replay the one sequence so often; the seconds that it took."""
        begin = time.perf_counter()
        for _ in range(generations):
            self.step.eval()
            self.now, self.next = self.next, self.now
            # Nothing is recorded anew: the sequence finds the other tensors at its next eval.
            self.algorithm.rebuild([self.next, self.now], generation, push_consts=self.size)
        return time.perf_counter() - begin

    def cells(self) -> np.ndarray:
        self.manager.sequence().eval(kp.OpSyncLocal([self.now]))
        return self.now.data().reshape(self.shape).copy()


def glider(size: int, row: int = 0, column: int = 0) -> np.ndarray:
    cells = np.zeros((size, size), np.uint32)
    for down, right in GLIDER:
        cells[(row + down) % size, (column + right) % size] = 1
    return cells


def save(path: Path, cells: np.ndarray) -> None:
    from PIL import Image

    Image.fromarray(((1 - cells) * 255).astype(np.uint8)).resize((512, 512), Image.Resampling.NEAREST).save(path)
    print(f"wrote {path}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host")
    parser.add_argument("--size", type=int, default=256, help="rows and columns")
    parser.add_argument("--generations", type=int, default=1000)
    parser.add_argument("--output", type=Path, help="folder for pictures (needs Pillow)")
    asked = parser.parse_args()
    if asked.size < 8:
        parser.error(f"--size ({asked.size}) is not at least 8")
    if asked.generations < 0:
        parser.error(f"--generations ({asked.generations}) is not at least 0")

    manager = kp.Manager(backend=asked.backend)
    print(f"{manager.get_device_properties()['device_name']}")

    alone = Life(manager, glider(asked.size))
    alone.run(PERIOD)
    moved = (alone.cells() == glider(asked.size, 1, 1)).all()
    print(f"glider after {PERIOD} generations: {'one cell down and right' if moved else 'WRONG'}")

    first = np.random.default_rng(1).integers(0, 2, (asked.size, asked.size)).astype(np.uint32)
    life = Life(manager, first)
    seconds = life.run(asked.generations)
    want = first
    for _ in range(asked.generations):
        want = numpy_generation(want)
    last = life.cells()
    right = (last == want).all()
    print(f"{asked.generations} generations: {last.sum()} cells live, {'as NumPy says' if right else 'WRONG'}")
    print(f"{seconds / max(1, asked.generations) * 1e6:.1f} us a generation, swapping included")
    if asked.output:
        asked.output.mkdir(parents=True, exist_ok=True)
        save(asked.output / "life-first.png", first)
        save(asked.output / "life-last.png", last)
    return 0 if moved and right else 1


if __name__ == "__main__":
    sys.exit(main())
