"""Smooths a photograph that is a tensor of torch's, and keeps its edges: a tensor goes in, a kernel filters it, a tensor comes out.

    python examples/torch/smooth.py               # a photograph that comes with scikit-image, else a drawn one
    python examples/torch/smooth.py my.jpg        # your own
    python examples/torch/smooth.py --turns 8     # the filter so often

Nothing is copied: the buffers are aliases of the tensors. With a GPU the launches are captured into a CUDA graph of torch's,
which is replayed with other contents; on torch for the CPU they run on the host backend, without a graph. Beside the same filter
by torch's own operations, in double precision. Without torch it says so and ends with status 77.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing}; install torch to run this example")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent.parent
REACH = 3  # pixels to each side
SPREAD = 2.0  # pixels
# Of the brightness; the exponential of a device is within a few of its last bits.
LIMIT = 1e-5


@vd.shader("out.size")
def smooth(out: Buff[f32], picture: Buff[f32], width: Const[i32], height: Const[i32], contrast: Const[f32]):
    """Each pixel becomes the mean of its neighbours, of which those count that are near and of like brightness."""
    i = vc.global_invocation_id().x.to_dtype(i32).to_register()
    column, row = (i % width).to_register(), (i // width).to_register()
    middle = picture[i].to_register()
    total, weights = 0.0, 0.0
    for down in range(-REACH, REACH + 1):
        for right in range(-REACH, REACH + 1):
            at = vc.clamp(row + down, 0, height - 1) * width + vc.clamp(column + right, 0, width - 1)
            pixel = picture[at].to_register()
            unlike = (pixel - middle) / contrast
            weight = vc.exp(-(down * down + right * right) / (2 * SPREAD**2) - unlike * unlike / 2).to_register()
            total, weights = total + weight * pixel, weights + weight
    out[i] = total / weights


def reference(picture: "torch.Tensor", contrast: float) -> "torch.Tensor":
    """The same by torch."""
    near = torch.nn.functional.pad(picture[None, None], (REACH,) * 4, mode="replicate")
    pixels = torch.nn.functional.unfold(near, 2 * REACH + 1).reshape(-1, *picture.shape)
    steps = torch.arange(-REACH, REACH + 1, dtype=picture.dtype, device=picture.device)
    distance = (steps[:, None] ** 2 + steps[None, :] ** 2).reshape(-1, 1, 1)
    weights = torch.exp(-distance / (2 * SPREAD**2) - ((pixels - picture) / contrast) ** 2 / 2)
    return (weights * pixels).sum(0) / weights.sum(0)


def photograph(name: str | None) -> np.ndarray:
    """A photograph's brightness as float32 in 0..1."""
    if name is not None:
        from PIL import Image

        return np.asarray(Image.open(name).convert("L"), dtype=np.float32) / 255
    try:
        from skimage import data
    except ImportError:
        rows, columns = np.mgrid[0:300, 0:400].astype(np.float32)
        return ((np.hypot(rows - 150, columns - 200) < 90) * 0.5 + columns / 1000).astype(np.float32)
    return data.camera().astype(np.float32) / 255


def apply(given: "torch.Tensor", turns: int, contrast: float, graph: bool) -> "torch.Tensor":
    """Filters a tensor so often, from one of two tensors into the other, and gives the last."""
    height, width = given.shape
    tensors = [given.clone(), torch.empty_like(given)]
    aliases = [vd.from_dlpack(tensor, copy=False) for tensor in tensors]

    def launch() -> None:
        for turn in range(turns):
            smooth(aliases[(turn + 1) % 2], aliases[turn % 2], width, height, contrast)

    if not graph:
        launch()
        vd.queue_wait_idle()  # before torch looks at it
        return tensors[turns % 2]
    stream, captured = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    launch()  # kernels are compiled and loaded before the capture
    torch.cuda.synchronize()
    vd.queue_wait_idle()
    with torch.cuda.graph(captured, stream=stream), vd.cuda_graph_capture(stream) as capture:
        launch()
    tensors[0].copy_(given)  # what the launches before left is gone; torch's work and the graph's are in order
    captured.replay()
    torch.cuda.synchronize()
    del capture  # kept as long as the graph
    return tensors[turns % 2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="?", help="your own photograph; any format that Pillow reads")
    parser.add_argument("--turns", type=int, default=3, help="filter so often")
    parser.add_argument("--contrast", type=float, default=0.1, help="of brightness, at which an edge begins")
    parser.add_argument("--output", type=Path, default=ROOT / "build/demo", help="folder for the picture")
    options = parser.parse_args()
    if options.turns < 1:
        parser.error(f"--turns ({options.turns}) is not at least 1")
    if not options.contrast > 0:
        parser.error(f"--contrast ({options.contrast}) is not above 0")
    gpu = torch.cuda.is_available()
    vd.initialize(backend="cuda" if gpu else "host")
    context = vd.get_context()
    how = "in a captured graph" if gpu else "without a graph"
    print(f"{context.backend}: {context.device_infos[0].device_name}; torch {torch.__version__}, {how}")
    picture = torch.from_numpy(photograph(options.input)).to("cuda" if gpu else "cpu").contiguous()
    smoothed = apply(picture, options.turns, options.contrast, gpu)
    want = picture.double()
    for _ in range(options.turns):
        want = reference(want, options.contrast)
    difference = float((smoothed.double() - want).abs().max())
    good = difference <= LIMIT
    print(f"largest difference from torch's own operations: {difference:.1e} ({'ok' if good else f'above {LIMIT}'})")
    try:
        from PIL import Image
    except ImportError:
        return 0 if good else 1
    options.output.mkdir(parents=True, exist_ok=True)
    file = options.output / "smooth.png"
    Image.fromarray((smoothed.clamp(0, 1) * 255).round().byte().cpu().numpy()).save(file)
    print(f"{file}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
