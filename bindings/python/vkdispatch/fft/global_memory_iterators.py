"""Accesses of a map at an element: `read_op()` and `write_op()`.

Example:
    @vd.map
    def windowed(x: Buff[c64]):
        element = vd.fft.read_op()
        element.read_from_buffer(x)
        element.register[:] = element.register * 0.5

    buffer, out = vd.asbuffer(np.ones(8, np.complex64)), vd.empty(8, vd.complex64)
    vd.fft.fft(out, buffer, input_map=windowed)
    assert np.allclose(out.read(0)[0], 4)
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

import vkdispatch.codegen as vc

from .. import _native
from ..base import dtype as dt
from ..base.errors import WrongTypeError
from ..codegen.variables.arithmetic import number_value
from ..codegen.variables.variables import ShaderVariable, index_value
from .memory_iterators import MemoryOp, elements
from .ranges import normal_range
from .resources import order_of

_e = _native.enums


class _Current(threading.local):
    read: GlobalReadOp | None = None
    write: GlobalWriteOp | None = None
    kernel: int | None = None


_current = _Current()


def _value_of(variable: Any, what: str) -> int:
    if variable is None:
        return 0
    if not isinstance(variable, ShaderVariable):
        raise WrongTypeError(f"{what} must be a variable of the kernel being traced (got {type(variable).__name__})!")
    return variable._value


def _address_of(io_index: Any, builder: Any) -> int:
    if io_index is None:
        return 0

    return index_value(builder, io_index, builder.location())


class _Assigned:
    """An op whose `register` is assigned to, where another would only take its name."""

    def __setattr__(self, name: str, value: Any) -> None:
        register = vars(self).get("register") if name == "register" else None
        if register is None:
            super().__setattr__(name, value)
        elif value is not register:  # it is after `op.register += 1`
            register[:] = value


@dataclasses.dataclass
class GlobalReadOp(_Assigned, MemoryOp):
    """An element that is read: give `register` its value. In a kernel map the register holds the spectrum."""

    register: Any
    io_index: Any
    r2c: bool
    inverse: bool
    signal_range: tuple[int | None, int | None]
    format_transposed: bool = False
    _gen: Any = None
    #: Whether the core has been asked to move the element.
    _moved: bool = False
    _reach: Any = None  # told of the buffer that is read

    @classmethod
    def from_memory_op(cls, op: MemoryOp, **fields: Any) -> GlobalReadOp:
        """Make one from a plain element and the fields that it lacks."""
        return cls(**{field.name: getattr(op, field.name) for field in dataclasses.fields(MemoryOp)}, **fields)

    @property
    def io_index_2(self) -> ShaderVariable:
        """The same as io_index: a mirrored index is so already."""
        return self.io_index

    @property
    def r2c_inverse_offset(self) -> int:
        """Bins of a half spectrum behind which the other half is mirrored."""
        return self.fft_size // 2 + 1

    @property
    def signal_range_end(self) -> int:
        """The first position past the range that is read."""
        end = self.signal_range[1]
        return self.fft_size if end is None else end

    def check_in_signal_range(self) -> ShaderVariable | None:
        """The condition that the position is one that is read; None where all are."""
        low, high = self.signal_range
        condition = None
        position = self.fft_index
        if self.r2c and self.inverse and self._gen is not None and (low or high is not None):
            # The range counts elements of the stored half, and the other half is its mirror.
            size = self.fft_size
            position = _select(position > size // 2, size - position, position).to_register()
        if low:
            condition = position >= low
        if high is not None and high < self.fft_size:
            below = position < high
            condition = below if condition is None else condition & below
        return condition

    def read_from_buffer(self, buffer: Any, register: Any = None, io_index: Any = None) -> None:
        """Load from a buffer as the transform would: converted, mirrored, zero outside of the signal range."""
        if self._gen is None:
            return _load(self, buffer, self.register if register is None else register, io_index)
        index = _address_of(io_index, self.register._builder)
        into = _value_of(register, "register")
        _native.raw.vd_fft_gen_read(self._gen, _value_of(buffer, "buffer"), index, into)
        self._moved |= into in (0, self.register._value)


@dataclasses.dataclass
class GlobalWriteOp(_Assigned, MemoryOp):
    """An element that is written: put `register` somewhere."""

    register: Any
    io_index: Any
    r2c: bool
    inverse: bool
    _gen: Any = None
    #: Whether the core has been asked to move the element.
    _moved: bool = False
    _reach: Any = None  # told of the buffer that is written

    @classmethod
    def from_memory_op(cls, op: MemoryOp, **fields: Any) -> GlobalWriteOp:
        """Make one from a plain element and the fields that it lacks."""
        return cls(**{field.name: getattr(op, field.name) for field in dataclasses.fields(MemoryOp)}, **fields)

    def write_to_buffer(self, buffer: Any, register: Any = None, io_index: Any = None) -> None:
        """Store into a buffer as the transform would: converted, and for a real transform only the elements of its
        result."""
        if self._gen is None:
            return _store(self, buffer, self.register if register is None else register, io_index)
        index = _address_of(io_index, self.register._builder)
        value = 0
        if register is not None:
            _value_of(register, "register")
            value = number_value(register, register._builder.location())
        _native.raw.vd_fft_gen_write(self._gen, _value_of(buffer, "buffer"), index, value)
        self._moved = True


@dataclasses.dataclass
class GlobalTransposedWriteOp(_Assigned, MemoryOp):
    """A number of a kernel's spectrum on its way into the order of registers."""

    register: Any
    io_index: Any
    _reach: Any = None

    @classmethod
    def from_memory_op(cls, op: MemoryOp, **fields: Any) -> GlobalTransposedWriteOp:
        """Make one from a plain element and the fields that it lacks."""
        return cls(**{field.name: getattr(op, field.name) for field in dataclasses.fields(MemoryOp)}, **fields)

    def write_to_buffer(self, buffer: Any, register: Any = None, io_index: Any = None) -> None:
        """Store into a buffer, converted."""
        value = self.register if register is None else register
        if io_index is None and self._reach is not None:
            self._reach(buffer)
        buffer[self.io_index if io_index is None else io_index] = _converted(value, buffer.var_type)


