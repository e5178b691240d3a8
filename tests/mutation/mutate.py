"""Breaks the library on purpose, one small change at a time, and expects the conformance suite to notice.

    .venv/bin/python tests/mutation/mutate.py [--only NAME] [--jobs N]

mutants.toml lists the changes: a file, the text to find (exactly once), what to put there, and which cases must fail. The work is
done on a copy of the sources below build/check; a suite that passes on a mutant, or that fails before any change, is a failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build/check/mutation"
COPIED = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "abi",
    "bindings",
    "cmake",
    "examples",
    "include",
    "src",
    "tests",
]


def copy_sources() -> None:
    """Bring the copy up to date, keeping the times of files that are the same."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        source, target = ROOT / name, TREE / name
        if not source.is_dir():
            shutil.copy2(source, target)
            continue
        wanted = {
            path.relative_to(source) for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts
        }
        for path in wanted:
            old, new = target / path, source / path
            if old.exists() and old.read_bytes() == new.read_bytes():
                continue
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new, old)
            os.utime(old)  # it may be older than what was built from a mutant
        for path in target.rglob("*"):
            if path.is_file() and path.relative_to(target) not in wanted:
                path.unlink()
    (TREE / "build").mkdir(exist_ok=True)
    deps = TREE / "build/deps"
    if not deps.exists():
        deps.symlink_to(ROOT / "build/deps")


def build(jobs: int) -> subprocess.CompletedProcess:
    out = TREE / "build/mutant"
    if not (out / "build.ninja").exists():
        configure = [
            "cmake",
            "-S",
            TREE,
            "-B",
            out,
            "-G",
            "Ninja",
            "-DCMAKE_BUILD_TYPE=Release",
            # Flags of the preset "release": ccache has all of it but for the mutants.
            "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
            "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG",
        ]
        subprocess.run(configure, check=True, capture_output=True)
    return subprocess.run(
        ["cmake", "--build", out, "-j", str(jobs), "--target", "vd_conformance"],
        check=False,
        capture_output=True,
        text=True,
    )


def run_suite(mutant: dict) -> subprocess.CompletedProcess:
    command = [TREE / "build/mutant/bin/vd_conformance", "--backend", mutant["backend"], "--filter", mutant["cases"]]
    command += mutant.get("options", [])
    environment = os.environ | {
        "VKDISPATCH_CACHE_DIR": str(TREE / "cache"),
        "MESA_SHADER_CACHE_DIR": str(TREE / "cache"),
    }
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=300)


def check(mutant: dict, jobs: int) -> str | None:
    """None if the suite noticed; else what went wrong."""
    file = TREE / mutant["file"]
    text = file.read_text()
    if text.count(mutant["find"]) != 1:
        return f"{mutant['file']} has its text {text.count(mutant['find'])} times, not once"
    file.write_text(text.replace(mutant["find"], mutant["put"]))
    try:
        done = build(jobs)
        if done.returncode != 0:
            return f"does not build:\n{(done.stdout + done.stderr)[-2000:]}"
        if run_suite(mutant).returncode == 0:
            return f"nothing in {mutant['cases']!r} on {mutant['backend']} noticed"
        return None
    finally:
        file.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="one mutant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    mutants = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text())["mutant"]
    mutants = [m for m in mutants if options.only in (None, m["name"])]
    copy_sources()
    done = build(options.jobs)
    if done.returncode != 0:
        print((done.stdout + done.stderr)[-4000:])
        return 1
    failed = 0
    for suite in {(m["backend"], m["cases"], tuple(m.get("options", []))): m for m in mutants}.values():
        result = run_suite(suite)
        if result.returncode != 0:
            print(
                f"{suite['cases']} on {suite['backend']} fails before any change:\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
            )
            failed += 1
    for mutant in mutants if failed == 0 else []:
        problem = check(mutant, options.jobs)
        print(f"{mutant['name']}: {problem or 'noticed'}", flush=True)
        failed += problem is not None
    print(f"{len(mutants) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
