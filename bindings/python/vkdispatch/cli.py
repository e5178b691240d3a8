"""`vdlist` and `python -m vkdispatch`: the devices that kernels can run on."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from . import selftest
from ._version import __version__
from .backends import backend_selection as selection
from .base import init
from .base.init._device_info import list_devices

_BACKENDS = ("vulkan", "cuda", "opencl", "host", "dummy")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="vdlist", description="List the devices that kernels can run on.")
    parser.add_argument("--verbose", action="store_true", help="every property")
    parser.add_argument("--log_info", action="store_true", help="show log messages of level INFO")
    parser.add_argument(
        "--vulkan_loader_debug_logs",
        "--loader_debug",
        action="store_true",
        help="let the Vulkan loader say what it does",
    )
    parser.add_argument("--debug", action="store_true", help="--log_info and --loader_debug")
    choice = parser.add_mutually_exclusive_group()
    for name in _BACKENDS:
        choice.add_argument(f"--{name}", action="store_const", const=name, dest="backend", help=f"use backend {name}")
    choice.add_argument("--all", action="store_true", help="every backend, and why one is not available")
    parser.add_argument("--json", action="store_true", help="the devices as JSON")
    parser.add_argument(
        "--selftest", action="store_true", help="check the chosen device: copies, a kernel, a transform, a reduction"
    )
    parser.add_argument("--version", action="version", version=f"vkdispatch {__version__}")
    return parser


def _as_data(info: init.DeviceInfo) -> dict[str, Any]:
    data = dict(vars(info))
    data["uuid"] = data["uuid"].hex() if data["uuid"] is not None else None
    return data


def _all_devices() -> tuple[list[init.DeviceInfo], dict[str, str]]:
    """The devices of every backend, and why the others have none."""
    infos: list[init.DeviceInfo] = []
    reasons: dict[str, str] = {}
    for name in _BACKENDS[:-1]:
        report = selection.backend_info(name)
        if report.available:
            infos += list_devices(name)
        else:
            reasons[name] = selection.reason_of(report) or "no device"
    return infos, reasons


def _lacking(infos: list[init.DeviceInfo]) -> dict[str, str]:
    """The parts that the backends of these devices lack to run kernels."""
    found = {name: selection.reason_of(selection.backend_info(name)) for name in {info.backend for info in infos}}
    return {name: reason for name, reason in sorted(found.items()) if reason}


def _warn_of_environment() -> None:
    """Say that VKDISPATCH_BACKEND names no backend, where nothing else asks: programs will fail for it."""
    try:
        selection.get_environment_backend()
    except ValueError as error:
        print(f"Warning: {error}", file=sys.stderr)


def run(argv: Sequence[str] | None = None) -> int:
    """Print the devices, or check one of them; the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.selftest and (options.all or options.json):
        parser.error(f"argument --selftest: not allowed with argument {'--all' if options.all else '--json'}")
    level = init.LogLevel.INFO if options.log_info or options.debug else init.LogLevel.WARNING
    reasons: dict[str, str] = {}
    try:
        if options.all or options.backend is not None:
            _warn_of_environment()
        if options.all:
            infos, reasons = _all_devices()
        else:
            loader = options.vulkan_loader_debug_logs or options.debug
            init.initialize(log_level=level, loader_debug_logs=loader, backend=options.backend)
            infos = init.get_devices()
    except (ImportError, RuntimeError, ValueError) as error:
        red, plain = ("\033[31m", "\033[0m") if sys.stderr.isatty() else ("", "")
        print(f"{red}Error initializing Vkdispatch: {error}{plain}", file=sys.stderr)
        return 1
    if options.selftest:
        return selftest.run()
    lacking = _lacking(infos)
    if options.json:
        data = {"devices": [_as_data(info) for info in infos], "unavailable": reasons, "lacking": lacking}
        print(json.dumps(data, indent=1))
        return 0
    for info in infos:
        if options.all:
            print(f"[{info.backend}]")
        print(info.get_info_string(options.verbose))
    for name, reason in reasons.items():
        print(f"[{name}] not available: {reason}")
    for name, reason in lacking.items():
        print(f"[{name}] its devices run no kernels yet: {reason}")
    return 0


def cli_entrypoint() -> None:
    """Entry point of the console script."""
    try:
        status = run()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has seen enough; nor may the interpreter's last flush find the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
