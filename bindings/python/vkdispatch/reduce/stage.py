"""One stage of a reduction as a kernel of its own, for programs that arrange the stages themselves.

Example:
    stage = vd.reduce.make_reduction_stage(vd.reduce.SubgroupAdd, vd.float32, 64, output_is_input=False)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import vkdispatch.codegen as vc

from ..base import dtype as dt
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction
from ..shader.decorator import shader
from ..shader.shader_function import ShaderFunction
from .operations import ReduceOp, identity_value
from .reduce_function import _current


@dataclasses.dataclass
class ReductionParams:
    """The elements that a stage reads and writes. Workgroups along y and z are batches."""

    input_offset: dt.uint32
    #: Elements that the groups along x share.
    input_size: dt.uint32
    input_stride: dt.uint32
    input_y_batch_stride: dt.uint32
    input_z_batch_stride: dt.uint32
    output_offset: dt.uint32
    #: Between the results of groups along x.
    output_stride: dt.uint32
    output_y_batch_stride: dt.uint32
    output_z_batch_stride: dt.uint32


def make_reduction_stage(
    reduction: ReduceOp,
    out_type: Any,
    group_size: int,
    output_is_input: bool,
    map_func: MappingFunction | None = None,
    input_types: Sequence[Any] | None = None,
) -> ShaderFunction:
    """A kernel (output, the map's arguments..., ReductionParams) in which each workgroup along x reduces its share.

    With `output_is_input` the elements are in the output buffer, where an earlier stage stored them.
    """
    types = list(input_types if input_types is not None else map_func.buffer_types if map_func is not None else [])
    if not types and not output_is_input:
        types = [ann.Buffer[out_type]]

    def stage(output: Any, *rest: Any) -> None:
        *arguments, params = rest
        lane = vc.local_invocation().x
        group = vc.workgroup()
        shared = vc.shared_buffer(out_type, group_size, "values")
        total = vc.new_register(out_type, identity_value(reduction.identity, out_type))
        first = params.input_offset + group.y * params.input_y_batch_stride + group.z * params.input_z_batch_stride
        number = vc.new_uint_register(group.x * group_size + lane)
        with vc.while_block(number < params.input_size):
            index = vc.to_dtype(vc.u32, first + number * params.input_stride).to_register()
            if output_is_input:
                value = output[index]
            elif map_func is None:
                value = arguments[0][index]
            else:
                before, _current.index = _current.index, index
                try:
                    value = map_func.callback(*arguments)
                finally:
                    _current.index = before
            total[:] = reduction.reduction(total, value)
            number += vc.num_workgroups().x * group_size
        shared[lane] = total
        vc.barrier()
        half = 1 << (group_size - 1).bit_length()
        while half > 1:
            half //= 2
            with vc.if_block((lane < half) & (lane + half < group_size)):
                shared[lane] = reduction.reduction(shared[lane].to_register(), shared[lane + half].to_register())
            vc.barrier()
        with vc.if_block(lane == 0):
            at = params.output_offset + group.x * params.output_stride
            at = at + group.y * params.output_y_batch_stride + group.z * params.output_z_batch_stride
            output[at] = shared[0]

    names = ["output", *(f"param{i}" for i in range(len(types))), "params"]
    return shader(
        local_size=(group_size, 1, 1),
        arg_type_annotations=[ann.Buffer[out_type], *types, ReductionParams],
        arg_names=names,
    )(stage)
