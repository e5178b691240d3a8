"""The sides of a transform inside a kernel: arguments declared, and read or written by buffer or map.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        io = ctx.make_io_manager(output_map=None)
        io.read_input()
        ctx.execute()
        io.write_output()
    ctx.get_callable()(held)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.global_builder import get_builder
from ..codegen.signature import RESERVED_NAMES
from .global_memory_iterators import _current, global_reads_iterator, global_writes_iterator
from .io_proxy import IOProxy
from .registers import FFTRegisters


def _names_and_defaults(proxies: Sequence[IOProxy]) -> tuple[list[str], list[Any]]:
    """Names and defaults of the maps' parameters if the names are distinct; else a name of its own for each argument of
    a side."""
    own = [pair for proxy in proxies for pair in proxy.names_and_defaults()]
    names = [name for name, _ in own]
    if len(set(names)) < len(names) or any(name in RESERVED_NAMES for name in names):
        names = [f"{proxy.name}{i}" for proxy in proxies for i in range(len(proxy.buffer_types))]
    return names, [default for _, default in own]


class IOManager:
    """Output, input and kernel. The arguments are in this order."""

    def __init__(
        self,
        default_registers: FFTRegisters,
        declare: Callable[[list[Any], list[str], list[Any]], list[Any]],
        output: Any,
        input: Any = None,
        kernel: Any = None,
    ):
        self.default_registers = default_registers
        self.output_proxy = IOProxy(output, "output")
        self.input_proxy = IOProxy(input, "input")
        self.kernel_proxy = IOProxy(kernel, "kernel")
        proxies = (self.output_proxy, self.input_proxy, self.kernel_proxy)
        types = [annotation for proxy in proxies for annotation in proxy.buffer_types]
        variables = declare(types, *_names_and_defaults(proxies))
        for proxy in proxies:
            count = len(proxy.buffer_types)
            proxy.set_variables(variables[:count])
            variables = variables[count:]

    def read_from_proxy(self, proxy: IOProxy, registers: FFTRegisters | None = None, **how: Any) -> None:
        """Give registers their values from a side."""
        watch = proxy.watch()
        for op in global_reads_iterator(self.default_registers if registers is None else registers, **how):
            if watch is not None:
                watch.trace(get_builder(), op, proxy.variables)
            else:
                op.read_from_buffer(proxy.variables[0])
        if watch is not None:
            watch.tell()

    def write_to_proxy(self, proxy: IOProxy, registers: FFTRegisters | None = None, **how: Any) -> None:
        """Put registers to a side."""
        watch = proxy.watch()
        for op in global_writes_iterator(self.default_registers if registers is None else registers, **how):
            if watch is not None:
                watch.trace(get_builder(), op, proxy.variables)
            else:
                op.write_to_buffer(proxy.variables[0])
        if watch is not None:
            watch.tell()

    def read_input(
        self,
        registers: FFTRegisters | None = None,
        r2c: bool = False,
        inverse: bool | None = None,
        signal_range: Any = None,
    ) -> None:
        """Read the input, which is the output's buffer if it has none of its own."""
        proxy = self.input_proxy if self.input_proxy.enabled else self.output_proxy
        self.read_from_proxy(proxy, registers, r2c=r2c, inverse=inverse, signal_range=signal_range)

    def write_output(
        self, registers: FFTRegisters | None = None, r2c: bool = False, inverse: bool | None = None
    ) -> None:
        """Write the output."""
        self.write_to_proxy(self.output_proxy, registers, r2c=r2c, inverse=inverse)

    def read_kernel(
        self, registers: FFTRegisters | None = None, format_transposed: bool = False, inner_only: bool = False
    ) -> None:
        """Read the kernel, or run its map on the registers, which hold the spectrum then."""
        if not self.kernel_proxy.enabled:
            raise ValueError("This transform has no kernel!")
        _current.kernel = 0
        try:
            self.read_from_proxy(
                self.kernel_proxy, registers, format_transposed=format_transposed, inner_only=inner_only
            )
        finally:
            _current.kernel = None
