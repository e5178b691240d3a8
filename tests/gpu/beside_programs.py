#!/usr/bin/env python3
"""Programs for vkdispatch 0.1 (tests/bindings/python/programs.py) run by this package and by the one of pip, results side by side.

    python tests/gpu/beside_programs.py --old DIR [--backend vulkan]

DIR is made by pip install --target DIR "vkdispatch[cuda,opencl]==0.1.0". Each package runs in processes of its own, one after the other;
after a program that fails a new one begins. Fails where a program that is right with the other is not with ours.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "bindings/python/programs.py"
RIGHT = 1e-3


def programs():
    spec = importlib.util.spec_from_file_location("programs", PROGRAMS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(backend, names):
    """Runs the programs named, and says for each what came out."""
    os.environ["VKDISPATCH_BACKEND"] = backend
    import vkdispatch as vd

    vd.initialize(backend=backend)
    vd.make_context()
    module = programs()
    for name in names or module.PROGRAMS:
        print(f"= {name}", flush=True)
        try:
            found = list(module.distances(name))
        except Exception as error:
            found = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]
        print("=" + json.dumps({"name": name, "found": found}), flush=True)
        if isinstance(found, str):  # what it leaves behind is no matter of the next one's
            return


def run(backend, folder, names):
    """The results of each program."""
    results, left = {}, list(names)
    path = ":".join(p for p in (folder, os.environ.get("PYTHONPATH")) if p)
    while left:
        command = [sys.executable, __file__, "--backend", backend, "--serve", *left]
        try:
            done = subprocess.run(
                command,
                check=False,
                env={**os.environ, "PYTHONPATH": path},
                capture_output=True,
                text=True,
                timeout=150,
            )
            text, why = done.stdout, f"ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
        except subprocess.TimeoutExpired as error:
            text, why = (error.stdout or b"").decode(), "took too long"
        for line in text.splitlines():
            if line.startswith("={"):
                answer = json.loads(line[1:])
                results[answer["name"]] = answer["found"]
        rest = [name for name in left if name not in results]
        if len(rest) == len(left):
            results[rest.pop(0)] = why[:160]
        left = rest
    return results


def right(found):
    return isinstance(found, list) and all(isinstance(d, float) and d < RIGHT for d in found)


def shown(found):
    return ", ".join(f"{d:.0e}" if isinstance(d, float) else d for d in found) if isinstance(found, list) else found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="vulkan")
    parser.add_argument("--old")
    parser.add_argument("--serve", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        serve(arguments.backend, arguments.serve)
        return 0
    source = PROGRAMS.read_text()
    names = [
        line[4:].split("(")[0] for mark, line in zip(source.splitlines(), source.splitlines()[1:]) if mark == "@program"
    ]
    ours = run(arguments.backend, "", names)
    other = run(arguments.backend, arguments.old, names) if arguments.old else {}
    worse = 0
    for name in names:
        mark = "" if right(ours[name]) else "  WRONG" if right(other.get(name)) else "  neither is right"
        worse += mark == "  WRONG" or (bool(mark) and not other)
        print(f"{name}{mark}\n    ours:  {shown(ours[name])}" + (f"\n    other: {shown(other[name])}" if other else ""))
    print(f"{len(names)} programs, {worse} worse than with the other")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