# ---- Inside users' own kernels ---------------------------------------------------------------------------------------


def _converted(value: Any, var_type: Any) -> Any:
    if not dt.is_complex(var_type) and not dt.is_vector(var_type):
        return vc.to_dtype(var_type, value.real)
    if value.var_type is var_type:
        return value
    scalar = var_type.child_type
    return vc.to_dtype(var_type, vc.to_dtype(scalar, value.real), vc.to_dtype(scalar, value.imag))


def _select(condition: Any, a: Any, b: Any) -> Any:
    """One of two values of a type."""
    builder = a._builder
    values = [v._value if isinstance(v, ShaderVariable) else v for v in (condition, a, b)]
    return ShaderVariable(builder, a.var_type, builder.emit(_e.VD_OP_SELECT, 0, 0, builder.location(), *values))


def _load(op: GlobalReadOp, buffer: Any, register: Any, io_index: Any) -> None:
    at = op.io_index if io_index is None else io_index
    if io_index is None and op._reach is not None:
        op._reach(buffer)
    scalar = op.register.var_type.child_type
    condition = op.check_in_signal_range()
    register[:] = 0
    if condition is not None:
        vc.if_statement(condition)
    if op.r2c and not op.inverse and dt.is_complex(buffer.var_type):
        pair = buffer[at // 2].to_register()
        register.real = vc.to_dtype(scalar, _select(at % 2 == 1, pair.imag, pair.real))
    elif not dt.is_complex(buffer.var_type) and not dt.is_vector(buffer.var_type):
        register.real = vc.to_dtype(scalar, buffer[at])
    else:
        number = buffer[at].to_register()
        x, y = (number.real, number.imag) if dt.is_complex(buffer.var_type) else (number.x, number.y)
        register.real = vc.to_dtype(scalar, x)
        imag = vc.to_dtype(scalar, y).to_register()
        if op.r2c and op.inverse:
            # The other half are conjugates, and a number that is its own mirror image is real.
            imag = _select(op.fft_index > op.fft_size // 2, -imag, imag).to_register()
            alone = op.fft_index == 0
            if op.fft_size % 2 == 0:
                alone = vc.logical_or(alone, op.fft_index == op.fft_size // 2)
            imag = _select(alone, vc.new_register(scalar, 0), imag)
        register.imag = imag
    if condition is not None:
        vc.end()


def _store(op: GlobalWriteOp, buffer: Any, register: Any, io_index: Any) -> None:
    at = op.io_index if io_index is None else io_index
    if io_index is None and op._reach is not None:
        op._reach(buffer)
    if op.r2c and op.inverse and dt.is_complex(buffer.var_type):
        # Real number `at` of the buffer, which is one half of a complex one.
        value = vc.to_dtype(buffer.var_type.child_type, register.real).to_register()
        vc.if_statement(at % 2 == 1)
        buffer[at // 2].imag = value
        vc.else_statement()
        buffer[at // 2].real = value
        vc.end()
        return
    half = op.r2c and not op.inverse
    if half:
        vc.if_statement(op.fft_index < op.fft_size // 2 + 1)
    buffer[at] = _converted(register, buffer.var_type)
    if half:
        vc.end()


def _line_offset(grid: Any, row: int) -> Any:
    """The address of a thread's line, where the rows of a line's stride 1 have `row` elements."""
    if row == grid.config.N or grid.config.fft_stride != 1:
        return grid.global_outer_offset + grid.global_inner_offset
    return grid.global_outer_index * row


def _rows(config: Any, r2c: bool, scalar_side: bool) -> int:
    if r2c and config.fft_stride != 1:
        raise ValueError("R2C io only supported for contiguous data")
    if not r2c:
        return config.N
    return (2 if scalar_side else 1) * (config.N // 2 + 1)


def _reach(resources: Any, row: int, end: int, scalar_side: bool = False, inner_only: bool = False) -> Any:
    """Tell `resources` how far a buffer is read or written, for lines up to position `end`."""
    config = resources.config
    lines = 0 if inner_only else config.batch_outer_count - 1
    elements = lines * row * config.fft_stride + (end - 1) * config.fft_stride + config.batch_inner_count

    def reach(buffer: Any) -> None:
        # Two reals of a row are one number of a complex buffer.
        pairs = scalar_side and dt.is_complex(buffer.var_type)
        resources.reach(buffer, -(-elements // 2) if pairs else elements)

    return reach


def global_reads_iterator(
    registers: Any,
    r2c: bool = False,
    inverse: bool | None = None,
    format_transposed: bool = False,
    inner_only: bool = False,
    signal_range: Any = None,
) -> Iterator[GlobalReadOp]:
    """Iterate over the elements that an invocation reads from memory, one for each register, to the end.

    The options are those of FFTContext.reads_iter().
    """
    if r2c and format_transposed:
        raise ValueError("R2C format transposition not supported")
    resources = registers.resources
    config, grid = resources.config, resources.grid
    low_high = normal_range(signal_range, config.N)
    row = _rows(config, r2c, not inverse)
    if r2c and inverse is None:
        raise ValueError(
            "reads_iter(): r2c needs to know whether the transform is the inverse one: give inverse=False or True!"
        )
    end = config.N if low_high[1] is None else low_high[1]
    if r2c and inverse:
        end = min(end, config.N // 2 + 1)
    reach = _reach(resources, row, end, r2c and not inverse, inner_only)
    for op in elements(resources, order_of(0), _e.VD_FFT_ACCESS_READ):
        position = op.fft_index
        if r2c and inverse:
            position = _select(position > config.N // 2, config.N - position, position).to_register()
        if inner_only:
            at = position * config.fft_stride + grid.global_inner_offset
        else:
            at = position * config.fft_stride + _line_offset(grid, row)
        read = GlobalReadOp.from_memory_op(
            op,
            register=registers[op.register_id],
            io_index=at.to_register(),
            r2c=r2c,
            inverse=bool(inverse),
            signal_range=low_high,
            format_transposed=format_transposed,
            _reach=reach,
        )
        _current.read = read
        try:
            yield read
        finally:
            _current.read = None


def global_writes_iterator(registers: Any, r2c: bool = False, inverse: bool | None = None) -> Iterator[GlobalWriteOp]:
    """Iterate over the elements that an invocation writes to memory, one for each register, to the end.

    The options are those of FFTContext.writes_iter().
    """
    resources = registers.resources
    config, grid = resources.config, resources.grid
    if r2c and inverse is None:
        raise ValueError(
            "writes_iter(): r2c needs to know whether the transform is the inverse one: give inverse=False or True!"
        )
    row = _rows(config, r2c, bool(inverse))
    end = config.N // 2 + 1 if r2c and not inverse else config.N
    reach = _reach(resources, row, end, r2c and bool(inverse))
    for op in elements(resources, order_of(-1, True), _e.VD_FFT_ACCESS_WRITE):
        at = op.fft_index * config.fft_stride + _line_offset(grid, row)
        write = GlobalWriteOp.from_memory_op(
            op,
            register=registers[op.register_id],
            io_index=at.to_register(),
            r2c=r2c,
            inverse=bool(inverse),
            _reach=reach,
        )
        _current.write = write
        try:
            yield write
        finally:
            _current.write = None


def global_trasposed_write_iterator(registers: Any, inner_only: bool = False) -> Iterator[GlobalTransposedWriteOp]:
    """Iterate, to the end, over the elements that an invocation writes of a kernel for reads with `format_transposed`.
    The kernel is in its natural order."""
    resources = registers.resources
    config, grid = resources.config, resources.grid
    reach = _reach(resources, config.N, config.N, inner_only=inner_only)
    for op in elements(resources, order_of(0), _e.VD_FFT_ACCESS_WRITE):
        at = op.fft_index * config.fft_stride + grid.global_inner_offset
        if not inner_only:
            at = at + grid.global_outer_offset
        yield GlobalTransposedWriteOp.from_memory_op(
            op, register=registers[op.register_id], io_index=at.to_register(), _reach=reach
        )


def read_op() -> GlobalReadOp:
    """The element that a map is reading; ValueError outside of one."""
    if _current.read is None:
        here = " Here is an output_map, which has write_op()." if _current.write is not None else ""
        raise ValueError(
            "No global read operation is set for the current thread! read_op() is for a @vd.map function that is given as "
            f"input_map or kernel_map, and for loops over reads_iter().{here}"
        )
    return _current.read


def write_op() -> GlobalWriteOp:
    """The element that a map is writing; ValueError outside of one."""
    if _current.write is None:
        here = " Here is a map that reads, which has read_op()." if _current.read is not None else ""
        raise ValueError(
            "No global write operation is set for the current thread! write_op() is for a @vd.map function that is given as "
            f"output_map, and for loops over writes_iter().{here}"
        )
    return _current.write


def mapped_kernel_index() -> int | None:
    """The number of the kernel that a convolution's map is traced for; None outside of one."""
    return _current.kernel
