"""A transform inside a kernel of one's own: `with fft_context(...) as ctx`.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        (buffer,) = ctx.declare_shader_args([Buff[c64]])
        for read in ctx.reads_iter():
            read.read_from_buffer(buffer)
        ctx.execute()
        for write in ctx.writes_iter():
            write.write_to_buffer(buffer)
    transform = ctx.get_callable()

    lines = np.random.default_rng(5).normal(size=(4, 64)).astype(np.complex64)
    held = vd.asbuffer(lines)
    transform(held)
    assert np.allclose(held.read(0), np.fft.fft(lines), atol=1e-3)
"""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from ..base import dtype as dt
from ..base.buffer import Buffer
from ..base.words import bracketed
from ..codegen.builder import ShaderFlags
from ..codegen.context import shader_context
from ..shader.shader_function import ShaderFunction
from .config import FFTConfig
from .cooley_tukey import run
from .global_memory_iterators import (
    GlobalReadOp,
    GlobalWriteOp,
    global_reads_iterator,
    global_writes_iterator,
)
from .grid_manager import FFTGridManager
from .io_manager import IOManager
from .registers import FFTRegisters
from .resources import FFTResources
from .sdata_manager import FFTSDataManager


class FFTContext:
    """A kernel with a transform in it, while it is written."""

    def __init__(self, shader_context: Any, config: FFTConfig, name: str | None):
        self.shader_context = shader_context
        self.config = config
        self.name = name or f"fft_{config.N}"
        self._declared = False
        self._parts: tuple[Any, ...] | None = None
        self._callable: ShaderFunction | None = None

    # The parts declare variables, so they come behind the kernel's arguments.

    def _part(self, index: int) -> Any:
        if self._parts is None:
            grid = FFTGridManager(self.config)
            resources = FFTResources(self.config, grid)
            registers = FFTRegisters(resources)
            self._parts = (grid, resources, registers, FFTSDataManager(resources, registers))
        return self._parts[index]

    @property
    def grid(self) -> FFTGridManager:
        """The assignment of lines to invocations."""
        return self._part(0)

    @property
    def resources(self) -> FFTResources:
        """The resources that the parts of the transform share."""
        return self._part(1)

    @property
    def registers(self) -> FFTRegisters:
        """The numbers that a thread holds."""
        return self._part(2)

    @property
    def sdata(self) -> FFTSDataManager:
        """Shared memory."""
        return self._part(3)

    # ---- Arguments

    def declare_shader_args(self, types: Sequence[Any], names: Sequence[str] | None = None) -> list[Any]:
        """Declare the kernel's arguments; the result is one variable for each.

        `names` are those that a call may give them by and that messages tell; without, param0, param1 and so on.
        """
        if isinstance(types, type) or typing.get_origin(types) is not None:
            kind = getattr(typing.get_origin(types) or types, "__name__", "Buffer")
            inner = ", ".join(getattr(t, "name", "...") for t in typing.get_args(types))
            raise TypeError(
                f"declare_shader_args() takes a list with the type of each argument: write [{kind}{f'[{inner}]' if inner else ''}]!"
            )
        told = [f"param{i}" for i in range(len(types))] if names is None else list(names)
        if len(told) != len(types) or len(set(told)) != len(told):
            raise ValueError(
                f"declare_shader_args(): names {bracketed(names)} must be one for each of the {len(types)} type(s), all different "
                f"(got {len(told)})!"
            )
        return self._declare(list(types), told)

    def make_io_manager(
        self,
        output_map: Any,
        output_type: Any = dt.complex64,
        input_type: Any = None,
        input_map: Any = None,
        kernel_map: Any = None,
    ) -> IOManager:
        """Declare the arguments of an output, an input and a kernel: named so, or as the maps name theirs."""
        if output_map is not None and input_map is None and input_type is None:
            raise ValueError("With an output_map, an input_map or an input_type is needed!")
        output = output_type if output_map is None else output_map
        given = input_map if input_map is not None else input_type
        return IOManager(_Later(self), self._declare, output, given, kernel_map)  # type: ignore[arg-type]

    def _declare(self, types: list[Any], names: list[str], defaults: list[Any] | None = None) -> list[Any]:
        if self._declared:
            raise ValueError("The arguments of this kernel are declared already!")
        self._declared = True
        return self.shader_context.declare_input_arguments(types, names, defaults)

    # ---- Registers

    def allocate_registers(self, name: str, count: int | None = None) -> FFTRegisters:
        """Another set of registers."""
        return FFTRegisters(self.resources, count, name)

    def reads_iter(
        self,
        r2c: bool = False,
        inverse: bool | None = None,
        format_transposed: bool = False,
        inner_only: bool = False,
        signal_range: Any = None,
    ) -> Iterator[GlobalReadOp]:
        """Iterate over the elements that this invocation reads, one for each register in the order of inputs, to the
        end.

        With `r2c` lines are real, as an RFFTBuffer holds them: with `inverse=False` their numbers are read, with
        `inverse=True` their half spectrum, and one of both must be said. `inner_only` leaves the axes before the transformed
        one out of `io_index`: one kernel for all of them. `format_transposed` is for a kernel that transpose() made. What
        lies outside of `signal_range`, (start, end) along the axis, read_from_buffer() takes for zero.
        """
        return global_reads_iterator(self.registers, r2c, inverse, format_transposed, inner_only, signal_range)

    def writes_iter(self, r2c: bool = False, inverse: bool | None = None) -> Iterator[GlobalWriteOp]:
        """Iterate over the elements that this invocation writes, one for each register in the order of outputs, to the
        end.

        With `r2c` lines are real, as an RFFTBuffer holds them: with `inverse=False` their half spectrum is written, with
        `inverse=True` their numbers, and one of both must be said.
        """
        return global_writes_iterator(self.registers, r2c, inverse)

    def execute(self, inverse: bool = False) -> None:
        """Transform the values of the registers, from the order of inputs into that of outputs.

        What goes on by place in the line, or transforms again, needs a register_shuffle() before: a warning tells where.
        """
        run(self.resources, self.registers, inverse)

    def register_shuffle(
        self, registers: FFTRegisters | None = None, output_stage: int = -1, input_stage: int = 0
    ) -> bool:
        """Bring the outputs of a stage into the order of another's inputs. True if it took no shared memory."""
        chosen = self.registers if registers is None else registers
        alone = chosen._shuffle(output_stage, input_stage)
        if not alone:
            self.sdata._put(chosen, output_stage)
        self.resources._remarks.tell("register_shuffle()")
        if not alone:
            self.sdata.read_from_sdata(chosen, input_stage)
        return alone

    # ---- The kernel

    def compile_shader(self) -> None:
        """Finish the kernel. The context's end does it, too."""
        if self._callable is None:
            grid = self.grid
            self.resources._remarks.check_loops()
            self.resources._remarks.tell()
            description = self.shader_context.get_description(self.name)
            self._callable = _Lines(description, self.config.buffer_shape, self.resources.least, grid)

    def get_callable(self) -> ShaderFunction:
        """The kernel; ValueError before it is finished."""
        if self._callable is None:
            raise ValueError("The kernel is not finished yet: leave the context first!")
        return self._callable


