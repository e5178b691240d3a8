"""Costs of a profile: a graph of dependent kernels with timestamps around each node, and without.

    .venv/bin/python bench/timestamps.py [--backend cuda] [--nodes 1000] [--turns 15]

Both run in turns. One line of JSON: microseconds a node from submission to done, and what the timestamps add to a node (`added_us`,
goal 2). The profile's own spans are checked: one for each node, in order, none overlapping the next.
"""

import argparse
import itertools
import json
import statistics
import time

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32

GOAL_US = 2.0


@vd.shader("x.size")
def step(x: Buff[f32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 0.5 + 1


def seconds(graph: vd.CommandGraph) -> float:
    begin = time.perf_counter()
    graph.submit(instance_count=1)
    vd.queue_wait_idle()
    return time.perf_counter() - begin


def check(spans: list, nodes: int) -> None:
    kernels = sorted((span for span in spans if span.on_device), key=lambda span: span.begin)
    assert len(kernels) == nodes, (len(kernels), nodes)
    assert all(first.end <= second.begin for first, second in itertools.pairwise(kernels))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=15)
    options = parser.parse_args()
    if options.backend:
        vd.initialize(backend=options.backend)
    x = vd.asbuffer(np.zeros(64, dtype=np.float32))
    graph = vd.CommandGraph()
    for _ in range(options.nodes):
        step(x, graph=graph)
    plain, timed = [], []
    for turn in range(options.turns + 1):
        for _ in range(3):  # the clock rises, and the graph's own first submission is over
            seconds(graph)
        without = seconds(graph)
        with vd.profile(capacity=8 * options.nodes, summary=False) as profile:
            seconds(graph)  # encoded anew with its timestamps
        with vd.profile(capacity=8 * options.nodes, summary=False) as profile:
            within = seconds(graph)
        check(profile.spans, options.nodes)
        if turn:
            plain.append(without * 1e6 / options.nodes)
            timed.append(within * 1e6 / options.nodes)
    added = statistics.median(b - a for a, b in zip(plain, timed, strict=True))
    row = {"case": f"timestamps, graph of {options.nodes}", "device": vd.get_context().device_infos[0].device_name}
    row |= {"plain_us": round(statistics.median(plain), 3), "timed_us": round(statistics.median(timed), 3)}
    print(json.dumps(row | {"added_us": round(added, 3), "goal_us": GOAL_US}))


if __name__ == "__main__":
    main()
