"""Runs the example's kernels on one backend: the driver starts one such process for each, since a process has one backend."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import vkdispatch as vd
from kernels import TILE, blur_weights, edges, make_blur


def run(backend: str, picture: np.ndarray, seconds: float) -> tuple[dict, np.ndarray, np.ndarray]:
    """Blur the three channels and find edges; returns what to report, and the results."""
    vd.initialize(backend=backend)
    context = vd.make_context(use_cpu=True)
    height, width = picture.shape[:2]

    start = time.perf_counter()
    blur = make_blur(blur_weights())
    blur.build()
    edges.build()
    build_seconds = time.perf_counter() - start

    channels = [vd.asbuffer(np.ascontiguousarray(picture[:, :, c])) for c in range(3)]
    blurred = [vd.Buffer((height, width), vd.float32) for _ in range(3)]
    strength = vd.Buffer((height, width), vd.float32)

    # Recorded once, submitted for every frame.
    groups = (-(-width // TILE), -(-height // TILE), 1)
    graph = vd.CommandGraph()
    for source, target in zip(channels, blurred):
        blur(target, source, width, height, workgroups=groups, graph=graph)
    edges(strength, *channels, width, height, graph=graph)

    # The first frame still pays for the driver's own compiler. It counts only where that is little beside it.
    start = time.perf_counter()
    graph.submit()
    vd.queue_wait_idle()
    frames, elapsed, shown = 1, time.perf_counter() - start, 0.0
    if elapsed < seconds:
        frames, elapsed, start = 0, 0.0, time.perf_counter()
    while elapsed < seconds:
        graph.submit()
        vd.queue_wait_idle()
        frames += 1
        elapsed = time.perf_counter() - start
        if elapsed - shown > 0.2:
            shown = elapsed
            print(json.dumps({"progress": min(1.0, elapsed / seconds)}), flush=True)
    report = {
        "device": context.device_infos[0].device_name,
        "build": build_seconds,
        "frame": elapsed / frames,
        "frames": frames,
    }
    return report, np.stack([b.read(0) for b in blurred], axis=2), strength.read(0)


def main() -> None:
    backend, picture_file, result_file, seconds = sys.argv[1:5]
    try:
        report, blurred, strength = run(backend, np.load(picture_file), float(seconds))
    except vd.BackendUnavailableError as error:
        print(json.dumps({"unavailable": str(error)}))
        return
    np.savez(Path(result_file), blurred=blurred, strength=strength)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