class _Lines(ShaderFunction):
    """A kernel that knows how much of its arguments it reads and writes."""

    def __init__(self, description: Any, shape: Sequence[int], least: dict[str, int], grid: FFTGridManager):
        super().__init__(description, local_size=grid.local_size, exec_count=grid.exec_size)
        self._shape = tuple(shape)
        names = enumerate(name for name, _ in self._names_and_defaults)
        self._least = [(i, name, least[name]) for i, name in names if name in least]

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Launch the kernel, or record it into `graph=`. ValueError for a buffer that is too small."""
        for i, name, size in self._least:
            buffer = args[i] if i < len(args) else kwargs.get(name)
            if isinstance(buffer, Buffer) and buffer.mem_size < size:
                raise ValueError(
                    f"Argument '{name}' of kernel '{self.name}', which transforms lines of shape {self._shape}, takes {size} "
                    f"bytes; the buffer of shape {tuple(buffer.shape)} and type {buffer.var_type.name} has {buffer.mem_size}!"
                )
        super().__call__(*args, **kwargs)


class _Later:
    """The context's own registers, which are made when they are first used: behind the arguments."""

    def __init__(self, context: FFTContext):
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context.registers, name)

    def __getitem__(self, index: int) -> Any:
        return self._context.registers[index]


@contextlib.contextmanager
def fft_context(
    buffer_shape: Sequence[int],
    axis: int | None = None,
    max_register_count: int | None = None,
    compute_type: Any = dt.complex64,
    name: str | None = None,
) -> Iterator[FFTContext]:
    """Open a kernel with a transform along an axis, a line of which fits a workgroup. It is compiled at the end.

    The order of the registers is followed while the kernel is traced: what uses them in another is warned of.
    """
    config = FFTConfig(buffer_shape, axis, max_register_count, compute_type)
    with shader_context(ShaderFlags.NO_EXEC_BOUNDS) as shader:
        context = FFTContext(shader, config, name)
        yield context
        context.compile_shader()
