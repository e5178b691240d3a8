"""Tensors, algorithms and sequences of kp, in NumPy: written from the specification, for random programs."""

from collections import Counter

import numpy as np

#: Counts of what programs should meet.
MET = Counter()


class Tensor:
    """A tensor or an image: the device's elements and the host's, which are the same array where memory is shared."""

    def __init__(self, values, kind, shared, extent=None):
        self.kind, self.extent = kind, extent
        self.dtype, self.size = values.dtype, values.size
        self.synced = kind != "storage" and not shared
        self.host = values.copy()
        if kind == "storage":
            self.device, self.host = self.host, None
        else:
            self.device = self.host if shared else np.zeros_like(values)


class Algorithm:
    """A function of tensors and push constants, and the values that a dispatch without any takes."""

    def __init__(self, function, tensors, push):
        self.number = 0
        self.build(function, tensors, push)

    def build(self, function, tensors, push):
        self.function, self.tensors = function, list(tensors)
        self.set_push(push)

    def set_push(self, push):
        """Values for dispatches without any, those that were recorded before among them."""
        self.push = self.latest = push
        self.number += 1


def sync_device(tensors):
    def run():
        for tensor in tensors:
            if tensor.synced:
                tensor.device[:] = tensor.host

    return run


def sync_local(tensors):
    def run():
        for tensor in tensors:
            if tensor.synced:
                tensor.host[:] = tensor.device

    run.brought = tensors
    return run


def copy(tensors):
    source, targets = tensors[0], [tensor for tensor in tensors[1:] if tensor is not tensors[0]]

    def run():
        for target in targets:
            target.device[:] = source.device

    run.mirrors = [(source, target) for target in targets if target.synced and source.host is not None]
    return run


def copy_mirrors(operations):
    """The host's part of copies, after all else: not into what a later operation has brought."""
    for number, one in enumerate(operations):
        for source, target in getattr(one, "mirrors", ()):
            later = [tensor for other in operations[number + 1 :] for tensor in getattr(other, "brought", ())]
            if any(tensor is target for tensor in later):
                MET["copies whose mirror a sync brings"] += 1
            else:
                MET["copies"] += 1
                MET["copies of a stale mirror"] += not np.array_equal(source.host, source.device)
                MET["copies that change a mirror"] += not np.array_equal(source.host, target.host)
                MET["copies between kinds"] += source.kind != target.kind or source.extent != target.extent
                target.host[:] = source.host


def fill(tensor, value):
    def run():
        tensor.device[:] = value

    return run


def dispatch(algorithm, push=None, live=None):
    """The operation as a recording takes it: its values are those of now, unless the array is live or the algorithm gets
    other ones."""
    if push is not None:
        algorithm.push = push
    taken, number = algorithm.push, algorithm.number if push is None else None

    def run():
        MET["dispatches whose algorithm got other values"] += number not in (None, algorithm.number) and live is None
        values = list(live) if live is not None else taken if number in (None, algorithm.number) else algorithm.latest
        with np.errstate(all="ignore"):
            algorithm.function(*(tensor.device for tensor in algorithm.tensors), *values)

    return run


class Sequence:
    """Operations, those among them that run, and the state of what was submitted."""

    def __init__(self):
        self.operations, self.first = [], 0
        self.recording = self.running = self.timed_out = self.unawaited = False

    def refuses(self):
        """Whether new work is an error now."""
        return self.running and not self.timed_out and not self.unawaited

    def settle(self):
        """Settle what comes before new work: an eval_async() without an operation is awaited."""
        if self.unawaited and not self.timed_out:
            self.awaited()

    def record(self, operation):
        self.settle()
        if not self.recording:
            self.first, self.recording = len(self.operations), True
        self.operations.append(operation)

    def submit(self, operation=None):
        self.settle()
        if operation is not None:
            self.operations, self.first = [operation], 0
        self.recording = self.timed_out = False
        for one in self.operations[self.first :]:
            one()
        copy_mirrors(self.operations[self.first :])
        self.running, self.unawaited = True, operation is None

    def awaited(self, in_time=True):
        self.running, self.timed_out = not in_time, not in_time
        self.unawaited = self.unawaited and not in_time

    def clear(self):
        if self.unawaited:
            self.settle()
        self.operations, self.first, self.recording = [], 0, False

    def rerecord(self):
        self.settle()
        self.first, self.recording = 0, bool(self.operations)
