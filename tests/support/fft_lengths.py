"""Lengths of transforms to try: some of each class of lengths, and some at random."""

import os
import random

CLASSES = {
    "powers of two": [2, 4, 8, 16, 32, 128, 1024, 4096],
    "small factors": [6, 12, 30, 60, 100, 360, 1000, 3600],
    "odd": [3, 9, 15, 45, 105, 243, 625, 2187],
    "large factors": [7, 11, 13, 77, 121, 169, 1001, 2002],
    "primes": [17, 31, 61, 127, 257, 509, 1009, 2053],
    "with a large prime": [34, 51, 94, 202, 262, 514, 1018, 1542],
    "next to a power of two": [33, 63, 65, 255, 513, 1023, 1025, 2047],
    "long": [5005, 6561, 8190, 8192, 10000, 10007, 16384, 30030],
}


FULL = bool(os.environ.get("VD_TEST_FULL"))


def lengths(most=None, tell=print):
    """The lengths of this run: 64 and 16 in the long form, else 16 and 4, by VD_TEST_SEED; and one that no other run
    may have tried.

    No length of a class is above `most` unless all are: then it is the shortest. Other lengths above it are drawn
    again. `tell` gets a line about them, for pytest that of its fixture `tell`; VD_TEST_LENGTH repeats the last one.
    """
    most = most or 1 << 30
    seed = int(os.environ.get("VD_TEST_SEED", "20240611"))
    drawn = random.Random(seed)
    chosen = []
    for members in CLASSES.values():
        short = [n for n in members if n <= most] or [min(members)]
        chosen += short if FULL else drawn.sample(short, min(2, len(short)))
    highest = min(4200, most)
    chosen += [drawn.randint(1, highest) for _ in range((80 if FULL else 20) - len(chosen))]
    chosen.append(int(os.environ.get("VD_TEST_LENGTH") or random.SystemRandom().randint(1, highest)))
    by_seed = f"{len(chosen) - 1} lengths by VD_TEST_SEED={seed}"
    tell(f"{by_seed}, and of this run VD_TEST_LENGTH={chosen[-1]}")
    return chosen


def large_primes(tell=print):
    """Primes between 10007 and 65537 by VD_TEST_SEED: 8 in the long form, else 2."""
    seed = int(os.environ.get("VD_TEST_SEED", "20240611"))
    primes = [n for n in range(10007, 65537, 2) if all(n % factor for factor in range(3, 256, 2))]
    chosen = random.Random(seed).sample(primes, 8 if FULL else 2)
    tell(f"primes {', '.join(map(str, chosen))} by VD_TEST_SEED={seed}")
    return chosen
