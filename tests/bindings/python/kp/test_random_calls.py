"""Calls drawn at random with arguments that nobody would give: each raises what the specification allows, and the Manager
works on."""

import logging
import os
import random

import numpy as np
from vkdispatch import kp

STEPS = 30_000 if os.environ.get("VD_TEST_FULL") else 1_500
SEED = int(os.environ.get("VD_TEST_SEED", "20260131"))
KEPT = 60
ALLOWED = (kp.Error, TypeError, IndexError)
VALUES = (
    None, 0, 1, -1, 2**31, 2**32, 2**64, 2**80, 1.5, float("nan"), float("inf"), "", "abc", "\ud800", "a\0b", b"", b"abc",
    b"\x03\x02#\x07", b"\x03\x02#\x07" + bytes(400), [], [1], [1, 2, 3], (1, 1, 1), (0, 0, 0), (2**32 - 1, 1, 1), [None],
    [[1, 2], [3]], {}, {1: 2}, np.array([]), np.arange(3), np.float32(3), np.zeros((2, 3), np.float32), np.array(["a"]),
    np.array([None, 1]), np.zeros(3, "f4,i4"), memoryview(b"abcd"), object(), str, kp.MemoryTypes.host,
    kp.MemoryTypes.storage, kp.DataTypes.int, range(3), True, bytearray(b"abcd"), 1j, [float("nan")] * 3, np.arange(6)[::2],
    np.zeros(3, ">f4"), [1] * 1000,
)  # fmt: skip
# Names that end the program's objects are drawn seldom; enums are Python's own.
SELDOM, NEVER = {"destroy"}, {"install", "log_level", "Manager", "pyshader", "DataTypes", "MemoryTypes", "TensorTypes"}


class Caller:
    def __init__(self, manager, others):
        self.draw = random.Random(SEED)
        self.manager, self.others = manager, others
        self.objects = []

    def value(self):
        if self.objects and self.draw.random() < 0.55:
            one = self.draw.choice(self.objects)
            return self.draw.choice([one, [one], (one,), [one, self.draw.choice(self.objects)]])
        return self.draw.choice(VALUES)

    def keep(self, made):
        for one in made if isinstance(made, list) else [made]:
            if isinstance(one, (kp.Memory, kp.Algorithm, kp.Sequence, kp.OpBase)):
                self.objects.append(one)
        while len(self.objects) > KEPT:
            self.objects.pop(self.draw.randrange(len(self.objects)))

    def step(self):
        if self.draw.random() < 0.1:
            self.keep(self.draw.choice([lambda: self.manager.tensor([1, 2, 3]), self.manager.sequence])())
        owner = self.draw.choice([self.manager, self.manager, self.others, kp, *self.objects[-20:]])
        names = [name for name in sorted(dir(owner)) if not name.startswith("_") and name not in NEVER]
        name = self.draw.choice(names) if names else ""
        if not name or (name in SELDOM and (owner in (self.manager, self.others) or self.draw.random() < 0.9)):
            return False
        arguments = [self.value() for _ in range(self.draw.randrange(5))]
        try:
            call = getattr(owner, name)
            if not callable(call) or getattr(call, "__module__", "").startswith("logging"):
                return False
            self.keep(call(*arguments))
        except ALLOWED:
            return False
        except Exception as error:
            raise AssertionError(f"{owner!r}.{name}{tuple(arguments)!r} raises {error!r}") from error
        return True


def test_random_calls(anywhere, monkeypatch):
    monkeypatch.setattr(logging.getLogger("kp"), "disabled", True)
    other = kp.Manager(backend=anywhere.backend)
    caller = Caller(anywhere, other)
    went_well = sum(caller.step() for _ in range(STEPS))
    assert went_well > STEPS / 30
    t = anywhere.tensor([1, 2])
    anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([t])).eval()
    assert t.data().tolist() == [5, 5]
    other.destroy()
